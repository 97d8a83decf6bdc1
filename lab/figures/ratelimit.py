# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Failing fast under a rate limit: a service that breaks down when it is asked too often."""

from __future__ import annotations

from matplotlib.figure import Figure

from . import amounts, cases, lines, overload, subjects, tables, verdict
from .papers import RATE
from .results import Results, Run, dig
from .tables import Better, Measure, Table
from .verdict import Bounds, Case, Target

NAME = "ratelimit"
TITLE = "Failing fast under a rate limit"
SOURCE = RATE
CLAIM = """A service needs 25 ms for a request, does ten at a time, and its callers wait 500 ms. Left alone it is well up
to 415 requests a second and fails from 450 on. The promise is 99.99% up to 425 a second, 95% of them within 275 ms. A ticker
in front answers every request but lets the 95th percentile grow to 2250 ms at 600 a second; with a deadline of 75 ms
72% succeed, with a 95th percentile of 175 to 260 ms. Here a shaped link limits the rate, and there is no deadline to
choose."""
CAPTION = lines.CAPTION

KEY = "load"
MOST = "600"
BOUNDS: Bounds = {"answered": 425, "p95_ms": 275}
SHOWN = ("success", "median time to the answer", "95th percentile time to the answer")
OURS = (cases.CODEL, "codel_oot_10ms", cases.FQ_CODEL)


def offered(label: str) -> float:
    """600, 600/s and 600 requests/s are the same load."""
    words = label.replace("/", " ").split()
    return amounts.quantity(words[0]) or 0.0 if words else 0.0


def at_most_load(results: Results, subject: str, name: str) -> list[Case]:
    number = overload.measure(results, name)
    if not number:
        return []
    return cases.of_runs(
        results, subject, number.of, lambda p: offered(p.get(KEY)) == offered(MOST)
    )


def of_subject(results: Results, subject: str, bounds: Bounds) -> list[Target]:
    who = f"{subjects.title(subject)} at 600/s"
    answered = at_most_load(results, subject, "answered in time")
    late = at_most_load(results, subject, "95th percentile time to the answer")
    return [
        verdict.at_least(f"served, {who}", answered, bounds["answered"], "/s"),
        verdict.at_most(f"95th percentile, {who}", late, bounds["p95_ms"], "ms"),
    ]


def targets(results: Results, bounds: Bounds) -> list[Target]:
    """One out-of-tree qdisc has to keep both promises: the one that keeps more of them is shown."""
    found = [of_subject(results, s, bounds) for s in OURS if s in results.subjects]
    found = found or [of_subject(results, cases.CODEL, bounds)]
    return max(found, key=lambda both: sum(bool(t.met) for t in both))


def time_to_failure(results: Results) -> Measure:
    """What a caller waits for the news that it failed: nothing if its own socket refuses the
    request at once, the deadline if the request is lost on the way."""

    def of(run: Run) -> float | None:
        for name, item in run.kinds("requests"):
            deadline = amounts.quantity(str(dig(results.scenario, "traffic", name, "deadline")))
            failed = item["sent"] - item["answered"]
            if deadline is None or failed <= 0:
                return None
            return float(1000 * deadline * (failed - item["refused"]) / failed)
        return None

    return Measure("mean time to failure", "ms", Better.LOW, of)


def table(results: Results) -> list[Table]:
    wanted = [*overload.wanted(results), time_to_failure(results)]
    found = [tables.by_point(results, m) for m in wanted]
    return [t for t in found if t.rows]


def picture(results: Results) -> Figure:
    return lines.multiples(results, KEY, headlines(results), "requests/s offered", offered)


def headlines(results: Results) -> list[Measure]:
    return [m for m in overload.wanted(results) if m.name in SHOWN]


def describe(results: Results) -> str:
    names = ("success", "95th percentile time to the answer")
    shown = [m for m in overload.wanted(results) if m.name in names]
    return lines.describe(results, KEY, shown, "the load")
