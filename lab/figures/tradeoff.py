# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""What a lower ceiling costs senders that slow down."""

from __future__ import annotations

from functools import partial

from . import dots, items, measures, tables
from .papers import HERE
from .results import Results
from .tables import Measure, Table

NAME = "tradeoff"
TITLE = "What a lower ceiling costs"
SOURCE = HERE
CLAIM = """The throughput of a loss-based TCP falls with its round trip and with its losses. Where many flows share a link,
a shorter queue therefore needs more drops, and these hit web pages as well. The ceiling sets where between the two a queue
stands: at half of an interval (the default), at one, at two, or nowhere."""
CAPTION = dots.CAPTION
WHY = """A sender repeats a dropped packet, so a page can take longer although each packet waits less. On the faster link
the default shortens round trips, and pages take no longer. On the slower link half of an interval is a few packets: in one
queue for all flows, pages take longer, and with a ceiling of an interval they do not."""


def headlines(results: Results) -> list[Measure]:
    return [
        *items.one(results, "ping", "95th percentile round trip"),
        items.dropped(results.bottleneck, "web"),
        *items.one(results, "web", "95th percentile time"),
    ]


def table(results: Results) -> list[Table]:
    queue = results.bottleneck
    rows = [
        *headlines(results),
        *items.one(results, "web", "median time"),
        *(measures.delay(queue, p) for p in ("p50", "p99")),
        measures.drop_rate(queue),
        measures.utilisation(queue),
    ]
    return [t for t in (tables.by_point(results, m) for m in rows) if t.rows]


picture = partial(dots.picture, headlines=headlines)
describe = partial(dots.describe, headlines=headlines)
