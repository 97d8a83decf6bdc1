# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Cases that a target is judged by: one a run, or one for each pair of runs."""

from __future__ import annotations

import re
from typing import Callable, Iterator

from . import amounts
from .results import Number, Point, Results, Run
from .verdict import Case

OURS = "codel_oot"
OUR_FQ = "fq_codel_oot"
TAIL_DROP = "pfifo"
BULK = re.compile(r"\d+ bulk")

Choice = Callable[[Point], bool]


def every(_point: Point) -> bool:
    return True


def only_bulk(point: Point) -> bool:
    """Endless flows and nothing else; a grid without loads has no other."""
    return not point.get("load") or bool(BULK.fullmatch(point.get("load")))


def rate_from(bits: float) -> Choice:
    return lambda point: (amounts.quantity(point.get("rate")) or 0) >= bits


def runs(results: Results, subject: str, choice: Choice = every) -> Iterator[Run]:
    for run in results.runs:
        if run.qdisc == subject and choice(run.point):
            yield run


def of_runs(results: Results, subject: str, number: Number, choice: Choice = every) -> list[Case]:
    """What each run measured; runs that could not measure it are left out."""
    found = [(results.where(r), number(r)) for r in runs(results, subject, choice)]
    return sorted(c for c in found if c[1] is not None)


def against(
    results: Results,
    subject: str,
    other: str,
    number: Number,
    compare: Callable[[float, float], float],
    choice: Choice = every,
) -> list[Case]:
    """Each run with the other subject's of the same point and seed."""
    found: list[Case] = []
    for run in runs(results, subject, choice):
        rival = results.run(other, run.point, run.seed)
        ours, theirs = number(run), number(rival) if rival else None
        if ours is not None and theirs is not None:
            found.append((results.where(run), compare(ours, theirs)))
    return sorted(found, key=lambda c: c[0])


def difference(ours: float, theirs: float) -> float:
    return ours - theirs


def share(ours: float, theirs: float) -> float:
    """In percent of theirs."""
    return 100 * ours / theirs if theirs else 100.0 if not ours else float("inf")
