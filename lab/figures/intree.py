# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The out-of-tree qdiscs against the in-tree ones, in cells that were chosen before the runs.

A seed gives one value for each measure: percentiles of one run are never samples of their own. A cell is
judged with SEEDS seeds on either side, by an exact test, corrected for the number of cells of its qdisc.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Mapping, Sequence

from . import amounts, beside, exact, items, measures, overload, subjects, tables
from .results import Point, Results
from .tables import Better, Listing, Measure
from .verdict import Target

NAME = "in-tree"
TITLE = "Out-of-tree against in-tree"
SEEDS = 5
ALPHA = 0.05  # that any cell of a qdisc is found to differ by chance
BOUND = "worse in none"
WORDS = {True: "better", False: "worse", None: "no difference found"}
PAIRS = (("codel_oot", "codel"), ("fq_codel_oot", "fq_codel"))


@dataclass(frozen=True)
class Cell:
    """A measure at the points of an experiment that have these labels."""

    experiment: str
    labels: Mapping[str, str]
    measure: Callable[[Results], Measure | None]

    def points(self, results: Results) -> list[Point]:
        return [p for p in results.points if all(p.get(k) == v for k, v in self.labels.items())]


def queue_delay(results: Results) -> Measure:
    return measures.delay(results.bottleneck, "p95")


def utilisation(results: Results) -> Measure:
    return measures.utilisation(results.bottleneck)


def answer(results: Results) -> Measure | None:
    return overload.measure(results, "95th percentile time to the answer")


def of_kind(kind: str, name: str) -> Callable[[Results], Measure | None]:
    """A measure of the first traffic item of a kind."""

    def find(results: Results) -> Measure | None:
        first = items.by_name(results, kind)[:1]
        found = (m for item, _kind in first for m in measures.of_traffic(item, kind))
        return next((m for m in found if m.name == name), None)

    return find


SLOW = {"rate": "1500kbit", "mtu": "1500"}
CELLS = (
    Cell("fig6", SLOW, queue_delay),
    Cell("fig6", SLOW, utilisation),
    Cell("overload", {"load": "1000/500"}, answer),
    Cell("shortflows", {}, of_kind("web", "95th percentile time")),
    Cell("falling", {"fall": "40 to 4 Mbit/s"}, queue_delay),
    Cell("rrul", {}, of_kind("probe", "95th percentile round trip")),
)


@dataclass(frozen=True)
class Test:
    """One cell of one pair of qdiscs. `adjusted` is None where a side has too few seeds."""

    cell: Cell
    subject: str
    rival: str
    measure: Measure
    ours: tuple[float, ...]
    theirs: tuple[float, ...]
    p: float | None = None
    adjusted: float | None = None

    @property
    def enough(self) -> bool:
        return min(len(self.ours), len(self.theirs)) >= SEEDS

    @property
    def better(self) -> bool | None:
        """None: no difference is found, or the cell is not judged."""
        if self.adjusted is None or self.adjusted > ALPHA:
            return None
        less = exact.excess([(self.ours, self.theirs)]) < 0
        return less == (self.measure.better is Better.LOW)

    @property
    def verdict(self) -> str:
        if not self.enough:
            return f"not judged: fewer than {SEEDS} seeds"
        return WORDS[self.better]


def measured(documents: Mapping[str, Results], subject: str, rival: str) -> list[Test]:
    made = []
    for cell in CELLS:
        results = documents.get(cell.experiment)
        measure = cell.measure(results) if results else None
        if not results or not measure:
            continue
        points = cell.points(results)
        both = [tables.medians(results, s, points, measure.of) for s in (subject, rival)]
        if all(both):
            made.append(Test(cell, subject, rival, measure, both[0], both[1]))
    return made


def tests(documents: Mapping[str, Results]) -> list[Test]:
    """Holm's correction is over the cells of one pair of qdiscs."""
    made: list[Test] = []
    for subject, rival in PAIRS:
        found = measured(documents, subject, rival)
        ps = [exact.p_value(t.ours, t.theirs) for t in found if t.enough]
        judged = iter(zip(ps, exact.holm(ps)))
        for test in found:
            p, adjusted = next(judged) if test.enough else (None, None)
            made.append(Test(**{**vars(test), "p": p, "adjusted": adjusted}))
    return made


def tally(text: str, found: Sequence[tuple[str, bool | None]]) -> Target:
    """Of comparisons by name: better, worse, or None where no difference is found."""
    worse = [name for name, better in found if better is False]
    better = sum(better is True for _name, better in found)
    words = f"worse in {len(worse)}, better in {better} of {len(found)}"
    return Target(text, BOUND, words + (f" ({'; '.join(worse)})" if worse else ""), not worse)


def target(found: Sequence[Test], subject: str, rival: str) -> Target:
    judged = [t for t in found if t.subject == subject and t.enough]
    text = f"{subjects.title(subject)} against {subjects.title(rival)}, in cells chosen before the runs"
    if not judged:
        return Target(text, BOUND, f"not measured with {SEEDS} seeds", None)
    return tally(text, [(f"{t.cell.experiment}, {t.measure.name}", t.better) for t in judged])


def targets(found: Sequence[Test]) -> list[Target]:
    return [target(found, *pair) for pair in PAIRS]


def power(found: Sequence[Test]) -> str:
    """What these numbers of seeds and cells can find at all."""
    judged = [t for t in found if t.enough]
    if not judged:
        return f"No cell has {SEEDS} seeds of both qdiscs."
    smallest = max(exact.smallest_p(len(t.ours), len(t.theirs)) for t in judged)
    cells = max(sum(t.subject == subject for t in judged) for subject, _rival in PAIRS)
    needed = ALPHA / cells
    can = "is found" if smallest <= needed else "would not be found"
    return (
        f"With {SEEDS} seeds the smallest p is {amounts.text(smallest)}, and Holm\u2019s correction for {cells} cells "
        f"asks for {amounts.text(needed)} of the smallest: a single cell in which the seeds of one qdisc lie all "
        f"on one side of the other\u2019s {can}; smaller differences are not."
    )


HEAD = ("experiment", "measure", "out-of-tree", "in-tree", "p", "corrected p", "out-of-tree is")


def line(test: Test) -> tuple[str, ...]:
    labels = ", ".join(f"{k} {v}" for k, v in test.cell.labels.items())
    return (
        f"{test.cell.experiment}{': ' if labels else ''}{labels}",
        test.measure.title,
        beside.number(test.ours),
        beside.number(test.theirs),
        amounts.text(test.p),
        amounts.text(test.adjusted),
        test.verdict,
    )


def listings(found: Sequence[Test]) -> list[Listing]:
    made = []
    for subject, rival in PAIRS:
        rows = [line(t) for t in found if t.subject == subject]
        title = (
            f"{subjects.title(subject)} and {subjects.title(rival)}: median (least\u2013greatest)"
        )
        made.append(Listing(title, HEAD, rows))
    return [m for m in made if m.rows]


HOW = """The cells were chosen before the runs: a few measures that users notice, at points that are run with more seeds
than the others. Each seed gives one value for each measure and qdisc. The test is that of Mann and Whitney, two-sided,
exact over all ways to deal the values to the two qdiscs; seeds are not taken for pairs, as one instruction more moves every
packet of a run. Holm\u2019s correction is over the cells of one qdisc."""
