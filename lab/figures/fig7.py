# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The CoDel paper's figure 7: a link whose rate changes every 50 s."""

from __future__ import annotations

from typing import Any, Iterator

from . import amounts, cases, measures, overtime, series, subjects, tables, verdict
from .papers import CODEL
from .results import Results
from .tables import Listing, Table
from .verdict import Bounds, Case, Target

NAME = "fig7"
TITLE = "A link whose rate changes"
SOURCE = CODEL.at("figure 7")
CLAIM = """A link of nominally 100 Mbit/s runs at 100, 10, 1, 50, 1 and 100 Mbit/s for 50 s each, with four
bulk flows and five web connections a second, in front of a buffer of 830 packets. CoDel finds its new control point
within 100 ms of each change: half of the packets wait less than 2.7 ms, three quarters less than 5 ms, and for 95% of
the time the delay is below 90 ms, while almost as many bytes pass as with tail drop, whose delay reaches 10 s."""
CAPTION = overtime.CAPTION
WHY = """After a rise of the rate the senders\u2019 windows grow from the few packets that fitted the slow link: the last
table has the share of the link that they fill in each second. When the rate falls, a round trip of packets at the old
rate still arrives, and a drop shows its effect a round trip later. Both costs grow with the round trip, which the paper does
not state. Here the two phases at the highest rate are shorter than the paper\u2019s, unless GRID=full is given."""

Phase = dict[str, Any]

BOUNDS: Bounds = {
    "median_ms": 2.7,
    "p75_ms": 5,
    "p95_ms": 90,
    "bytes_percent": 97,
    "control_point_ms": 100,
    "held_ms": 500,
    "max_ms": 150,
    "max_slow_ms": 250,
    "in_tree_bytes_percent": 100,
}
FAST_MBIT = 10  # the rates from which max_ms holds
SECONDS = 10  # after a rise
PUBLISHED = {
    "median delay": "CoDel 2.7",
    "75th percentile delay": "CoDel 5",
    "95th percentile delay": "CoDel 90",
    "maximum delay": "tail drop 10\u202f000",
    "time below 90 ms": "CoDel 95",
    "carried": "CoDel almost tail drop\u2019s",
}


def phases(results: Results, subject: str) -> Iterator[tuple[str, Phase | None, Phase]]:
    """Each phase of a subject\u2019s runs: where, the phase before it, and itself."""
    for run in cases.runs(results, subject):
        found = run.queue(results.bottleneck, "phases") or []
        for before, phase in zip([None, *found], found):
            yield f"{results.where(run)}, {phase['at_s']:g} s".lstrip(", "), before, phase


def control_points(results: Results) -> list[Case]:
    """One for each change of rate; None where none was found before the next."""
    found = phases(results, cases.paper(results))
    return [(w, p.get("control_point_ms")) for w, before, p in found if before]


def held(results: Results) -> list[Case]:
    """After each fall."""
    falls = ((w, p) for w, b, p in phases(results, cases.CODEL) if b and rate(b) > rate(p))
    found = ((words, overtime.held_ms(phase)) for words, phase in falls)
    return [case for case in found if case[1] is not None]


def longest(results: Results, fast: bool) -> list[Case]:
    """The longest delay of each phase, at FAST_MBIT and more or below."""
    each = [(words, phase) for words, _before, phase in phases(results, cases.CODEL)]
    chosen = ((w, p) for w, p in each if rate(p) and (rate(p) >= FAST_MBIT) == fast)
    found = ((words, (phase.get("delay_ms") or {}).get("max")) for words, phase in chosen)
    return [case for case in found if case[1] is not None]


def rate(phase: Phase) -> float:
    """0 where it is not known."""
    return float(phase.get("rate_mbit") or 0)


def of_in_tree(results: Results) -> list[Case]:
    """Bytes in percent of in-tree codel\u2019s, medians over the seeds."""
    number = measures.megabytes(results.bottleneck).of
    points = results.points[:1]
    both = [
        tables.value(tables.medians(results, s, points, number)) for s in (cases.CODEL, "codel")
    ]
    return [("", cases.share(both[0], both[1]))] if None not in both else []


def of_ceiling(results: Results, bounds: Bounds) -> list[Target]:
    """The targets of the ceiling. A rate or an in-tree qdisc that the grid does not have makes no target."""
    late, slow, beside = longest(results, True), longest(results, False), of_in_tree(results)
    fast = amounts.exactly(FAST_MBIT, "Mbit/s")
    made = [
        verdict.at_most(
            "until its delay stays below 50 ms (from 10 Mbit/s on), after every fall",
            held(results),
            bounds["held_ms"],
            "ms",
        ),
        verdict.below(f"its longest delay, from {fast} on", late, bounds["max_ms"], "ms"),
    ]
    if slow or not late:
        text = f"its longest delay, below {fast}"
        made.append(verdict.below(text, slow, bounds["max_slow_ms"], "ms"))
    if beside or not results.subjects:
        text, bound = "its bytes, of in-tree codel\u2019s", bounds["in_tree_bytes_percent"]
        made.append(verdict.at_least(text, beside, bound, "%"))
    return made


def targets(results: Results, bounds: Bounds) -> list[Target]:
    queue = results.bottleneck

    subject = cases.paper(results)

    def of(which: str) -> list[Case]:
        return cases.of_runs(results, subject, measures.delay(queue, which).of)

    moved = cases.against(
        results, subject, cases.TAIL_DROP, measures.megabytes(queue).of, cases.share
    )
    return [
        verdict.at_most(
            f"{subjects.title(subject)}\u2019s median delay", of("p50"), bounds["median_ms"], "ms"
        ),
        verdict.at_most("its 75th percentile", of("p75"), bounds["p75_ms"], "ms"),
        verdict.below("its 95th percentile", of("p95"), bounds["p95_ms"], "ms"),
        verdict.at_least("its bytes, of tail drop\u2019s", moved, bounds["bytes_percent"], "%"),
        verdict.at_most(
            "time to a new control point, after every change",
            control_points(results),
            bounds["control_point_ms"],
            "ms",
        ),
        *of_ceiling(results, bounds),
    ]


def after_rises(results: Results) -> Listing:
    """The seconds that the senders need until they fill the link again: medians over the seeds."""
    head = ("", *(f"{second + 1}." for second in range(SECONDS)))
    found = overtime.phases(results)
    rises = [b for a, b in zip(found, found[1:]) if b["rate_mbit"] > a["rate_mbit"]]
    made = Listing("% of the link used in each second after a rise of the rate", head)
    for phase in rises:
        for name in results.subjects:
            course = series.rate_line(results, name, results.bottleneck)
            rates = series.rates_between(course, phase["at_s"], phase["at_s"] + SECONDS)
            rate = amounts.exactly(phase["rate_mbit"], "Mbit/s")
            label = f"{phase['at_s']:g}{amounts.FIXED}s, {rate}, {subjects.title(name)}"
            if len(rates) == SECONDS:
                shares = (f"{100 * r / phase['rate_mbit']:.0f}" for r in rates)
                made.rows.append((label, *shares))
    return made


def table(results: Results) -> list[Table]:
    rises = after_rises(results)
    return [*overtime.table(results, PUBLISHED), *([rises] if rises.rows else [])]


picture = overtime.picture
describe = overtime.describe
headlines = overtime.headlines
