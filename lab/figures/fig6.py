# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The CoDel paper's figure 6: slow links, small and usual packets."""

from __future__ import annotations

from functools import partial

from . import boxes, cases, measures, tables, verdict
from .papers import CODEL
from .results import Point, Results
from .tables import Table
from .verdict import Bounds, Target

NAME = "fig6"
TITLE = "Slow links, 128 kbit/s to 1.5 Mbit/s"
SOURCE = CODEL.at("figure 6")
CLAIM = """Where a single packet of 1500 bytes takes 8 to 94 ms, no queue can stay below 5 ms. CoDel, unchanged,
keeps the link busy there, with an MTU of 500 bytes as with one of 1500. RED\u2019s median delays are
100 to 200 ms at these rates."""
CAPTION = boxes.CAPTION
KEYS = ("rate", "mtu")
BOUNDS: Bounds = {"busy_percent": 90}


def judged(mtu: str, point: Point) -> bool:
    return point.get("mtu") == mtu and cases.only_bulk(point)


def targets(results: Results, bounds: Bounds) -> list[Target]:
    busy = measures.utilisation(results.bottleneck).of
    made = []
    for mtu in results.labels.get("mtu", [""]):
        found = cases.rows(results, KEYS, busy, cases.CODEL, partial(judged, mtu))
        words = f", MTU {mtu}" if mtu else ""
        text = f"codel_oot\u2019s utilisation, bulk loads{words}"
        made.append(verdict.at_least(text, found, bounds["busy_percent"], "%"))
    return made


def comparable(results: Results, found: list[Target]) -> list[Target]:
    mtus = results.labels.get("mtu", [""])
    return [
        cases.middle_of_many(t, results, KEYS, partial(judged, mtu)) for mtu, t in zip(mtus, found)
    ]


def table(results: Results) -> list[Table]:
    slow = {g: "RED 100 to 200" for g in tables.groups(results, KEYS)}
    return boxes.both(results, KEYS, (slow, {}))


picture = partial(boxes.picture, keys=KEYS)
describe = partial(boxes.describe, keys=KEYS)
headlines = boxes.wanted
