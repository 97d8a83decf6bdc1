# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Measures of single items of traffic, named by the item where an experiment has several."""

from __future__ import annotations

from . import measures
from .results import Results, Run, dig
from .tables import Better, Measure, scaled


def by_name(results: Results, *kinds: str) -> list[tuple[str, str]]:
    """The items of traffic of these kinds, or of all kinds, and the kind of each."""
    found = {(n, t.get("kind", "")) for r in results.runs for n, t in r.traffic.items()}
    return sorted(i for i in found if not kinds or i[1] in kinds)


def kinds(results: Results) -> list[tuple[str, str]]:
    """Every item of traffic in the order of the scenario, and its kind."""
    order = list(results.scenario.get("traffic") or {})
    return sorted(by_name(results), key=lambda i: order.index(i[0]) if i[0] in order else 99)


def of_item(item: str, kind: str) -> list[Measure]:
    """The rows that its kind has, under the item's name."""
    return [
        Measure(f"{item}: {m.name}", m.unit, m.better, m.of)
        for m in measures.of_traffic(item, kind)
    ]


def every(results: Results) -> list[Measure]:
    return [m for item, kind in kinds(results) for m in of_item(item, kind)]


def one(results: Results, item: str, name: str) -> list[Measure]:
    """The measure of that item and name; an empty list where the results have no such item."""
    return [m for m in every(results) if m.name == f"{item}: {name}"]


def goodput(_results: Results) -> Measure:
    """Of the item `bulk`, for verdicts and comparisons that always have it."""
    return next(m for m in of_item("bulk", "bulk") if m.name == "bulk: goodput")


def dropped(queue: str, item: str) -> Measure:
    """What the queue dropped of the item's packets, after the warm-up."""
    number = scaled(lambda r: r.queue(queue, "traffic", item, "drop_rate"), 100)
    return Measure(f"{item}: dropped", "%", Better.LOW, number)


def marked(queue: str, item: str) -> Measure:
    def of(run: Run) -> float | None:
        found = run.queue(queue, "traffic", item) or {}
        return 100 * found["marked"] / found["packets"] if found.get("packets") else None

    return Measure(f"{item}: marked", "%", Better.NEITHER, of)


def share(queue: str, item: str) -> Measure:
    """The item's part of the bytes that the queue sent."""

    def of(run: Run) -> float | None:
        mine, all_of_it = run.queue(queue, "traffic", item, "bytes"), run.queue(queue, "bytes")
        return 100 * mine / all_of_it if mine is not None and all_of_it else None

    return Measure(f"{item}: share of the link", "%", Better.NEITHER, of)


def together(name: str, *found: str) -> Measure:
    """The goodput of several items."""

    def of(run: Run) -> float | None:
        values = [dig(run.traffic, item, "goodput_mbit") for item in found]
        return None if None in values else sum(values)

    return Measure(name, "Mbit/s", Better.HIGH, of)
