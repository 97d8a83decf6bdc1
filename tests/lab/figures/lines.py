# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""One line for each subject, over the labels of one key of the grid."""

from __future__ import annotations

from typing import Sequence

from matplotlib.axes import Axes

from . import amounts, plot, subjects, tables
from .results import Results, label
from .tables import Measure

CAPTION = "Each mark is the middle one of the runs at its place."
LETTERS = 48  # that fit below a panel
ENDS = {True: "right", False: "center"}


def middles(results: Results, subject: str, key: str, measure: Measure) -> list[float]:
    """The middle one of the runs at each label; nan where there is none."""
    made = []
    for value in results.labels.get(key, []):
        points = [p for p in results.points if p.get(key) == value]
        found = tables.middles(results, subject, points, measure.of)
        made.append(amounts.median(found) if found else float("nan"))
    return made


def panel(area: Axes, results: Results, key: str, measure: Measure) -> None:
    values = results.labels.get(key, [])
    for name in results.subjects:
        found = middles(results, name, key, measure)
        if any(v == v for v in found):
            plot.line(area, name, range(len(values)), found, marker=plot.style(name).marker)
    area.set_ylabel(measure.title)
    names = [label(key, v) for v in values]
    long = sum(map(len, names)) > LETTERS
    area.set_xticks(range(len(values)), names, rotation=40 if long else 0, ha=ENDS[long])
    area.set_xlim(-0.3, len(values) - 0.7)


def describe(results: Results, key: str, measures: Sequence[Measure], over: str) -> str:
    """First and last of each line: what it comes from and goes to."""
    ends = results.labels.get(key, [])
    if not ends:
        return f"No runs to show over {over}."
    parts = []
    for name in results.subjects:
        found = [v for v in middles(results, name, key, measures[0]) if v == v]
        if found:
            words = f"{amounts.text(found[0])} to {amounts.text(found[-1])}"
            parts.append(f"{subjects.title(name)} {words}")
    shown = ", ".join(m.title for m in measures)
    return (
        f"Lines over {over}: {shown}. {measures[0].title} from {label(key, ends[0])} to "
        f"{label(key, ends[-1])}: {'; '.join(parts)}."
    )
