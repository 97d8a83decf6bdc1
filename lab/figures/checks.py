# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Verdicts on the reduced grids, which lab/check runs.

Each is written down apart from any results, so the number of verdicts is known before the runs. A number that any run
of the subject lacks fails. A bound holds in timelines 1 to 10: their least and greatest value stands beside it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Sequence

from . import cases, measures, verdict
from .cases import Comparison
from .results import Results
from .tables import Measure
from .verdict import Case, Target

Chosen = Callable[[Results], Measure]
Found = Callable[[Results], Sequence[Case]]


@dataclass(frozen=True)
class Check:
    """What is measured, and the bounds that it must keep: `low`, `high` or both."""

    text: str
    unit: str
    found: Found
    low: float | None = None
    high: float | None = None

    def __post_init__(self) -> None:
        if self.low is None and self.high is None:
            raise ValueError(f"{self.text}: no bound")

    def values(self, results: Results) -> list[float]:
        """Empty if a run lacks the number."""
        found = [value for _where, value in self.found(results)]
        return [v for v in found if v is not None] if None not in found else []

    def judge(self, results: Results) -> Target:
        found = self.found(results) if self.values(results) else []
        if self.low is None and self.high is not None:
            return verdict.at_most(self.text, found, self.high, self.unit)
        if self.high is None and self.low is not None:
            return verdict.at_least(self.text, found, self.low, self.unit)
        return verdict.between(self.text, found, self.low or 0.0, self.high or 0.0, self.unit)


NOTHING = Results({"name": "", "runs": []})


def delay(which: str) -> Chosen:
    """Of the queue with the compared qdisc that carries the most."""
    return lambda results: measures.delay(results.bottleneck, which)


def of(subject: str, chosen: Chosen) -> Found:
    """The number of each run of a subject."""

    def found(results: Results) -> list[Case]:
        number = chosen(results).of
        return [(results.where(run), number(run)) for run in cases.runs(results, subject)]

    return found


def beside(subject: str, rival: str, chosen: Chosen, compare: Comparison = cases.share) -> Found:
    """The number of each run, compared with that of the rival\u2019s run at the same point and seed."""

    def found(results: Results) -> list[Case]:
        number = cases.beside(results, rival, chosen(results).of, compare)
        return [(results.where(run), number(run)) for run in cases.runs(results, subject)]

    return found
