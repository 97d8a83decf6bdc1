# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The figures of the delays of a phase."""

from __future__ import annotations

import json

import numpy as np

from lablib import measure

from .cases import case, same

MS = 1_000_000
BEGIN, END = 1000 * MS, 3000 * MS
BOUND = 50 * MS


def seen(*delays: int, gap: int = 10) -> measure.Windows:
    """Windows of packets that leave every 10 ms from the begin on, with these delays in ms, then 5 ms."""
    count = (END - BEGIN) // (gap * MS)
    time = BEGIN + np.arange(count) * gap * MS
    waited = np.full(count, 5 * MS)
    waited[: len(delays)] = np.array(delays, dtype=np.int64) * MS
    return measure.windows(time, waited, BEGIN, END)


def held(*delays: int, gap: int = 10) -> float | None:
    return measure.held(seen(*delays, gap=gap), BEGIN, BOUND)


@case("measure: a queue is held from the first window on after which no median is above the bound")
def held_from() -> None:
    for what, delays, expected in (
        ("never above", (), 0.0),
        ("at the bound", (50,) * 10, 100.0),
        ("a fall of 260 ms", (900,) * 26, 300.0),
        ("half of a window is above", (900,) * 5, 0.0),
        ("more than half is", (900,) * 6, 100.0),
        ("it leaves again", (900,) * 10 + (5,) * 90 + (60,) * 10, 1100.0),
        ("to the end", (900,) * 200, None),
    ):
        same(what, held(*delays), expected)


@case("measure: a window has five packets at least, and without packets nothing is held")
def few_packets() -> None:
    same("every 50 ms", held(*(900,) * 10, gap=50), 600.0)  # windows of 300 ms
    same("no packet", measure.held([], BEGIN, BOUND), None)


@case("measure: the bound is 50 ms, or 8 full packets, or the scenario's")
def bounds() -> None:
    for rate, given, expected in (
        (100_000_000, None, 50.0),
        (10_000_000, None, 50.0),
        (1_000_000, None, 96.896),
        (64_000, None, 1514.0),
        (64_000, 90 * MS, 90.0),
    ):
        found = measure.held_below({"held_below": given}, rate, 1500) / MS
        same(f"{rate}, {given}", found, expected)


@case("measure: what tc says of a queue in another device, without its histogram")
def far() -> None:
    learnt = {"state": "works", "path_ns": 1, "window": 2, "answers": 3, "released": 4}
    shown = [
        {"kind": "a", "handle": "1:"},
        {"kind": "b", "far": {**learnt, "delay": {"p50_ns": 5}}},
    ]
    same("tc", measure.said_by_tc(json.dumps(shown)), [{"kind": "a"}, {"kind": "b", "far": learnt}])


@case("measure: the control point is relative to the second half of the phase")
def control_points() -> None:
    same("a fall of 250 ms", measure.control_point(seen(*(900,) * 25), BEGIN, END), 200.0)
    same("never above", measure.control_point(seen(), BEGIN, END), 0.0)
