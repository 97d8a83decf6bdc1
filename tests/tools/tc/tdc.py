#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
"""Runs cases of the in-tree tc-testing on the out-of-tree kinds, as KTAP.

usage: tdc.py [--suffix SUFFIX] FILE...

A FILE contains cases: commands, the expected status of one of them, and a pattern with the number of
its matches in the output of another one. SUFFIX is appended to the names codel and fq_codel.
The statistics that tc -s adds must not change how often a pattern matches. Packets, which a few cases
want sent beside the commands, are not.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

NETNS = f"tdc-{os.getpid()}"
NAMES = {"IP": "ip", "DUMMY": "dummy1", "DEV0": "v0p0", "DEV1": "v0p1"}
DEVICES = ("dummy1 type dummy", "v0p0 type veth peer name v0p1")
KIND = re.compile(r"\b(fq_codel|codel)\b")


class Failed(Exception):
    """A failure of a case."""


class Case:
    """One case, of the out-of-tree kinds."""

    def __init__(self, case: dict[str, Any], suffix: str) -> None:
        self.case = case
        self.suffix = suffix

    def renamed(self, text: str) -> str:
        return KIND.sub(lambda kind: kind[0] + self.suffix, text)

    def run(self, command: str | list[Any], tc: str = "tc") -> subprocess.CompletedProcess[str]:
        """A command may come in a list, with the statuses that are expected of it."""
        line = command if isinstance(command, str) else command[0]
        argv = ["ip", "netns", "exec", NETNS, "sh", "-c", self.renamed(line)]
        environment = os.environ | NAMES | {"TC": tc}
        return subprocess.run(argv, env=environment, capture_output=True, text=True, check=False)

    def test(self) -> None:
        for command in self.case["setup"]:
            done = self.run(command)
            if done.returncode:
                raise Failed(f"{command}: {done.stderr}")
        done = self.run(self.case["cmdUnderTest"])
        if done.returncode != int(self.case["expExitCode"]):
            raise Failed(f"status {done.returncode}: {done.stderr}")
        for tc in ("tc", "tc -s"):
            self.verify(tc)

    def verify(self, tc: str) -> None:
        shown = self.run(self.case["verifyCmd"], tc).stdout
        pattern = self.renamed(self.case["matchPattern"])
        found = len(re.findall(pattern, shown, re.DOTALL | re.MULTILINE))
        if found != int(self.case["matchCount"]):
            raise Failed(f"{found} times {pattern!r} in:\n{shown}")


def system(*words: str) -> None:
    subprocess.run(["ip", *" ".join(words).split()], check=True)


def attempt(case: Case) -> str:
    """The faults of a case. Every case has its own devices."""
    system("netns add", NETNS)
    try:
        for device in DEVICES:
            system("-n", NETNS, "link add", device)
        for name in ("DUMMY", "DEV0", "DEV1"):
            system("-n", NETNS, "link set", NAMES[name], "up")
        case.test()
    except Failed as failure:
        return str(failure)
    finally:
        system("netns del", NETNS)
    return ""


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--suffix", default="")
    options.add_argument("files", nargs="+", type=Path)
    args = options.parse_args()
    cases = [case for path in args.files for case in json.loads(path.read_text())]
    print(f"KTAP version 1\n1..{len(cases)}")
    failed = 0
    for number, case in enumerate(cases, 1):
        why = attempt(Case(case, args.suffix))
        for line in why.splitlines():
            print(f"# {line}")
        failed += bool(why)
        print(f"{'not ' if why else ''}ok {number} {case['id']} {case['name']}", flush=True)
    return int(failed != 0)


if __name__ == "__main__":
    sys.exit(main())
