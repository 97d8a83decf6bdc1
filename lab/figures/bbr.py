# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""BBR, whose rate does not follow drops, beside CUBIC, whose rate does."""

from __future__ import annotations

from functools import partial

from . import dots, items, measures, tables
from .papers import HERE
from .results import Results
from .tables import Measure, Table

NAME = "bbr"
TITLE = "BBR beside CUBIC"
SOURCE = HERE
CLAIM = """BBR sends at the rate that it has measured and hardly answers a drop; CUBIC reduces its window at every
drop. A single queue leaves it to the senders how they share the link. A queue for each flow gives each flow its part,
whatever its congestion control."""
CAPTION = dots.CAPTION


def headlines(results: Results) -> list[Measure]:
    return [
        measures.delay(results.bottleneck, "p95"),
        *items.one(results, "cubic", "goodput"),
        *items.one(results, "bbr", "goodput"),
    ]


def table(results: Results) -> list[Table]:
    queue = results.bottleneck
    flows = [n for n, kind in items.kinds(results) if kind == "bulk"]
    rows = [*(items.dropped(queue, n) for n in flows), *items.every(results)]
    return [
        *tables.measured(results, "Flows and pings", rows),
        *tables.measured(results, "The queue", measures.of_queue(queue)),
    ]


picture = partial(dots.picture, headlines=headlines)
describe = partial(dots.describe, headlines=headlines)
