# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Tables and a picture of any scenario: every compared queue, and every item of its traffic."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from . import items, measures, overtime, plot, series, tables
from .results import Results
from .tables import Table


def table(results: Results) -> list[Table]:
    made: list[Table] = []
    for queue in results.compared:
        made += tables.measured(results, f"Queue {queue}", measures.of_queue(queue))
    for item, kind in items.by_name(results):
        made += tables.measured(results, f"Traffic {item}", measures.of_traffic(item, kind))
    return made


def picture(results: Results) -> Figure:
    """Over time at the first point: the delay of the queue that carries the most, and the round trips of each item."""
    probes = [item for item, _kind in items.by_name(results, "ping", "probe")]
    figure, areas = plot.panels([2.2] * (1 + len(probes)))
    overtime.delays(areas[0], results, results.subjects)
    overtime.rates_on_top(areas[0], overtime.phases(results), True)
    areas[0].set_title(f"Queue {results.bottleneck}", pad=16)
    for area, item in zip(areas[1:], probes):
        for name in results.subjects:
            plot.band(area, name, series.round_trip_line(results, name, item))
        area.set_title(item)
        area.set_ylabel("round trip, ms")
    for area in areas:
        plot.logarithmic([area])
    areas[-1].set_xlabel("time, s")
    plot.legend(figure, areas)
    return figure


def draw(document: dict[str, Any], path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    plot.save(partial(picture, Results(document)), path)
