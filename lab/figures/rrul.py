# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""RRUL: both directions full, and what that does to a round trip."""

from __future__ import annotations

from matplotlib.figure import Figure

from . import items, measures, plot, series, subjects, tables
from .papers import FLENT
from .results import Results
from .tables import Measure, Table

NAME = "rrul"
TITLE = "Real-time response under load"
SOURCE = FLENT
CLAIM = """Four TCP flows up, four down, and isochronous probes beside them: the test that people use against bufferbloat
at home, in the three panels that flent draws. It sets no target; without a managed queue the round trip grows
to the size of the buffers while both directions are full."""
CAPTION = "Each point of a line is one second, and the median over the seeds; shades reach from the least seed to the greatest."

DIRECTIONS = (("down", "Download"), ("up", "Upload"))


def queue_of(results: Results, direction: str) -> str:
    """The compared queue of that direction."""
    found = [q for q in results.compared if q.endswith(f".{direction}")]
    return found[0] if found else ""


def wanted(results: Results) -> list[Measure]:
    """Named by the item: uploads and downloads are told apart by their names."""
    found = items.by_name(results, "bulk", "probe", "ping")
    return [m for item, kind in found for m in items.of_item(item, kind)]


def table(results: Results) -> list[Table]:
    made: list[Table] = [*tables.measured(results, "What users see", wanted(results))]
    for direction, title in DIRECTIONS:
        queue = queue_of(results, direction)
        if queue:
            made += tables.measured(results, f"{title} queue", measures.of_queue(queue))
    return made


def picture(results: Results) -> Figure:
    """A row a family; what the link carried down and up, whichever flow received it, and a probe's round trip."""
    families = subjects.families(results.subjects)
    columns = [*(f"{title}, Mbit/s" for _d, title in DIRECTIONS), "round trip, ms"]
    figure, areas = plot.matrix(families, columns)
    probes = [item for item, _kind in items.by_name(results, "probe", "ping")]
    for (_title, names), row in zip(families, areas):
        for name in names:
            for area, (direction, _word) in zip(row, DIRECTIONS):
                plot.band(area, name, series.rate_line(results, name, queue_of(results, direction)))
            plot.band(row[2], name, series.round_trip_line(results, name, *probes))
    for area in areas[0][:2]:
        area.set_ylim(bottom=0)
    plot.logarithmic([row[2] for row in areas])
    for area in areas[-1]:
        area.set_xlabel("time, s")
    plot.legend(figure, [a for row in areas for a in row])
    return figure


def headlines(results: Results) -> list[Measure]:
    """What users notice: goodput either way and the probe's round trip."""
    names = ("goodput", "median round trip", "95th percentile round trip")
    return [m for m in wanted(results) if m.name.partition(": ")[2] in names]


def describe(results: Results) -> str:
    parts = []
    for item, kind in (items.by_name(results, "probe") or items.by_name(results, "ping"))[:1]:
        middle = next(m for m in measures.of_traffic(item, kind) if m.name.startswith("median"))
        parts += tables.in_words(results, results.points[:1], middle.of, " ms")
    return (
        "Three panels over time: download and upload in Mbit/s, and the round trip of a probe on a "
        f"logarithmic axis. Median round trip: {'; '.join(parts)}."
    )
