# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Tests in the virtual machine: several in one boot, each with a verdict of its own.

A machine that fails says so when it ends. The test that was running when its
kernel complained is at fault; tests that had no chance are given one in a new
machine.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

from vmlib import machine

from . import jobs
from .ktap import Document, Verdict
from .report import Clock, Report

TESTS = Path(__file__).resolve().parents[1]
TOP = TESTS.parent
OUT = TOP / "out" / "check"
SKIPS = Path(__file__).with_name("skips")

MARK = re.compile(r"@@ (begin|end|in use:) ?(.*)$")
STAMP = re.compile(r"\[\s*(\d+\.\d+)\] ")
ASKS = re.compile(r"^# vm: (.*)$", re.M)
TIMED_OUT = 124
WALL_PER_TEST = 300
WALL_PER_GROUP = 120
GUESS = 40.0


def durations() -> dict[str, float]:
    """How long each test took the last time; nothing depends on it but the order."""
    try:
        return {k: float(v) for k, v in json.loads((OUT / "times.json").read_text()).items()}
    except (OSError, ValueError, AttributeError):
        return {}


def allowed_skips() -> list[tuple[str, str, str]]:
    """Triples of patterns for suite, test and case; the rest of a line is the reason."""
    lines = SKIPS.read_text().splitlines() if SKIPS.exists() else []
    fields = [line.split(None, 3) for line in lines if line and line[0] != "#"]
    return [(f[0], f[1], f[2]) for f in fields if len(f) == 4]


def asked_for(names: list[str]) -> list[str]:
    """Options of tests/vm/run, from lines "# vm: OPTION ARGUMENT..." of the tests."""
    found: dict[tuple[str, str], None] = {}
    for name in names:
        for line in ASKS.findall((TESTS / name).read_text()):
            words = line.split()
            found |= dict.fromkeys(zip(words[::2], words[1::2]))
    return [word for pair in found for word in pair]


@dataclass
class Test:
    """One test in one boot: from when to when it ran by the kernel's clock."""

    name: str
    began: float
    document: Document = field(default_factory=Document)
    lines: list[str] = field(default_factory=list)
    status: int | None = None
    ended: float = float("inf")
    seconds: float = 0.0


@dataclass
class Boot:
    """One run of the machine, line by line."""

    tests: list[Test] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)

    def feed(self, line: str) -> None:
        mark = MARK.match(line)
        if mark and mark[1] == "begin":
            name, uptime = mark[2].split()
            self.tests.append(Test(name, float(uptime)))
        elif mark and mark[1] == "end" and self.tests:
            _name, status, uptime = mark[2].split()
            self.tests[-1].status = int(status)
            self.tests[-1].ended = float(uptime)
        elif mark and self.tests:
            self.tests[-1].document.fail(f"afterwards a module is in use: {mark[2]}")
        elif self.tests and self.tests[-1].status is None:
            self.tests[-1].lines.append(line)
            self.tests[-1].document.feed(line)
        else:
            self.outside.append(line)

    def complaint(self) -> list[str]:
        """From where the kernel begins to complain, and the runner's last words."""
        for i, line in enumerate(self.outside):
            if machine.BAD.search(line):
                return [*self.outside[i : i + 20], "...", self.outside[-1]]
        return self.outside[-20:]

    def culprit(self) -> Test | None:
        """Which test made the kernel complain: the one that ran at that moment."""
        for line in self.outside:
            stamp = STAMP.match(line)
            if stamp and machine.BAD.search(line):
                when = float(stamp[1])
                for test in self.tests:
                    if when <= test.ended:
                        return test
        return self.tests[-1] if self.tests else None


class Group:
    """Tests of one suite that share a boot."""

    def __init__(self, suite: str, number: int, names: list[str], report: Report) -> None:
        self.suite = suite
        self.number = number
        self.names = names
        self.report = report
        self.skips = allowed_skips()

    def __call__(self) -> None:
        left = self.names
        boot = 0
        while left:
            boot += 1
            left = self._boot(left, OUT / f"{self.suite}-machine-{self.number}.{boot}.log")

    def _boot(self, names: list[str], log: Path) -> list[str]:
        """Returns what has yet to be run, always less than `names`."""
        timeout = WALL_PER_GROUP + WALL_PER_TEST * len(names)
        argv = ["tests/vm/run", "--suite", self.suite, "--timeout", str(timeout)]
        argv += [*asked_for(names), "--", "tests/checklib/guest.sh", *names]
        boot = Boot()
        clock = Clock()

        def feed(line: str) -> None:
            running = boot.tests[-1] if boot.tests else None
            boot.feed(line)
            if running and running.status is not None and not running.seconds:
                running.seconds = clock.lap()
                self.report.say(f"{self.suite} {running.name} has run")
            elif boot.tests and boot.tests[-1] is not running:
                clock.lap()

        self.report.say(f"{self.suite}: {' '.join(names)}")
        status = jobs.run(argv, TOP, log, feed)
        if boot.tests and not boot.tests[-1].seconds:
            boot.tests[-1].seconds = clock.lap()
        self._judge(boot, status, names)
        ran = [test.name for test in boot.tests] or names[:1]
        return [name for name in names if name not in ran]

    def _judge(self, boot: Boot, status: int, names: list[str]) -> None:
        culprit = boot.culprit() if status else None
        for test in boot.tests:
            if test.status is not None:
                test.document.finish(test.status)
            if test is culprit:
                test.document.fail(_machine_failed(test, status), boot.complaint())
            self._report(test)
        if not boot.tests:
            lost = Test(names[0], 0.0)
            lost.document.fail(f"the machine did not start (status {status})", boot.outside)
            self._report(lost)

    def _report(self, test: Test) -> None:
        self._judge_skips(test)
        log = OUT / f"{self.suite}-{test.name.removesuffix('.sh')}.log"
        log.write_text("".join(f"{line}\n" for line in test.lines))
        label = f"{self.suite} {test.name}"
        self.report.add(label, test.document, test.seconds, str(log.relative_to(TOP)))

    def _judge_skips(self, test: Test) -> None:
        """The machine has all that a test could need."""
        for case in test.document.cases:
            if case.verdict is not Verdict.SKIPPED:
                continue
            if not any(
                fnmatchcase(self.suite, suite)
                and fnmatchcase(test.name, name)
                and fnmatchcase(case.name, pattern)
                for suite, name, pattern in self.skips
            ):
                case.verdict = Verdict.FAILED
                case.notes.append(f"skipped without need: {case.reason}")


def _machine_failed(test: Test, status: int) -> str:
    done = len(test.document.cases)
    what = "the machine was too slow" if status == TIMED_OUT else "the machine failed"
    if test.status is not None:
        return f"{what} (status {status}) because of this test"
    return f"{what} (status {status}) after {done} of {test.document.planned} results"


def groups(suite: str, names: list[str], target: float, report: Report) -> list[Group]:
    known = durations()
    costs = {name: known.get(f"{suite} {name}", GUESS) for name in names}
    spread = jobs.spread(costs, target)
    return [Group(suite, i, group, report) for i, group in enumerate(spread, 1)]
