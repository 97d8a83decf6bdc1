# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The CoDel paper's figure 9: who pays for the queue, from the runs of figure 8."""

from __future__ import annotations

from pathlib import Path

from matplotlib.figure import Figure

from . import cases, lines, measures, plot, tables, verdict
from .papers import CODEL
from .results import Results
from .tables import Table
from .verdict import Bounds, Target

NAME = "fig9"
READS = "fig8"
TITLE = "Who is dropped: Jain\u2019s index of the drop share"
SOURCE = CODEL.at("figure 9")
CLAIM = """In the runs of figure 8, what a source loses relative to what it sends is shared more evenly by CoDel
than by RED, in all of them: Jain\u2019s index of the drop share is higher (1 is even)."""
CAPTION = lines.CAPTION
FOLLOWS = """CoDel\u2019s indices are about those of drops that hit packets at random, and such an index says little when drops
are few: n drops for each of four flows give about n / (n + 1). In 30 s at 200 ms CoDel drops 43 and 47 packets
(0.91 and 0.92), and the index is 0.988 and 0.876; at 500 ms 49 and 43 (0.92 and 0.91), and it is 0.876 and
0.963. RED\u2019s is higher there because it drops more: 256 and 376 packets, for 55 and 64% of the link. Where both
drop the same, at 10 ms, all but tail drop\u2019s are above 0.995, RED\u2019s 0.998 and CoDel\u2019s 0.997 and 0.998."""

KEY = "rtt"
BOUNDS: Bounds = {"above_red": 0}
# At 200 ms CoDel drops 40 packets, and the index of so few that hit at random is 0.9 to 0.98
CHECK: Bounds = {"above_red": -0.1}


def targets(results: Results, bounds: Bounds) -> list[Target]:
    index = measures.jain_drops(results.bottleneck).of
    found = cases.against(results, cases.OURS, "red", index, cases.difference)
    text = "our CoDel\u2019s index less RED\u2019s, in every run"
    return [verdict.above(text, found, bounds["above_red"], "")]


def table(results: Results) -> list[Table]:
    index = measures.jain_drops(results.bottleneck)
    above = {p: "CoDel above RED" for p in tables.groups(results, [KEY])}
    return [
        tables.summarised(results, index, [KEY], above),
        tables.by_point(results, index, folded=True),
    ]


def picture(results: Results) -> Figure:
    figure, areas = plot.panels([3.0])
    lines.panel(areas[0], results, KEY, measures.jain_drops(results.bottleneck))
    areas[0].set_ylim(0, 1.02)
    areas[0].set_title("The middle one of all loads")
    areas[0].set_xlabel("round trip")
    plot.legend(figure, areas)
    return figure


def draw(results: Results, path: Path) -> None:
    plot.save(lambda: picture(results), path)


def describe(results: Results) -> str:
    index = measures.jain_drops(results.bottleneck)
    return lines.describe(results, KEY, [index], "the round trip")
