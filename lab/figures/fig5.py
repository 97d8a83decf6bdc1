# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The CoDel paper's figure 5: a range of static rates."""

from __future__ import annotations

from functools import partial

from . import amounts, boxes, cases, checks, measures, verdict
from .papers import CODEL
from .results import Point, Results
from .tables import Table
from .verdict import Bounds, Target

NAME = "fig5"
TITLE = "Static rates from 3 to 100 Mbit/s"
SOURCE = CODEL.at("figure 5")
CLAIM = """With the same settings at every rate, CoDel's median delay comes to about 5 ms once the link
has 10 Mbit/s or more and the load is bulk transfers. RED, which has to be configured for each rate, leaves
more of the link unused from 10 Mbit/s up. Round trips were 10 to 500 ms, loads were bulk flows with and without
web traffic and constant bit rates; the buffer, eight times the bandwidth-delay product, was never what held the
queue."""
CAPTION = boxes.CAPTION

KEYS = ("rate",)
FAST = ("10mbit", "45mbit", "100mbit")
BOUNDS: Bounds = {"low_ms": 3, "high_ms": 7, "from_bits": 10e6, "above_red": 0}


def judged(bounds: Bounds, point: Point) -> bool:
    rate = amounts.quantity(point.get("rate")) or 0
    return rate >= bounds["from_bits"] and cases.only_bulk(point)


def targets(results: Results, bounds: Bounds) -> list[Target]:
    queue = results.bottleneck
    delay = measures.delay(queue, "p50").of
    medians = cases.rows(results, KEYS, delay, cases.CODEL, partial(judged, bounds))
    busy = measures.utilisation(queue).of
    less_red = cases.beside(results, "red", busy, cases.difference)
    beside_red = cases.rows(results, KEYS, less_red, cases.CODEL)
    low, high = bounds["low_ms"], bounds["high_ms"]
    return [
        verdict.between(
            "codel_oot\u2019s median delay, bulk loads, from 10 Mbit/s up", medians, low, high, "ms"
        ),
        verdict.at_least(
            "codel_oot\u2019s utilisation less RED\u2019s",
            beside_red,
            bounds["above_red"],
            "percentage points",
        ),
    ]


def comparable(results: Results, found: list[Target]) -> list[Target]:
    delay, busy = found
    return [
        cases.middle_of_many(delay, results, KEYS, partial(judged, BOUNDS)),
        cases.middle_of_many(busy, results, KEYS),
    ]


CHECK = (
    # timelines 1 to 10: 6.01 ms in each, as delays differ by the time of a packet, 0.6 ms; with twice the target 10.2 ms
    checks.Check(
        "codel_oot\u2019s median delay",
        "ms",
        checks.of(cases.CODEL, checks.delay("p50")),
        low=4,
        high=8,
    ),
)


def table(results: Results) -> list[Table]:
    near = {amounts.pretty(r): "CoDel about 5" for r in FAST}
    lower = {r: "RED below CoDel" for r in near}
    return boxes.both(results, KEYS, (near, lower))


picture = partial(boxes.picture, keys=KEYS)
describe = partial(boxes.describe, keys=KEYS)
headlines = boxes.wanted
