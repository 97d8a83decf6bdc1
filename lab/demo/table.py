#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Prints the demonstration's table from its JSON document."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

HEAD = """\
              throughput               ping, ms              pings       packets
qdisc             Mbit/s      p50      p95      p99      max   lost   dropped   marked"""


def row(phase: dict[str, Any]) -> str:
    ping = phase["ping"]
    figures = "".join(f"{ping[k]:9.1f}" for k in ("p50_ms", "p95_ms", "p99_ms", "max_ms"))
    return (
        f"{phase['qdisc']:<14}{phase['throughput_mbit']:10.2f}{figures}"
        f"{ping['lost']:7d}{phase['drops']:10d}{phase['marks']:9d}"
    )


def notes(setup: dict[str, Any], phases: list[dict[str, Any]]) -> list[str]:
    idle = max(p["ping"]["base_ms"] for p in phases)
    limit = next(p["options"]["limit"] for p in phases if p["qdisc"] == "pfifo")
    asks = "asks for ECN" if setup["ecn"] else "asks for ECN, as Linux is shipped"
    who = "Every host" if setup["ecn"] else "No host"
    return [
        f"{setup['uploads']} TCP uploads (CUBIC) and a ping for {setup['seconds']} s through a "
        f"{setup['rate_mbit']} Mbit/s uplink.",
        f"An idle ping takes {idle:.1f} ms. Nothing is left out, the start included.",
        f"Default options (pfifo: {limit} packets). {who} {asks}.",
        f"Linux {setup['kernel']}.",
    ]


def main(source: Path) -> None:
    data = json.loads(source.read_text())
    lines = [HEAD, *map(row, data["phases"]), "", *notes(data["setup"], data["phases"])]
    print("\n".join(lines))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
