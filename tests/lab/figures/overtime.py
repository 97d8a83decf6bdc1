# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Delay over time while the rate changes: figure 7 and the graphs of CS244."""

from __future__ import annotations

from typing import Any, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from . import amounts, measures, plot, series, subjects, tables
from .results import Results, dig
from .tables import Better, Measure, Table

CAPTION = (
    "Lines are the median packet of each moment, shades reach up to the slowest. Drawn is the first "
    "seed; dotted uprights are changes of the rate."
)
# Those of the original first; whoever else is there in a panel of their own
ORIGINAL = ("pfifo", "red", "codel_oot")
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
    """The median packet of each moment as a line, up to the slowest as a shade."""
    for name in names:
        data = series.of(results, series.example(results, name), results.bottleneck)
        if not data:
            continue
        times, middle = series.thinned(data, "p50_ms", amounts.median)
        _times, top = series.thinned(data, "max_ms", max)
        shade = {"color": plot.style(name).ink, "alpha": 0.13, "linewidth": 0}
        area.fill_between(times, middle, top, **shade)
        plot.line(area, name, times, middle)
    plot.logarithmic([area])
    area.set_ylabel("delay, ms")


def carried(area: Axes, results: Results) -> None:
    for name in results.subjects:
        data = series.of(results, series.example(results, name), results.bottleneck)
        if data:
            times, total = series.thinned(data, "kbytes", max)
            plot.line(area, name, times, [t / 1000 for t in total])
    area.set_ylim(bottom=0)
    area.set_ylabel("carried, MB")


def distribution(area: Axes, results: Results) -> None:
    for name in results.subjects:
        run = series.example(results, name)
        found = dig(run and run.queue(results.bottleneck, "delay_ms")) or {}
        points = [(found[k], p) for k, p in PERCENTILES if found.get(k) is not None]
        if points:
            plot.line(area, name, *zip(*points), marker=plot.style(name).marker)
    plot.logarithmic([area], "x")
    area.set_yticks([0, 25, 50, 75, 95])
    area.set_xlabel("delay, ms")
    area.set_ylabel("% of the packets")


def columns_of(results: Results) -> list[tuple[str, list[str]]]:
    """Which subjects share a panel."""
    first = [s for s in results.subjects if s in ORIGINAL]
    rest = [s for s in results.subjects if s not in ORIGINAL]
    named = [("As in the original", first), ("The others", rest)]
    return [(title, names) for title, names in named if names]


def picture(results: Results, parts: Sequence[tuple[str, list[str]]]) -> Figure:
    figure, areas = plot.panels([*[2.5] * len(parts), 1.9, 2.4], share=False)
    found = phases(results)
    end = max((p["until_s"] for p in found), default=None)
    for place, (title, names) in enumerate(parts):
        delays(areas[place], results, names)
        areas[place].set_title(title, pad=16 if place == 0 else 6)
    carried(areas[-2], results)
    areas[-2].set_title("Carried since the start")
    areas[-2].set_xlabel("time, s")
    for place, area in enumerate(areas[:-1]):
        rates_on_top(area, found, place == 0)
        area.set_xlim(0, end)
    distribution(areas[-1], results)
    areas[-1].set_title("All packets: so many waited less")
    plot.legend(figure, areas)
    return figure


def describe(results: Results) -> str:
    measure = [measures.delay(results.bottleneck, which) for which in ("p50", "p95")]
    parts = []
    for name in results.subjects:
        found = [results.values(name, p, m.of)[:1] for p in results.points[:1] for m in measure]
        if all(found):
            middle, high = (amounts.text(v[0]) for v in found)
            parts.append(f"{subjects.title(name)} {middle} and {high} ms")
    return (
        "Queue delay over time on a logarithmic axis while the rate changes, bytes carried over "
        "time, and the distribution of the delays of all packets. Median and 95th percentile: "
        f"{'; '.join(parts)}."
    )


def of_phase(
    results: Results, place: int, name: str, unit: str, better: Better, *path: str
) -> Measure:
    queue = results.bottleneck
    factor = 100 if unit == "%" else 1
    number = tables.scaled(lambda r: r.queue(queue, "phases", place, *path), factor)
    return Measure(name, unit, better, number)


def by_phase(
    results: Results, title: str, unit: str, better: Better, *path: str, changes: bool = False
) -> list[Table]:
    """Rows are phases; those after a change of rate only, if so asked."""
    made: list[Table] = []
    for point in results.points:
        rows = []
        for place, phase in enumerate(phases(results)):
            if changes and place == 0:
                continue
            measure = of_phase(results, place, title, unit, better, *path)
            rate = amounts.exactly(phase["rate_mbit"], "Mbit/s")
            label = f"{phase['at_s']:g}\u2013{phase['until_s']:g}{amounts.FIXED}s, {rate}"
            rows.append(tables.row(results, label, measure, point))
        words = ", ".join(w for w in (f"{title}, {unit}", point.title(results.varied)) if w)
        made.append(tables.Comparison(words, tables.drop_empty(rows)))
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
            "Time to a new control point",
            "ms",
            Better.LOW,
            "control_point_ms",
            changes=True,
        ),
    ]
