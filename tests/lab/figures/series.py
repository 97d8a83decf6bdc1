# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""A queue's course over time, from the steps that a run has kept."""

from __future__ import annotations

from typing import Any, Sequence

from .results import Results, Run

POINTS = 300  # on a line: finer is noise in a figure of this width


def of(results: Results, run: Run | None, queue: str) -> dict[str, Any]:
    """Steps begin when the warm-up ends."""
    found = (run and run.queue(queue, "series")) or {}
    return found and {**found, "from_s": results.warmup}


def example(results: Results, subject: str) -> Run | None:
    """The run that is drawn: the first point's, of the first seed that has it."""
    found = [r for p in results.points for r in results.of(subject, p)]
    return found[0] if found else None


def thinned(data: dict[str, Any], key: str, how: Any) -> tuple[list[float], list[float]]:
    """Times, and `how` (median, maximum) of as many steps as make one point of the line."""
    values: Sequence[float | None] = data[key]
    each = max(1, round(len(values) / POINTS))
    times, found = [], []
    for at in range(0, len(values), each):
        some = [v for v in values[at : at + each] if v is not None]
        times.append(data["from_s"] + (at + each / 2) * data["step_s"])
        found.append(how(some) if some else float("nan"))
    return times, found


def worst_between(data: dict[str, Any], begin: float, end: float) -> float | None:
    """The longest delay of a packet that left in [begin, end)."""
    if not data:
        return None
    first, last = (round((t - data["from_s"]) / data["step_s"]) for t in (begin, end))
    some = data["max_ms"][max(0, first) : max(0, last)]
    return max((v for v in some if v is not None), default=None)


def share_below(data: dict[str, Any], bound: float) -> float | None:
    """For which share of the time the median packet of a step waited less, in percent."""
    found = [v for v in data.get("p50_ms", []) if v is not None]
    return 100 * sum(v < bound for v in found) / len(found) if found else None


def rate_over_time(data: dict[str, Any], window: float = 1.0) -> tuple[list[float], list[float]]:
    """Mbit/s in each window, from the cumulative kilobytes."""
    step, total = data["step_s"], data["kbytes"]
    each = max(1, round(window / step))
    marks = [0.0, *total[each - 1 :: each]]
    rates = [(b - a) * 8e-3 / (each * step) for a, b in zip(marks, marks[1:])]
    return [data["from_s"] + (n + 0.5) * each * step for n in range(len(rates))], rates


def rates_between(data: dict[str, Any], begin: float, end: float) -> list[float]:
    """Mbit/s in each second of [begin, end)."""
    if not data:
        return []
    return [rate for at, rate in zip(*rate_over_time(data)) if begin <= at < end]
