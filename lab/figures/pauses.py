# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Links that stand still for a while, and links whose rate was measured."""

from __future__ import annotations

from functools import partial

from . import cases, checks, dots, items, measures, tables
from .papers import HERE
from .results import Results
from .tables import Measure, Table

NAME = "pauses"
TITLE = "Links that pause"
SOURCE = HERE
CLAIM = """A radio link stands still for a handover or a scan, and its rate changes within a round trip. The packets that wait
then have waited for the link. Their senders have had no signal and no time to slow down, so an AQM gains nothing when it
drops these packets. A ceiling on the delay must cost such links neither throughput nor the packets of sparse flows, and still
hold the delay of senders that do not slow down."""
CAPTION = dots.CAPTION
WHY = """The ceiling does not count the time for which the link stood still, and it is lower once all packets have been late
for an interval. A short queue on a slow link costs packets all the same, because a few packets of each flow take an
interval there."""


def headlines(results: Results) -> list[Measure]:
    return [
        items.goodput(results),
        measures.delay(results.bottleneck, "p99"),
        items.dropped(results.bottleneck, "ping"),
    ]


def table(results: Results) -> list[Table]:
    queue = results.bottleneck
    rows = [
        *headlines(results),
        *(measures.delay(queue, p) for p in ("p50", "p95", "max")),
        measures.drop_rate(queue),
        *items.one(results, "ping", "99th percentile round trip"),
    ]
    return [t for t in (tables.by_point(results, m) for m in rows) if t.rows]


CHECK = tuple(
    checks.Check(
        f"{name}\u2019s goodput, of that without a ceiling",
        "%",
        checks.beside(name, cases.WITHOUT[name], items.goodput),
        low=95,
    )
    for name in (cases.CODEL, cases.FQ_CODEL)
)

picture = partial(dots.picture, headlines=headlines)
describe = partial(dots.describe, headlines=headlines)
