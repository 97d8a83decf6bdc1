# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Overload control for requests: the Go library's nine load points, with a link as the server."""

from __future__ import annotations

from pathlib import Path

from matplotlib.figure import Figure

from . import cases, lines, measures, plot, tables, verdict
from .papers import GO
from .results import Results
from .tables import Comparison, Measure, Row, Table
from .verdict import Bounds, Target

NAME = "overload"
READS = NAME
TITLE = "Requests beyond what the server can do"
SOURCE = GO.at("README, and the sweep of its simulation")
CLAIM = """Requests come at random, 1000 a second on average, to a server that manages 500. A plain queue serves
507 of them a second, but half of those only after 964 ms; the library\u2019s CoDel (target 5 ms, interval 10 ms) serves 513,
half within 28 ms and 99% within 62.8 ms. Here requests are packets and the server is a link. Such senders do not slow
down when dropped, which CoDel with its usual interval answers slowly: its figures stand beside."""
CAPTION = lines.CAPTION
FOLLOWS = """With an interval of 10 ms our CoDel answers 511 and 514 requests a second of the 1000, half of them within 14.4 ms
and 99% within 40 ms: the library\u2019s figures, and less delay. With the defaults it is 527 a second, but half of
the answers take 600 ms: 500 a second are too many, and a drop schedule of 100 ms / sqrt(count) has dropped 25
packets after a second, and drops 500 a second after ten, when all is over. Until then the buffer\u2019s 500 places
are full. That is the law, not the implementation: the kernel\u2019s CoDel has the same figures.

FQ-CoDel with its defaults is between the two: 248 and 257 ms in the middle. Where the limit is reached, the
fattest of the 50 clients\u2019 queues is cut. Its 95th percentile is 505 and 514 ms, the kernel\u2019s 452 and 460: see
the last chapter. When the server can do what is asked of it on average, 1000 of 1000, everything but tail drop
refuses 1 to 6% of the requests, for 17 to 76% of its median delay."""

KEY = "load"
TWICE = "1000/500"
FAST = "codel_oot_10ms"
BOUNDS: Bounds = {"answered": 500, "p99_ms": 62.8}
CHECK: Bounds = {"answered": 495, "p99_ms": 55}
PUBLISHED = {
    "answered in time": "queue 507, CoDel 513",
    "median time to the answer": "queue 964, CoDel 27.7",
    "95th percentile time to the answer": "queue 1025, CoDel 44.1",
    "99th percentile time to the answer": "queue 1041, CoDel 62.8",
}


def wanted(results: Results) -> list[Measure]:
    items = [name for r in results.runs[:1] for name, _t in r.kinds("requests")]
    return [m for item in items[:1] for m in measures.of_traffic(item, "requests")]


def measure(results: Results, name: str) -> Measure | None:
    return next((m for m in wanted(results) if m.name == name), None)


def targets(results: Results, bounds: Bounds) -> list[Target]:
    def of(name: str) -> list[verdict.Case]:
        found = measure(results, name)
        return (
            cases.of_runs(results, FAST, found.of, lambda p: p.get(KEY) == TWICE) if found else []
        )

    answered, late = of("answered in time"), of("99th percentile time to the answer")
    who = "our CoDel, interval 10 ms, at 1000/500"
    return [
        verdict.at_least(f"answered, {who}", answered, bounds["answered"], "/s"),
        verdict.at_most(f"99th percentile, {who}", late, bounds["p99_ms"], "ms"),
    ]


def sourced(found: Comparison, name: str) -> Comparison:
    """The library published one of its nine points."""
    published = {TWICE: PUBLISHED.get(name, "")}
    rows = [Row(r.label, r.better, r.cells, published.get(r.label, "")) for r in found.rows]
    return Comparison(found.title, rows, found.note, found.folded)


def table(results: Results) -> list[Table]:
    return [sourced(tables.by_point(results, m), m.name) for m in wanted(results)]


def picture(results: Results) -> Figure:
    shown = [m for m in wanted(results) if m.name != "success"]
    figure, areas = plot.panels([2.0] * len(shown))
    for area, number in zip(areas, shown):
        lines.panel(area, results, KEY, number)
        area.set_ylabel(number.unit)
        area.set_title(number.title[0].upper() + number.title[1:])
        if number.unit == "ms":
            plot.logarithmic([area])
    areas[-1].set_xlabel("requests per second, offered / served")
    plot.legend(figure, areas)
    return figure


def draw(results: Results, path: Path) -> None:
    plot.save(lambda: picture(results), path)


def describe(results: Results) -> str:
    shown = [m for m in wanted(results) if m.name != "success"]
    return lines.describe(results, KEY, shown[-1:] + shown[:-1], "the load")
