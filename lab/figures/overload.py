# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Overload control for requests: the Go library's nine load points, with a link as the server."""

from __future__ import annotations

from matplotlib.figure import Figure

from . import cases, checks, lines, measures, subjects, tables, verdict
from .papers import GO
from .results import Results
from .tables import Measure, Table
from .verdict import Bounds, Target

NAME = "overload"
TITLE = "Requests beyond what the server can do"
SOURCE = GO.at("README, and the sweep of its simulation")
CLAIM = """Requests come at random, 1000 a second on average, to a server that manages 500. A plain queue serves
507 of them a second, but half of those only after 964 ms; the library\u2019s CoDel (target 5 ms, interval 10 ms) serves 513,
half within 28 ms and 99% within 62.8 ms. Here requests are packets and the server is a link. Such senders do not slow
down when dropped, which CoDel with its usual interval answers slowly: its figures stand beside."""
CAPTION = lines.CAPTION
WHY = """Such senders do not slow down when they lose requests. CoDel\u2019s drop rate grows with the square root of the time
that the queue is above the target, and its interval sets how fast: with the default interval the queue can reach its limit
before the drops reach the excess load. Where the limit is reached, FQ-CoDel drops from the largest of the clients\u2019 queues."""

KEY = "load"
TWICE = "1000/500"
FAST = "codel_oot_10ms"
BOUNDS: Bounds = {"answered": 500, "p99_ms": 62.8, "default_p99_ms": 62.8, "fq_p99_ms": 100}
SHOWN = (
    "answered in time",
    "median time to the answer",
    "99th percentile time to the answer",
)
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
    def of(subject: str, name: str) -> list[verdict.Case]:
        found = measure(results, name)
        if not found:
            return []
        return cases.of_runs(results, subject, found.of, lambda p: p.get(KEY) == TWICE)

    made = []
    for subject, bound in (
        (FAST, "p99_ms"),
        (cases.CODEL, "default_p99_ms"),
        (cases.FQ_CODEL, "fq_p99_ms"),
    ):
        who = f"{subjects.title(subject)}, at {TWICE}"
        answered = of(subject, "answered in time")
        late = of(subject, "99th percentile time to the answer")
        made += [
            verdict.at_least(f"answered, {who}", answered, bounds["answered"], "/s"),
            verdict.at_most(f"99th percentile, {who}", late, bounds[bound], "ms"),
        ]
    return made


CHECK = (
    # timelines 1 to 10: 96.6% in each, as the seed decides when requests come; without every second drop 189%
    checks.Check(
        "99th percentile delay of codel_oot without a ceiling, of in-tree codel\u2019s",
        "%",
        checks.beside(cases.WITHOUT[cases.CODEL], cases.IN_TREE, checks.delay("p99")),
        low=85,
        high=115,
    ),
)


def table(results: Results) -> list[Table]:
    """The library published one of its nine points."""
    return [
        tables.by_point(results, m, sources={TWICE: PUBLISHED.get(m.name, "")})
        for m in wanted(results)
    ]


def ratio(label: str) -> float | None:
    """The load of 1000/500 is 2."""
    offered, _slash, served = label.partition("/")
    return float(offered) / float(served) if offered.isdigit() and served.isdigit() else None


def picture(results: Results) -> Figure:
    return lines.multiples(results, KEY, headlines(results), "requests/s, offered/served", ratio)


def headlines(results: Results) -> list[Measure]:
    return [m for m in wanted(results) if m.name in SHOWN]


def describe(results: Results) -> str:
    shown = [m for m in wanted(results) if m.name != "success"]
    return lines.describe(results, KEY, shown[-1:] + shown[:-1], "the load")
