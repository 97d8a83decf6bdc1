# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Each subject over a quantity that the grid varies, on a true axis: small multiples, one row a family."""

from __future__ import annotations

import math
from typing import Callable, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter, NullLocator

from . import amounts, plot, subjects, tables
from .results import Results, label
from .tables import Measure

CAPTION = (
    "Marks and lines are the medians over the seeds, the numbers of the tables; uprights reach from the "
    "least seed to the greatest. Pale lines are the subjects of the other panels."
)
LETTER = 0.085  # inches: labels that are wider than the ticks are apart are turned
PALE = 0.25

Place = Callable[[str], "float | None"]


def seeds(
    results: Results, subject: str, value: str, key: str, measure: Measure
) -> tuple[float, ...]:
    """A value a seed at this label: the median over the points that have it."""
    points = [p for p in results.points if p.get(key) == value]
    return tables.medians(results, subject, points, measure.of)


def in_place(results: Results, key: str, place: Place) -> tuple[list[str], list[float] | None]:
    """The labels from left to right, and where they are on a true axis.

    If one of them is no quantity, the labels in the order of the grid, and None.
    """
    values = results.labels.get(key, [])
    found = {v: at for v in values if (at := place(v)) is not None}
    if len(found) < len(values):
        return values, None
    return sorted(values, key=lambda v: (found[v], v)), sorted(found.values())


def common_unit(names: Sequence[str]) -> str:
    """The unit of all labels, if they have the same."""
    units = {name.partition(" ")[2] for name in names}
    return units.pop() if len(units) == 1 else ""


def true_axis(area: Axes, at: Sequence[float], names: Sequence[str]) -> None:
    """Ticks at the values that were run. Logarithmic where the largest is several times the smallest."""
    low, high = min(at), max(at)
    logarithmic = 0 < 3 * low < high
    if logarithmic:
        area.set_xscale("log")
    where = [math.log(v) for v in at] if logarithmic else list(at)
    span = max(where) - min(where) or 1.0
    closest = min((b - a for a, b in zip(sorted(where), sorted(where)[1:])), default=span) / span
    inches = area.get_position().width * area.figure.get_size_inches()[0]
    fits = closest * inches > LETTER * max(map(len, names))
    turned = {} if fits else {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}
    area.xaxis.set_minor_locator(NullLocator())
    area.xaxis.set_minor_formatter(NullFormatter())
    area.set_xticks(list(at), list(names), **turned)


def panel(
    area: Axes,
    results: Results,
    key: str,
    measure: Measure,
    names: Sequence[str],
    place: Place,
) -> None:
    """The subjects `names` in their colours, all others pale."""
    values, at = in_place(results, key, place)
    x = at if at is not None else list(range(len(values)))
    for name in results.subjects:
        found = [seeds(results, name, v, key, measure) for v in values]
        if not any(found):
            continue
        middles = [amounts.median(f) if f else math.nan for f in found]
        if name not in names:
            area.plot(x, middles, color="0.5", linewidth=0.7, alpha=PALE)
            continue
        look = plot.style(name)
        plot.line(area, name, x, middles, marker=look.marker)
        for where, some in zip(x, found):
            if len(some) > 1:
                area.plot([where, where], [min(some), max(some)], color=look.ink, linewidth=1)
    words = words_of(key, values)
    if at:
        true_axis(area, at, [w.removesuffix(f" {common_unit(words)}") for w in words])
    else:
        area.set_xticks(range(len(words)), words)
        area.set_xlim(-0.3, len(words) - 0.7)


def words_of(key: str, values: Sequence[str]) -> list[str]:
    return [label(key, v).replace(amounts.FIXED, " ") for v in values]


def multiples(
    results: Results,
    key: str,
    measures: Sequence[Measure],
    xlabel: str,
    place: Place = amounts.quantity,
) -> Figure:
    """A row of panels for each family, a column for each measure; the panels of a column share their axis."""
    families = subjects.families(results.subjects)
    figure, areas = plot.matrix(families, [m.title for m in measures])
    for (_title, names), row in zip(families, areas):
        for area, measure in zip(row, measures):
            panel(area, results, key, measure, names, place)
    for column, measure in zip(zip(*areas), measures):
        if measure.unit == "ms":
            plot.logarithmic(column)
    values, at = in_place(results, key, place)
    unit = common_unit(words_of(key, values)) if at else ""
    for area in areas[-1]:
        area.set_xlabel(f"{xlabel}, {unit}" if unit else xlabel, fontsize=8)
    plot.legend(figure, [a for row in areas for a in row])
    return figure


def describe(results: Results, key: str, measures: Sequence[Measure], over: str) -> str:
    """First and last number of each line."""
    ends = results.labels.get(key, [])
    if not ends:
        return f"No runs to show over {over}."
    parts = []
    for name in results.subjects:
        found = [seeds(results, name, v, key, measures[0]) for v in ends]
        numbers = [amounts.text(tables.value(f)) for f in found if f]
        if numbers:
            parts.append(f"{subjects.title(name)} {numbers[0]} to {numbers[-1]}")
    shown = ", ".join(m.title for m in measures)
    return (
        f"Lines over {over}: {shown}. {measures[0].title} from {label(key, ends[0])} to "
        f"{label(key, ends[-1])}: {'; '.join(parts)}."
    )
