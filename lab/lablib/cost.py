# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Wall time of a run: a boot, its virtual seconds, and its packets.

Only the order of runs and the time that is shown depend on it, no result.
"""

from __future__ import annotations

import heapq
from typing import Iterable, Sequence

from .load import SECOND, megabits, singles
from .plan import Run

# Seconds: of a boot, of a virtual second, of a megabit through the bottleneck, of a packet that
# wakes a program
SECONDS = (4.0, 0.05, 0.02, 0.001)
TRUST = 1.0  # seconds of a measured run that move an estimate half way to the measurement


def before(run: Run) -> float:
    """Wall time of a run on the reference machine."""
    found = run.document
    amounts = (1, found["duration"] / SECOND, megabits(found), singles(found))
    return sum(seconds * amount for seconds, amount in zip(SECONDS, amounts))


class Cost:
    """The estimate, which learns from each run how fast this machine is."""

    def __init__(self) -> None:
        self.taken = self.thought = TRUST

    def estimate(self, run: Run) -> float:
        return before(run) * self.taken / self.thought

    def learn(self, run: Run, seconds: float) -> None:
        self.taken += seconds
        self.thought += before(run)


def span(running: Iterable[float], waiting: Sequence[float], workers: int) -> float:
    """Wall time until all runs have ended: the present ones, then the others in this order."""
    busy = sorted(running)
    busy += [0.0] * (workers - len(busy))
    heapq.heapify(busy)
    for seconds in waiting:
        heapq.heappush(busy, heapq.heappop(busy) + seconds)
    return max(busy, default=0.0)
