# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The CoDel paper's figure 5: a range of static rates."""

from __future__ import annotations

from functools import partial

from . import amounts, boxes, cases, measures, verdict
from .papers import CODEL
from .results import Results
from .tables import Table
from .verdict import Bounds, Target

NAME = "fig5"
READS = NAME
TITLE = "Static rates from 3 to 100 Mbit/s"
SOURCE = CODEL.at("figure 5")
CLAIM = """With the same settings at every rate, CoDel's median delay comes to about 5 ms once the link
has 10 Mbit/s or more and the load is bulk transfers. RED, which has to be configured for each rate, leaves
more of the link unused from 10 Mbit/s up. Round trips were 10 to 500 ms, loads were bulk flows with and without
web traffic and constant bit rates; the buffer, eight times the bandwidth-delay product, was never what held the
queue."""
CAPTION = boxes.CAPTION
FOLLOWS = """At 10 Mbit/s the medians are 3.8 and 4.1 ms. At 100 Mbit/s they are 1.2 and 1.6 ms (kernel: 1.0 and 1.3), less
than the 5 ms \u00b1 2 of the paper, which nobody will mind: four CUBIC flows over 100 ms of round trip use 98%
of the link, and between two of their peaks the queue is empty. The paper\u2019s 5 ms are the middle of many loads,
larger ones among them (`GRID=full`).

Our utilisation is above RED\u2019s by 11 and by 60 points or more at 10 and 100 Mbit/s. At 3 Mbit/s RED lets a
longer queue stand and uses up to 1.1 points more of the link."""

KEYS = ("rate",)
FAST = ("10mbit", "45mbit", "100mbit")
BOUNDS: Bounds = {"low_ms": 3, "high_ms": 7, "from_bits": 10e6, "above_red": 0}
# A reduced grid has short runs, of which the start is a good part
CHECK: Bounds = {**BOUNDS, "low_ms": 2, "high_ms": 6, "above_red": 0}


def targets(results: Results, bounds: Bounds) -> list[Target]:
    queue = results.bottleneck
    fast = cases.rate_from(bounds["from_bits"])
    medians = cases.of_runs(
        results,
        cases.OURS,
        measures.delay(queue, "p50").of,
        lambda p: fast(p) and cases.only_bulk(p),
    )
    beside_red = cases.against(
        results, cases.OURS, "red", measures.utilisation(queue).of, cases.difference
    )
    low, high = bounds["low_ms"], bounds["high_ms"]
    return [
        verdict.between(
            "our CoDel\u2019s median delay, bulk loads, from 10 Mbit/s up", medians, low, high, "ms"
        ),
        verdict.at_least(
            "our CoDel\u2019s utilisation less RED\u2019s",
            beside_red,
            bounds["above_red"],
            "percentage points",
        ),
    ]


def table(results: Results) -> list[Table]:
    near = {amounts.pretty(r): "CoDel about 5" for r in FAST}
    lower = {r: "RED below CoDel" for r in near}
    return boxes.both(results, KEYS, (near, lower))


draw = partial(boxes.draw, keys=KEYS)
describe = partial(boxes.describe, keys=KEYS)
