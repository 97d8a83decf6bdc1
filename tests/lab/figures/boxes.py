# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Box plots of the runs of each group of points: figures 5 and 6."""

from __future__ import annotations

from pathlib import Path
from typing import Sequence

from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from . import amounts, measures, plot, subjects, tables
from .results import Point, Results
from .tables import Measure, Table

CAPTION = (
    "A box for each qdisc, over all runs of its row: quartiles, the middle as a thick line, and whiskers "
    "to the extremes."
)
BOX = 0.2  # inches a subject


def all_values(
    results: Results, subject: str, points: Sequence[Point], measure: Measure
) -> list[float]:
    return [v for p in points for v in results.values(subject, p, measure.of)]


def box(area: Axes, place: int, name: str, values: Sequence[float]) -> None:
    """Quartiles, the middle, and whiskers as far as there are runs."""
    look = plot.style(name)
    lines = {"color": look.ink, "linewidth": 1.1}
    area.boxplot(
        [values],
        positions=[place],
        vert=False,
        widths=0.6,
        whis=(0, 100),
        manage_ticks=False,
        boxprops={**lines, "linestyle": "--" if look.hollow else "-"},
        whiskerprops=lines,
        capprops=lines,
        medianprops={**lines, "linewidth": 2.4},
    )


def names_at_left(area: Axes, names: Sequence[str]) -> None:
    area.set_yticks(range(len(names)), [subjects.title(n) for n in names])
    area.set_ylim(len(names) - 0.4, -0.6)
    area.tick_params(axis="y", length=0)
    area.grid(False, axis="y")


def row_of_boxes(
    areas: Sequence[Axes], results: Results, title: str, points: Sequence[Point]
) -> None:
    queue = results.bottleneck
    wanted = (measures.delay(queue, "p50"), measures.utilisation(queue))
    for area, measure in zip(areas, wanted):
        for place, name in enumerate(results.subjects):
            values = all_values(results, name, points, measure)
            if values:
                box(area, place, name, values)
        names_at_left(area, results.subjects)
    areas[0].set_title(title)
    areas[1].tick_params(labelleft=False)


def picture(results: Results, keys: Sequence[str]) -> Figure:
    found = tables.groups(results, keys)
    height = 0.45 + BOX * len(results.subjects)
    figure, areas = pyplot.subplots(
        len(found),
        2,
        figsize=(plot.WIDTH, height * len(found) + 0.4),
        sharex="col",
        squeeze=False,
        layout="constrained",
    )
    for (title, points), pair in zip(found.items(), areas):
        row_of_boxes(pair, results, title, points)
    left, right = areas[-1]
    plot.logarithmic(list(areas[:, 0]), "x")
    left.set_xlabel("median delay of a run, ms")
    right.set_xlabel("utilisation of a run, %")
    right.set_xlim(right=101)
    return figure


def draw(results: Results, path: Path, keys: Sequence[str]) -> None:
    plot.save(lambda: picture(results, keys), path)


def describe(results: Results, keys: Sequence[str]) -> str:
    """What the boxes' middles are, for those who do not see them."""
    measure = measures.delay(results.bottleneck, "p50")
    parts = []
    for title, points in tables.groups(results, keys).items():
        found = ((s, all_values(results, s, points, measure)) for s in results.subjects)
        words = [
            f"{subjects.title(s)} {amounts.amount(amounts.median(v), 'ms')}" for s, v in found if v
        ]
        parts.append(f"{title}: {', '.join(words)}")
    return (
        "Box plots of each run\u2019s median queue delay, on a logarithmic axis, and of its "
        f"utilisation. The middle of the medians at {'; at '.join(parts)}."
    )


def both(
    results: Results, keys: Sequence[str], sources: Sequence[tables.Sources] = ({}, {})
) -> list[Table]:
    """Delay and utilisation: the middles of the boxes, then every run."""
    queue = results.bottleneck
    wanted = (measures.delay(queue, "p50"), measures.utilisation(queue))
    middles: list[Table] = [tables.summarised(results, m, keys, s) for m, s in zip(wanted, sources)]
    return [*middles, *(tables.by_point(results, m, folded=True) for m in wanted)]
