# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Random sizes and times. What is cut off at a bound is made up for: the mean is what was asked for."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from typing import Callable

NSEC = 1_000_000_000
CAP = 100  # times the mean: the largest object of the web


def _solve(mean_of: Callable[[float], float], mean: float, low: float, high: float) -> float:
    """The parameter with that mean, which rises with it."""
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if mean_of(middle) < mean else (low, middle)
    return (low + high) / 2


def pareto(rng: random.Random, mean: int, shape: float) -> Callable[[], int]:
    """Sizes of at least 1 and at most CAP times the mean."""
    cap = float(CAP * mean)

    def mean_of(least: float) -> float:
        if shape == 1:
            return least * (1 + math.log(cap / least))
        return least + least**shape * (least ** (1 - shape) - cap ** (1 - shape)) / (shape - 1)

    least = _solve(mean_of, mean, 1e-9 * mean, mean)
    return lambda: max(1, round(min(cap, least * rng.paretovariate(shape))))


def exponential(rng: random.Random, mean: int, least: int, most: int) -> Callable[[], int]:
    """Sizes from `least` to `most`."""

    def mean_of(scale: float) -> float:
        return least + scale * (math.exp(-least / scale) - math.exp(-most / scale))

    scale = _solve(mean_of, mean, 1e-3 * mean, 1e3 * mean)
    if not math.isclose(mean_of(scale), mean, rel_tol=1e-3):
        raise ValueError(f"no exponential distribution from {least} to {most} has the mean {mean}")
    return lambda: round(min(most, max(least, rng.expovariate(1 / scale))))


def times(rng: random.Random, mean: int, kind: str) -> Callable[[], int]:
    """ns."""
    if kind == "fixed":
        return lambda: mean
    if kind == "uniform":
        return lambda: rng.randrange(2 * mean + 1)
    if kind == "exponential":
        return lambda: round(rng.expovariate(1 / mean))
    raise ValueError(f"there is no distribution '{kind}'")


def poisson(rng: random.Random, rate: float, start: int, stop: int) -> Iterator[int]:
    """Arrivals, ns."""
    time = float(start)
    while (time := time + rng.expovariate(rate) * NSEC) < stop:
        yield int(time)
