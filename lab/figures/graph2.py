# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""CS244, graph 2: what a queue for each flow does for the spike after a change of rate."""

from __future__ import annotations

from . import amounts, cases, overtime, series, subjects, tables, verdict
from .papers import CS244
from .results import Results, Run
from .tables import Better, Measure, Table
from .verdict import Bounds, Target

NAME = "graph2"
TITLE = "The spike when the rate falls: CoDel and FQ-CoDel"
SOURCE = CS244.at("graph 2")
CLAIM = """When the rate falls about 60 s into the run, packets that are queued already have to wait for the slower
link. With fq_codel that spike of delay is nearly half of codel\u2019s."""
CAPTION = overtime.CAPTION
WHY = """FQ-CoDel has a CoDel for each flow, and all of them drop at the same time: the more flows there are, the shorter
is its spike beside that of a single CoDel. The evaluation does not state how many flows it had. With a ceiling on
the delay no spike is left of which FQ-CoDel could have the half."""

SUBJECTS = ("codel", "codel_oot", "fq_codel", "fq_codel_oot", "cake")

FALL_S, SPIKE_S = 60.0, 5.0  # when the rate falls, and how long a spike is looked for
BOUNDS: Bounds = {"share_percent": 55, "spike_ms": 150}
SPIKE = "longest delay in the 5 s after it"
PUBLISHED = {SPIKE: "FQ-CoDel about half of CoDel\u2019s"}


def fall(results: Results) -> float:
    """The last change to a lower rate: reduced grids have it elsewhere."""
    found = overtime.phases(results)
    falls = [b["at_s"] for a, b in zip(found, found[1:]) if b["rate_mbit"] < a["rate_mbit"]]
    return max(falls, default=FALL_S)


def spike(results: Results) -> Measure:
    begin = fall(results)

    def of(run: Run) -> float | None:
        data = series.of(results, run, results.bottleneck)
        return series.worst_between(data, begin, begin + SPIKE_S)

    return Measure(SPIKE, "ms", Better.LOW, of)


def targets(results: Results, bounds: Bounds) -> list[Target]:
    when = f"{fall(results):g}{amounts.FIXED}s"
    ours, other = cases.paper(results, cases.FQ_CODEL), cases.paper(results)
    found = cases.against(results, ours, other, spike(results).of, cases.share)
    names = f"{subjects.title(ours)}\u2019s longest delay", f"of {subjects.title(other)}\u2019s"
    text = f"{names[0]} in the 5 s after {when}, {names[1]}"
    made = [verdict.at_most(text, found, bounds["share_percent"], "%")]
    for subject in (cases.CODEL, cases.FQ_CODEL):
        found = cases.of_runs(results, subject, spike(results).of)
        text = f"{subject}\u2019s longest delay in the 5 s after {when}"
        made.append(verdict.below(text, found, bounds["spike_ms"], "ms"))
    return made


def table(results: Results) -> list[Table]:
    title = f"When the rate falls at {fall(results):g}{amounts.FIXED}s"
    first = tables.measured(results, title, [spike(results)], PUBLISHED)
    return [*first, *overtime.table(results, {})]


def headlines(results: Results) -> list[Measure]:
    return [spike(results), *overtime.headlines(results)]


picture = overtime.picture
describe = overtime.describe
