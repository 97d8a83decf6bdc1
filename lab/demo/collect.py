#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Makes one JSON document of what guest.sh has measured; refuses what cannot be."""

from __future__ import annotations

import json
import math
import re
import sys
from pathlib import Path
from typing import Any

REPLY = re.compile(r"\[(?P<at>[\d.]+)\] .* icmp_seq=(?P<seq>\d+) .* time=(?P<rtt>[\d.]+) ms")


def percentile(values: list[float], percent: float) -> float:
    """The nearest rank: a value that was measured, never one between two."""
    rank = max(1, math.ceil(len(values) * percent / 100))
    return sorted(values)[rank - 1]


def samples(text: str, start: float) -> list[dict[str, float]]:
    """Each answered ping: when it was sent, in seconds after the uploads began."""
    found = []
    for line in text.splitlines():
        if reply := REPLY.match(line):
            rtt = float(reply["rtt"])
            sent = float(reply["at"]) - rtt / 1000 - start
            found.append({"seq": int(reply["seq"]), "s": round(sent, 4), "rtt_ms": rtt})
    return found


def ping(text: str, start: float, seconds: float) -> dict[str, Any]:
    """Figures over all pings sent beside the uploads; the base is the idle path's."""
    every = samples(text, start)
    idle = [p["rtt_ms"] for p in every if p["s"] + p["rtt_ms"] / 1000 < 0]
    busy = [p for p in every if 0 <= p["s"] < seconds]
    if not idle or not busy:
        raise ValueError(f"ping had {len(idle)} answers before and {len(busy)} beside the uploads")
    numbers = [p["seq"] for p in busy]
    rtts = [p["rtt_ms"] for p in busy]
    return {
        "base_ms": min(idle),
        **{f"p{n}_ms": percentile(rtts, n) for n in (50, 95, 99)},
        "max_ms": max(rtts),
        "answered": len(busy),
        "lost": int(max(numbers) - min(numbers)) + 1 - len(busy),
        "samples": every,
    }


def phase(work: Path, kind: str, seconds: float) -> dict[str, Any]:
    qdiscs = json.loads((work / f"{kind}.tc").read_text())
    leaf = next(q for q in qdiscs if q["kind"] == kind)
    uploads = json.loads((work / f"{kind}.iperf3").read_text())
    start = float((work / f"{kind}.start").read_text())
    return {
        "qdisc": kind,
        "options": leaf["options"],
        "throughput_mbit": uploads["received"]["bits_per_second"] / 1e6,
        "drops": leaf["drops"],
        "marks": leaf.get("ecn_mark", 0),
        "ping": ping((work / f"{kind}.ping").read_text(), start, seconds),
        "uploads": uploads,
        "tc": qdiscs,
    }


def doubts(setup: dict[str, Any], found: dict[str, Any]) -> str | None:
    """Why the figures do not show what they are meant to show, if so."""
    pings = found["ping"]
    if not 0 <= pings["base_ms"] - setup["delay_ms"] < 1:
        return f"an idle ping takes {pings['base_ms']} ms, not {setup['delay_ms']}"
    if pings["lost"] > pings["answered"]:
        return f"{pings['lost']} pings lost, {pings['answered']} answered"
    if found["throughput_mbit"] < setup["rate_mbit"] / 2:
        return f"the uploads had {found['throughput_mbit']:.2f} Mbit/s"
    if found["throughput_mbit"] > setup["rate_mbit"]:
        return f"{found['throughput_mbit']:.2f} Mbit/s is more than the uplink carries"
    return None


def main(work: Path, kinds: list[str]) -> int:
    setup = json.loads((work / "setup").read_text())
    phases = []
    for kind in kinds:
        try:
            found = phase(work, kind, setup["seconds"])
        except (ValueError, KeyError, StopIteration) as error:
            print(f"demo: {kind}: {error!r}", file=sys.stderr)
            return 1
        if why := doubts(setup, found):
            print(f"demo: {kind}: {why}", file=sys.stderr)
            return 1
        phases.append(found)
    print(json.dumps({"setup": setup, "phases": phases}, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
