# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""RRUL: both directions full, and what that does to a round trip."""

from __future__ import annotations

from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from . import amounts, measures, plot, series, subjects, tables
from .papers import FLENT
from .results import Results, Run
from .tables import Measure, Table

NAME = "rrul"
READS = NAME
TITLE = "Real-time response under load"
SOURCE = FLENT
CLAIM = """Four TCP flows up, four down, and isochronous probes beside them: the test that people use against bufferbloat
at home, in the three panels that flent draws. It sets no target; without a managed queue the round trip grows
to the size of the buffers while both directions are full."""
CAPTION = "Each point is one second; drawn is the first seed."
FOLLOWS = """Of a path of 40 ms, FQ-CoDel and CAKE leave a ping at 40.6 ms or less while both directions are
full; CoDel alone makes it 72 ms, tail drop 314 ms. And more is carried: 35.4 Mbit/s down with FQ-CoDel, 33.5
with CoDel, 26.3 with tail drop, as the acknowledgements of the download do not wait behind the upload. Ours and
the kernel\u2019s are alike: the median delay of the download queue with FQ-CoDel is 2.7 and 2.6 ms; the probes\u2019 99th
percentile is 43.1 and 42.2 ms, less than a packet\u2019s time more."""

DIRECTIONS = (("down", "Download"), ("up", "Upload"))


def queue_of(results: Results, direction: str) -> str:
    """The compared queue of that direction."""
    found = [q for q in results.compared if q.endswith(f".{direction}")]
    return found[0] if found else ""


def items(results: Results, *kinds: str) -> list[tuple[str, str]]:
    return sorted({(n, t["kind"]) for r in results.runs for n, t in r.kinds(*kinds)})


def wanted(results: Results) -> list[Measure]:
    """Named by the item: uploads and downloads are told apart by their names."""
    made = []
    for item, kind in items(results, "bulk", "probe", "ping"):
        for m in measures.of_traffic(item, kind):
            made.append(Measure(f"{item}: {m.name}", m.unit, m.better, m.of))
    return made


def table(results: Results) -> list[Table]:
    made: list[Table] = [*tables.measured(results, "What users see", wanted(results))]
    for direction, title in DIRECTIONS:
        queue = queue_of(results, direction)
        if queue:
            made += tables.measured(results, f"{title} queue", measures.of_queue(queue))
    return made


def throughput(area: Axes, results: Results, direction: str) -> None:
    """What the link carried, whoever received it."""
    queue = queue_of(results, direction)
    for name in results.subjects:
        data = series.of(results, series.example(results, name), queue)
        if data:
            plot.line(area, name, *series.rate_over_time(data))
    area.set_ylim(bottom=0)
    area.set_ylabel("Mbit/s")


def round_trips(run: Run | None) -> tuple[list[float], list[float]]:
    """In each second, the median round trip of a probe."""
    seconds: dict[int, list[float]] = {}
    for _name, item in run.kinds("probe", "ping") if run else []:
        for at, rtt in item.get("series") or []:
            if rtt is not None:
                seconds.setdefault(int(at), []).append(rtt)
    times = sorted(seconds)
    return [t + 0.5 for t in times], [amounts.median(seconds[t]) for t in times]


def picture(results: Results) -> Figure:
    figure, areas = plot.panels([2.1, 2.1, 2.4])
    for area, (direction, title) in zip(areas, DIRECTIONS):
        throughput(area, results, direction)
        area.set_title(title)
    for name in results.subjects:
        times, rtts = round_trips(series.example(results, name))
        if times:
            plot.line(areas[2], name, times, rtts)
    areas[2].set_yscale("log")
    areas[2].yaxis.set_major_formatter(lambda value, _at: amounts.exactly(value))
    areas[2].set_title("Round trip of a probe")
    areas[2].set_ylabel("ms")
    areas[2].set_xlabel("time, s")
    plot.legend(figure, areas)
    return figure


def draw(results: Results, path: Path) -> None:
    plot.save(lambda: picture(results), path)


def describe(results: Results) -> str:
    parts = []
    for item, kind in items(results, "probe")[:1] or items(results, "ping")[:1]:
        middle = next(m for m in measures.of_traffic(item, kind) if m.name.startswith("median"))
        for name in results.subjects:
            found = [v for p in results.points[:1] for v in results.values(name, p, middle.of)]
            if found:
                parts.append(f"{subjects.title(name)} {amounts.text(amounts.mean(found))} ms")
    return (
        "Three panels over time: download and upload in Mbit/s, and the round trip of a probe on a "
        f"logarithmic axis. Median round trip: {'; '.join(parts)}."
    )
