# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The rate falls once, under flows whose windows are those of the earlier rate."""

from __future__ import annotations

from matplotlib.figure import Figure

from . import cases, checks, items, measures, overtime, plot, subjects, tables, verdict
from .papers import HERE
from .results import Results
from .tables import Better, Measure, Table
from .verdict import Bounds, Target

NAME = "falling"
TITLE = "A rate that falls"
SOURCE = HERE
CLAIM = """Four flows fill a link, as a phone\u2019s in a train does, and the rate falls to a small part of what it was. A
round trip\u2019s worth of packets at the earlier rate still comes, and the flows notice only when their packets are dropped
or late. How long the delay gets, and for how long, is the test of an AQM that waits for senders to slow down."""
CAPTION = (
    "Lines are the median over the seeds of the median packet at each moment, shades reach from the least "
    "seed to the greatest; the dotted upright is the fall of the rate."
)
AFTER = 1  # the phase after the fall
# Below codel_oot's bound, 125 ms and four packets of 1514 bytes, which is 173 ms at 1 Mbit/s
BOUNDS: Bounds = {"max_ms": 150, "held_ms": 500}


def after(results: Results, name: str, unit: str, better: Better, *path: str) -> Measure:
    return overtime.of_phase(results, AFTER, name, unit, better, *path)


def delays(results: Results) -> list[Measure]:
    """After the fall; before it, all of them are those of other experiments."""
    return [
        after(results, f"{measures.NAMES[p]} delay after the fall", "ms", Better.LOW, "delay_ms", p)
        for p in ("p50", "p95", "p99", "max")
    ]


def longest(results: Results) -> Measure:
    return delays(results)[-1]


def of_items(results: Results) -> list[Measure]:
    """The measures of the traffic that users notice."""
    return [
        *items.one(results, "ping", "99th percentile round trip"),
        *items.one(results, "web", "95th percentile time"),
        *items.one(results, "bulk", "goodput"),
    ]


def headlines(results: Results) -> list[Measure]:
    late = delays(results)
    return [measures.delay(results.bottleneck, "p95"), late[-1], *of_items(results)]


def opening(results: Results) -> list[Measure]:
    """The columns of README's table."""
    late = delays(results)
    return [late[-1], late[1], *of_items(results)]


def rows(results: Results) -> list[Measure]:
    busy = after(results, "utilisation after the fall", "%", Better.HIGH, "utilisation")
    held = overtime.held(results, AFTER)
    lost = measures.drop_rate(results.bottleneck)
    return [*delays(results), held, busy, lost, *items.every(results)]


def table(results: Results) -> list[Table]:
    return [
        *tables.measured(results, "After the fall, and of the whole run", rows(results)),
        tables.by_point(results, measures.delay(results.bottleneck, "p95")),
    ]


def targets(results: Results, bounds: Bounds) -> list[Target]:
    longest = cases.of_runs(results, cases.CODEL, delays(results)[-1].of)
    held = cases.of_runs(results, cases.CODEL, overtime.held(results, AFTER).of)
    return [
        verdict.at_most("codel_oot\u2019s longest delay", longest, bounds["max_ms"], "ms"),
        verdict.at_most(overtime.HELD_TITLE, held, bounds["held_ms"], "ms"),
    ]


CHECK = (
    # timeline 0: 125 ms, the ceiling before an overload; without a ceiling 517 to 627 ms in timelines 1 to 10
    checks.Check(
        "codel_oot\u2019s longest delay after the fall",
        "ms",
        checks.of(cases.CODEL, longest),
        high=150,
    ),
    # timeline 0: 20.3%
    checks.Check(
        "codel_oot\u2019s longest delay after the fall, of that without a ceiling",
        "%",
        checks.beside(cases.CODEL, cases.WITHOUT[cases.CODEL], longest),
        high=40,
    ),
)


def picture(results: Results) -> Figure:
    families = subjects.families(results.subjects)
    figure, areas = plot.matrix(families, [results.title_of(p) for p in results.points])
    for (_title, names), row in zip(families, areas):
        for area, point in zip(row, results.points):
            part = results.only(lambda run: run.point == point)
            overtime.delays(area, part, [n for n in names if n in part.subjects])
            overtime.rates_on_top(area, overtime.phases(part), False)
            area.set_ylabel("")
        row[0].set_ylabel("delay, ms", fontsize=8)
    plot.logarithmic([a for row in areas for a in row])
    for area in areas[-1]:
        area.set_xlabel("time, s", fontsize=8)
    plot.legend(figure, [a for row in areas for a in row])
    return figure


def describe(results: Results) -> str:
    longest = delays(results)[-1]
    parts = []
    for point in results.points:
        words = tables.in_words(results, [point], longest.of, " ms")
        parts.append(f"{results.title_of(point)}: {', '.join(words)}")
    return (
        "Queue delay over time on a logarithmic axis, before and after the rate falls. Longest delay "
        f"after the fall: {'; '.join(parts)}."
    )
