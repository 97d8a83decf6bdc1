# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""bulk: TCP flows that send as much as they can.

Each flow starts at a random moment within `spread` of the item's start. At the item's stop it is
reset: what the sender still holds is not sent. Bytes count when they are in order at the receiver,
whether or not it has been woken for them.
"""

from __future__ import annotations

import select
import socket
from typing import Any

from .ecn import route_with_ecn
from .item import Item, Lab, Spec
from .tcp import Sink, Source

SECOND = 1_000_000_000


class _Flow:
    """From connect() on."""

    def __init__(self, sock: socket.socket, start: int) -> None:
        self.sock = sock
        self.start = start
        self.port: int = sock.getsockname()[1]
        self.sink: Sink | None = None
        self.before = 0  # bytes when the warm-up ended
        self.total = 0  # when the experiment ended
        self.series: list[int] = []

    def arrived(self) -> int:
        return self.sink.arrived() if self.sink else 0


class Bulk(Item):
    def __init__(self, lab: Lab, spec: Spec) -> None:
        super().__init__(lab, spec)
        self.flows: dict[int, _Flow] = {}  # by port
        self.listener = self.network.listener(self.receiver, self.port)
        self.loop.watch(self.listener, select.EPOLLIN, self.accept)
        if spec["ecn"]:
            route_with_ecn(self.network, self.sender, self.receiver)
        rng = self.random("start")
        for start in sorted(rng.randrange(max(1, spec["spread"])) for _ in range(spec["count"])):
            self.loop.at(self.start + start, self.connect)
        for second in range(1, lab.duration // SECOND + 1):
            self.loop.at(second * SECOND, self.tick)
        self.loop.at(lab.warmup, self.warm)
        self.loop.at(self.stop, self.quit)
        self.loop.at(lab.duration, self.count)

    def connect(self) -> None:
        if self.loop.now() >= self.stop:
            return
        cc, ecn = self.spec["cc"], self.spec["ecn"]
        sock = self.network.connect(self.sender, self.receiver, self.port, cc, ecn)
        Source(self.loop, self.name, sock, self.spec["bytes"])
        flow = _Flow(sock, self.loop.now())
        self.flows[flow.port] = flow

    def accept(self, events: int) -> None:
        sock, (_, port) = self.listener.accept()
        sock.setblocking(False)
        self.flows[port].sink = Sink(self.loop, self.name, sock)

    def tick(self) -> None:
        """A full second of the experiment."""
        second = self.loop.now() // SECOND
        for flow in self.flows.values():
            flow.series += [0] * (second - 1 - len(flow.series))
            flow.series.append(flow.arrived())

    def warm(self) -> None:
        for flow in self.flows.values():
            flow.before = flow.arrived()

    def quit(self) -> None:
        for flow in self.flows.values():
            self.loop.shut(flow.sock, at_once=True)

    def count(self) -> None:
        for flow in self.flows.values():
            flow.total = flow.arrived()

    def measured(self) -> dict[str, Any]:
        flows = [self.flow(flow) for flow in self.flows.values()]
        if not any(flow["total"] for flow in flows):
            self.silent([flow["start"] for flow in flows])
        return {"flows": flows}

    def flow(self, flow: _Flow) -> dict[str, Any]:
        return {
            "port": flow.port,
            "start": flow.start,
            "bytes": flow.total - flow.before,
            "total": flow.total,
            "series": flow.series,
        }
