# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The CoDel paper's table 1: a consumer's edge, both directions."""

from __future__ import annotations

from typing import Sequence

from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from . import beside, cases, measures, plot, tables, verdict
from .papers import CODEL
from .results import Results
from .tables import Listing, Measure, Table
from .verdict import Bounds, Case, Target

NAME = "table1"
TITLE = "A consumer\u2019s edge"
SOURCE = CODEL.at("table 1")
CLAIM = """On a symmetric line of 512 kbit/s or 1.5 Mbit/s, with a call in both directions, one endless download,
web pages and uploads of 1 MB with pauses, CoDel never drops at a higher rate than tail drop, keeps a much smaller queue and
moves about the same amount, in each direction."""
CAPTION = "Marks are the medians over the seeds, lines reach from the least seed to the greatest."
WHY = """The source states neither the round trip nor the buffer. A full packet takes long to send at these rates, and CoDel
does not drop the last one: its queue cannot be several times smaller than a short buffer."""

BOUNDS: Bounds = {"drops_percent": 100, "queue_times": 5, "low_percent": 95, "high_percent": 105}


def direction(queue: str) -> str:
    return {"up": "up", "down": "down"}.get(queue.rpartition(".")[2], queue)


def wanted(queue: str) -> list[Measure]:
    delays = [measures.delay(queue, "mean"), measures.delay(queue, "p50")]
    rest = (measures.backlog(queue), measures.megabytes(queue))
    return [measures.drop_rate(queue), *delays, *rest]


def beside_tail_drop(results: Results, number: str) -> list[Case]:
    """The share of tail drop's, in percent, for each direction of each run."""
    found: list[Case] = []
    for queue in results.compared:
        measure = next(m for m in wanted(queue) if m.name == number)
        for where, value in cases.against(
            results, cases.paper(results), cases.TAIL_DROP, measure.of, cases.share
        ):
            found.append((", ".join(w for w in (direction(queue), where) if w), value))
    return found


def smaller(results: Results) -> list[Case]:
    """How many times smaller the queue is."""
    return [(w, 100 / v if v else float("inf")) for w, v in beside_tail_drop(results, "mean queue")]


def targets(results: Results, bounds: Bounds) -> list[Target]:
    drops = beside_tail_drop(results, "dropped")
    moved = beside_tail_drop(results, "carried")
    low, high = bounds["low_percent"], bounds["high_percent"]
    return [
        verdict.at_most(
            "codel_oot\u2019s drop rate, of tail drop\u2019s", drops, bounds["drops_percent"], "%"
        ),
        verdict.at_least(
            "its mean queue is smaller than tail drop\u2019s",
            smaller(results),
            bounds["queue_times"],
            "times",
        ),
        verdict.between("its bytes, of tail drop\u2019s", moved, low, high, "%"),
    ]


UNSTATED = "path"  # the key of the round trip and the buffer


def comparable(results: Results, found: list[Target]) -> list[Target]:
    """A target that is met with some round trips and buffers, and missed with others, judges the choice of them."""
    each = [
        targets(results.only(lambda run: run.point.get(UNSTATED) == value), BOUNDS)
        for value in results.labels.get(UNSTATED, [])
    ]
    made = []
    for place, target in enumerate(found):
        met = sum(ways[place].met is True for ways in each)
        reason = (
            f"it is met with {met} of {len(each)} combinations of round trip and buffer, which the "
            "source does not state"
        )
        made.append(verdict.not_comparable(target, reason) if 0 < met < len(each) else target)
    return made


def ratios(results: Results) -> Listing:
    """The three targets' measures at each point, so that the reader sees what the round trip and the buffer do."""
    rows: list[tuple[str, ...]] = []
    for queue in results.compared:
        numbers = {m.name: m.of for m in wanted(queue)}
        of_tail_drop = {
            name: cases.beside(results, cases.TAIL_DROP, numbers[name], cases.share)
            for name in ("dropped", "mean queue", "carried")
        }
        for point in results.points:
            found = [results.values(cases.CODEL, point, n) for n in of_tail_drop.values()]
            if all(found):
                title = f"{direction(queue)}, {results.title_of(point)}"
                rows.append((title, *map(beside.number, found)))
    head = ("", "drop rate, %", "mean queue, %", "carried, %")
    return Listing("codel_oot\u2019s numbers, of tail drop\u2019s", head, rows)


def table(results: Results) -> list[Table]:
    made: list[Table] = []
    sources = {
        "dropped": "CoDel not above tail drop",
        "mean queue": "CoDel much smaller",
        "carried": "similar",
    }
    for queue in results.compared:
        title = direction(queue).capitalize()
        made += tables.measured(results, title, wanted(queue), sources)
    return [ratios(results), *made]


def panel(areas: tuple[Axes, Axes], results: Results, queue: str) -> None:
    """Mean delay and drop rate, one dot for each subject."""
    measure = (measures.delay(queue, "mean"), measures.drop_rate(queue))
    for area, number in zip(areas, measure):
        for place, point in enumerate(results.points):
            for name in results.subjects:
                values = results.values(name, point, number.of)
                if values:
                    dot(area, name, values, place, results.subjects)
        area.set_yticks(range(len(results.points)), [results.title_of(p) for p in results.points])
        area.set_ylim(len(results.points) - 0.5, -0.5)
        area.set_xlabel(number.title)


def dot(area: Axes, name: str, values: Sequence[float], place: int, names: list[str]) -> None:
    """Subjects one above the other, so that equal ones are seen."""
    step = 0.8 / max(1, len(names))
    y = place - 0.4 + step * (names.index(name) + 0.5)
    area.plot([min(values), max(values)], [y, y], color=plot.style(name).ink, linewidth=1)
    mark = {"marker": plot.style(name).marker, "linestyle": "none"}
    plot.line(area, name, [tables.value(values)], [y], **mark)


def picture(results: Results) -> Figure:
    count = max(1, len(results.compared))
    figure, areas = pyplot.subplots(
        count,
        2,
        figsize=(plot.WIDTH, 0.3 + count * (0.5 + 0.9 * len(results.points))),
        sharex="col",
        squeeze=False,
        layout="constrained",
    )
    for pair, queue in zip(areas, results.compared):
        panel(tuple(pair), results, queue)
        pair[0].set_title(direction(queue).capitalize())
        pair[1].tick_params(labelleft=False)
    plot.logarithmic(list(areas[:, 0]), "x")
    areas[0][1].set_xlim(left=0)
    plot.legend(figure, [a for row in areas for a in row])
    return figure


def describe(results: Results) -> str:
    parts = []
    for queue in results.compared:
        number = measures.delay(queue, "mean").of
        for point in results.points:
            words = tables.in_words(results, [point], number, " ms")
            parts.append(f"{direction(queue)}, {results.title_of(point)}: {', '.join(words)}")
    return f"Dots for mean delay and drop rate of each qdisc. Mean delay {'; '.join(parts)}."


def headlines(results: Results) -> list[Measure]:
    """For each direction, its name before the measure."""
    made = []
    for queue in results.compared:
        for m in (measures.delay(queue, "mean"), measures.drop_rate(queue)):
            made.append(Measure(f"{direction(queue)}: {m.name}", m.unit, m.better, m.of))
    return made
