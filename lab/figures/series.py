# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""A queue's course over time, from the steps that the runs have kept: the median over the seeds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Callable, Sequence

from . import amounts
from .results import Results, Run, dig

POINTS = 300  # on a line: finer is noise in a figure of this width

Steps = Sequence["float | None"]
Fold = Callable[[Sequence[float]], float]


@dataclass(frozen=True)
class Line:
    """At each time the median over the seeds, the least and the greatest; nan without a value."""

    times: list[float]
    middle: list[float]
    low: list[float]
    high: list[float]


def of(results: Results, run: Run | None, queue: str) -> dict[str, Any]:
    """A run's steps, which begin when the warm-up ends."""
    found = (run and run.queue(queue, "series")) or {}
    return found and {**found, "from_s": results.warmup}


def of_seeds(results: Results, subject: str, queue: str) -> list[dict[str, Any]]:
    """The steps of each seed at the first point that has any: the one that is drawn."""
    for point in results.points:
        found = [s for r in results.of(subject, point) if (s := of(results, r, queue))]
        if found:
            return found
    return []


def over_seeds(courses: Sequence[tuple[Sequence[float], Steps]]) -> Line:
    """Courses of (times, values) of several seeds as one line; they share the times of the longest."""
    times = list(max((t for t, _v in courses), key=len, default=[]))
    columns = [
        [v for _t, values in courses if n < len(values) and (v := values[n]) is not None]
        for n in range(len(times))
    ]

    def folded(how: Fold) -> list[float]:
        return [how(c) if c else math.nan for c in columns]

    return Line(times, folded(amounts.median), folded(min), folded(max))


def thinned(data: dict[str, Any], key: str, how: Fold) -> tuple[list[float], Steps]:
    """Times, and `how` (median, maximum) of as many steps as make one point of the line."""
    values: Steps = data[key]
    each = max(1, round(len(values) / POINTS))
    times: list[float] = []
    found: list[float | None] = []
    for at in range(0, len(values), each):
        some = [v for v in values[at : at + each] if v is not None]
        times.append(data["from_s"] + (at + each / 2) * data["step_s"])
        found.append(how(some) if some else None)
    return times, found


def line(results: Results, subject: str, queue: str, key: str, how: Fold) -> Line:
    return over_seeds([thinned(d, key, how) for d in of_seeds(results, subject, queue)])


def rate_line(results: Results, subject: str, queue: str) -> Line:
    return over_seeds([rate_over_time(d) for d in of_seeds(results, subject, queue)])


def round_trips(run: Run, items: Sequence[str]) -> tuple[list[float], Steps]:
    """In each second, the median round trip of all pings or probes of these items."""
    seconds: dict[int, list[float]] = {}
    for item in items:
        for at, rtt in dig(run.traffic, item, "series") or []:
            if rtt is not None:
                seconds.setdefault(int(at), []).append(rtt)
    times = list(range(max(seconds, default=-1) + 1))
    values = [amounts.median(seconds[t]) if t in seconds else None for t in times]
    return [t + 0.5 for t in times], values


def round_trip_line(results: Results, subject: str, *items: str) -> Line:
    runs = [r for p in results.points[:1] for r in results.of(subject, p)]
    return over_seeds([round_trips(r, items) for r in runs])


def last_packet(results: Results, subject: str, queue: str) -> tuple[float, float] | None:
    """When the queue of the most durable seed falls silent, and when the course ends, in s."""
    ends = []
    for data in of_seeds(results, subject, queue):
        steps = [n for n, v in enumerate(data["p50_ms"]) if v is not None]
        begin, step = data["from_s"], data["step_s"]
        last = begin + step * (steps[-1] + 1 if steps else 0)
        ends.append((last, begin + step * len(data["p50_ms"])))
    return max(ends, default=None)


def worst_between(data: dict[str, Any], begin: float, end: float) -> float | None:
    """The longest delay of a packet that left in [begin, end)."""
    if not data:
        return None
    first, last = (round((t - data["from_s"]) / data["step_s"]) for t in (begin, end))
    some = data["max_ms"][max(0, first) : max(0, last)]
    return max((v for v in some if v is not None), default=None)


def share_below(data: dict[str, Any], bound: float) -> float | None:
    """The share of the steps whose median packet waited less, in percent."""
    found = [v for v in data.get("p50_ms", []) if v is not None]
    return 100 * sum(v < bound for v in found) / len(found) if found else None


def rate_over_time(data: dict[str, Any]) -> tuple[list[float], list[float]]:
    """Mbit/s in each second, from the cumulative kilobytes."""
    step, total = data["step_s"], data["kbytes"]
    each = max(1, round(1 / step))
    marks = [0.0, *total[each - 1 :: each]]
    rates = [(b - a) * 8e-3 / (each * step) for a, b in zip(marks, marks[1:])]
    return [data["from_s"] + (n + 0.5) * each * step for n in range(len(rates))], rates


def rates_between(line: Line, begin: float, end: float) -> list[float]:
    """The median over the seeds of the Mbit/s in each second of [begin, end)."""
    return [rate for at, rate in zip(line.times, line.middle) if begin <= at < end]
