# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Whether a figure draws the numbers of its tables: the marks of matplotlib's own lines beside the cells."""

from __future__ import annotations

from typing import Any, Iterator

from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import figures
from figures import (
    amounts,
    beside,
    boxes,
    chain,
    fig5,
    fig6,
    fig8,
    fig9,
    measures,
    overload,
    overtime,
)
from figures import ratelimit, subjects, table1, tables
from figures.results import Results
from figures.tables import Comparison
import sample

Found = tuple[str, object, object]
LINES = (fig8, fig9, overload, ratelimit)


def document(name: str) -> Results:
    return Results(sample.kept(name))


def drawn(area: Axes, name: str, axis: str = "y") -> list[float]:
    """The data of the line that is labelled with the subject."""
    title = subjects.title(name)
    found = [ln for ln in area.get_lines() if ln.get_label() == title]
    values = [v for ln in found for v in (ln.get_ydata() if axis == "y" else ln.get_xdata())]
    return [float(v) for v in values]


def cells(found: Comparison, name: str) -> list[float]:
    """The numbers that the page prints in a subject's column."""
    values = (tables.value(r.cells.get(name, ())) for r in found.rows)
    return [v for v in values if v is not None]


def tables_of(module: Any, results: Results) -> dict[str, Comparison]:
    found = [t for t in module.table(results) if isinstance(t, Comparison) and not t.folded]
    return {t.title.lower(): t for t in found}


def of_lines(module: Any) -> Iterator[Found]:
    """Small multiples: a column for each measure of the tables."""
    results = figures.shown(module, document(figures.document(module)))
    made: Figure = module.picture(results)
    families = subjects.families(results.subjects)
    known = tables_of(module, results)
    columns = len(made.axes) // len(families)
    for number, area in enumerate(made.axes):
        names = families[number // columns][1]
        title = " ".join(made.axes[number % columns].get_title().lower().split())
        for name in names:
            want = sorted(cells(known[title], name))
            yield f"{module.NAME}: {title}, {name}", sorted(drawn(area, name)), want
    pyplot.close(made)


def of_boxes(module: Any) -> Iterator[Found]:
    """The bar of a subject: a line of two equal places."""
    results = document(module.NAME)
    made = boxes.picture(results, module.KEYS)
    for column, found in enumerate(list(tables_of(module, results).values())[:2]):
        for row, line in enumerate(found.rows):
            area = made.axes[2 * row + column]
            bars = [ln.get_xdata() for ln in area.get_lines() if ln.get_linestyle() == "-"]
            got = [float(b[0]) for b in bars if len(b) == 2 and b[0] == b[1]]
            want = [v for s in results.subjects if (v := tables.value(line.cells[s])) is not None]
            yield f"{module.NAME}: {found.title}, {line.label}", got, want
    pyplot.close(made)


def of_distribution() -> Iterator[Found]:
    """The percentiles below a course over time."""
    results = document("fig7")
    made = overtime.picture(results)
    for name in results.subjects:
        wanted = [
            measures.delay(results.bottleneck, which).of for which, _p in overtime.PERCENTILES
        ]
        want = [tables.value(results.values(name, results.points[0], n)) for n in wanted]
        yield f"fig7: percentiles, {name}", drawn(made.axes[-1], name, "x"), want
    pyplot.close(made)


def of_marks() -> Iterator[Found]:
    """The hops of a chain; the delays and drop rates of an edge."""
    results = document("chain")
    made = chain.picture(results)
    for area, which in zip(made.axes, ("p50", "p95")):
        for name in results.subjects:
            number = [measures.delay(h, which).of for h in chain.hops(results)]
            want = [tables.value(results.values(name, results.points[0], n)) for n in number]
            yield f"chain: {which}, {name}", drawn(area, name), want
    pyplot.close(made)
    results = document("table1")
    made = table1.picture(results)
    for place, queue in enumerate(results.compared):
        for name in results.subjects:
            number = measures.drop_rate(queue).of
            want = [tables.value(results.values(name, p, number)) for p in results.points]
            yield f"table1: {queue}, {name}", drawn(made.axes[2 * place + 1], name, "x"), want
    pyplot.close(made)


def same_statistic() -> Iterator[Found]:
    """The defect of figure 9: the lower of two seeds in the figure, their mean in the table."""
    seeds = (0.988, 0.876)
    yield "the middle of two seeds", amounts.text(tables.value(seeds)), "0.932"
    yield "and in a sentence", beside.number(seeds), "0.932 (0.876\u20130.988)"
    yield "the middle of three", amounts.text(tables.value((1.0, 9.0, 2.0))), "2.00"


def held() -> Iterator[Found]:
    """Tail drop whose delay only grows has a new control point at once, but is never below the bound."""
    runs = []
    for seed, late in enumerate((None, 900.0, None), 1):
        after = {"control_point_ms": 0.0, "held_ms": late, "held_below_ms": 50.0}
        phases = [
            {"at_s": 0.0, "until_s": 9.0, "rate_mbit": 50.0, "held_ms": 0.0, "held_below_ms": 50.0},
            {"at_s": 9.0, "until_s": 20.0, "rate_mbit": 1.0, **after},
        ]
        queue = {"bytes": 1, "phases": phases}
        one = {"qdisc": "pfifo", "seed": seed, "point": {}, "queues": {"a.up": queue}}
        runs.append({**one, "traffic": {}})
    results = Results({"schema": 2, "name": "x", "runs": runs})
    found = {t.title: t.rows for t in overtime.table(results, {}) if isinstance(t, Comparison)}
    for title, want in (
        (
            f"{overtime.HELD_TITLE}, ms",
            [("9\u201320\u00a0s, 1\u00a0Mbit/s, below 50\u00a0ms", "never (900\u2013never)")],
        ),
        ("Time to a new control point, ms", [("9\u201320\u00a0s, 1\u00a0Mbit/s", "0")]),
    ):
        rows = [(r.label, beside.number(r.cells["pfifo"])) for r in found[title]]
        yield f"phases: {title}", rows, want


def tests() -> Iterator[Found]:
    for module in LINES:
        yield from of_lines(module)
    for module in (fig5, fig6):
        yield from of_boxes(module)
    yield from of_distribution()
    yield from of_marks()
    yield from same_statistic()
    yield from held()
