# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""web and uploads: TCP connections that carry one object each.

The time of an object is from connect() to the arrival of its last byte: with the handshake and all that
is sent again. It has none if it was not there when the experiment ended.
"""

from __future__ import annotations

import select
import socket
import struct
from functools import partial
from typing import Any

from .distributions import pareto, poisson
from .ecn import route_with_ecn
from .item import Item, Lab, Spec
from .tcp import Sink, Source

REQUEST = struct.Struct("!Q92x")  # size of the object


class _Objects(Item):
    """What both have: who connects, who accepts, and what became of each object."""

    def __init__(self, lab: Lab, spec: Spec, client: str, server: str) -> None:
        super().__init__(lab, spec)
        self.client = client
        self.server = server
        self.starts: list[int] = []
        self.times: list[int | None] = []
        self.sizes: list[int] = []
        self.listener = self.network.listener(server, self.port, spec["cc"])
        self.loop.watch(self.listener, select.EPOLLIN, self.accept)
        if spec["ecn"]:
            route_with_ecn(self.network, client, server)

    def connect(self, size: int) -> socket.socket:
        """The socket is the last object's."""
        cc, ecn = self.spec["cc"], self.spec["ecn"]
        self.starts.append(self.loop.now())
        self.times.append(None)
        self.sizes.append(size)
        return self.network.connect(self.client, self.server, self.port, cc, ecn)

    def accept(self, events: int) -> None:
        sock, (_, port) = self.listener.accept()
        sock.setblocking(False)
        self.accepted(sock, port)

    def accepted(self, sock: socket.socket, port: int) -> None:
        raise NotImplementedError

    def finish(self, number: int, sink: Sink) -> None:
        """An object has arrived, or its connection has ended too early."""
        if sink.count == self.sizes[number]:
            self.times[number] = self.loop.now() - self.starts[number]

    def measured(self) -> dict[str, Any]:
        if not any(self.times):
            self.silent(self.starts)
        return {"samples": {"start": self.starts, "time": self.times, "bytes": self.sizes}}


class Web(_Objects):
    """The receiver connects and asks, the sender answers and closes."""

    def __init__(self, lab: Lab, spec: Spec) -> None:
        super().__init__(lab, spec, client=spec["to"], server=spec["from"])
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, REQUEST.size)
        self.arrivals = poisson(self.random("arrivals"), spec["rate"], self.start, self.stop)
        self.size = pareto(self.random("sizes"), spec["size"], spec["shape"])
        self.next()

    def next(self) -> None:
        due = next(self.arrivals, None)
        if due is not None:
            self.loop.at(due, self.fetch)

    def fetch(self) -> None:
        size = self.size()
        sock = self.connect(size)
        _Fetch(self, sock, len(self.starts) - 1)
        self.next()

    def accepted(self, sock: socket.socket, port: int) -> None:
        _Answer(self, sock)


class _Fetch:
    """One connection's client."""

    def __init__(self, web: Web, sock: socket.socket, number: int) -> None:
        self.web = web
        self.name = web.name
        self.sock = sock
        self.number = number
        web.loop.watch(sock, select.EPOLLOUT, self.connected)

    def connected(self, events: int) -> None:
        if self.sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):  # no answer for minutes
            self.web.loop.shut(self.sock)
            return
        size = self.web.sizes[self.number]
        self.sock.send(REQUEST.pack(size))
        Sink(self.web.loop, self.name, self.sock, size, partial(self.web.finish, self.number))


class _Answer:
    """One connection's server."""

    def __init__(self, web: Web, sock: socket.socket) -> None:
        self.web = web
        self.name = web.name
        self.sock = sock
        web.loop.watch(sock, select.EPOLLIN, self.asked)

    def asked(self, events: int) -> None:
        request = self.sock.recv(REQUEST.size)
        if len(request) < REQUEST.size:  # the client has given up
            self.web.loop.shut(self.sock)
            return
        source = Source(self.web.loop, self.name, self.sock, REQUEST.unpack(request)[0])
        source.ready(0)


class Uploads(_Objects):
    """The sender connects, sends and closes. `count` users do so, and pause after each object."""

    def __init__(self, lab: Lab, spec: Spec) -> None:
        super().__init__(lab, spec, client=spec["from"], server=spec["to"])
        self.coming: dict[int, tuple[int, int]] = {}  # user and number of the object, by port
        self.pauses = [self.random(f"pauses/{user}") for user in range(spec["count"])]
        for user in range(spec["count"]):
            self.loop.at(self.start, self.upload, user)

    def upload(self, user: int) -> None:
        if self.loop.now() >= self.stop:
            return
        size = self.spec["size"]
        sock = self.connect(size)
        self.coming[sock.getsockname()[1]] = user, len(self.starts) - 1
        Source(self.loop, self.name, sock, size, partial(self.pause, user))

    def accepted(self, sock: socket.socket, port: int) -> None:
        user, number = self.coming.pop(port)
        Sink(self.loop, self.name, sock, self.sizes[number], partial(self.done, user, number))

    def done(self, user: int, number: int, sink: Sink) -> None:
        self.finish(number, sink)
        self.pause(user)

    def pause(self, user: int) -> None:
        pause = self.pauses[user].randint(*self.spec["pause"])
        self.loop.at(self.loop.now() + pause, self.upload, user)
