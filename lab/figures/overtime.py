# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Delay over time while the rate changes: figure 7 and the graphs of CS244."""

from __future__ import annotations

import math
from typing import Any, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from . import amounts, measures, plot, series, subjects, tables
from .results import Number, Results, Run
from .tables import Better, Measure, Table

CAPTION = (
    "Lines are the median over the seeds of the median packet at each moment, shades reach from the least seed to "
    "the greatest; dotted uprights are changes of the rate. A cross is the last packet of a queue that falls silent."
)
HELD_TITLE, HELD_PATH = "Time until the delay stays below a bound", ("held_ms",)
HELD = """From the change of the rate until the median delay of every later interval is below the bound of the row;
never: not before the next change."""
CONTROL_POINT = """From the change of the rate until the standing queue is what it is in the second half of the
phase, however long that is: a queue that only grows has no new control point, and may have 0 here."""
SILENT_S = 2.0  # without a packet until the end: the subject has stopped
PERCENTILES = (
    ("p5", 5),
    ("p25", 25),
    ("p50", 50),
    ("p75", 75),
    ("p90", 90),
    ("p95", 95),
    ("p99", 99),
    ("p99_9", 99.9),
)


def phases(results: Results) -> list[dict[str, Any]]:
    """When the rate was what, from any run: the schedule is the same in all."""
    found = (r.queue(results.bottleneck, "phases") for r in results.runs)
    return max((p for p in found if p), key=len, default=[])


def rates_on_top(area: Axes, found: Sequence[dict[str, Any]], label: bool) -> None:
    for phase in found:
        if phase["at_s"] > 0:
            area.axvline(phase["at_s"], color="0.5", linewidth=0.6, linestyle=(0, (1, 2)))
        if label and phase.get("rate_mbit"):
            unit = "Mbit/s" if phase is found[0] else ""
            words = amounts.exactly(phase["rate_mbit"], unit)
            middle = (phase["at_s"] + phase["until_s"]) / 2
            place = {"transform": area.get_xaxis_transform(), "ha": "center", "va": "bottom"}
            area.text(middle, 1.0, words, fontsize=7.5, **place)


def delays(area: Axes, results: Results, names: Sequence[str]) -> None:
    """The median packet of each moment."""
    queue = results.bottleneck
    for name in names:
        course = series.line(results, name, queue, "p50_ms", amounts.median)
        if course.times:
            plot.band(area, name, course)
            silence(area, results, name, course)
    area.set_ylabel("delay, ms")


def silence(area: Axes, results: Results, name: str, course: series.Line) -> None:
    """A cross at the last packet, and when it left, if no more leave long before the end."""
    found = series.last_packet(results, name, results.bottleneck)
    if not found or found[1] - found[0] < SILENT_S:
        return
    last = max((n for n, v in enumerate(course.middle) if v == v), default=None)
    if last is None:
        return
    at, height, ink = course.times[last], course.middle[last], plot.style(name).ink
    area.plot([at], [height], "X", color=ink, markersize=7, zorder=5)
    words = f"{subjects.title(name)}: last packet at {amounts.text(found[0])} s"
    paper = {"facecolor": area.get_facecolor(), "edgecolor": "none", "pad": 1}
    look = {"fontsize": 7.5, "color": ink, "fontweight": "bold", "bbox": paper, "zorder": 6}
    area.annotate(words, (at, height), (9, -16), textcoords="offset points", **look)


def carried(area: Axes, results: Results) -> None:
    for name in results.subjects:
        course = series.line(results, name, results.bottleneck, "kbytes", max)
        if course.times:
            total = [v / 1000 for v in course.middle]
            plot.line(area, name, course.times, total)
    area.set_ylim(bottom=0)
    area.set_ylabel("carried, MB")


def distribution(area: Axes, results: Results) -> None:
    """Each percentile is that of the tables."""
    for name in results.subjects:
        points = []
        for which, percent in PERCENTILES:
            number = measures.delay(results.bottleneck, which).of
            value = first_value(results, name, number)
            points += [(value, percent)] if value is not None else []
        if points:
            plot.line(area, name, *zip(*points), marker=plot.style(name).marker)
    plot.logarithmic([area], "x")
    area.set_yticks([0, 25, 50, 75, 95])
    area.set_xlabel("delay, ms")
    area.set_ylabel("% of the packets")


def first_value(results: Results, name: str, number: Number) -> float | None:
    """The table's number at the first point, which is the one that is drawn."""
    points = results.points[:1]
    return tables.value(tables.medians(results, name, points, number))


