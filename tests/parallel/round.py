#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""One round, in the machine: round.py SEED SECONDS [shared]."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parent))

from roundlib import disturbances, place, topologies, traffic, verdict  # noqa: E402

LATE = 180  # seconds after its time by which a process has ended, on a busy host, too


def put(line: str, namespace: str) -> None:
    """A command of tc. A combination of options that the module refuses is left out, and another kind makes room."""
    words = line.replace("DEV", place.DEVICE[namespace]).split()
    if not place.run("tc", "-n", namespace, *words, check=False):
        place.run(
            "tc", "-n", namespace, "qdisc", "del", *words[2 : words.index("handle")], check=False
        )
        kind = next(i for i, word in enumerate(words) if word in topologies.KINDS)
        place.run("tc", "-n", namespace, *words[: kind + 1])


def work(seed: int, seconds: float, shared: bool) -> int:
    rng = Random(seed)
    for module in ("pktgen", "veth", *disturbances.MODULES):
        place.run("modprobe", module)
    place.build()
    name = rng.choice(topologies.QUEUES if shared else sorted(topologies.TREES))
    lines, leaves = topologies.tree(rng, name, shared)
    lines.append(topologies.way_back(rng, "DEV"))
    for line in lines:
        put(line, place.B if line is lines[-1] else place.A)
    sharing = sum(line.endswith(topologies.SHARED) for line in lines)
    print(
        f"{name}, {len(leaves)} leaves, {sharing} share a rate, {os.cpu_count()} processors",
        flush=True,
    )

    end_at = time.monotonic() + seconds
    pids = traffic.start(rng, end_at, seconds)
    more, names = disturbances.start(rng, end_at, name, leaves, shared)
    failed = place.ended([*pids, *more], end_at + LATE)
    # The link may be down, and a leaf may be missing. One that is there stays, with what it has counted
    place.link_up()
    for line in lines[-1 - len(leaves) : -1]:
        words = line.replace("replace", "add").replace("DEV", place.DEVICE[place.A]).split()
        place.run("tc", "-n", place.A, *words, check=False)
    status = verdict.judge(failed, names)
    stale = Path("/sys/module/stale_int3/parameters/met")
    if stale.exists():
        print(f"stale breakpoints of QEMU: {stale.read_text().strip()}")
    return status


def main(argv: list[str]) -> int:
    if argv in (["accounts"], ["queued"]):
        verdict.print_accounts() if argv == ["accounts"] else verdict.print_queued()
        return 0
    return work(int(argv[0]), float(argv[1]), argv[2:] == ["shared"])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
