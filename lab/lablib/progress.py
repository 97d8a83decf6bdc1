# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""How far the runs are: a line that is written again and again, or a line now and then."""

from __future__ import annotations

import shutil
import time
from typing import Callable, Sequence, TextIO

from .cost import Cost, span
from .load import SECOND
from .plan import Run

BAR = 20
OVERDUE = 0.1  # of a run
QUIET = 30  # s between lines where they cannot be written again
CLEAR = "\r\033[K"


def clock(seconds: float) -> str:
    """1:05, 1:01:05"""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def virtual(runs: Sequence[Run]) -> float:
    return sum(run.document["duration"] for run in runs) / SECOND


class Progress:
    """Finished, present and waiting runs."""

    def __init__(
        self,
        stream: TextIO,
        runs: Sequence[Run],
        workers: int,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self.stream = stream
        self.terminal = stream.isatty()
        self.cost = Cost()
        self.workers = workers
        self.now = now
        self.begun = now()
        self.waiting = list(runs)
        self.running: dict[int, tuple[Run, float]] = {}
        self.noted: dict[
            int, tuple[int, float]
        ] = {}  # virtual seconds, and the wall time they took
        self.done: list[Run] = []
        self.spent = 0.0  # seconds of the runs that are done
        self.last = self.begun

    def started(self, run: Run) -> None:
        self.waiting = [other for other in self.waiting if other is not run]
        self.running[id(run)] = run, self.now()
        self.show()

    def reached(self, run: Run, seconds: int) -> None:
        """The run has come to this second of its virtual time."""
        if seconds and seconds != self.noted.get(id(run), (0, 0.0))[0]:
            self.noted[id(run)] = seconds, self.now() - self.running[id(run)][1]

    def finished(self, run: Run, good: bool) -> None:
        _run, start = self.running.pop(id(run))
        self.noted.pop(id(run), None)
        seconds = self.now() - start
        if good:
            self.cost.learn(run, seconds)
        self.done.append(run)
        self.spent += seconds
        if not self.terminal or not good:
            word = "" if good else "FAILED "
            self.say(f"[{len(self.done)}/{self.total}] {word}{run.title}: {seconds:.1f} s")
        self.show()

    @property
    def total(self) -> int:
        return len(self.done) + len(self.running) + len(self.waiting)

    def pace(self) -> float:
        """As long as nothing is measured: how much longer than thought the first runs take at least."""
        if self.done:
            return 1.0
        times = [(self.now() - start, run) for run, start in self.running.values()]
        return max([1.0, *(gone / self.cost.estimate(run) for gone, run in times)])

    def estimate(self, run: Run) -> float:
        """Seconds of the whole run: from how far it is, if it has noted that."""
        if id(run) in self.noted:
            seconds, taken = self.noted[id(run)]
            return taken * virtual([run]) / seconds
        return self.pace() * self.cost.estimate(run)

    def title(self, run: Run) -> str:
        if id(run) not in self.noted:
            return run.title
        return f"{run.title} ({self.noted[id(run)][0]}/{virtual([run]):.0f} s)"

    def rest(self) -> list[float]:
        """Seconds until the present runs end; a run that exceeds its estimate is nearly done."""
        every = [(self.estimate(run), start) for run, start in self.running.values()]
        return [max(whole - (self.now() - start), OVERDUE * whole) for whole, start in every]

    def left(self) -> float:
        """Seconds of wall time."""
        return span(self.rest(), [self.estimate(run) for run in self.waiting], self.workers)

    def share(self) -> float:
        """Of the work, as estimated."""
        ahead = sum(self.rest()) + sum(self.estimate(run) for run in self.waiting)
        gone = self.spent + sum(self.now() - start for _run, start in self.running.values())
        return gone / (gone + ahead) if ahead else 1.0

    def line(self) -> str:
        full = int(BAR * self.share())
        every = [*self.done, *(run for run, _start in self.running.values()), *self.waiting]
        now = ", ".join(self.title(run) for run, _start in self.running.values())
        gone = virtual(self.done) + sum(seconds for seconds, _taken in self.noted.values())
        return (
            f"[{'#' * full}{'.' * (BAR - full)}] {len(self.done)}/{self.total} runs, "
            f"{gone:.0f}/{virtual(every):.0f} s virtual, "
            f"{clock(self.now() - self.begun)} gone, {clock(self.left())} left{': ' if now else ''}{now}"
        )

    def say(self, text: str) -> None:
        """A line that stays."""
        self.stream.write(f"{CLEAR if self.terminal else ''}{text}\n")
        self.stream.flush()

    def show(self) -> None:
        if self.terminal:
            width = shutil.get_terminal_size().columns - 1
            self.stream.write(f"{CLEAR}{self.line()[:width]}")
            self.stream.flush()
        elif self.now() - self.last >= QUIET:
            self.last = self.now()
            self.say(self.line())

    def end(self) -> None:
        if self.terminal:
            self.stream.write(CLEAR)
            self.stream.flush()
