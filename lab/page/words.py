# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Sentences that follow from numbers."""

from __future__ import annotations

from typing import Sequence

from figures.verdict import State, Target

MARKS = {
    State.MET: "\u2713 met",
    State.MISSED: "\u2717 not met",
    State.INCOMPARABLE: "\u2248 not comparable",
    State.UNMEASURED: "\u2013 not measured",
}
LOOKS = {
    State.MET: "met",
    State.MISSED: "missed",
    State.INCOMPARABLE: "unknown",
    State.UNMEASURED: "unknown",
}


def count(number: int, one: str) -> str:
    return f"{number} {one}{'' if number == 1 else 's'}"


def of_targets(found: Sequence[Target]) -> str:
    """The number of targets that are met, and the measurements of the others."""
    reasons: dict[str, list[str]] = {}
    for target in found:
        if target.state is State.INCOMPARABLE:
            reasons.setdefault(target.reason, []).append(target.text)
    others = (f"Not comparable: {'; '.join(texts)}: {why}." for why, texts in reasons.items())
    return " ".join([of_judged(found), *others]).strip()


def of_judged(found: Sequence[Target]) -> str:
    judged = [t for t in found if t.met is not None]
    missed = [t for t in judged if not t.met]
    if not found:
        return "The source sets no target here."
    if not judged:
        return "No target could be judged."
    if not missed:
        return {1: "The target is met.", 2: "Both targets are met."}.get(
            len(judged), f"All {len(judged)} targets are met."
        )
    parts = "; ".join(f"{t.text} should be {t.bound}, and is {t.value}" for t in missed)
    return f"{len(judged) - len(missed)} of {count(len(judged), 'target')} met. Not met: {parts}."


def summary(found: Sequence[Target]) -> str:
    judged = [t for t in found if t.met is not None]
    apart = sum(t.state is State.INCOMPARABLE for t in found)
    met = sum(bool(t.met) for t in judged)
    words = f"{met} of {count(len(judged), 'target')} met" if judged else ""
    more = f"{apart} not comparable" if apart else ""
    return ", ".join(w for w in (words, more) if w) or "no target was measured"


def sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."
