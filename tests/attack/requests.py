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
sys.path += [str(HERE), str(HERE.parent / "kernel")]

from guestlib import machine  # noqa: E402
from trafficlib import accounting  # noqa: E402

ROUND = 10000  # requests
SPACE = "attack"
BUILD = """
ip netns add attack
ip -n attack link set lo up
for dev in d0 d1 d2; do
    ip -n attack link add $dev type dummy
    ip -n attack link set $dev arp off up
done
ip netns exec attack sh -c 'echo d0 4000000 >/sys/module/slow_link/parameters/link'
tc -n attack qdisc add dev d1 root handle 1: htb default 1
tc -n attack class add dev d1 parent 1: classid 1:1 htb rate 4mbit burst 3000
tc -n attack qdisc add dev d2 root handle 1: tbf rate 4mbit burst 20000 limit 1000000
"""
# A packet that waits holds its socket, and that the namespace: the devices go first
REMOVE = """
for dev in d0 d1 d2; do
    ip -n attack link del $dev
done
ip netns del attack
"""


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
        machine.sh(BUILD)
        inside = ["ip", "netns", "exec", SPACE]
        argv = [*inside, machine.SENDER, "requests", str(seed), str(count)]
        done = subprocess.run(argv, stdout=subprocess.PIPE, text=True)
        self.read(done.stdout)
        if done.returncode:
            self.faults.append(f"seed {seed}: status {done.returncode}")
        argv = [*inside, sys.executable, __file__, "accounts"]
        found = subprocess.run(argv, check=True, stdout=subprocess.PIPE, text=True).stdout
        *faults, last = found.splitlines()
        self.accounted += int(last)
        self.unaccounted += [f"seed {seed}: {fault}" for fault in faults]
        machine.sh(REMOVE)

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


def print_accounts() -> None:
    """The faults of this namespace, and how many qdiscs were read."""
    for fault in accounting.faults(tree=True):
        print(fault)
    print(len(accounting.read()))


def main(argv: list[str]) -> int:
    if argv == ["accounts"]:
        print_accounts()
        return 0
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
