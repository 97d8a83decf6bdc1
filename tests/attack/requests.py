#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""In the machine: requests.py SEED COUNT. Rounds of generated requests, each in a namespace of its own that is deleted.

Prints how many requests of each sort had which answer, and KTAP's results.
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from guestlib import devices, machine  # noqa: E402

ROUND = 10000  # requests
RATE = 4_000_000  # bit/s


class Run:
    """Counts of answers, and faults."""

    def __init__(self) -> None:
        self.answers: dict[str, Counter[str]] = defaultdict(Counter)
        self.faults: list[str] = []
        self.unaccounted: list[str] = []
        self.accounted = 0
        self.wanted = {"compared"}

    def read(self, text: str) -> None:
        for line in text.splitlines():
            if line.startswith("fault:"):
                self.faults.append(line)
                continue
            sort, answer, count = line.split(";")
            self.answers[sort][answer] += int(count)

    def round(self, seed: int, count: int) -> None:
        if seed % 2 == 0:  # without changes of MTUs: see netlink/main.c
            self.wanted.add("repeated")
        traced = seed % 4 < 2
        devices.build(RATE)
        machine.trace(traced)
        argv = [*devices.INSIDE, machine.SENDER, "requests", str(seed), str(count)]
        done = subprocess.run(argv, stdout=subprocess.PIPE, text=True)
        self.read(done.stdout)
        if done.returncode:
            self.faults.append(f"seed {seed}: status {done.returncode}")
        read, _, faults = devices.accounts()
        self.accounted += read
        self.unaccounted += [f"seed {seed}: {fault}" for fault in faults]
        if traced != bool(machine.trace(False)):
            self.faults.append(f"seed {seed}: tracepoints are {'silent' if traced else 'heard'}")
        devices.remove()

    def missing(self) -> None:
        """What was not compared at all is a fault."""
        for what in self.wanted:
            if not self.answers[what]["0"]:
                self.faults.append(f"nothing was {what}")
        if not self.accounted:
            self.unaccounted.append("no qdisc was read")

    def show(self) -> None:
        for sort, answers in self.answers.items():
            words = ", ".join(f"{name} {count}" for name, count in answers.most_common())
            print(f"# {sort}: {sum(answers.values())}: {words}")


def main(argv: list[str]) -> int:
    seed, count = map(int, argv)
    before = machine.prepare()
    run = Run()
    for first in range(0, count, ROUND):
        run.round(seed + first // ROUND, min(ROUND, count - first))
        print(f"# {min(first + ROUND, count)} requests", flush=True)
    run.show()
    run.missing()
    results = [
        machine.result("each request is answered, and a refused one changes nothing", run.faults),
        machine.result("every packet is accounted for", run.unaccounted),
        machine.result("the modules unload", machine.unload()),
        machine.result("the kernel has nothing to say", machine.log()[before:]),
    ]
    return not all(results)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
