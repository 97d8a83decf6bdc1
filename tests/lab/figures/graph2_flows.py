# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Graph 2's spike, measured and from the control law, for several numbers of flows."""

from __future__ import annotations

from math import sqrt

from . import amounts, cases, graph2
from .papers import HERE
from .results import Results, Run, dig
from .tables import Listing, Table

NAME = "graph2_flows"
READS = NAME
TITLE = "What graph 2\u2019s spike depends on"
SOURCE = HERE
CLAIM = """When the rate falls, a round trip\u2019s worth of packets at the old rate still comes. By the law of control one CoDel has
dropped (t / 2 intervals)\u00b2 of them after t; FQ-CoDel has a CoDel for each flow, and they drop at the same
time. The delay is longest when what was sent and what was dropped make up for what came. So the spike of FQ-CoDel should be the smaller a
part of CoDel\u2019s the more flows there are."""
FOLLOWS = """The law tells the delays within 11%. CoDel\u2019s spike does not depend on the number of flows, FQ-CoDel\u2019s does: with
eight flows it is about half of CoDel\u2019s, as the evaluation has it."""

INTERVAL_S = 0.1
PACKET_BITS = 8 * 1514
HEAD = (
    "flows",
    "CoDel, ms",
    "FQ-CoDel, ms",
    "share, %",
    "law: CoDel, ms",
    "law: FQ-CoDel, ms",
    "law: share, %",
)


def longest(came: float, per_s: float, codels: int) -> float:
    """ms until `came` packets were sent, `per_s` of them a second, or dropped by so many CoDels."""
    drops = codels / (2 * INTERVAL_S) ** 2
    return 1000 * (sqrt(per_s**2 + 4 * drops * came) - per_s) / (2 * drops)


def law(results: Results, run: Run, codels: int) -> float | None:
    """From the rates before and after, and the round trip."""
    phases = run.queue(results.bottleneck, "phases") or []
    delay = amounts.quantity(str(dig(results.scenario, "link", "path", "down", "delay") or ""))
    if len(phases) < 2 or not delay:
        return None
    before, after = (phase["rate_mbit"] * 1e6 / PACKET_BITS for phase in phases[:2])
    return longest(before * delay, after, codels)


def share(part: float | None, whole: float | None) -> float | None:
    return None if part is None or whole is None else cases.share(part, whole)


def table(results: Results) -> list[Table]:
    rows = []
    spike = graph2.spike(results).of
    for run in cases.runs(results, cases.OUR_FQ):
        flows = run.point.get("flows")
        rival = results.run(cases.OURS, run.point, run.seed)
        if not rival or not flows.isdigit():
            continue
        seen = (spike(rival), spike(run))
        told = (law(results, run, 1), law(results, run, int(flows)))
        numbers = [*seen, share(seen[1], seen[0]), *told, share(told[1], told[0])]
        rows.append((results.where(run) or flows, *map(amounts.text, numbers)))
    return [Listing("Longest delay after the fall", HEAD, rows)]
