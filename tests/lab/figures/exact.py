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


def p_value(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """The two-sided p of the rank sum (Mann and Whitney), over all ways to deal the values to two samples.

    The seeds are not pairs: one instruction more moves every packet, so a seed is not the same run in both.
    """
    pooled = ranks([*ours, *theirs])
    expected = len(ours) * (len(pooled) + 1) / 2
    seen = abs(sum(pooled[: len(ours)]) - expected)
    dealt = combinations(pooled, len(ours))
    as_far = sum(abs(sum(d) - expected) >= seen - 1e-9 for d in dealt)
    return as_far / comb(len(pooled), len(ours))


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
