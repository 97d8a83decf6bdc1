# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Figure 7 with one thing changed at a time: where its numbers come from."""

from __future__ import annotations

from math import ceil
from typing import Sequence

from . import amounts, cases, measures, series
from .papers import HERE
from .results import Results, Run
from .tables import Listing, Table

NAME = "fig7_causes"
READS = NAME
TITLE = "What figure 7\u2019s numbers are made of"
SOURCE = HERE
CLAIM = """The paper does not say which round trip figure 7 has. A rough trial with phases of 20 s, no web and a ping as
the probe gave delays of 4, 18 and 278 ms (median, 75th and 95th percentile) and 79% of tail drop\u2019s bytes. Here is our
CoDel with phases of 20 s, then without the web, then with a shorter round trip. The delay of packets, as the paper has it, counts
each packet; a probe counts each moment."""
FOLLOWS = """The rough trial\u2019s bytes come back: phases of 20 s give 83% of tail drop\u2019s, as each phase has the same slow start
and less time after it; without the web, and with phases of 15 s, graph 2 has 71 to 73%. Its delays are those of
moments, not of packets: 4.2, 48 and 548 ms with phases of 20 s, where the packets\u2019 are 1.4, 3.7 and 14 ms. Two
of six phases run at 1 Mbit/s: a third of a probe\u2019s samples, 1% of the packets.

With a round trip of 10 ms the windows regrow ten times as fast: 99.5% of the bytes, no longer than 1.4 s until
the new control point after a fall, and a median of 6.5 ms, as the queue is seldom empty. The paper\u2019s bytes and
delays lie between those of the two round trips."""

SHARES = {"median": 0.5, "75th": 0.75, "95th": 0.95}
HEAD = (
    "",
    *(f"{name} of packets, ms" for name in SHARES),
    *(f"{name} of moments, ms" for name in SHARES),
    "bytes, % of tail drop\u2019s",
    "control point after a fall, ms",
    "after a rise, ms",
)


def rank(values: Sequence[float], share: float) -> float | None:
    """A percentile by nearest rank, as those of packets."""
    return sorted(values)[ceil(share * len(values)) - 1] if values else None


def moments(results: Results, run: Run) -> list[float]:
    """The median packet of each step."""
    found = series.of(results, run, results.bottleneck)
    return [v for v in found.get("p50_ms", []) if v is not None]


def control_points(results: Results, run: Run) -> tuple[str, str]:
    """After falls of the rate, and after rises."""
    phases = run.queue(results.bottleneck, "phases") or []
    falls, rises = [], []
    for before, phase in zip(phases, phases[1:]):
        kind = falls if phase["rate_mbit"] < before["rate_mbit"] else rises
        kind.append(amounts.text(phase.get("control_point_ms")))
    return ", ".join(falls), ", ".join(rises)


def share_of_bytes(results: Results, run: Run) -> float | None:
    rival = results.run(cases.TAIL_DROP, run.point, run.seed)
    number = measures.megabytes(results.bottleneck).of
    ours, theirs = number(run), number(rival) if rival else None
    return None if ours is None or theirs is None else cases.share(ours, theirs)


def line(results: Results, run: Run) -> tuple[str, ...]:
    queue = results.bottleneck
    packets = [measures.delay(queue, p).of(run) for p in ("p50", "p75", "p95")]
    probed = [rank(moments(results, run), share) for share in SHARES.values()]
    numbers = [*packets, *probed, share_of_bytes(results, run)]
    title = results.where(run) or run.point.title() or "all"
    return (title, *map(amounts.text, numbers), *control_points(results, run))


def table(results: Results) -> list[Table]:
    rows = [line(results, r) for p in results.points for r in results.of(cases.OURS, p)]
    return [Listing("Our CoDel", HEAD, rows)]
