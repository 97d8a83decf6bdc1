# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""An experiment's headline numbers, out-of-tree beside in-tree, with a word computed from the seeds."""

from __future__ import annotations

from typing import Sequence

from . import amounts, subjects, tables
from .results import Results
from .tables import Better, Listing, Measure

TITLE = "Out-of-tree beside in-tree: median (least\u2013greatest)"
MANY = 10  # rows: a longer table is opened on demand
LEAST = 3  # seeds on either side: fewer have no range
HEAD = ("measure", "out-of-tree", "in-tree", "over the seeds, out-of-tree is")


def word(ours: Sequence[float], theirs: Sequence[float], better: Better) -> str:
    """Better or worse where the ranges of the seeds do not overlap."""
    if min(len(ours), len(theirs)) < LEAST:
        return f"not compared: fewer than {LEAST} seeds"
    less, more = max(ours) < min(theirs), min(ours) > max(theirs)
    shown_alike = amounts.text(tables.value(ours)) == amounts.text(tables.value(theirs))
    if shown_alike or not (less or more):
        return "not distinguishable"
    if better is Better.NEITHER:
        return "lower" if less else "higher"
    return "better" if less == (better is Better.LOW) else "worse"


def number(values: Sequence[float]) -> str:
    spread = amounts.spread(values)
    return amounts.text(tables.value(values)) + (f" ({spread})" if spread else "")


def listing(results: Results, measures: Sequence[Measure]) -> Listing:
    """A row for each measure, point and pair of qdiscs that has both."""
    rows: list[tuple[str, ...]] = []
    for measure in measures:
        for point in results.points:
            for subject in results.subjects:
                rival = subjects.in_tree(subject)
                ours = results.values(subject, point, measure.of)
                theirs = results.values(rival, point, measure.of) if rival else ()
                if not ours or not theirs:
                    continue
                where = [measure.title, point.title(results.varied), subjects.title(subject)]
                words = (number(ours), number(theirs), word(ours, theirs, measure.better))
                rows.append((", ".join(w for w in where if w), *words))
    return Listing(TITLE, HEAD, rows, folded=len(rows) > MANY)
