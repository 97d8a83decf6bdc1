# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Ours against the kernel's own of the same kind, in every cell of every table.

A cell is worse if the mean over its seeds is on the wrong side of the kernel's by more than the
spread, which is the greatest value less the least over the seeds, of whichever of the two has more
of it. With one seed nothing is known of the spread: such cells are listed apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterator

from . import amounts, subjects
from .tables import Better, Comparison, Listing, Row, Table
from .verdict import Target

NAME = "kernels_own"
TITLE = "Against the kernel\u2019s own"
FOLLOWS = """Two seeds say little of the spread: were there no difference at all, ours would be worse in 11% of the cells, and
better in 11%. That is 21 cells of 196 each; 17 and 7 are found, and most of them are not those that another boot
finds, as every instruction more moves all packets of a run. Five seeds (`GRID=full`) say more.

What stays is FQ-CoDel where requests come twice as fast as they can be served: its 95th percentile is 509 ms, the
kernel\u2019s 456. It is made of five things, found by making ours like the kernel\u2019s step by step (three seeds; the 50th,
95th and 99th percentile in ms are 249, 505 and 618 at first). A new flow that has run out stays in line for a round:
228, 548, 701. Whoever comes back has a whole quantum: 239, 498, 631. The root is approximated: 235, 478, 629. A
dequeue may drop any number: 226, 476, 617. The kernel\u2019s with 65,536 flows has 226, 462 and 564 then, and with
1024, where hashes share a queue, 222, 459 and 556. The second step lets senders gain by timing, the third is what
the exact root replaces, the fourth makes a dequeue as long as a queue: ours keeps to what it promises, and the first
step alone costs more in the tail than it saves."""
HOW = """Each cell of every table above that says what is better (less delay, fewer drops, more bytes) is compared with the
cell of the kernel\u2019s own qdisc of the same kind. Ours counts as worse if its mean over the seeds is on the wrong side by more than the
spread: the greatest value less the least over the seeds, of ours or of the kernel\u2019s, whichever is more. Where one of the two has one seed, nothing is
known of the spread: such cells are counted and listed apart, and the target is not judged by them."""
BOUND = "0 cells"
TEXT = "not worse than the kernel\u2019s own of the same kind by more than the spread, in any cell"
HEAD = (
    "experiment",
    "table",
    "row",
    "qdisc",
    "ours",
    "the kernel\u2019s",
    "spread",
    "worse by",
    "seeds",
)


@dataclass(frozen=True)
class Pair:
    """One of our cells and the kernel's beside it."""

    experiment: str
    table: str
    row: str
    subject: str
    ours: tuple[float, ...]
    theirs: tuple[float, ...]
    better: Better

    @property
    def seeds(self) -> int:
        """How many each of the two has at least."""
        return min(len(self.ours), len(self.theirs))

    @property
    def spread(self) -> float:
        return max(amounts.spread(self.ours), amounts.spread(self.theirs))

    @property
    def loss(self) -> float:
        """By how much ours is worse; negative if it is better."""
        more = amounts.mean(self.ours) - amounts.mean(self.theirs)
        return more if self.better is Better.LOW else -more

    @property
    def worse(self) -> bool:
        return self.loss > self.margin

    @property
    def margin(self) -> float:
        """The spread; and what six digits cannot tell apart is equal."""
        return self.spread + 1e-5 * abs(amounts.mean(self.theirs))

    @property
    def relative(self) -> float:
        base = abs(amounts.mean(self.theirs))
        return self.loss / base if base else float("inf")


def of_row(experiment: str, table: str, row: Row) -> Iterator[Pair]:
    if row.better is Better.NEITHER:
        return
    for subject, ours in row.cells.items():
        rival = subjects.kernels_own(subject)
        theirs = row.cells.get(rival, ()) if rival else ()
        if ours and theirs:
            yield Pair(experiment, table, row.label, subject, ours, theirs, row.better)


def pairs(experiment: str, found: list[Table]) -> list[Pair]:
    made: list[Pair] = []
    for table in found:
        if isinstance(table, Comparison):
            for row in table.rows:
                made += of_row(experiment, table.title, row)
    return made


def judged(found: list[Pair]) -> list[Pair]:
    """Those that have a spread to be judged by."""
    return [p for p in found if p.seeds > 1]


def target(found: list[Pair]) -> Target:
    known = judged(found)
    worse = [p for p in known if p.worse]
    if not known:
        return Target(TEXT, BOUND, "not measured with more than one seed", None)
    return Target(TEXT, BOUND, f"worse in {len(worse)} of {len(known)} cells", not worse)


def words(pair: Pair) -> tuple[str, ...]:
    share = "" if pair.relative == float("inf") else f" ({amounts.text(100 * pair.relative)}%)"
    return (
        pair.experiment,
        pair.table,
        pair.row,
        pair.subject,
        amounts.text(amounts.mean(pair.ours)),
        amounts.text(amounts.mean(pair.theirs)),
        amounts.text(pair.spread),
        amounts.text(pair.loss) + share,
        str(pair.seeds),
    )


def listing(title: str, found: list[Pair], folded: bool = False) -> Listing:
    """Those in which ours is worse, the worst first."""
    worse = sorted((p for p in found if p.worse), key=lambda p: (-p.relative, words(p)))
    return Listing(title, HEAD, [words(p) for p in worse], folded=folded)


def listings(found: list[Pair]) -> list[Listing]:
    alone = [p for p in found if p.seeds < 2]
    return [
        listing("Cells in which ours is worse by more than the spread", judged(found)),
        listing("Cells of one seed in which ours is worse at all", alone, folded=True),
    ]


def counts(found: list[Pair]) -> tuple[int, int, int]:
    """Better, neither, worse."""
    better = sum(p.loss < -p.margin for p in found)
    worse = sum(p.worse for p in found)
    return better, len(found) - better - worse, worse


def per_experiment(found: list[Pair]) -> Listing:
    rows: list[tuple[str, ...]] = []
    for name in dict.fromkeys(p.experiment for p in found):
        mine = [p for p in found if p.experiment == name]
        alone = [p for p in mine if p.seeds < 2]
        rows.append((name, *map(str, (*counts(judged(mine)), *counts(alone)))))
    head = (
        "experiment",
        "better",
        "within the spread",
        "worse",
        "one seed: better",
        "equal",
        "worse",
    )
    return Listing("How many cells", head, rows)