def picture(results: Results) -> Figure:
    parts = subjects.families(results.subjects)
    figure, areas = plot.panels([*[1.7] * len(parts), 1.9, 2.4], share=False)
    found = phases(results)
    end = max((p["until_s"] for p in found), default=None)
    for place, (title, names) in enumerate(parts):
        delays(areas[place], results, names)
        areas[place].set_title(title, pad=16 if place == 0 else 6)
    plot.logarithmic(areas[: len(parts)])
    carried(areas[-2], results)
    areas[-2].set_title("Carried since the start")
    areas[-2].set_xlabel("time, s")
    for place, area in enumerate(areas[:-1]):
        rates_on_top(area, found, place == 0)
        area.set_xlim(0, end)
    distribution(areas[-1], results)
    areas[-1].set_title("Share of all packets that waited less")
    plot.legend(figure, areas)
    return figure


def describe(results: Results) -> str:
    wanted = [measures.delay(results.bottleneck, which) for which in ("p50", "p95")]
    parts = []
    for name in results.subjects:
        found = [first_value(results, name, m.of) for m in wanted]
        if None not in found:
            middle, high = map(amounts.text, found)
            parts.append(f"{subjects.title(name)} {middle} and {high} ms")
    return (
        "Queue delay over time on a logarithmic axis while the rate changes, bytes carried over "
        "time, and the distribution of the delays of all packets. Median and 95th percentile: "
        f"{'; '.join(parts)}."
    )


def headlines(results: Results) -> list[Measure]:
    queue = results.bottleneck
    return [*(measures.delay(queue, p) for p in ("p50", "p95", "max")), measures.megabytes(queue)]


def of_phase(
    results: Results, place: int, name: str, unit: str, better: Better, *path: str
) -> Measure:
    queue = results.bottleneck
    factor = 100 if unit == "%" else 1
    number = tables.scaled(lambda r: r.queue(queue, "phases", place, *path), factor)
    return Measure(name, unit, better, number)


def held_ms(phase: dict[str, Any]) -> float | None:
    """Time from a change of rate until the delay stays below the bound; infinite if it never does."""
    found = phase.get("held_ms", math.nan)
    return None if found != found else math.inf if found is None else float(found)


def held(results: Results, place: int) -> Measure:
    def of(run: Run) -> float | None:
        return held_ms(run.queue(results.bottleneck, "phases", place) or {})

    return Measure(HELD_TITLE, "ms", Better.LOW, of)


def by_phase(
    results: Results,
    title: str,
    unit: str,
    better: Better,
    *path: str,
    changes: bool = False,
    note: str = "",
) -> list[Table]:
    """Rows are phases; with `changes`, only those after a change of the rate."""
    made: list[Table] = []
    for point in results.points:
        rows = []
        for place, phase in enumerate(phases(results)):
            if changes and place == 0:
                continue
            held_below = phase.get("held_below_ms") if path == HELD_PATH else None
            measure = (
                held(results, place)
                if path == HELD_PATH
                else of_phase(results, place, title, unit, better, *path)
            )
            rate = amounts.exactly(phase["rate_mbit"], "Mbit/s")
            label = f"{phase['at_s']:g}\u2013{phase['until_s']:g}{amounts.FIXED}s, {rate}"
            label += f", below {amounts.exactly(held_below, 'ms')}" if held_below else ""
            rows.append(tables.row(results, label, measure, [point]))
        words = ", ".join(w for w in (f"{title}, {unit}", point.title(results.varied)) if w)
        made.append(tables.Comparison(words, tables.drop_empty(rows), note))
    return [t for t in made if t.rows]


def pooled(results: Results) -> list[Measure]:
    """All phases together."""
    queue = results.bottleneck
    delays_of = [
        measures.delay(queue, p) for p in ("p25", "p50", "p75", "p90", "p95", "p99", "max")
    ]
    time = Measure(
        "time below 90 ms",
        "%",
        Better.HIGH,
        lambda r: series.share_below(series.of(results, r, queue), 90),
    )
    rest = (measures.megabytes(queue), measures.utilisation(queue), measures.drop_rate(queue))
    return [*delays_of, time, *rest]


def table(results: Results, sources: tables.Sources) -> list[Table]:
    return [
        *tables.measured(results, "All phases together", pooled(results), sources),
        *by_phase(results, "Median delay", "ms", Better.LOW, "delay_ms", "p50"),
        *by_phase(results, "95th percentile of the delay", "ms", Better.LOW, "delay_ms", "p95"),
        *by_phase(results, "Utilisation", "%", Better.HIGH, "utilisation"),
        *by_phase(
            results,
            HELD_TITLE,
            "ms",
            Better.LOW,
            *HELD_PATH,
            changes=True,
            note=HELD,
        ),
        *by_phase(
            results,
            "Time to a new control point",
            "ms",
            Better.LOW,
            "control_point_ms",
            changes=True,
            note=CONTROL_POINT,
        ),
    ]
