# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""How long runs take, and what is shown of it."""

from __future__ import annotations

import io
import random

from lablib import cost, load
from lablib.cost import Cost
from lablib.plan import Run
from lablib.progress import CLEAR, Progress, clock

from .cases import case, planned, same

SCENARIO = """
title = "T"
duration = "10s"
nodes = ["a", "b", "c"]
[link.fast]
rate = "100mbit"
[link.slow.up]
rate = "10mbit"
rates = [["5s", "2mbit"]]
[traffic.{name}]
kind = "{name}"
from = "{source}"
to = "{sink}"
{more}
[vary]
duration = ["10s", "20s", "30s"]
"""


def runs(name: str = "bulk", source: str = "a", sink: str = "c", more: str = "") -> list[Run]:
    return planned(SCENARIO.format(name=name, source=source, sink=sink, more=more)).runs


def close(what: str, value: float, expected: float, share: float = 0.01) -> None:
    assert abs(value - expected) <= share * abs(expected), f"{what}: {value}, not {expected}"


@case("estimates: what a run carries is what passes its slowest link, or what is sent")
def megabits() -> None:
    for arguments, expected in (
        (("bulk", "a", "c"), 60),  # 5 s of 10 and 5 s of 2 Mbit/s
        (("bulk", "c", "a"), 1000),  # only the fast link has a rate that way
        (("cbr", "a", "c", 'rate = "1mbit"'), 10),
        (("cbr", "a", "c", 'rate = "1mbit"\nstart = "4s"'), 6),
        (("web", "a", "c", 'rate = 2\nsize = "12kB"'), 1.92),
        (("ping", "a", "c"), 0),
    ):
        close(f"{arguments}", load.megabits(runs(*arguments)[0].document), expected)


@case("estimates: 4 s, 50 ms a virtual second and 20 ms a megabit to begin with")
def beginning() -> None:
    close("seconds", Cost().estimate(runs()[0]), 4 + 0.5 + 1.2)


@case("estimates: they learn what a machine is like")
def learning() -> None:
    rng = random.Random(1)
    every = [*runs(), *runs("bulk", "c", "a"), *runs("ping")]
    truth = Cost()
    truth.factors = [2.0, 5.0, 0.5]
    learner = Cost()
    for _ in range(6):
        for run in every:
            learner.learn(run, truth.estimate(run) * rng.uniform(0.9, 1.1))
    for run in every:
        close(run.title, learner.estimate(run), truth.estimate(run), 0.15)


@case("estimates: nothing that is measured makes one 0 or less")
def positive() -> None:
    learner = Cost()
    for run in runs():
        learner.learn(run, 0.0)
        learner.learn(run, 1000.0 / run.document["duration"])
        assert learner.estimate(run) > 0


@case("estimates: the wall time of several runs side by side")
def side_by_side() -> None:
    for running, waiting, workers, expected in (
        ([], [], 2, 0),
        ([], [5, 4, 3], 1, 12),
        ([], [5, 4, 3], 2, 7),
        ([2], [5, 4, 3], 2, 8),
        ([9, 1], [2], 2, 9),
        ([], [5], 4, 5),
    ):
        same(f"{running} {waiting}", cost.span(running, waiting, workers), expected)


@case("progress: times on a clock")
def clocks() -> None:
    for seconds, text in ((0, "0:00"), (65.4, "1:05"), (3599.6, "1:00:00"), (36000, "10:00:00")):
        same(f"{seconds}", clock(seconds), text)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Day:
    """A clock that goes when told."""

    def __init__(self) -> None:
        self.time = 1000.0

    def __call__(self) -> float:
        return self.time


def course(stream: io.StringIO) -> str:
    """Three runs of about 6 s at a time of two, the second fails."""
    day, every = Day(), runs()
    progress = Progress(stream, every, 2, day)
    progress.started(every[0])
    progress.started(every[1])
    day.time += 10
    progress.finished(every[0], True)
    progress.started(every[2])
    day.time += 21
    progress.show()
    progress.finished(every[1], False)
    progress.end()
    return stream.getvalue()


@case("progress: without a terminal, a line for each run and one every 30 s")
def lines() -> None:
    found = course(io.StringIO()).splitlines()
    same("first", found[0], "[1/3] s duration=10s seed=1: 10.0 s")
    assert found[1].startswith("[") and "1/3 runs, 10/60 s virtual, 0:31 gone, " in found[1], found
    assert found[1].endswith("left: s duration=20s seed=1, s duration=30s seed=1"), found
    same("last", found[2:], ["[2/3] FAILED s duration=20s seed=1: 31.0 s"])


@case("progress: on a terminal, one line that is cleared and written again")
def terminal() -> None:
    text = course(Terminal())
    assert "\n" not in text, text
    shown = text.split(CLEAR)
    same("ends", (shown[0], shown[-1]), ("", ""))
    assert all(len(line) < 80 for line in shown), shown
    assert shown[1].startswith(
        "[....................] 0/3 runs, 0/60 s virtual, 0:00 gone, 0:1"
    ), shown
    assert (
        shown[-2].startswith("[####") and " 2/3 runs, 30/60 s virtual, 0:31 gone, " in shown[-2]
    ), shown
