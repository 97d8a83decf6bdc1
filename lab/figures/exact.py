# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""An exact test of two samples, and Holm's correction for several tests."""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import Sequence


def ranks(values: Sequence[float]) -> list[float]:
    """The rank of each value from 1; equal values share the mean of their ranks."""
    return [
        sum(v < value for v in values) + (sum(v == value for v in values) + 1) / 2
        for value in values
    ]


Stratum = tuple[Sequence[float], Sequence[float]]


def excess(strata: Sequence[Stratum]) -> float:
    """The sum of our ranks in all strata, less what is expected of equal samples."""
    made = 0.0
    for ours, theirs in strata:
        pooled = ranks([*ours, *theirs])
        made += sum(pooled[: len(ours)]) - len(ours) * (len(pooled) + 1) / 2
    return made


def sums(ours: Sequence[float], theirs: Sequence[float]) -> dict[int, float]:
    """The probability of each rank sum, doubled so that shared ranks are whole, less twice the expected one."""
    pooled = [round(2 * r) for r in ranks([*ours, *theirs])]
    expected = len(ours) * (len(pooled) + 1)
    found: dict[int, float] = {}
    for dealt in combinations(pooled, len(ours)):
        found[sum(dealt) - expected] = found.get(sum(dealt) - expected, 0) + 1
    return {k: n / comb(len(pooled), len(ours)) for k, n in found.items()}


def stratified(strata: Sequence[Stratum]) -> float:
    """The two-sided p of the sum of the rank sums over cases that are not compared with each other (van Elteren)."""
    total = {0: 1.0}
    for ours, theirs in strata:
        dealt = sums(ours, theirs)
        added: dict[int, float] = {}
        for a, p in total.items():
            for b, q in dealt.items():
                added[a + b] = added.get(a + b, 0) + p * q
        total = added
    seen = round(2 * abs(excess(strata)))
    return min(1.0, sum(p for k, p in total.items() if abs(k) >= seen))


def p_value(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """The two-sided p of the rank sum (Mann and Whitney), over all ways to deal the values to two samples.

    The seeds are not pairs: one instruction more moves every packet, so a seed is not the same run in both.
    """
    return stratified([(ours, theirs)])


def smallest_p(ours: int, theirs: int) -> float:
    """The p of two samples of these sizes that do not overlap: no result is more significant."""
    return min(1.0, 2 / comb(ours + theirs, ours))


def holm(found: Sequence[float]) -> list[float]:
    """Adjusted p: the probability that any of the tests has so small a p by chance is at most this."""
    order = sorted(range(len(found)), key=lambda n: found[n])
    made = [0.0] * len(found)
    largest = 0.0
    for place, n in enumerate(order):
        largest = max(largest, min(1.0, found[n] * (len(found) - place)))
        made[n] = largest
    return made
