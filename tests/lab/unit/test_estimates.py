# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Estimates of the time of runs, and their display."""

from __future__ import annotations

import io
import os
import random
from unittest import mock

from lablib import cost, load
from lablib.cost import Cost
from lablib.plan import Run
from lablib.progress import Progress, clock

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


@case("estimates: 4 s, 50 ms a virtual second, 20 ms a megabit and 1 ms a single packet")
def beginning() -> None:
    close("seconds", Cost().estimate(runs()[0]), 4 + 0.5 + 1.2)
    close("seconds", Cost().estimate(runs("ping")[0]), 4 + 0.5 + 100 * 0.001)


@case("estimates: they learn how fast a machine is")
def learning() -> None:
    rng = random.Random(1)
    every = [*runs(), *runs("bulk", "c", "a"), *runs("ping")]
    learner = Cost()
    for run in every:
        learner.learn(run, 2.5 * cost.before(run) * rng.uniform(0.9, 1.1))
    for run in every:
        close(run.title, learner.estimate(run), 2.5 * cost.before(run), 0.1)


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
    """A clock that only the test moves."""

    def __init__(self) -> None:
        self.time = 1000.0

    def __call__(self) -> float:
        return self.time


def course(stream: io.StringIO) -> str:
    """Three runs at a time of two, thought to take 5.7, 6.6 and 7.5 s; the second fails."""
    day, every = Day(), runs()
    progress = Progress(stream, every, 2, day)
    progress.started(every[0])
    progress.started(every[1])
    day.time += 8
    progress.show()  # as if by 8.0 / 5.7 more each
    day.time += 2
    progress.finished(every[0], True)  # so they take 9.4, 10.8 and 12.3
    progress.started(every[2])
    day.time += 20
    progress.show()
    day.time += 1
    progress.show()
    progress.finished(every[1], False)
    progress.say("Words")
    day.time += 9
    progress.finished(every[2], True)
    progress.end()
    return stream.getvalue()


NAMES = [f"s duration={n}0s seed=1" for n in (1, 2, 3)]
LINES = [
    f"[1/3] {NAMES[0]}: 10.0 s",
    f"[###################.] 1/3 runs, 10/60 s virtual, 0:30 gone, 0:01 left: {NAMES[1]}, {NAMES[2]}",
    f"[2/3] FAILED {NAMES[1]}: 31.0 s",
    "Words",
    f"[3/3] {NAMES[2]}: 30.0 s",
]
HALF, FULL = "#" * 11 + "." * 9, "#" * 19 + "."
SCREENS = [
    "",
    f"[....................] 0/3 runs, 0/60 s virtual, 0:00 gone, 0:13 left: {NAMES[0]}",
    f"[....................] 0/3 runs, 0/60 s virtual, 0:00 gone, 0:13 left: {NAMES[0]}, {NAMES[1]}",
    f"[{'#' * 11}.........] 0/3 runs, 0/60 s virtual, 0:08 gone, 0:11 left: {NAMES[0]}, {NAMES[1]}",
    f"[{HALF}] 1/3 runs, 10/60 s virtual, 0:10 gone, 0:12 left: {NAMES[1]}",
    f"[{HALF}] 1/3 runs, 10/60 s virtual, 0:10 gone, 0:12 left: {NAMES[1]}, {NAMES[2]}",
    f"[{FULL}] 1/3 runs, 10/60 s virtual, 0:30 gone, 0:01 left: {NAMES[1]}, {NAMES[2]}",
    f"[{FULL}] 1/3 runs, 10/60 s virtual, 0:31 gone, 0:01 left: {NAMES[1]}, {NAMES[2]}",
    LINES[2] + "\n",
    f"[{FULL}] 2/3 runs, 30/60 s virtual, 0:31 gone, 0:01 left: {NAMES[2]}",
    "Words\n",
    "[####################] 3/3 runs, 60/60 s virtual, 0:40 gone, 0:00 left",
    "",
]


@case("progress: without a terminal, a line for each run and one every 30 s")
def lines() -> None:
    same("lines", course(io.StringIO()).splitlines(), LINES)


@case("progress: on a terminal, one line that is cleared and written again")
def terminal() -> None:
    with mock.patch.dict(os.environ, COLUMNS="200"):
        same("screens", course(Terminal()).split("\r\033[K"), SCREENS)
    with mock.patch.dict(os.environ, COLUMNS="60"):
        shown = course(Terminal()).split("\r\033[K")
    same("in 60 columns", shown, [s if s.endswith("\n") else s[:59] for s in SCREENS])


@case("progress: the share of nothing is all")
def nothing() -> None:
    progress = Progress(io.StringIO(), [], 2)
    same("share", (progress.share(), progress.left()), (1.0, 0.0))


@case("progress: a slow run shows how far it is, and what is left comes from that")
def slow() -> None:
    day, every = Day(), runs()
    stream = io.StringIO()
    progress = Progress(stream, every[:1], 1, day)
    progress.started(every[0])
    for seconds in (0, 0, 2, 2, 4):
        day.time += 40
        progress.reached(every[0], seconds)
        progress.show()
    shown = [line.split("virtual, ")[1] for line in stream.getvalue().splitlines()]
    expected = [
        f"0:40 gone, 0:04 left: {NAMES[0]}",
        f"1:20 gone, 0:08 left: {NAMES[0]}",
        f"2:00 gone, 8:00 left: {NAMES[0]} (2/10 s)",
        f"2:40 gone, 7:20 left: {NAMES[0]} (2/10 s)",
        f"3:20 gone, 5:00 left: {NAMES[0]} (4/10 s)",
    ]
    same("shown", shown, expected)
    assert "] 0/1 runs, 4/10 s virtual" in stream.getvalue(), stream.getvalue()
