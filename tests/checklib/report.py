# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Output on the terminal, how far the call is, and the totals."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field

from vmlib import timeline

from .ktap import Case, Document, Verdict

SLOWEST = 10  # parts whose times are shown
SHOWN_NOTES = 25
REPEATED_NOTES = 4  # at the end, where a log that was cut short still has them
SILENCE = 20.0  # seconds, after which a line states how far the call is


def _counts(numbers: dict[Verdict, int], zeros: bool) -> str:
    parts = [f"{n} {v.value}" for v, n in numbers.items() if n or zeros]
    return ", ".join(parts) or "nothing"


def again(label: str, case: str) -> str:
    """The command that repeats a case; only selftests, which have a release in their label, have cases by name."""
    release, _, test = label.rpartition(" ")
    name = test.partition(":")[0].removesuffix(".sh")
    function = case.partition(":")[0]
    chosen = f":{function}" if release and function.isidentifier() else ""
    option = f"--release {release} " if release else ""
    course = f"{timeline.VARIABLE}={timeline.number()} " if timeline.number() else ""
    return f"{course}tests/check {option}{name}{chosen}"


def duration(seconds: float) -> str:
    """As people say it: 50 s, 3 min 20 s, 1 h 05 min."""
    whole = int(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


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
class Running:
    """A part that runs, and its last result."""

    since: float = field(default_factory=time.monotonic)
    last: str = ""

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.since


@dataclass
class Progress:
    """The parts of this call, how long each takes by its last run, and what is done."""

    workers: int
    costs: dict[str, float] = field(default_factory=dict)
    running: dict[str, Running] = field(default_factory=dict)
    taken: dict[str, float] = field(default_factory=dict)

    def slowness(self) -> float:
        """How long the parts have taken, compared with their last runs. Few seconds state little."""
        expected = sum(self.costs.get(label, 0.0) for label in self.taken)
        return (sum(self.taken.values()) + 10) / (expected + 10)

    def left(self) -> float:
        """Seconds until all is done, if the host stays as fast as it was."""
        left = {k: c for k, c in self.costs.items() if k not in self.taken}
        left |= {k: max(0.0, left.get(k, 0.0) - r.seconds) for k, r in self.running.items()}
        longest = max(left.values(), default=0.0)
        return self.slowness() * max(longest, sum(left.values()) / self.workers)

    def words(self) -> str:
        return f"{len(self.taken)} of {len(self.costs)} parts, {duration(self.left())} left"


@dataclass
class Report:
    """Collects results from all workers, and prints them as they come."""

    workers: int = 1
    began: float = field(default_factory=time.monotonic)
    totals: dict[Verdict, int] = field(default_factory=lambda: dict.fromkeys(Verdict, 0))
    seconds: dict[str, float] = field(default_factory=dict)
    cases: dict[str, dict[str, float]] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    not_run: list[str] = field(default_factory=list)  # with reasons
    lock: threading.RLock = field(default_factory=threading.RLock)

    def __post_init__(self) -> None:
        self.progress = Progress(self.workers)
        self.spoke = time.monotonic()
        self.ended = threading.Event()

    def say(self, *lines: str) -> None:
        stamp = f"[{self.elapsed():5.0f} s] "
        with self.lock:
            for line in lines:
                print(stamp + line, flush=True)
                stamp = " " * len(stamp)
            self.spoke = time.monotonic()

    def expect(self, costs: dict[str, float]) -> None:
        """These parts will run."""
        with self.lock:
            self.progress.costs |= costs

    def document(self, label: str, refuse_skips: bool = True) -> Document:
        """For the results of a part that begins now. A failure is printed at once."""

        def result(case: Case) -> None:
            with self.lock:
                if running := self.progress.running.get(label):
                    running.last = case.name
            if case.verdict is Verdict.FAILED:
                self._failed(label, case)

        with self.lock:
            self.progress.running[label] = Running()
        return Document(refuse_skips=refuse_skips, on_result=result)

    def ran(self, label: str, seconds: float) -> None:
        """A selftest has run; its verdict comes with that of its machine."""
        with self.lock:
            self.progress.running.pop(label, None)
            self.progress.taken[label] = seconds
            self.say(f"{self.progress.words()} | {label} has run")

    def add(self, label: str, document: Document, seconds: float, log: str) -> None:
        """One part has ended: a line with its counts."""
        numbers = {v: document.count(v) for v in Verdict}
        with self.lock:
            for verdict, number in numbers.items():
                self.totals[verdict] += number
            self.seconds[label] = seconds
            self.cases[label] = {case.name: round(case.seconds, 2) for case in document.cases}
            self.progress.running.pop(label, None)
            self.progress.taken[label] = seconds
            where = f"; see {log}" if numbers[Verdict.FAILED] else ""
            words = f"{label}: {_counts(numbers, False)} ({seconds:.0f} s){where}"
            self.say(f"{self.progress.words()} | {words}")

    def elapsed(self) -> float:
        return time.monotonic() - self.began

    def leave_out(self, label: str, reason: str) -> None:
        """A part that this call does not run: it counts as nothing."""
        with self.lock:
            self.not_run.append(f"{label}: {reason}")
            self.progress.costs.pop(label, None)

    def _failed(self, label: str, case: Case) -> None:
        title = f"FAILED  {label}: {case.name}"
        notes = [f"  {note}" for note in case.notes[-SHOWN_NOTES:]]
        notes.append(f"  repeat it: {again(label, case.name)}")
        with self.lock:
            self.failures += [title, *notes[-REPEATED_NOTES:]]
        self.say(title, *notes)

    def _now(self) -> str:
        now = [f"{k} ({r.last})" if r.last else k for k, r in self.progress.running.items()]
        failed = sum(line.startswith("FAILED") for line in self.failures)
        state = f"{self.totals[Verdict.PASSED]} passed, {failed} failed"
        return f"{self.progress.words()} | so far {state}; running: {'; '.join(now) or 'nothing'}"

    def keep_talking(self) -> None:
        """Until end(), a line after each silence."""

        def talk() -> None:
            while not self.ended.wait(1):
                with self.lock:
                    if time.monotonic() - self.spoke >= SILENCE:
                        self.say(self._now())

        threading.Thread(target=talk, daemon=True).start()

    def end(self) -> int:
        """The slowest parts, the parts left out, the failures again, and the totals; returns the exit status."""
        self.ended.set()
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
