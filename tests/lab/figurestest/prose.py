# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Words that depend on the results: verdicts on the middle of many loads, and what is said of CAKE."""

from __future__ import annotations

from types import ModuleType
from typing import Iterator

import figures
from figures import cake, fig5, fig6, fig8
from figures.results import Results
from figures.verdict import State

Found = tuple[str, object, object]


def loads(count: int, rate: str = "10mbit") -> list[dict[str, str]]:
    """Bulk loads of several sizes and round trips."""
    rtts = ("10ms", "20ms", "50ms", "100ms", "200ms", "500ms")
    return [{"rate": rate, "rtt": rtt, "load": "4 bulk", "mtu": "1500"} for rtt in rtts[:count]]


def state(module: ModuleType, count: int, value: float) -> State:
    """The first target's text, with this number of loads whose median is `value`."""
    runs = []
    for number, point in enumerate(loads(count) if module is not fig8 else of_rtt(count)):
        shifted = value + (number - (count - 1) / 2) * 0.001
        for qdisc, share in (("codel_oot", shifted), ("pfifo", 1.0), ("red", 0.1)):
            queue = {"bytes": 1, "utilisation": share, "delay_ms": {"p50": 5.0}}
            one = {"qdisc": qdisc, "seed": 1, "point": point, "queues": {"dsl.up": queue}}
            runs.append({**one, "traffic": {}})
    scenario = {"link": {"dsl": {"up": {"qdisc": "subject"}}}}
    document = {"schema": 2, "name": module.NAME, "scenario": scenario, "runs": runs}
    return figures.targets(module, Results(document))[-1].state


def of_rtt(count: int) -> list[dict[str, str]]:
    return [{"rtt": "200ms", "load": f"{n + 1} bulk"} for n in range(count)]


def verdicts() -> Iterator[Found]:
    """The middle of many loads is not judged by a few."""
    one, met, missed = State.INCOMPARABLE, State.MET, State.MISSED
    for module, good, bad in ((fig5, 0.99, 0.05), (fig6, 0.99, 0.8), (fig8, 0.99, 0.9)):
        yield f"{module.NAME}: a single load", state(module, 1, good), one
        yield f"{module.NAME}: four", state(module, 4, bad), one
        yield f"{module.NAME}: five, good", state(module, 5, good), met
        yield f"{module.NAME}: five, bad", state(module, 5, bad), missed


def edge(met: list[bool]) -> list[State]:
    """The verdicts of table 1 with a round trip and buffer for each, which meet its targets or not."""
    runs = []
    for number, good in enumerate(met):
        for qdisc, backlog in (("codel_oot", 1 if good else 9), ("pfifo", 10)):
            queue = {"drop_rate": 0.01, "backlog": backlog, "bytes": 100}
            point = {"rate": "512kbit", "path": f"path {number}"}
            one = {"qdisc": qdisc, "seed": 1, "point": point, "queues": {"edge.up": queue}}
            runs.append({**one, "traffic": {}})
    scenario = {"link": {"edge": {"qdisc": "subject"}}}
    document = {"schema": 2, "name": "table1", "scenario": scenario, "runs": runs}
    return [t.state for t in figures.targets(figures.BY_NAME["table1"], Results(document))]


def unstated() -> Iterator[Found]:
    met, missed, between = State.MET, State.MISSED, State.INCOMPARABLE
    yield "table1: met whatever the path", edge([True, True, True]), [met, met, met]
    yield "table1: missed whatever the path", edge([False, False]), [met, missed, met]
    yield "table1: it depends on the path", edge([True, False]), [met, between, met]
    yield "table1: one path", edge([False]), [met, missed, met]


def misconfigured() -> Iterator[Found]:
    """CAKE's drop rates are named where it runs with and without its rate."""

    def said(**dropped: float) -> str:
        runs = [
            {
                "qdisc": name,
                "seed": 1,
                "point": {"rate": "128kbit"},
                "queues": {"a.up": {"drop_rate": share, "bytes": 1}},
                "traffic": {},
            }
            for name, share in dropped.items()
        ]
        return cake.words(Results({"schema": 2, "name": "x", "runs": runs}))

    yield "CAKE with and without its rate", "47.0% without and 5.00% with it" in said(
        cake=0.47, cake_bw=0.05
    ), True
    yield "CAKE without", said(cake=0.47), " ".join(cake.ALONE.split())
    yield "no CAKE", said(pfifo=0.1), ""


def tests() -> Iterator[Found]:
    yield from verdicts()
    yield from unstated()
    yield from misconfigured()
