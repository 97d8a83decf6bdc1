# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""UDP that does not slow down, beside TCP with and without ECN, and probes."""

from __future__ import annotations

from pathlib import Path

from . import dots, items, measures, tables
from .papers import L4S
from .results import Results
from .tables import Measure, Table

NAME = "unresponsive"
READS = NAME
TITLE = "UDP that does not slow down"
SOURCE = L4S
CLAIM = """A UDP sender offers more than the link carries and never slows down, beside two TCP flows with ECN and two without.
The L4S team found that ECT traffic took 99.9% of such a link with CoDel at twice the link\u2019s rate. A queue for all
flows can only drop more; a queue for each flow leaves the excess to the sender that causes it. The sender\u2019s packets are
not ECT, or claim to be ECT(0) or ECT(1): a qdisc that marks such packets and never drops them rewards the claim."""
CAPTION = dots.CAPTION
TCP = ("tcp", "tcp_ecn")


def headlines(results: Results) -> list[Measure]:
    probe = [n for n, kind in items.kinds(results) if kind == "ping"]
    return [
        measures.delay(results.bottleneck, "p99"),
        *(m for n in probe for m in items.one(results, n, "95th percentile round trip")),
        items.together("TCP: goodput", *TCP),
    ]


def table(results: Results) -> list[Table]:
    queue = results.bottleneck
    names = [n for n, _kind in items.kinds(results)]
    wanted = [
        *(measures.delay(queue, p) for p in ("p50", "p95", "p99", "max")),
        items.together("TCP: goodput", *TCP),
        *(m for n in TCP for m in items.one(results, n, "goodput")),
        items.share(queue, "flood"),
        *(items.dropped(queue, n) for n in names),
        *(m for m in items.every(results) if "round trip" in m.name),
    ]
    return [t for t in (tables.by_point(results, m) for m in wanted) if t.rows]


def draw(results: Results, path: Path) -> None:
    dots.draw(results, path, headlines(results))


def describe(results: Results) -> str:
    return dots.describe(results, headlines(results))
