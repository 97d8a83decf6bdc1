# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""A router that shapes: with HTB above the qdisc, or with the shaper of the qdisc itself."""

from __future__ import annotations

from functools import partial

from . import amounts, cases, checks, dots, items, measures, tables, verdict
from .papers import HERE
from .results import Results, Run, dig
from .tables import Better, Measure, Table
from .verdict import Bounds, Target

NAME = "router"
TITLE = "A router that shapes"
SOURCE = HERE
CLAIM = """The slow link is behind a modem, so the router has to shape. HTB above FQ-CoDel sends a super-packet of GRO or TSO
as a whole, and packets of other flows wait for all of its segments. CAKE with `bandwidth` and fq_codel_oot with `rate` shape
by themselves and split super-packets first. What a ping waits beyond the path, and what four uploads get of the rate, is the
test."""
CAPTION = dots.CAPTION
WHY = """A super-packet that leaves as a whole takes the link for the time of its segments, and a ping that comes in between
waits for the rest of it. After a split, it waits for the rest of one packet."""

OURS, RIVAL = "fq_codel_oot_rate", "cake_bw"
LATER = {
    p: f"a ping\u2019s {measures.NAMES[p]} beyond the path, more than with CAKE"
    for p in ("p99", "max")
}
PATH = ("link", "path", "down", "delay")
FULL = 1514  # bytes of a packet
# packets more than the rival's, percent of the rival's, of the rate
BOUNDS: Bounds = {"ping": 0.1, "goodput": 99.5, "utilisation": 99.5}


def beyond_path(results: Results, which: str) -> Measure:
    """Of the pings' round trips, what is more than the delay of the path."""
    path = amounts.quantity(str(dig(results.scenario, *PATH))) or 0.0

    def of(run: Run) -> float | None:
        found = dig(run.traffic, "ping", "rtt_ms", which)
        return None if found is None else found - 1000 * path

    return Measure(f"ping: {measures.NAMES[which]} beyond the path", "ms", Better.LOW, of)


def in_packets(results: Results, which: str) -> Measure:
    """The same in the times that a full packet takes at the rate."""
    queue, beyond = results.bottleneck, beyond_path(results, which)

    def of(run: Run) -> float | None:
        found, mbit = beyond.of(run), run.queue(queue, "phases", 0, "rate_mbit")
        return None if found is None or not mbit else found * mbit * 1000 / (8 * FULL)

    return Measure(beyond.name, "packets", Better.LOW, of)


def utilisation(results: Results) -> Measure:
    return measures.utilisation(results.bottleneck)


def headlines(results: Results) -> list[Measure]:
    return [beyond_path(results, "p99"), beyond_path(results, "max"), items.goodput(results)]


def table(results: Results) -> list[Table]:
    queue = results.bottleneck
    rows = [
        beyond_path(results, "p50"),
        *headlines(results),
        *(measures.delay(queue, p) for p in ("p50", "p99", "max")),
        utilisation(results),
        measures.drop_rate(queue),
        *items.one(results, "web", "95th percentile time"),
        *items.one(results, "call", "lost"),
        *items.one(results, "call", "99th percentile delay"),
    ]
    return [t for t in (tables.by_point(results, m) for m in rows) if t.rows]


def targets(results: Results, bounds: Bounds) -> list[Target]:
    def beside(measure: Measure, compare: cases.Comparison) -> list[verdict.Case]:
        return cases.against(results, OURS, RIVAL, measure.of, compare)

    ping = [beside(in_packets(results, p), cases.difference) for p in ("p99", "max")]
    share = beside(items.goodput(results), cases.share)
    used = cases.of_runs(results, OURS, utilisation(results).of)
    return [
        verdict.at_most(LATER["p99"], ping[0], bounds["ping"], "packets"),
        verdict.at_most(LATER["max"], ping[1], bounds["ping"], "packets"),
        verdict.at_least("goodput, of CAKE\u2019s", share, bounds["goodput"], "%"),
        verdict.at_least("utilisation of the rate", used, bounds["utilisation"], "%"),
    ]


def later(which: str, most: float) -> checks.Check:
    found = checks.beside(OURS, RIVAL, lambda r: in_packets(r, which), cases.difference)
    return checks.Check(LATER[which], "packets", found, high=most)


CHECK = (
    # timelines 1 to 6: -0.96 to 0.01; -0.89 to 0; 98.8 to 100%; 99.7 to 100%
    later("p99", 0.4),
    later("max", 0.5),
    checks.Check("goodput, of CAKE\u2019s", "%", checks.beside(OURS, RIVAL, items.goodput), low=98),
    checks.Check(
        "utilisation of the rate", "%", checks.of(OURS, utilisation), low=99.2, high=100.3
    ),
)

picture = partial(dots.picture, headlines=headlines)
describe = partial(dots.describe, headlines=headlines)
