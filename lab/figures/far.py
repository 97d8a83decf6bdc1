# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""What the experiments with the bottleneck in another device have in common."""

from __future__ import annotations

from . import checks, items, measures, tables
from .checks import Check
from .results import Results
from .tables import Measure, Table

AT_LINK = "fq_codel_at_link"
UP, DOWN = "far.up", "far.down"


def share(_results: Results) -> Measure:
    return measures.utilisation(UP)


def late(_results: Results) -> Measure:
    return measures.delay(UP, "p95")


def headlines(results: Results) -> list[Measure]:
    """What the link carries, and what users wait for."""
    return [
        share(results),
        late(results),
        *items.one(results, "ping", "95th percentile round trip"),
    ]


def rows(results: Results) -> list[Measure]:
    return [
        *headlines(results),
        measures.delay(UP, "p50"),
        measures.delay(UP, "p99"),
        *items.one(results, "ping", "median round trip"),
        *items.one(results, "ping", "lost"),
        *items.one(results, "bulk", "goodput"),
    ]


def by_link(results: Results) -> list[Table]:
    """A table a measure, a row a link."""
    return [t for t in (tables.by_point(results, m) for m in rows(results)) if t.rows]


def verdicts(subject: str, where: str, latest: float) -> tuple[Check, ...]:
    """`latest`: the 95th percentile of the delay there, ms."""
    return (
        Check(
            "what the link carries, of that with a queue for each flow at the link itself",
            "%",
            checks.beside(subject, AT_LINK, share),
            low=90,
        ),
        Check(f"95th percentile delay {where}", "ms", checks.of(subject, late), high=latest),
    )
