# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Downloads that have crossed the slowest link before the router shapes them."""

from __future__ import annotations

from functools import partial

from . import cases, checks, dots, far, items, measures, tables
from .papers import HERE
from .results import Results
from .tables import Measure, Table

NAME = "ingress"
TITLE = "A router that shapes what has crossed the link"
SOURCE = HERE
CLAIM = """Downloads wait at the provider, whose link is a little faster than the router shapes. With many flows for each megabit,
the router has to drop much, and what it drops has crossed the link in vain. With `ingress` dropped packets count, so that the
provider\u2019s queue stays short. What the flows get, and how long packets wait there, is the test."""
CAPTION = dots.CAPTION
WHY = """To each of many flows, its share is a slow link, and CoDel\u2019s target has to be longer than 1.5 packets there. A shorter
target takes packets from flows that have no queue which a slower sender could shorten."""

RIVAL = "cake"
DROPPED = "lan.up"


def headlines(results: Results) -> list[Measure]:
    return [items.goodput(results), far.late(results)]


def table(results: Results) -> list[Table]:
    rows = [
        *headlines(results),
        measures.delay(far.UP, "p50"),
        measures.delay(far.UP, "p99"),
        measures.drop_rate(DROPPED),
        *items.one(results, "ping", "median round trip"),
        *items.one(results, "ping", "95th percentile round trip"),
    ]
    return [t for t in (tables.by_point(results, m) for m in rows) if t.rows]


CHECK = (
    # timelines 1 to 5: 106 to 108%; 9.0 to 16.6 ms
    checks.Check(
        "goodput, of CAKE\u2019s", "%", checks.beside(cases.FQ_CODEL, RIVAL, items.goodput), low=98
    ),
    checks.Check(
        "95th percentile delay at the provider", "ms", checks.of(cases.FQ_CODEL, far.late), high=40
    ),
)

picture = partial(dots.picture, headlines=headlines)
describe = partial(dots.describe, headlines=headlines)
