# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""CS244, graph 1: figure 7's question behind htb, with the rate changed every 15 s; from the runs of graph 2."""

from __future__ import annotations

from pathlib import Path

from . import overtime, plot
from .papers import CS244
from .results import Results
from .tables import Table

NAME = "graph1"
READS = "graph2"
TITLE = "Delay of each packet: tail drop, RED, CoDel"
SOURCE = CS244.at("graph 1")
CLAIM = """Two hosts and one switch with the qdisc below htb, long flows, and another rate every 15 s: CoDel\u2019s
delay follows the changes, as in the paper\u2019s figure 7, and five runs look almost the same. The evaluation wished for the
drop percentage of each qdisc, for traffic that is not bulk and for time stamps from inside the kernel; all three are
in the table here."""
CAPTION = overtime.CAPTION
FOLLOWS = """Tail drop and CoDel behave below htb as in figure 7 before a bare device. RED stops within the first second,
once slow start has filled it: from then on it carries nothing. Below htb nobody asks an empty RED for a packet,
so it does not learn that it is idle; its average stays above the upper threshold, and every packet that comes
is dropped. As the root of a device, with the same settings, it goes on (figure 7). Whoever puts RED below htb
should know."""

SUBJECTS = ("pfifo", "red", "codel", "codel_oot")


def table(results: Results) -> list[Table]:
    return overtime.table(results, {})


def draw(results: Results, path: Path) -> None:
    plot.save(lambda: overtime.picture(results, overtime.columns_of(results)), path)


describe = overtime.describe
