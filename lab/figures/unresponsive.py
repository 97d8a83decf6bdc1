# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""UDP that does not slow down, beside TCP with and without ECN, and probes."""

from __future__ import annotations

from functools import partial

from . import cases, checks, dots, items, measures, tables, verdict
from .papers import L4S
from .results import Point, Results
from .tables import Measure, Table
from .verdict import Bounds, Case, Target

NAME = "unresponsive"
TITLE = "UDP that does not slow down"
SOURCE = L4S
CLAIM = """A UDP sender offers more than the link carries and never slows down, beside two TCP flows with ECN and two without.
The L4S team found that ECT traffic took 99.9% of such a link with CoDel at twice the link\u2019s rate. A queue for all
flows can only drop more; a queue for each flow leaves the excess to the sender that causes it. The sender\u2019s packets are
not ECT, or claim to be ECT(0) or ECT(1): a qdisc that marks such packets and never drops them rewards the claim."""
CAPTION = dots.CAPTION
TCP = ("tcp", "tcp_ecn")
KEY = "flood"
BOUNDS: Bounds = {"p99_ms": 50, "gain_percent": 5, "pie_percent": 100}


def headlines(results: Results) -> list[Measure]:
    probe = [n for n, kind in items.kinds(results) if kind == "ping"]
    return [
        measures.delay(results.bottleneck, "p99"),
        *(m for n in probe for m in items.one(results, n, "95th percentile round trip")),
        items.together("TCP: goodput", *TCP),
    ]


def gains(results: Results, subject: str) -> list[Case]:
    """What an ECT flood has of the link beyond what the same flood has that is not ECT, medians in percent of the link."""
    share = items.share(results.bottleneck, "flood").of

    def of(point: Point) -> float | None:
        return tables.value(results.values(subject, point, share))

    plain = {p.get(KEY): of(p) for p in results.points}
    made: list[Case] = []
    for point in results.points:
        load, _comma, claim = point.get(KEY).partition(", ")
        ours, others = of(point), plain.get(load)
        if claim and ours is not None and others is not None:
            made.append((point.get(KEY), ours - others))
    return made


def targets(results: Results, bounds: Bounds) -> list[Target]:
    made = []
    for subject in (cases.CODEL, cases.FQ_CODEL):
        late = cases.of_runs(results, subject, measures.delay(results.bottleneck, "p99").of)
        bound = bounds["p99_ms"]
        made.append(verdict.at_most(f"{subject}\u2019s 99th percentile delay", late, bound, "ms"))
    found, bound = gains(results, cases.CODEL), bounds["gain_percent"]
    made.append(verdict.below("what a flood gains as ECT, codel_oot", found, bound, "%"))
    left = cases.against(results, cases.CODEL, "pie", items.together("", *TCP).of, cases.share)
    text = "goodput of TCP with codel_oot, of that with PIE"
    if left or not results.subjects:
        made.append(verdict.at_least(text, left, bounds["pie_percent"], "%"))
    return made


P99 = checks.delay("p99")
CHECK = (
    # timelines 1 to 10: 7.19 to 7.52%; without a ceiling 100%
    checks.Check(
        "codel_oot\u2019s 99th percentile delay, of that without a ceiling",
        "%",
        checks.beside(cases.CODEL, cases.WITHOUT[cases.CODEL], P99),
        high=20,
    ),
    # timelines 1 to 10: 47.3 to 48.4 ms
    checks.Check(
        "fq_codel_oot\u2019s 99th percentile delay", "ms", checks.of(cases.FQ_CODEL, P99), high=70
    ),
    # timelines 1 to 10: 605.6 ms in each, the time of 200 packets
    checks.Check(
        "longest delay of ECN-capable packets at the limit of codel_oot",
        "ms",
        checks.of(cases.WITHOUT[cases.CODEL], checks.delay("max")),
        low=500,
        high=700,
    ),
    # timelines 1 to 10: 297 to 300 ms
    checks.Check(
        "longest delay of ECN-capable packets at the limit of fq_codel_oot",
        "ms",
        checks.of(cases.WITHOUT[cases.FQ_CODEL], checks.delay("max")),
        low=250,
        high=350,
    ),
    # timelines 1 to 10: 43.3 to 43.8%
    checks.Check(
        "marked of the ECN-capable packets that leave codel_oot without a ceiling",
        "%",
        checks.of(
            cases.WITHOUT[cases.CODEL], lambda results: items.marked(results.bottleneck, "flood")
        ),
        low=25,
    ),
    # timelines 1 to 10: 20.1 to 20.7%; with codel_oot 96%
    checks.Check(
        "the flood\u2019s share of the link with fq_codel_oot, beside four flows",
        "%",
        checks.of(cases.FQ_CODEL, lambda results: items.share(results.bottleneck, "flood")),
        high=30,
    ),
)


def table(results: Results) -> list[Table]:
    queue = results.bottleneck
    names = [n for n, _kind in items.kinds(results)]
    wanted = [
        *(measures.delay(queue, p) for p in ("p50", "p95", "p99", "max")),
        items.together("TCP: goodput", *TCP),
        *(m for n in TCP for m in items.one(results, n, "goodput")),
        items.share(queue, "flood"),
        *(items.dropped(queue, n) for n in names),
        *(m for m in items.every(results) if "round trip" in m.name),
    ]
    return [t for t in (tables.by_point(results, m) for m in wanted) if t.rows]


picture = partial(dots.picture, headlines=headlines)
describe = partial(dots.describe, headlines=headlines)
