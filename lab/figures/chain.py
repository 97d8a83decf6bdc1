# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""CS244's fourth wish: a chain of routers that run different algorithms."""

from __future__ import annotations

from matplotlib.figure import Figure

from . import items, measures, plot, tables
from .papers import CS244
from .results import Results
from .tables import Listing, Measure, Table

NAME = "chain"
TITLE = "A chain of routers with different algorithms"
SOURCE = CS244.at("what they would have liked to see")
CLAIM = """The evaluation had one switch and wished for a chain of routers that run different algorithms. Here is one:
the delay of each hop, and what each hop drops."""
CAPTION = (
    "Marks are the medians over the seeds, uprights reach from the least seed to the greatest."
)
WHY = """Only the slowest hop has a standing queue; the qdiscs of the other hops do not matter until those hops are
the slowest."""


def hops(results: Results) -> list[str]:
    """Measured queues in the direction of the compared one: the other has acknowledgements."""
    direction = results.bottleneck.rpartition(".")[2]
    return [q for q in results.queues if q.endswith(f".{direction}")]


def algorithms(results: Results) -> Listing:
    """The words that tc was given for each hop."""
    rows: list[tuple[str, ...]] = []
    for hop in hops(results):
        told = {r.queue(hop, "options") for r in results.runs} - {None}
        rows.append((hop, "; ".join(sorted(told)) or "the compared qdisc"))
    return Listing("What runs at each hop", ("hop", "qdisc"), rows)


def table(results: Results) -> list[Table]:
    made: list[Table] = [algorithms(results)]
    for hop in hops(results):
        made += tables.measured(results, hop, measures.of_queue(hop))
    for item, kind in items.by_name(results, "probe", "ping", "cbr", "web", "bulk"):
        made += tables.measured(results, f"End to end, {item}", measures.of_traffic(item, kind))
    return made


def picture(results: Results) -> Figure:
    """Hops are no quantity: subjects stand beside one another at each, without lines between hops."""
    found = hops(results)
    figure, areas = plot.panels([2.8, 2.8])
    step = 0.7 / max(1, len(results.subjects))
    for area, which in zip(areas, ("p50", "p95")):
        for place, name in enumerate(results.subjects):
            look = {"marker": plot.style(name).marker, "linestyle": "none"}
            for at, hop in enumerate(found):
                values = results.values(name, results.points[0], measures.delay(hop, which).of)
                if not values:
                    continue
                x = at - 0.35 + step * (place + 0.5)
                plot.line(area, name, [x], [tables.value(values)], **look)
                area.plot([x, x], [min(values), max(values)], color=plot.style(name).ink)
        plot.logarithmic([area])
        area.set_ylabel(f"{measures.NAMES[which]} delay, ms")
        area.set_xticks(range(len(found)), found)
        area.set_xlim(-0.5, len(found) - 0.5)
    areas[0].set_title("Delay at each hop")
    plot.legend(figure, areas)
    return figure


def describe(results: Results) -> str:
    parts = []
    for hop in hops(results):
        number = measures.delay(hop, "p50").of
        words = tables.in_words(results, results.points[:1], number, " ms")
        parts.append(f"{hop}: {', '.join(words)}")
    return f"Median and 95th percentile of the delay at each hop. Medians at {'; at '.join(parts)}."


def headlines(results: Results) -> list[Measure]:
    return [measures.delay(results.bottleneck, which) for which in ("p50", "p95")]
