# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The CoDel paper's figure 8: a range of round trips."""

from __future__ import annotations

from pathlib import Path

from matplotlib.figure import Figure

from . import amounts, cases, lines, measures, plot, tables, verdict
from .papers import CODEL
from .results import Point, Results
from .tables import Measure, Table
from .verdict import Bounds, Target

NAME = "fig8"
READS = NAME
TITLE = "Round trips from 10 to 500 ms"
SOURCE = CODEL.at("figure 8")
CLAIM = """Over round trips from 10 to 500 ms and many loads, CoDel keeps the link about as busy as tail drop
does, but for 500 ms; between 30 and 200 ms its delay and its utilisation hardly depend on the round trip, although its
interval is 100 ms throughout."""
CAPTION = lines.CAPTION
FOLLOWS = """At 10 ms our CoDel keeps all of the link busy, as the kernel\u2019s does. At 200 ms it is 95.2 and 95.5% over two
seeds (kernel: 95.1%), at 500 ms 87.5 and 91.2% (87.2 and 92.6%), and the 2% are missed: 5 ms of queue
are a fortieth of a pipe of 200 ms, and each drop costs a CUBIC flow 30% of its window for several round trips.
A larger interval is the means against that, and its price is delay elsewhere."""

KEY = "rtt"
BOUNDS: Bounds = {"up_to_s": 0.2, "percent": 98}
CHECK: Bounds = {"up_to_s": 0.2, "percent": 89}


def wanted(results: Results) -> tuple[Measure, Measure]:
    queue = results.bottleneck
    return measures.delay(queue, "p50"), measures.utilisation(queue)


def targets(results: Results, bounds: Bounds) -> list[Target]:
    def near(point: Point) -> bool:
        return (amounts.quantity(point.get(KEY)) or 0) <= bounds["up_to_s"]

    busy = measures.utilisation(results.bottleneck).of
    found = cases.against(results, cases.OURS, cases.TAIL_DROP, busy, cases.share, near)
    text = (
        f"our CoDel\u2019s utilisation, of tail drop\u2019s, up to {bounds['up_to_s'] * 1e3:g} ms"
    )
    return [verdict.at_least(text, found, bounds["percent"], "%")]


def table(results: Results) -> list[Table]:
    close = {p: "CoDel near tail drop" for p in tables.groups(results, [KEY])}
    close = {p: words for p, words in close.items() if p != amounts.pretty("500ms")}
    delay, busy = wanted(results)
    middles: list[Table] = [
        tables.summarised(results, delay, [KEY]),
        tables.summarised(results, busy, [KEY], close),
    ]
    return [*middles, *(tables.by_point(results, m, folded=True) for m in (delay, busy))]


def picture(results: Results) -> Figure:
    figure, areas = plot.panels([2.6, 2.6])
    for area, measure in zip(areas, wanted(results)):
        lines.panel(area, results, KEY, measure)
    plot.logarithmic(areas[:1])
    areas[0].set_title("Median delay: the middle one of all loads")
    areas[1].set_title("Utilisation: the middle one of all loads")
    areas[1].set_xlabel("round trip")
    plot.legend(figure, areas)
    return figure


def draw(results: Results, path: Path) -> None:
    plot.save(lambda: picture(results), path)


def describe(results: Results) -> str:
    return lines.describe(results, KEY, wanted(results), "the round trip")
