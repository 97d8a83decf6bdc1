# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The traffic of an experiment: all sockets of all nodes, in one process.

    results = run(document, addresses, origin_ns, actions)

Why no iperf3: a reader that is woken for every packet, and a program for every node, are most of
what the machine does. The machine has one processor, on which an instruction lasts a nanosecond of its
time and about 6 ns of elapsed time. README.md of this folder has the measurements.
"""

from __future__ import annotations

from typing import Any, Callable

from .item import Item, Lab, TrafficError
from .kinds import KINDS
from .loop import Loop
from .sockets import Network

__all__ = ["run", "TrafficError"]
Action = tuple[int, Callable[[], object]]


def _items(lab: Lab, specs: list[dict[str, Any]]) -> list[Item]:
    items = []
    for spec in specs:
        kind = KINDS.get(spec["kind"])
        if kind is None:
            raise TrafficError(f"traffic {spec['name']}: there is no kind '{spec['kind']}'")
        try:
            items.append(kind(lab, spec))
        except OSError as error:
            raise TrafficError(f"traffic {spec['name']}: {error}") from error
    return items


def run(
    document: dict[str, Any],
    addresses: dict[str, str],
    origin_ns: int,
    actions: list[Action],
    notes: list[Action] | None = None,
) -> list[dict[str, Any]]:
    """Runs all traffic of the document until its duration, and `actions` at their times.

    Times are those of the experiment: ns since origin_ns of CLOCK_MONOTONIC. Nothing waits for the times of `notes`:
    they may be late by an event.
    """
    loop = Loop(origin_ns)
    lab = Lab(loop, Network(addresses), document)
    for time, call in actions:
        loop.exactly(time, call)
    for time, call in notes or ():
        loop.at(time, call)
    items = _items(lab, document["traffic"])
    try:
        loop.run(lab.duration)
        return [item.result() for item in items]
    finally:
        for item in items:
            item.end()
        loop.close()
