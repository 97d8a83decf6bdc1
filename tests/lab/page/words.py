# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Sentences that follow from numbers."""

from __future__ import annotations

from typing import Sequence

from figures import kernels_own
from figures.kernels_own import Pair
from figures.verdict import Target

MARKS = {True: "\u2713 met", False: "\u2717 not met", None: "\u2013 not measured"}
LOOKS = {True: "met", False: "missed", None: "unknown"}


def count(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"


def of_targets(found: Sequence[Target]) -> str:
    """How many are met, and by how far the others miss."""
    judged = [t for t in found if t.met is not None]
    missed = [t for t in judged if not t.met]
    if not found:
        return "The source sets no target here."
    if not judged:
        return "Nothing was measured that a target could be judged by."
    if not missed:
        return {1: "The target is met.", 2: "Both targets are met."}.get(
            len(judged), f"All {len(judged)} targets are met."
        )
    parts = "; ".join(f"{t.text} should be {t.bound}, and is {t.value}" for t in missed)
    return f"{len(judged) - len(missed)} of {count(len(judged), 'target')} met. Not met: {parts}."


def of_pairs(found: list[Pair]) -> str:
    if not found:
        return ""
    known = kernels_own.judged(found)
    better, _equal, worse = kernels_own.counts(known)
    words = (
        f"Of {count(len(known), 'cell')} that compare ours with the kernel\u2019s own, ours is better in "
        f"{better} and worse in {worse} by more than the spread over seeds."
    )
    alone = [p for p in found if p.seeds < 2]
    if not alone:
        return words
    better, _equal, worse = kernels_own.counts(alone)
    more = f"{count(len(alone), 'cell')} of one seed, whose spread is not known"
    rest = f"ours is better in {better} and worse in {worse} of {more}."
    return f"{words} Besides, {rest}" if known else f"{rest[0].upper()}{rest[1:]}"


def summary(found: Sequence[Target]) -> str:
    judged = [t for t in found if t.met is not None]
    if not judged:
        return "no target was measured"
    met = sum(bool(t.met) for t in judged)
    return f"{met} of {count(len(judged), 'target')} met"


def sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."
