# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The CoDel paper's figure 9: how drops are shared, from the runs of figure 8."""

from __future__ import annotations

from matplotlib.figure import Figure

from . import cases, lines, measures, tables, verdict
from .papers import CODEL
from .results import Results
from .tables import Measure, Table
from .verdict import Bounds, Target

NAME = "fig9"
READS = "fig8"
TITLE = "How drops are shared: Jain\u2019s index of the drop share"
SOURCE = CODEL.at("figure 9")
CLAIM = """In the runs of figure 8, what a source loses relative to what it sends is shared more evenly by CoDel
than by RED, in all of them: Jain\u2019s index of the drop share is higher (1 is even)."""
CAPTION = lines.CAPTION
WHY = """An index of few drops says little: drops that hit packets at random are shared unevenly by chance. The numbers of
drops stand beside the indices."""

KEY = "rtt"
BOUNDS: Bounds = {"above_red": 0}


def targets(results: Results, bounds: Bounds) -> list[Target]:
    index = measures.jain_drops(results.bottleneck).of
    found = cases.against(results, cases.CODEL, "red", index, cases.difference)
    text = "codel_oot\u2019s index less RED\u2019s, in every run"
    return [verdict.above(text, found, bounds["above_red"], "")]


def table(results: Results) -> list[Table]:
    index = measures.jain_drops(results.bottleneck)
    above = {p: "CoDel above RED" for p in tables.groups(results, [KEY])}
    drops = measures.drops(results.bottleneck)
    return [
        tables.by_point(results, index, [KEY], above),
        tables.by_point(results, drops, [KEY]),
        tables.by_point(results, index, folded=True),
    ]


def picture(results: Results) -> Figure:
    index, drops = measures.jain_drops(results.bottleneck), measures.drops(results.bottleneck)
    return lines.multiples(results, KEY, [index, drops], "round trip")


def describe(results: Results) -> str:
    index = measures.jain_drops(results.bottleneck)
    return lines.describe(results, KEY, [index], "the round trip")


def headlines(results: Results) -> list[Measure]:
    return [measures.jain_drops(results.bottleneck)]
