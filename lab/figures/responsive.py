# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Senders that do slow down: the ceiling must cost them nothing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from . import amounts, dots, exact, intree, items, measures, subjects, tables
from .papers import HERE
from .results import Results
from .tables import Better, Listing, Measure, Table
from .verdict import Bounds, Target

NAME = "responsive"
TITLE = "Senders that slow down"
SOURCE = HERE
CLAIM = """A ceiling on the delay drops packets that in-tree CoDel would have delivered or marked. Senders that slow down at
a signal need no ceiling, and must not pay for it: flows of three congestion controls, from one to many, at rates and round
trips that are far apart, beside web pages and a ping. Over all of these cases the out-of-tree qdiscs must be no worse than
the in-tree ones in anything that users notice."""
CAPTION = dots.CAPTION
WHY = """Where many flows share a link, loss-based senders keep a shorter queue only with more drops, which hit web pages as
well. The chapter on what a lower ceiling costs shows the curve."""
HOW = """Over all cases of the table above, an exact test of Mann and Whitney in each case, whose rank sums are added
(van Elteren). Holm\u2019s correction is over the measures of one qdisc."""
BOUNDS: Bounds = {}


def headlines(results: Results) -> list[Measure]:
    return [
        measures.delay(results.bottleneck, "p95"),
        measures.utilisation(results.bottleneck),
        *items.one(results, "web", "95th percentile time"),
    ]


def judged(results: Results) -> list[Measure]:
    """What the ceiling might cost; chosen before the runs."""
    queue = results.bottleneck
    return [
        measures.utilisation(queue),
        *items.one(results, "bulk", "goodput"),
        *items.one(results, "bulk", "Jain\u2019s index of flows"),
        *items.one(results, "web", "median time"),
        *items.one(results, "web", "95th percentile time"),
        items.dropped(queue, "web"),
        *items.one(results, "ping", "95th percentile round trip"),
    ]


@dataclass(frozen=True)
class Test:
    """A measure of two qdiscs over all cases in which both have enough seeds."""

    measure: Measure
    cases: int
    excess: float  # of the out-of-tree rank sums over those of equal samples
    p: float
    adjusted: float = 1.0

    @property
    def better(self) -> bool | None:
        """None: no difference is found."""
        if self.adjusted > intree.ALPHA:
            return None
        return (self.excess < 0) == (self.measure.better is Better.LOW)


def test(results: Results, measure: Measure, subject: str, rival: str) -> Test | None:
    found = [
        (results.values(subject, p, measure.of), results.values(rival, p, measure.of))
        for p in results.points
    ]
    strata = [(a, b) for a, b in found if min(len(a), len(b)) >= intree.SEEDS]
    if not strata:
        return None
    return Test(measure, len(strata), exact.excess(strata), exact.stratified(strata))


def tests(results: Results, subject: str, rival: str) -> list[Test]:
    made = [t for m in judged(results) if (t := test(results, m, subject, rival))]
    adjusted = exact.holm([t.p for t in made])
    return [replace(t, adjusted=a) for t, a in zip(made, adjusted)]


def listing(results: Results, subject: str, rival: str) -> Listing:
    head = ("measure", "cases", "p", "corrected p", "out-of-tree is")
    title = f"{subjects.title(subject)} and {subjects.title(rival)}, over all cases"
    rows = [
        (
            t.measure.title,
            str(t.cases),
            amounts.text(t.p),
            amounts.text(t.adjusted),
            intree.WORDS[t.better],
        )
        for t in tests(results, subject, rival)
    ]
    return Listing(title, head, rows, HOW)


def targets(results: Results, _bounds: Bounds) -> list[Target]:
    made = []
    for subject, rival in intree.PAIRS:
        found = tests(results, subject, rival)
        text = f"{subjects.title(subject)} against {subjects.title(rival)}, measures over all cases"
        made += [intree.tally(text, [(t.measure.name, t.better) for t in found])] if found else []
    return made


def table(results: Results) -> list[Table]:
    rows = [*judged(results), *(measures.delay(results.bottleneck, p) for p in ("p50", "p99"))]
    made: list[Table] = [tables.by_point(results, m) for m in [headlines(results)[0], *rows]]
    return [*(t for t in made if t.rows), *(listing(results, *p) for p in intree.PAIRS)]


picture = partial(dots.picture, headlines=headlines)
describe = partial(dots.describe, headlines=headlines)
