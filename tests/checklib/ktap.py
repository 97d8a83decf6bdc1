# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Reads the results of one test program, and does not take its word for the total.

A program fails also by what it does not say: without a plan, with other results
than planned, or with a status that its results do not explain.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field
from enum import Enum
from typing import Callable

PLAN = re.compile(r"1\.\.(\d+)\s*(?:# SKIP\s*(.*))?$", re.I)
RESULT = re.compile(r"(not )?ok\b\s*(\d+)?\s*(?:- )?(.*)$")
SKIP = re.compile(r"\s*# SKIP\b\s*(.*)$", re.I)
TODO = re.compile(r"\s*# (TODO|XFAIL)\b\s*(.*)$", re.I)
KEPT_NOTES = 200
STATUS_SKIP = 4


class Verdict(Enum):
    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass
class Case:
    """One result. Notes are the diagnostics that came before it."""

    name: str
    verdict: Verdict
    reason: str = ""
    notes: list[str] = field(default_factory=list)
    seconds: float = 0.0  # wall time since the result before it


@dataclass
class Document:
    """The results of one program; feed it lines, then finish it with its status.

    `refuse_skips`: what a test could need is there, so that a skipped case has failed. `on_result` is called with each case.
    """

    planned: int | None = None
    skipped_whole: str | None = None
    cases: list[Case] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    refuse_skips: bool = False
    on_result: Callable[[Case], None] = lambda _case: None
    last: float = field(default_factory=time.monotonic)

    def feed(self, line: str) -> None:
        # An indented line belongs to a case whose result follows.
        plan = PLAN.match(line)
        result = RESULT.match(line)
        if plan and self.planned is None:
            self.planned = int(plan[1])
            self.skipped_whole = plan[2]
        elif result:
            self._result(bool(result[1]), result[2], result[3])
        else:
            self.notes = [*self.notes, line][-KEPT_NOTES:]

    def _result(self, failed: bool, number: str | None, text: str) -> None:
        skip, todo = SKIP.search(text), TODO.search(text)
        name = SKIP.sub("", TODO.sub("", text)) or "(no name)"
        case = Case(name, Verdict.FAILED if failed else Verdict.PASSED)
        if skip and not failed:
            case = Case(name, Verdict.SKIPPED, skip[1] or "no reason given")
        elif todo and failed:
            case = Case(name, Verdict.SKIPPED, f"expected to fail: {todo[2]}")
        if number and int(number) != len(self.cases) + 1:
            case = Case(
                f"{name} (result {number} came as number {len(self.cases) + 1})",
                Verdict.FAILED,
            )
        case.notes, self.notes = self.notes, []
        self._add(case)

    def _add(self, case: Case) -> None:
        now = time.monotonic()
        case.seconds, self.last = now - self.last, now
        if self.refuse_skips and case.verdict is Verdict.SKIPPED:
            case.verdict = Verdict.FAILED
            case.notes.append(
                f"skipped, though scripts/setup installs all that a test needs: {case.reason}"
            )
        self.cases.append(case)
        self.on_result(case)

    def fail(self, name: str, notes: list[str] | None = None) -> None:
        """Something other than a result of its own went wrong."""
        self._add(Case(name, Verdict.FAILED, notes=notes or self.notes[-40:]))

    def count(self, verdict: Verdict) -> int:
        return sum(case.verdict is verdict for case in self.cases)

    def finish(self, status: int) -> None:
        """Holds the results against the plan and the status against the results."""
        reported = len(self.cases)
        if self.planned is None:
            self.fail(f"no plan (status {status})")
        elif self.planned != reported:
            self.fail(f"{self.planned} planned, {reported} reported (status {status})")
        elif self.planned == 0:
            self._finish_empty(status)
        elif status and not self.count(Verdict.FAILED):
            if status != STATUS_SKIP or self.count(Verdict.PASSED):
                self.fail(f"status {status}, and no result says why")

    def _finish_empty(self, status: int) -> None:
        if self.skipped_whole is not None and status in (0, STATUS_SKIP):
            self._add(Case("(all)", Verdict.SKIPPED, self.skipped_whole))
        else:
            self.fail(f"no case was run (status {status})")
