# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Bursts of flows that send less than their share: the key frames of a call, a game, a shared screen."""

from __future__ import annotations

from functools import partial

from . import cases, checks, dots, items, measures, tables
from .papers import HERE
from .results import Results
from .tables import Measure, Table

NAME = "bursts"
TITLE = "Bursts of a call and of a game"
SOURCE = HERE
CLAIM = """A video call sends a few packets thirty times a second, and forty at once for a key frame. It sends less than its
share of the link, but the key frame waits longer than CoDel\u2019s interval, and small frames keep coming behind it. The
queue drains by itself. A frame that lost a part of its packets is of no use, so a drop gains nothing."""
CAPTION = dots.CAPTION
WHY = """A queue that drains does not stand, however long its packets wait: the ceiling drops none of them, and CoDel gives
its few signals."""


def lost(_results: Results) -> Measure:
    return next(m for m in items.of_item("call", "frames") if m.name.endswith("larger frames"))


def headlines(results: Results) -> list[Measure]:
    return [lost(results), *items.one(results, "call", "99th percentile delay")]


def table(results: Results) -> list[Table]:
    rows = [
        *headlines(results),
        *items.one(results, "call", "lost"),
        *items.one(results, "call", "median delay"),
        *items.one(results, "upload", "goodput"),
        measures.drop_rate(results.bottleneck),
    ]
    return [t for t in (tables.by_point(results, m) for m in rows) if t.rows]


CHECK = (
    checks.Check(
        "of fq_codel_oot\u2019s larger frames, packets lost beyond those without a ceiling",
        "%",
        checks.beside(
            cases.FQ_CODEL, cases.WITHOUT[cases.FQ_CODEL], lost, lambda own, other: own - other
        ),
        high=2,
    ),
)

picture = partial(dots.picture, headlines=headlines)
describe = partial(dots.describe, headlines=headlines)
