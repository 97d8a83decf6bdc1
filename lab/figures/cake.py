# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""What the page says of CAKE: without `bandwidth` its AQM does not have the rate of the link."""

from __future__ import annotations

from . import amounts, measures, tables
from .results import Point, Results

BARE, SET = "cake", "cake_bw"
ALONE = """CAKE stands here without `bandwidth`, so it does not have the rate of the link; on slow links that is a
misconfiguration."""
BOTH = """CAKE without `bandwidth` does not have the rate of the link, which is a misconfiguration on slow links: compare with
CAKE whose `bandwidth` is set."""


def drops(results: Results, point: Point) -> str:
    """The drop rates of both at a point."""
    number = measures.drop_rate(results.bottleneck).of
    found = [tables.value(results.values(name, point, number)) for name in (BARE, SET)]
    if None in found:
        return ""
    bare, with_rate = (f"{amounts.text(v)}%" for v in found)
    return f"{bare} without and {with_rate} with it at {results.title_of(point)}"


def words(results: Results) -> str:
    if BARE not in results.subjects:
        return ""
    if SET not in results.subjects:
        return " ".join(ALONE.split())
    parts = [d for p in results.points if (d := drops(results, p))]
    dropped = f" Dropped: {'; '.join(parts)}." if parts else ""
    return " ".join(BOTH.split()) + dropped
