# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""What the experiments with the bottleneck in another device have in common."""

from __future__ import annotations

from . import cases, items, measures, tables
from .results import Results
from .tables import Measure, Table
from .verdict import Case

AT_LINK = "fq_codel_at_link"
UP, DOWN = "far.up", "far.down"


def headlines(queue: str, results: Results) -> list[Measure]:
    """What the link carries, and what users wait for."""
    return [
        measures.utilisation(queue),
        measures.delay(queue, "p95"),
        *items.one(results, "ping", "95th percentile round trip"),
    ]


def rows(queue: str, results: Results) -> list[Measure]:
    return [
        *headlines(queue, results),
        measures.delay(queue, "p50"),
        measures.delay(queue, "p99"),
        *items.one(results, "ping", "median round trip"),
        *items.one(results, "ping", "lost"),
        *items.one(results, "bulk", "goodput"),
    ]


def by_link(queue: str, results: Results) -> list[Table]:
    """A table a measure, a row a link."""
    return [t for t in (tables.by_point(results, m) for m in rows(queue, results)) if t.rows]


def share_of_link(subject: str, queue: str, results: Results) -> list[Case]:
    """What the link carries, in percent of what it carries with a queue for each flow at the link itself."""
    number = cases.beside(results, AT_LINK, measures.utilisation(queue).of, cases.share)
    return [(results.where(run), number(run)) for run in cases.runs(results, subject)]
