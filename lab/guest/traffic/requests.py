# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""requests: datagrams of clients that do not wait for each other (open loop, Poisson arrivals).

Without workers a request is done when it arrives. With workers there is a server: a queue
without end and without deadlines of its own, of which a fixed number are served at a time; a request is done when its
answer arrives. Times of service belong to the requests, whichever of them arrive.

Requests of the last `deadline` of the experiment are sent, but not reported, as it is not known whether
they would have been in time: the samples are those sent before `until`.
"""

from __future__ import annotations

import select
import socket
from collections import deque
from time import time_ns
from typing import Any

from .datagrams import HEADER, IP_UDP, stamped
from .distributions import exponential, poisson, times
from .item import Item, Lab, Spec

ANSWER = 64  # bytes of IP
LEAST = IP_UDP + HEADER.size
ZEROES = memoryview(bytes(65536))
IP_RECVERR = 11


class Requests(Item):
    def __init__(self, lab: Lab, spec: Spec) -> None:
        super().__init__(lab, spec)
        self.sent: list[int] = []  # CLOCK_REALTIME
        self.times: list[int | None] = []
        self.refused: list[int] = []
        self.arrivals = poisson(self.random("arrivals"), spec["rate"], self.start, self.stop)
        self.size = self.sizes()
        self.clients = [self.client() for _ in range(spec["clients"])]
        inlet = self.network.udp(self.receiver, self.port)
        self.server = _Server(self, inlet) if spec["workers"] else None
        if self.server is None:
            self.loop.watch(inlet, select.EPOLLIN, _Done(self, inlet).ready)
        self.next()

    def sizes(self) -> Any:
        size: int = self.spec["size"]
        if size < LEAST:
            raise self.error(f"size {size} is less than {LEAST}")
        if self.spec["distribution"] == "fixed":
            return lambda: size
        try:
            return exponential(self.random("sizes"), size, LEAST, self.lab.mtu)
        except ValueError as error:
            raise self.error(f"size: {error}") from error

    def client(self) -> socket.socket:
        sock = self.network.udp(self.sender)
        sock.setsockopt(socket.IPPROTO_IP, IP_RECVERR, 1)
        sock.connect((self.network.addresses[self.receiver], self.port))
        self.loop.watch(sock, select.EPOLLIN, _Done(self, sock).ready)
        return sock

    def next(self) -> None:
        due = next(self.arrivals, None)
        if due is not None:
            self.loop.at(due, self.send)

    def send(self) -> None:
        number = len(self.sent)
        client = self.clients[number % len(self.clients)]
        padding = ZEROES[: self.size() - LEAST]
        now = time_ns()
        self.sent.append(now)
        self.times.append(None)
        if self.server:
            self.server.draw()
        try:
            client.sendmsg((HEADER.pack(number, now), padding))
        except OSError:  # a queue of this node has dropped it, and said so
            self.refused.append(now)
        self.next()

    def done(self, number: int, when: int) -> None:
        time = when - self.sent[number]
        if time <= self.spec["deadline"]:
            self.times[number] = time

    def measured(self) -> dict[str, Any]:
        origin = self.loop.real_origin
        at = [sent - origin for sent in self.sent]
        if not any(self.times):
            self.silent(at)
        until = min(self.stop, self.lab.duration - self.spec["deadline"])
        count = sum(time < until for time in at)
        return {
            "samples": {
                "until": until,
                "sent": count,
                "at": at[:count],
                "time": self.times[:count],
                "refused": sum(time - origin < until for time in self.refused),
            }
        }


class _Done:
    """A socket at which requests, or their answers, arrive for good."""

    def __init__(self, requests: Requests, sock: socket.socket) -> None:
        self.requests = requests
        self.name = requests.name
        self.sock = sock

    def ready(self, events: int) -> None:
        data, when = stamped(self.sock)
        self.requests.done(HEADER.unpack(data)[0], when)


class _Server:
    def __init__(self, requests: Requests, sock: socket.socket) -> None:
        spec = requests.spec
        self.requests = requests
        self.name = requests.name
        self.loop = requests.loop
        self.sock = sock
        self.idle: int = spec["workers"]
        self.queue: deque[tuple[int, tuple[str, int]]] = deque()
        self.services: list[int] = []  # ns, of each request that was sent
        self.draw_one = times(
            requests.random("service"), spec["service"], spec["service_distribution"]
        )
        self.padding = bytes(ANSWER - LEAST)
        self.loop.watch(sock, select.EPOLLIN, self.ready)

    def draw(self) -> None:
        """Another request is on its way."""
        self.services.append(self.draw_one())

    def ready(self, events: int) -> None:
        data, client = self.sock.recvfrom(HEADER.size)
        self.queue.append((HEADER.unpack(data)[0], client))
        self.serve()

    def serve(self) -> None:
        if self.idle and self.queue:
            self.idle -= 1
            number, client = self.queue.popleft()
            self.loop.at(self.loop.now() + self.services[number], self.answer, number, client)

    def answer(self, number: int, client: tuple[str, int]) -> None:
        self.idle += 1
        try:
            self.sock.sendto(HEADER.pack(number, 0) + self.padding, client)
        except OSError:
            pass  # lost: the client will see
        self.serve()
