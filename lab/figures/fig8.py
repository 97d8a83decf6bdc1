# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The CoDel paper's figure 8: a range of round trips."""

from __future__ import annotations

from functools import partial

from matplotlib.figure import Figure

from . import amounts, boxes, cases, lines, measures, tables, verdict
from .papers import CODEL
from .results import Point, Results
from .tables import Table
from .verdict import Bounds, Target

NAME = "fig8"
TITLE = "Round trips from 10 to 500 ms"
SOURCE = CODEL.at("figure 8")
CLAIM = """Over round trips from 10 to 500 ms and many loads, CoDel keeps the link about as busy as tail drop
does, but for 500 ms; between 30 and 200 ms its delay and its utilisation hardly depend on the round trip, although its
interval is 100 ms throughout."""
CAPTION = lines.CAPTION
WHY = """Each drop costs a CUBIC flow a part of its window for several round trips, and on a long path a queue of the
target\u2019s length is a small part of the window that has to grow again."""

KEY = "rtt"
BOUNDS: Bounds = {"up_to_s": 0.2, "percent": 98}


def near(bounds: Bounds, point: Point) -> bool:
    return (amounts.quantity(point.get(KEY)) or 0) <= bounds["up_to_s"]


def targets(results: Results, bounds: Bounds) -> list[Target]:
    busy = measures.utilisation(results.bottleneck).of
    of_tail_drop = cases.beside(results, cases.TAIL_DROP, busy, cases.share)
    found = cases.rows(results, [KEY], of_tail_drop, cases.CODEL, partial(near, bounds))
    text = (
        f"codel_oot\u2019s utilisation, of tail drop\u2019s, up to {bounds['up_to_s'] * 1e3:g} ms"
    )
    return [verdict.at_least(text, found, bounds["percent"], "%")]


def comparable(results: Results, found: list[Target]) -> list[Target]:
    return [cases.middle_of_many(t, results, [KEY], partial(near, BOUNDS)) for t in found]


def table(results: Results) -> list[Table]:
    close = {p: "CoDel near tail drop" for p in tables.groups(results, [KEY])}
    close = {p: words for p, words in close.items() if p != amounts.pretty("500ms")}
    return boxes.both(results, [KEY], ({}, close))


def picture(results: Results) -> Figure:
    return lines.multiples(results, KEY, headlines(results), "round trip")


def describe(results: Results) -> str:
    return lines.describe(results, KEY, headlines(results), "the round trip")


headlines = boxes.wanted
