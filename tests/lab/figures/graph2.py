# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""CS244, graph 2: what a queue for each flow does for the spike after a change of rate."""

from __future__ import annotations

from pathlib import Path

from . import amounts, cases, overtime, plot, series, tables, verdict
from .papers import CS244
from .results import Results, Run
from .tables import Better, Measure, Table
from .verdict import Bounds, Target

NAME = "graph2"
READS = NAME
TITLE = "The spike when the rate falls: CoDel and FQ-CoDel"
SOURCE = CS244.at("graph 2")
CLAIM = """When the rate falls about 60 s into the run, packets that are queued already have to wait for the slower
link. With fq_codel that spike of delay is nearly half of codel\u2019s."""
CAPTION = overtime.CAPTION
FOLLOWS = """The spike is less with FQ-CoDel, ours and the kernel\u2019s alike, but it is 61% of CoDel\u2019s, not 55. That follows
from the law of control and the number of flows: when the rate falls, about 413 packets of the old rate still
come; one CoDel has dropped (t / 2 intervals)\u00b2 of them after t, the CoDels of four flows together four times as
many, and 82.6 are sent a second. That makes 2.7 s and 1.65 s, 61%; measured are 2.64 to 2.69 s, and 1.61 s. The
evaluation does not tell how many flows it had; with eight the law gives 0.45: see the next experiment."""

SUBJECTS = ("codel", "codel_oot", "fq_codel", "fq_codel_oot", "cake")

FALL_S, SPIKE_S = 60.0, 5.0  # when the rate falls, and how long a spike is looked for
BOUNDS: Bounds = {"share_percent": 55}
CHECK: Bounds = {"share_percent": 80}
PANELS = (
    ("Ours", ("codel_oot", "fq_codel_oot")),
    ("The kernel\u2019s", ("codel", "fq_codel")),
)
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
    found = cases.against(results, cases.OUR_FQ, cases.OURS, spike(results).of, cases.share)
    when = f"{fall(results):g}{amounts.FIXED}s"
    text = f"our FQ-CoDel\u2019s longest delay in the 5 s after {when}, of our CoDel\u2019s"
    return [verdict.at_most(text, found, bounds["share_percent"], "%")]


def table(results: Results) -> list[Table]:
    title = f"When the rate falls at {fall(results):g}{amounts.FIXED}s"
    first = tables.measured(results, title, [spike(results)], PUBLISHED)
    return [*first, *overtime.table(results, {})]


def draw(results: Results, path: Path) -> None:
    known = [(title, [n for n in names if n in results.subjects]) for title, names in PANELS]
    named = [n for _title, names in known for n in names]
    rest = [n for n in results.subjects if n not in named]
    parts = [(t, names) for t, names in [*known, ("The others", rest)] if names]
    plot.save(lambda: overtime.picture(results, parts), path)


describe = overtime.describe
