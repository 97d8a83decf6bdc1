# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Dots: a row of panels for each point of the grid, a column for each measure, a line for each subject."""

from __future__ import annotations

import math
import textwrap
from typing import Callable, Sequence

from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from . import plot, subjects, tables
from .results import Point, Results
from .tables import Measure

CAPTION = "A dot is the median over the seeds, the number of the table; a bar reaches from the least seed to the greatest."
ROOM = 1.1  # beyond the greatest value
COLUMNS = 3
LINE = 0.17  # inches a subject
LETTERS = 46  # that fit above all columns

Headlines = Callable[[Results], Sequence[Measure]]


def panel(area: Axes, results: Results, point: Point, measure: Measure) -> None:
    for place, name in enumerate(results.subjects):
        values = results.values(name, point, measure.of)
        if not values:
            continue
        look = plot.style(name)
        face = area.get_facecolor() if look.hollow else look.ink
        area.plot([min(values), max(values)], [place, place], color=look.ink, linewidth=1.2)
        dot = {"color": look.ink, "marker": look.marker, "markerfacecolor": face}
        area.plot([tables.value(values)], [place], linestyle="none", **dot)
    area.set_yticks(range(len(results.subjects)), map(subjects.title, results.subjects))
    area.set_ylim(len(results.subjects) - 0.4, -0.6)
    area.tick_params(axis="both", labelsize=8)
    area.tick_params(axis="y", length=0)


def axis(areas: Sequence[Axes], measure: Measure) -> None:
    """Times are logarithmic; everything else begins at 0."""
    if measure.unit == "ms":
        plot.logarithmic(areas, "x")
        return
    top = max((a.dataLim.x1 for a in areas if math.isfinite(a.dataLim.x1)), default=0.0)
    for area in areas:
        area.set_xlim(0, ROOM * top or 1.0)


def picture(results: Results, headlines: Headlines) -> Figure:
    """The first measures; the others are left to the tables."""
    points, measures = results.points, headlines(results)[:COLUMNS]
    height = LINE * len(results.subjects) + 0.25
    figure, areas = pyplot.subplots(
        max(1, len(points)),
        max(1, len(measures)),
        figsize=(plot.WIDTH, height * max(1, len(points)) + 0.6),
        sharex="col",
        sharey=True,
        squeeze=False,
        layout="constrained",
    )
    for row, point in zip(areas, points):
        for area, measure in zip(row, measures):
            panel(area, results, point, measure)
        if results.varied:
            row[0].set_title(results.title_of(point))
    for column, measure in zip(areas.T, measures):
        axis(list(column), measure)
        column[-1].set_xlabel(textwrap.fill(measure.title, LETTERS // len(measures)), fontsize=8)
    return figure


def describe(results: Results, headlines: Headlines) -> str:
    """The first measure of every subject at every point."""
    measures = headlines(results)[:COLUMNS]
    shown = ", ".join(m.title for m in measures)
    parts = []
    for point in results.points:
        words = [w for m in measures[:1] for w in tables.in_words(results, [point], m.of)]
        where = f"{results.title_of(point)}: " if results.varied else ""
        parts.append(f"{where}{', '.join(words)}")
    first = measures[0].title if measures else ""
    return f"Dots for each qdisc: {shown}. {first[:1].upper()}{first[1:]}: {'; '.join(parts)}."
