# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""CS244, graph 1: figure 7's question behind htb, with the rate changed every 15 s; from the runs of graph 2."""

from __future__ import annotations

from . import overtime
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
WHY = """RED below htb can stop for good: htb does not ask an empty RED for a packet, so RED does not learn that it is idle, its
average stays above the upper threshold, and it drops every packet that arrives. As the root of a device RED learns it."""

SUBJECTS = ("pfifo", "red", "codel", "codel_oot")


def table(results: Results) -> list[Table]:
    return overtime.table(results, {})


picture = overtime.picture
describe = overtime.describe
headlines = overtime.headlines
