# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Flows that use ECN beside flows that do not, on qdiscs that mark."""

from __future__ import annotations

from functools import partial

from . import dots, items, measures, tables
from .papers import HERE
from .results import Results
from .tables import Measure, Table

NAME = "ecn"
TITLE = "Flows with ECN beside flows without"
SOURCE = HERE
CLAIM = """A qdisc that marks in place of dropping spares a flow the packets that it would have to send again. Both
kinds of flows share the link here, so a flow with ECN should gain no more bandwidth than that. CoDel, PIE and FQ-PIE
mark because `ecn` is set; FQ-CoDel and CAKE mark by default. Tail drop never marks."""
CAPTION = dots.CAPTION


def wanted(results: Results) -> list[Measure]:
    queue = results.bottleneck
    flows = [n for n, kind in items.kinds(results) if kind == "bulk"]
    return [
        *(items.dropped(queue, n) for n in flows),
        *(items.marked(queue, n) for n in flows),
        *items.every(results),
    ]


def headlines(results: Results) -> list[Measure]:
    return [
        measures.delay(results.bottleneck, "p95"),
        *items.one(results, "plain", "goodput"),
        *items.one(results, "ecn", "goodput"),
        *items.one(results, "web", "95th percentile time"),
    ]


def table(results: Results) -> list[Table]:
    made: list[Table] = [*tables.measured(results, "Flows, pages and pings", wanted(results))]
    queue = measures.of_queue(results.bottleneck)
    return [*made, *tables.measured(results, "The queue", queue)]


picture = partial(dots.picture, headlines=headlines)
describe = partial(dots.describe, headlines=headlines)
