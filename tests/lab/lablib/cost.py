# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""How much wall time a run takes: a boot, its virtual seconds, and what it carries.

Only the order of runs and the time that is shown depend on it, no result.
"""

from __future__ import annotations

import heapq
from typing import Any, Iterable, Sequence

from .load import SECOND, megabits
from .plan import Run

# Seconds: of a boot, of a virtual second, of a megabit through the bottleneck
FIRST = (4.0, 0.05, 0.02)
TRUST = 0.02  # in these: a fiftieth of that in a run that was measured
LEAST = 0.02  # of these, whatever is measured
Vector = list[float]


def features(document: dict[str, Any]) -> Vector:
    return [1.0, document["duration"] / SECOND, megabits(document)]


def solve(matrix: list[Vector], right: Vector) -> Vector:
    """A small system of equations, positive definite."""
    size = len(right)
    rows = [[*row, value] for row, value in zip(matrix, right)]
    for column in range(size):
        pivot = rows[column]
        for other in range(size):
            if other != column:
                factor = rows[other][column] / pivot[column]
                rows[other] = [a - factor * b for a, b in zip(rows[other], pivot)]
    return [rows[i][size] / rows[i][i] for i in range(size)]


class Cost:
    """The estimate, which learns from each run: least squares of the relative error."""

    def __init__(self) -> None:
        size = len(FIRST)
        self.factors: Vector = [1.0] * size
        self.matrix = [[TRUST * (i == j) for j in range(size)] for i in range(size)]
        self.right = [TRUST] * size

    def parts(self, run: Run) -> Vector:
        return [weight * x for weight, x in zip(FIRST, features(run.document))]

    def estimate(self, run: Run) -> float:
        return sum(factor * x for factor, x in zip(self.factors, self.parts(run)))

    def learn(self, run: Run, seconds: float) -> None:
        parts = self.parts(run)
        scale = max(seconds, 1e-3)
        shares = [x / scale for x in parts]
        for i, share in enumerate(shares):
            self.right[i] += share
            for j, other in enumerate(shares):
                self.matrix[i][j] += share * other
        self.factors = [max(LEAST, f) for f in solve(self.matrix, self.right)]


def span(running: Iterable[float], waiting: Sequence[float], workers: int) -> float:
    """Wall time until all is done: what still runs, then the others in this order."""
    busy = sorted(running)
    busy += [0.0] * (workers - len(busy))
    heapq.heapify(busy)
    for seconds in waiting:
        heapq.heappush(busy, heapq.heappop(busy) + seconds)
    return max(busy, default=0.0)
