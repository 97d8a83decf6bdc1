# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The same traffic on the kernels of several Debian releases."""

from __future__ import annotations

from functools import partial

from . import dots, items, measures, tables
from .papers import HERE
from .results import Results
from .tables import Measure, Table

NAME = "releases"
TITLE = "The kernels of two Debian releases"
SOURCE = HERE
CLAIM = """Every other experiment runs on one kernel. TCP, the timers and the in-tree qdiscs change from release to release;
the out-of-tree modules are compiled for each from the same source. The same traffic on two kernels shows how much of a
result is the kernel\u2019s."""
CAPTION = dots.CAPTION


def headlines(results: Results) -> list[Measure]:
    return [
        measures.delay(results.bottleneck, "p95"),
        measures.utilisation(results.bottleneck),
        *items.one(results, "web", "95th percentile time"),
    ]


def table(results: Results) -> list[Table]:
    wanted = [*measures.of_queue(results.bottleneck), *items.every(results)]
    return [t for t in (tables.by_point(results, m) for m in wanted) if t.rows]


picture = partial(dots.picture, headlines=headlines)
describe = partial(dots.describe, headlines=headlines)
