#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""In the machine: day.py SEED MINUTES. Mixed traffic, each minute a change of options, and the sums each hour.

The qdiscs stay all the time. After the first hour the kernel is warm: with the same
options and no packet, its memory is the same in the end.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from guestlib import devices, machine, memory  # noqa: E402

RATE = 400_000  # bit/s
HOUR = 60  # minutes
PLACES = ("d0 root", "d1 parent 1:1", "d2 parent 1:1")
# At the beginning of each hour, whatever the changes have made of them. Less than what is sent, so packets wait
SHAPED = "rate 150kbit overhead off ceiling off target 5ms interval 100ms limit 1000"
USUAL = {
    "codel_oot": SHAPED,
    "fq_codel_oot": f"{SHAPED} memory_limit 4mb flows 1024 quantum 1514 drop_batch 64",
}
DRAINED = 10800  # seconds


class Day:
    """Changes, and faults."""

    def __init__(self) -> None:
        self.answers: Counter[str] = Counter()
        self.faults: list[str] = []
        self.unaccounted: list[str] = []

    def hour(self, seed: int, minutes: int) -> None:
        argv = [*devices.INSIDE, machine.SENDER, "day", str(seed), str(minutes)]
        done = subprocess.run(argv, stdout=subprocess.PIPE, text=True)
        for line in done.stdout.splitlines():
            _, answer, count = line.split(";")
            self.answers[answer] += int(count)
        if done.returncode:
            self.faults.append(f"seed {seed}: status {done.returncode}")
        count, _, faults = devices.accounts()
        if count != len(PLACES):
            faults.append(f"{count} qdiscs were read")
        self.unaccounted += [f"after the hour with seed {seed}: {fault}" for fault in faults]

    def missing(self) -> None:
        """A day without changes is a fault."""
        print(f"# {self.answers['0']} changes, {self.answers['refused']} refused")
        if not self.answers["0"]:
            self.faults.append("nothing was changed")


def qdiscs(verb: str, seed: int) -> None:
    """Adds or changes the qdisc at each place; which kind is where follows from the seed."""
    for i, place in enumerate(PLACES):
        kind = sorted(USUAL)[(seed + i) % len(USUAL)]
        machine.sh(f"tc -n attack qdisc {verb} dev {place} handle 10: {kind} {USUAL[kind]}")


def rest(day: Day, seed: int) -> tuple[dict[str, int], list[str]]:
    """Usual options, a minute of traffic, and then none: the memory, and a fault if packets stay."""
    qdiscs("change", seed)
    day.hour(seed, 1)
    _, waiting, _ = devices.accounts()
    time.sleep(DRAINED)
    _, left, faults = devices.accounts()
    print(f"# {waiting} packets wait, and {left} after {DRAINED} s without traffic")
    return memory.read(), faults + (
        [] if waiting and not left else ["not all leave, or none waited"]
    )


def main(argv: list[str]) -> int:
    seed, minutes = map(int, argv)
    lines = machine.prepare()
    day = Day()
    devices.build(RATE)
    qdiscs("add", seed)
    before: dict[str, int] = {}
    stay: list[str] = []
    for hour, first in enumerate(range(0, minutes, HOUR), seed):
        qdiscs("change", seed)
        day.hour(hour, min(HOUR, minutes - first))
        if not before:
            before, stay = rest(day, seed)
    after, more = rest(day, seed)
    memory.show(before, after)
    day.missing()
    devices.remove()
    results = [
        machine.result("each change is answered", day.faults),
        machine.result("every packet is accounted for", day.unaccounted),
        machine.result("all packets leave", stay + more),
        machine.result("the kernel has as much memory as before", memory.grown(before, after, 0)),
        machine.result("the modules unload", machine.unload()),
        machine.result("the kernel has nothing to say", machine.log()[lines:]),
    ]
    return not all(results)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
