# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""What the experiments with the bottleneck in another device have in common."""

from __future__ import annotations

from matplotlib import pyplot
from matplotlib.figure import Figure

from . import amounts, cases, items, measures, plot, series, tables
from .results import Results
from .tables import Measure, Table
from .verdict import Case

AT_LINK = "fq_codel_at_link"
UP, DOWN = "far.up", "far.down"
CAPTION = (
    "Lines are the median over the seeds of the median packet in the far queue at each moment, shades reach from the "
    "least seed to the greatest."
)
COLUMNS = 2
HEIGHT = 1.5  # inches of each row of panels


def headlines(queue: str, results: Results) -> list[Measure]:
    """What the link carries, and what users wait for."""
    return [
        measures.utilisation(queue),
        measures.delay(queue, "p95"),
        *items.one(results, "ping", "95th percentile round trip"),
    ]


def rows(queue: str, results: Results) -> list[Measure]:
    return [
        *headlines(queue, results),
        measures.delay(queue, "p50"),
        measures.delay(queue, "p99"),
        *items.one(results, "ping", "median round trip"),
        *items.one(results, "ping", "lost"),
        *items.one(results, "bulk", "goodput"),
    ]


def by_link(queue: str, results: Results) -> list[Table]:
    """A table a measure, a row a link."""
    return [t for t in (tables.by_point(results, m) for m in rows(queue, results)) if t.rows]


def share_of_link(subject: str, queue: str, results: Results) -> list[Case]:
    """What the link carries, in percent of what it carries with a queue for each flow at the link itself."""
    number = cases.beside(results, AT_LINK, measures.utilisation(queue).of, cases.share)
    return [(results.where(run), number(run)) for run in cases.runs(results, subject)]


def picture(queue: str, results: Results) -> Figure:
    """A panel for each link."""
    points = results.points
    lines = -(-len(points) // COLUMNS) or 1
    figure, areas = pyplot.subplots(
        lines,
        min(COLUMNS, len(points)) or 1,
        figsize=(plot.WIDTH, HEIGHT * lines + 0.6),
        sharey=True,
        squeeze=False,
        layout="constrained",
    )
    every = list(areas.flat)
    for area, point in zip(every, points):
        part = results.only(lambda run: run.point == point)
        area.set_title(results.title_of(point))
        for name in part.subjects:
            course = series.line(part, name, queue, "p50_ms", amounts.median)
            if course.times:
                plot.band(area, name, course)
    for row in areas:
        row[0].set_ylabel("delay, ms", fontsize=8)
    for area in areas[-1]:
        area.set_xlabel("time, s", fontsize=8)
    plot.logarithmic(every)
    plot.legend(figure, every)
    return figure


def describe(queue: str, results: Results) -> str:
    late = measures.delay(queue, "p95")
    parts = []
    for point in results.points:
        words = tables.in_words(results, [point], late.of, " ms")
        parts.append(f"{results.title_of(point)}: {', '.join(words)}")
    return (
        "Delay in the far queue over time on a logarithmic axis, a panel for each link. 95th percentile: "
        f"{'; '.join(parts)}."
    )
