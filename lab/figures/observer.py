# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""What the meter itself does to the results, in a clock that counts instructions."""

from __future__ import annotations

from typing import Sequence

from . import amounts, items, measures, plain, subjects, tables
from .papers import HERE
from .results import Results, label
from .tables import Listing, Measure, Table

NAME = "observer"
TITLE = "What measuring costs"
SOURCE = HERE
CLAIM = """A clock that counts instructions runs on while the meter works. The same runs with the meter and without it
show what it moves."""


def wanted(results: Results) -> list[Measure]:
    """Of the traffic, which is there without the meter; then of the queues."""
    made = [m for i, kind in items.by_name(results) for m in items.of_item(i, kind)]
    return made + [m for q in results.compared for m in measures.of_queue(q)]


def difference(found: Sequence[float | None]) -> str:
    first, *_between, last = found
    if first is None or last is None or not first:
        return amounts.NONE
    return amounts.text(100 * (last - first) / first)


def side_by_side(results: Results, subject: str) -> Listing:
    """A column for each point, and what the last is more than the first.

    Without the meter, nothing is known of the queues but what the traffic says.
    """
    rows: list[tuple[str, ...]] = []
    for measure in wanted(results):
        values = [results.values(subject, p, measure.of) for p in results.points]
        middles = [tables.value(v) for v in values]
        if sum(m is not None for m in middles) > 1:
            rows.append((measure.title, *map(amounts.text, middles), difference(middles)))
    names = tuple(
        ", ".join(label(k, v) if k == "rate" else f"{k} {v}" for k, v in p.labels)
        for p in results.points
    )
    return Listing(subjects.title(subject), ("", *names, "difference, %"), rows)


def table(results: Results) -> list[Table]:
    if len(results.points) < 2:
        return plain.table(results)
    return [side_by_side(results, s) for s in results.subjects]
