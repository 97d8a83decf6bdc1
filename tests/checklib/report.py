# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Output on the terminal, and the totals."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field

from .ktap import Case, Document, Verdict

SLOWEST = 10  # parts whose times are shown
SHOWN_NOTES = 25
REPEATED_NOTES = 3  # at the end, where a log that was cut short still has them


def _counts(numbers: dict[Verdict, int], zeros: bool) -> str:
    parts = [f"{n} {v.value}" for v, n in numbers.items() if n or zeros]
    return ", ".join(parts) or "nothing"


class Clock:
    """Wall time since it was made, or since the last lap."""

    def __init__(self) -> None:
        self.last = self.told = time.monotonic()

    def lap(self) -> float:
        now = time.monotonic()
        passed, self.last = now - self.last, now
        return passed

    def every(self, seconds: float) -> bool:
        """Whether so long has passed since this was last true."""
        now = time.monotonic()
        due = now - self.told >= seconds
        self.told = now if due else self.told
        return due


@dataclass
class Report:
    """Collects results from all workers, and prints them as they come."""

    began: float = field(default_factory=time.monotonic)
    totals: dict[Verdict, int] = field(default_factory=lambda: dict.fromkeys(Verdict, 0))
    seconds: dict[str, float] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    not_run: list[str] = field(default_factory=list)  # with reasons
    lock: threading.Lock = field(default_factory=threading.Lock)

    def say(self, *lines: str) -> None:
        stamp = f"[{self.elapsed():5.0f} s] "
        with self.lock:
            for line in lines:
                print(stamp + line, flush=True)
                stamp = " " * len(stamp)

    def add(self, label: str, document: Document, seconds: float, log: str) -> None:
        """One program has ended: print its failures, and a line with its counts."""
        numbers = {v: document.count(v) for v in Verdict}
        for case in document.cases:
            self._case(label, case)
        with self.lock:
            for verdict, number in numbers.items():
                self.totals[verdict] += number
            self.seconds[label] = seconds
        where = f"; see {log}" if numbers[Verdict.FAILED] else ""
        self.say(f"{label}: {_counts(numbers, False)} ({seconds:.0f} s){where}")

    def elapsed(self) -> float:
        return time.monotonic() - self.began

    def leave_out(self, label: str, reason: str) -> None:
        """A part that this call does not run: it counts as nothing."""
        self.say(f"{label}: not run: {reason}")
        with self.lock:
            self.not_run.append(f"{label}: {reason}")

    def _case(self, label: str, case: Case) -> None:
        if case.verdict is Verdict.FAILED:
            title = f"FAILED  {label}: {case.name}"
            notes = [f"  {note}" for note in case.notes[-SHOWN_NOTES:]]
            self.say(title, *notes)
            with self.lock:
                self.failures += [title, *notes[-REPEATED_NOTES:]]
        elif case.verdict is Verdict.SKIPPED:
            self.say(f"skipped {label}: {case.name}: {case.reason}")

    def end(self) -> int:
        """The slowest parts, the parts left out, the failures again, and the totals; returns the exit status."""
        slowest = sorted(self.seconds.items(), key=lambda item: -item[1])[:SLOWEST]
        print(f"\n{self.elapsed():7.0f} s in all; the {len(slowest)} slowest parts, wall time:")
        for label, seconds in slowest:
            print(f"{seconds:7.0f} s  {label}")
        if self.not_run:
            print(f"\nnot run ({len(self.not_run)}):")
        for line in sorted(self.not_run):
            print(f"  {line}")
        print()
        for line in self.failures:
            print(line)
        print(_counts(self.totals, True), flush=True)
        good = self.totals[Verdict.PASSED] and not self.totals[Verdict.FAILED]
        return 0 if good else 1
