# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Targets, and whether they are met: by the worst of all cases, not by their middle."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import Callable, Sequence

from . import amounts

# Where, and how much: None where the event never happened.
Case = tuple[str, "float | None"]
Bounds = dict[str, float]


class State(Enum):
    """The four verdicts, in the words of the page."""

    MET = "met"
    MISSED = "not met"
    INCOMPARABLE = "not comparable"
    UNMEASURED = "not measured"


@dataclass(frozen=True)
class Target:
    """`met` is None without a measurement, and where `reason` says why the source's number is another one."""

    text: str
    bound: str
    value: str
    met: bool | None
    reason: str = ""

    @property
    def state(self) -> State:
        if self.reason:
            return State.INCOMPARABLE
        if self.met is None:
            return State.UNMEASURED
        return State.MET if self.met else State.MISSED


def not_comparable(found: Target, reason: str) -> Target:
    """The same measurement without a judgement; an unmeasured target stays unmeasured."""
    return found if found.met is None else replace(found, met=None, reason=reason)


def judge(
    text: str,
    cases: Sequence[Case],
    bound: str,
    unit: str,
    excess: Callable[[float], float],
    fits: Callable[[float], bool],
) -> Target:
    """The case with the greatest excess speaks for all."""
    if not cases:
        return Target(text, bound, State.UNMEASURED.value, None)
    bad = [c for c in cases if c[1] is None or not fits(c[1])]
    lost = [c for c in cases if c[1] is None]
    where, value = lost[0] if lost else max(cases, key=lambda c: excess(c[1] or 0.0))
    words = "never" if value is None else amounts.amount(value, unit)
    if len(cases) > 1:
        words += f" in the worst of {len(cases)} ({where})" if where else ""
        words += f"; {len(bad)} of {len(cases)} miss it" if len(bad) > 1 else ""
    return Target(text, bound, words, not bad)


def at_most(text: str, cases: Sequence[Case], bound: float, unit: str) -> Target:
    words = f"at most {amounts.exactly(bound, unit)}"
    return judge(text, cases, words, unit, lambda v: v, lambda v: v <= bound)


def below(text: str, cases: Sequence[Case], bound: float, unit: str) -> Target:
    words = f"below {amounts.exactly(bound, unit)}"
    return judge(text, cases, words, unit, lambda v: v, lambda v: v < bound)


def at_least(text: str, cases: Sequence[Case], bound: float, unit: str) -> Target:
    words = f"at least {amounts.exactly(bound, unit)}"
    return judge(text, cases, words, unit, lambda v: -v, lambda v: v >= bound)


def above(text: str, cases: Sequence[Case], bound: float, unit: str) -> Target:
    words = f"above {amounts.exactly(bound, unit)}"
    return judge(text, cases, words, unit, lambda v: -v, lambda v: v > bound)


def between(text: str, cases: Sequence[Case], low: float, high: float, unit: str) -> Target:
    words = f"{low:g} to {amounts.exactly(high, unit)}"
    middle = (low + high) / 2
    return judge(text, cases, words, unit, lambda v: abs(v - middle), lambda v: low <= v <= high)
