# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Tables before they are HTML or text: comparisons of subjects, and plain lists."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Iterable, Mapping, Sequence

from . import amounts, subjects
from .results import Number, Point, Results, Run


class Better(Enum):
    """Which of two values a user prefers."""

    LOW = "low"
    HIGH = "high"
    NEITHER = "neither"


@dataclass(frozen=True)
class Measure:
    """A number of each run; `of` gives None where there is none."""

    name: str
    unit: str
    better: Better
    of: Number

    @property
    def title(self) -> str:
        return f"{self.name}, {self.unit}" if self.unit else self.name


def value(seeds: Sequence[float]) -> float | None:
    """The number of a cell, a mark or a line: the median over the seeds. None without a seed."""
    return amounts.median(seeds) if seeds else None


@dataclass(frozen=True)
class Row:
    """One line of a comparison: a subject's cell has a value for each seed."""

    label: str
    better: Better
    cells: dict[str, tuple[float, ...]]
    source: str = ""


@dataclass(frozen=True)
class Comparison:
    """Subjects side by side. A folded table is long and opened on demand."""

    title: str
    rows: list[Row]
    note: str = ""
    folded: bool = False

    @property
    def subjects(self) -> list[str]:
        return subjects.ordered(s for r in self.rows for s, values in r.cells.items() if values)


@dataclass(frozen=True)
class Listing:
    """A plain table of words; the first column heads the rows."""

    title: str
    head: tuple[str, ...]
    rows: list[tuple[str, ...]] = field(default_factory=list)
    note: str = ""
    folded: bool = False


Table = Comparison | Listing
Sources = Mapping[str, str]


def row(
    results: Results, label: str, measure: Measure, points: Sequence[Point], source: str = ""
) -> Row:
    cells = {s: medians(results, s, points, measure.of) for s in results.subjects}
    return Row(label, measure.better, cells, source)


def measured(
    results: Results, title: str, measures: Iterable[Measure], sources: Sources = {}
) -> list[Comparison]:
    """One table a point, whose rows are measures."""
    made = []
    for point in results.points:
        words = point.title(results.varied)
        rows = [row(results, m.title, m, [point], sources.get(m.name, "")) for m in measures]
        made.append(Comparison(f"{title}, {words}" if words else title, drop_empty(rows)))
    return [t for t in made if t.rows]


def by_point(
    results: Results,
    measure: Measure,
    keys: Sequence[str] | None = None,
    sources: Sources = {},
    folded: bool = False,
) -> Comparison:
    """One table a measure, whose rows are groups of points with the same labels of `keys`; by default, points."""
    found = groups(results, results.varied if keys is None else keys)
    rows = [row(results, g, measure, points, sources.get(g, "")) for g, points in found.items()]
    title = f"{measure.title}, every run" if folded else measure.title
    several = any(len(points) > 1 for points in found.values())
    note = "A seed\u2019s value is the median over the loads of the row." if several else ""
    return Comparison(title[0].upper() + title[1:], drop_empty(rows), note, folded)


def groups(results: Results, keys: Sequence[str]) -> dict[str, list[Point]]:
    found: dict[str, list[Point]] = {}
    for point in results.points:
        found.setdefault(point.title(keys) or "all", []).append(point)
    return found


def medians(
    results: Results, subject: str, points: Sequence[Point], number: Number
) -> tuple[float, ...]:
    """One value a seed: the median over the points."""
    made = []
    for seed in results.seeds:
        runs = (results.run(subject, p, seed) for p in points)
        values = [v for r in runs if r and (v := number(r)) is not None]
        made += [amounts.median(values)] if values else []
    return tuple(made)


def in_words(
    results: Results, points: Sequence[Point], number: Number, unit: str = ""
) -> list[str]:
    """Each subject and its number over these points, for those that have one."""
    found = ((s, value(medians(results, s, points, number))) for s in results.subjects)
    return [f"{subjects.title(s)} {amounts.text(v)}{unit}" for s, v in found if v is not None]


def drop_empty(rows: Sequence[Row]) -> list[Row]:
    return [r for r in rows if any(r.cells.values())]


def scaled(number: Number, factor: float) -> Number:
    def of(run: Run) -> float | None:
        value = number(run)
        return None if value is None else value * factor

    return of
