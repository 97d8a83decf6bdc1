# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Uploads and downloads at once, and a queue at both ends of the link."""

from __future__ import annotations

from functools import partial

from . import dots, far, items, measures, tables
from .papers import HERE
from .results import Results
from .tables import Measure, Table

NAME = "follow_both"
TITLE = "A queue in the modem, and one at the provider"
SOURCE = HERE
CLAIM = """A household uploads and downloads at once. Each round trip has both far queues, and acknowledgments of one direction
wait with the data of the other. Time stamps tell the two queues apart."""
CAPTION = dots.CAPTION
WHY = """With the option in one direction alone, its packets leave the other one\u2019s queue to fill itself."""
DIRECTIONS = ((far.UP, "Uploads"), (far.DOWN, "Downloads"))


def of_direction(queue: str, title: str, which: str) -> Measure:
    measure = measures.utilisation(queue) if which == "share" else measures.delay(queue, which)
    return Measure(f"{title}: {measure.name}", measure.unit, measure.better, measure.of)


def headlines(results: Results) -> list[Measure]:
    shares = [of_direction(queue, title, "share") for queue, title in DIRECTIONS]
    return [*shares, *items.one(results, "ping", "95th percentile round trip")]


def table(results: Results) -> list[Table]:
    delays = [of_direction(q, t, p) for q, t in DIRECTIONS for p in ("p50", "p95", "p99")]
    rows = [*headlines(results), *delays, *items.every(results)]
    return [*tables.measured(results, "Both directions", rows)]


picture = partial(dots.picture, headlines=headlines)
describe = partial(dots.describe, headlines=headlines)
