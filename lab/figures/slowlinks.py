# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""A call and an upload on the slowest links."""

from __future__ import annotations

from matplotlib.figure import Figure

from . import items, lines, measures, tables
from .papers import HERE
from .results import Results
from .tables import Measure, Table

NAME = "slowlinks"
TITLE = "A call on slow links"
SOURCE = HERE
CLAIM = """A full packet takes 189 ms at 64 kbit/s and 24 ms at 512 kbit/s: longer than CoDel\u2019s target, at most of these
rates longer than half of its interval. A call of 24 kbit/s (G.729, a packet every 20 ms) shares each link with one upload.
CAKE stands here twice, as it is without options and with `bandwidth` set to the rate of the link: without it, CAKE does
not know how slow the link is."""
CAPTION = lines.CAPTION

KEY = "rate"


def headlines(results: Results) -> list[Measure]:
    return [
        *items.one(results, "call", "95th percentile delay"),
        items.dropped(results.bottleneck, "call"),
        *items.one(results, "upload", "goodput"),
    ]


def table(results: Results) -> list[Table]:
    queue = results.bottleneck
    wanted = [
        items.dropped(queue, "call"),
        *items.every(results),
        measures.drop_rate(queue),
        measures.utilisation(queue),
    ]
    return [t for t in (tables.by_point(results, m) for m in wanted) if t.rows]


def picture(results: Results) -> Figure:
    return lines.multiples(results, KEY, headlines(results), "rate")


def describe(results: Results) -> str:
    return lines.describe(results, KEY, headlines(results), "the rate")
