# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Short flows alone: pages that are finished before a drop can slow them down."""

from __future__ import annotations

from functools import partial

from . import dots, items, measures, tables
from .papers import HERE
from .results import Results
from .tables import Measure, Table

NAME = "shortflows"
TITLE = "Short flows alone"
SOURCE = HERE
CLAIM = """Web pages are the only traffic of the link, eight connections a second, each with a window that is small and
still grows. A drop hits a flow that would have ended soon, and a lost last packet or a lost handshake costs a time-out. An
AQM can do worse than a long queue here."""
CAPTION = dots.CAPTION
WHY = """A drop slows down only the flow that it hits, and the next page begins with a new window: the queue
does not become shorter by it."""


def headlines(results: Results) -> list[Measure]:
    return [
        *items.one(results, "web", "95th percentile time"),
        *items.one(results, "web", "99th percentile time"),
        items.dropped(results.bottleneck, "web"),
        *items.one(results, "web", "median time"),
    ]


def table(results: Results) -> list[Table]:
    queue = results.bottleneck
    rows = [items.dropped(queue, "web"), *items.every(results)]
    return [
        *tables.measured(results, "Pages", rows),
        *tables.measured(results, "The queue", measures.of_queue(queue)),
    ]


picture = partial(dots.picture, headlines=headlines)
describe = partial(dots.describe, headlines=headlines)
