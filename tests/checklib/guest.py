# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Tests in the virtual machine: several in one boot, each with a verdict of its own.

A test is NAME, or NAME:CASE,... for some of its cases, or NAME:1/2 for every second one. A machine reports a failure
when it ends. The test that was running when its kernel complained is at fault;
tests that have not run by then run in a new machine.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, Mapping

from vmlib import machine, releases

from . import durations, jobs, unchanged
from .ktap import Document, Verdict
from .report import Clock, Report

TOP = Path(__file__).resolve().parents[2]
SELFTESTS = TOP / "tests" / "kernel"
OUT = TOP / "out" / "check"

MARK = re.compile(r"@@ (begin|end|in use:) ?(.*)$")
STAMP = re.compile(r"\[\s*(\d+\.\d+)\] ")
ASKS = re.compile(r"^# vm: (.*)$", re.M)
TIMED_OUT = 124
# Only to end machines that hang: a busy host may take half of it
WALL_PER_TEST = 600
WALL_PER_GROUP = 120
WALL_OF_COST = 4  # of a test that takes longer than most
LONG = 45.0  # a test that is called by its name is divided


def script(test: str) -> str:
    """The file's name of NAME or NAME:CASE,..."""
    return test.partition(":")[0]


def log_name(release: str, test: str) -> str:
    """Halves of a test run at the same time, and have a log each."""
    name, _, cases = test.partition(":")
    half = f"-{cases.replace('/', 'of')}" if "/" in cases else ""
    return f"{release}-{name.removesuffix('.sh')}{half}.log"


def halves(release: str, test: str) -> list[str]:
    """A test that takes long, in two parts, unless cases of it are chosen."""
    if ":" in test or durations.cost(f"{release} {test}") <= LONG:
        return [test]
    return [f"{test}:1/2", f"{test}:2/2"]


def machine_options(name: str) -> list[str]:
    """Options of tests/vm/run for a release, or for another architecture."""
    return ["--arch" if name in releases.ARCHITECTURES else "--release", name]


def asked_for(names: list[str]) -> list[str]:
    """Options of tests/vm/run, from lines "# vm: OPTION ARGUMENT..." of the tests."""
    found: dict[tuple[str, str], None] = {}
    for name in names:
        for line in ASKS.findall((SELFTESTS / script(name)).read_text()):
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

    document: Callable[[str], Document] = lambda _name: Document()
    tests: list[Test] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)

    def feed(self, line: str) -> None:
        mark = MARK.match(line)
        if mark and mark[1] == "begin":
            name, uptime = mark[2].split()
            self.tests.append(Test(name, float(uptime), self.document(name)))
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
    """Tests of one release that share a boot. `notes` of tests that pass are written."""

    def __init__(
        self,
        release: str,
        number: str,
        names: list[str],
        report: Report,
        notes: Mapping[str, Path] | None = None,
    ) -> None:
        self.release = release
        self.number = number
        self.names = names
        self.costs = {label: durations.cost(label) for label in map(self.label, names)}
        self.report = report
        self.notes = notes or {}

    @property
    def cost(self) -> float:
        return sum(self.costs.values())

    def label(self, name: str) -> str:
        return f"{self.release} {name}"

    def __call__(self) -> None:
        left = self.names
        boot = 0
        while left:
            boot += 1
            left = self._boot(left, OUT / f"{self.release}-machine-{self.number}.{boot}.log")

    def _boot(self, names: list[str], log: Path) -> list[str]:
        """Returns the tests that remain, always fewer than `names`."""
        longest = (
            max(WALL_PER_TEST, WALL_OF_COST * self.costs[self.label(name)]) for name in names
        )
        timeout = WALL_PER_GROUP + sum(longest)
        argv = ["tests/vm/run", *machine_options(self.release), "--timeout", str(timeout)]
        argv += [*asked_for(names), "--", "tests/checklib/guest.sh", *names]
        boot = Boot(lambda name: self.report.document(self.label(name)))
        clock = Clock()

        def feed(line: str) -> None:
            running = boot.tests[-1] if boot.tests else None
            boot.feed(line)
            if running and running.status is not None and not running.seconds:
                running.seconds = clock.lap()
                self.report.ran(self.label(running.name), running.seconds)
            elif boot.tests and boot.tests[-1] is not running:
                clock.lap()

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
            lost = Test(names[0], 0.0, self.report.document(self.label(names[0])))
            lost.document.fail(f"the machine did not start (status {status})", boot.outside)
            self._report(lost)

    def _report(self, test: Test) -> None:
        log = OUT / log_name(self.release, test.name)
        log.write_text("".join(f"{line}\n" for line in test.lines))
        label = self.label(test.name)
        self.report.add(label, test.document, test.seconds, str(log.relative_to(TOP)))
        passed = test.document.count(Verdict.PASSED)
        if label in self.notes and passed == len(test.document.cases):
            unchanged.write(self.notes[label], passed)


def _machine_failed(test: Test, status: int) -> str:
    done = len(test.document.cases)
    what = "the machine was too slow" if status == TIMED_OUT else "the machine failed"
    if test.status is not None:
        return f"{what} (status {status}) because of this test"
    return f"{what} (status {status}) after {done} of {test.document.planned} results"


def groups(
    release: str,
    names: list[str],
    target: float,
    report: Report,
    notes: Mapping[str, Path] | None = None,
) -> list[Group]:
    costs = {name: durations.cost(f"{release} {name}") for name in names}
    spread = jobs.spread(costs, target)
    return [Group(release, str(i), group, report, notes) for i, group in enumerate(spread, 1)]
