# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Cases that a target is judged by: one a run, one for each pair of runs, or one a row of a table."""

from __future__ import annotations

import re
from typing import Callable, Iterator, Sequence

from . import tables
from .results import Number, Point, Results, Run
from .verdict import Case, Target, not_comparable

CODEL = "codel_oot"
FQ_CODEL = "fq_codel_oot"
TAIL_DROP = "pfifo"
IN_TREE = "codel"
WITHOUT = {name: f"{name}_off" for name in (CODEL, FQ_CODEL)}  # a ceiling
BULK = re.compile(r"\d+ bulk")
MANY = 5  # loads (of flows and round trips) whose middle may stand for the middle of a source's

Choice = Callable[[Point], bool]
Comparison = Callable[[float, float], float]


def paper(results: Results, subject: str = CODEL) -> str:
    """The subject of the papers\u2019 targets: without a ceiling, which the papers do not have, where that was run."""
    without = WITHOUT[subject]
    return without if without in results.subjects else subject


def every(_point: Point) -> bool:
    return True


def only_bulk(point: Point) -> bool:
    """Endless flows and nothing else; a grid without loads has no other."""
    return not point.get("load") or bool(BULK.fullmatch(point.get("load")))


def runs(results: Results, subject: str, choice: Choice = every) -> Iterator[Run]:
    for run in results.runs:
        if run.qdisc == subject and choice(run.point):
            yield run


def of_runs(results: Results, subject: str, number: Number, choice: Choice = every) -> list[Case]:
    """The number of each run that has it."""
    found = [(results.where(r), number(r)) for r in runs(results, subject, choice)]
    return sorted(c for c in found if c[1] is not None)


def against(
    results: Results, subject: str, other: str, number: Number, compare: Comparison
) -> list[Case]:
    """Each run with the other subject's of the same point and seed."""
    return of_runs(results, subject, beside(results, other, number, compare))


def difference(ours: float, theirs: float) -> float:
    return ours - theirs


def share(ours: float, theirs: float) -> float:
    """In percent of theirs."""
    return 100 * ours / theirs if theirs else 100.0 if not ours else float("inf")


def beside(results: Results, other: str, number: Number, compare: Comparison) -> Number:
    """A run's number compared with that of the other subject at the same point and seed."""

    def of(run: Run) -> float | None:
        rival = results.run(other, run.point, run.seed)
        ours, theirs = number(run), number(rival) if rival else None
        return None if ours is None or theirs is None else compare(ours, theirs)

    return of


def rows(
    results: Results, keys: Sequence[str], number: Number, subject: str, choice: Choice = every
) -> list[Case]:
    """The subject's numbers in a table whose rows are groups of points."""
    made: list[Case] = []
    for title, points in tables.groups(results, keys).items():
        chosen = [p for p in points if choice(p)]
        value = tables.value(tables.medians(results, subject, chosen, number))
        made += [(title, value)] if value is not None else []
    return made


def middle_of_many(
    found: Target, results: Results, keys: Sequence[str], choice: Choice = every
) -> Target:
    """Judged where each row has MANY loads: the source gives the middle of many."""
    counts = [len([p for p in g if choice(p)]) for g in tables.groups(results, keys).values()]
    least = min(filter(None, counts), default=0)
    if least >= MANY:
        return found
    reason = (
        f"the source gives the middle of many loads and round trips, here a row has {least}, and "
        f"{MANY} would be judged"
    )
    return not_comparable(found, reason)
