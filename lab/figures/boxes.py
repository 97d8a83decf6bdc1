# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Every run of each group of points as a dot, and the number of the table as a bar: figures 5 and 6."""

from __future__ import annotations

from typing import Sequence

from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from . import amounts, measures, plot, subjects, tables
from .results import Point, Results
from .tables import Measure, Table

CAPTION = (
    "A dot is a run. The bar is the number of the table: the median over the seeds, and for each seed the "
    "median over the loads of the row."
)
LINE = 0.2  # inches a subject
BAR = 0.34  # half its height, in lines


def wanted(results: Results) -> tuple[Measure, Measure]:
    queue = results.bottleneck
    return measures.delay(queue, "p50"), measures.utilisation(queue)


def strip(
    area: Axes, results: Results, place: int, name: str, points: Sequence[Point], measure: Measure
) -> None:
    middle = tables.value(tables.medians(results, name, points, measure.of))
    if middle is None:
        return
    look = plot.style(name)
    runs = [v for p in points for v in results.values(name, p, measure.of)]
    area.plot(runs, [place] * len(runs), "o", color=look.ink, alpha=0.45, markersize=3.5)
    bar = {"color": look.ink, "linewidth": 2.4, "linestyle": "-"}
    area.plot([middle, middle], [place - BAR, place + BAR], **bar)


def names_at_left(area: Axes, names: Sequence[str]) -> None:
    area.set_yticks(range(len(names)), [subjects.title(n) for n in names])
    area.set_ylim(len(names) - 0.4, -0.6)
    area.tick_params(axis="y", length=0)
    area.grid(False, axis="y")


def row_of_strips(
    areas: Sequence[Axes], results: Results, title: str, points: Sequence[Point]
) -> None:
    for area, measure in zip(areas, wanted(results)):
        for place, name in enumerate(results.subjects):
            strip(area, results, place, name, points, measure)
        names_at_left(area, results.subjects)
    areas[0].set_title(title)
    areas[1].tick_params(labelleft=False)


def picture(results: Results, keys: Sequence[str]) -> Figure:
    found = tables.groups(results, keys)
    height = 0.45 + LINE * len(results.subjects)
    figure, areas = pyplot.subplots(
        len(found),
        2,
        figsize=(plot.WIDTH, height * len(found) + 0.4),
        sharex="col",
        squeeze=False,
        layout="constrained",
    )
    for (title, points), pair in zip(found.items(), areas):
        row_of_strips(pair, results, title, points)
    left, right = areas[-1]
    plot.logarithmic(list(areas[:, 0]), "x")
    left.set_xlabel("median delay of a run, ms")
    right.set_xlabel("utilisation of a run, %")
    right.set_xlim(right=101)
    return figure


def describe(results: Results, keys: Sequence[str]) -> str:
    """The delays at the bars, for those who do not see them."""
    delay, _busy = wanted(results)
    parts = []
    for title, points in tables.groups(results, keys).items():
        words = tables.in_words(results, points, delay.of, f"{amounts.FIXED}ms")
        parts.append(f"{title}: {', '.join(words)}")
    return (
        "Each run\u2019s median queue delay, on a logarithmic axis, and its utilisation as dots, with a bar at "
        f"the middle. Middle of the median delays at {'; at '.join(parts)}."
    )


def both(
    results: Results, keys: Sequence[str], sources: Sequence[tables.Sources] = ({}, {})
) -> list[Table]:
    """Delay and utilisation: the numbers of each row of points, then every run."""
    shown = wanted(results)
    middles: list[Table] = [tables.by_point(results, m, keys, s) for m, s in zip(shown, sources)]
    return [*middles, *(tables.by_point(results, m, folded=True) for m in shown)]
