# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""probe with Poisson arrivals: datagrams at random times, each of which comes back at once.

A periodic probe may meet a periodic queue always in the same phase. Poisson arrivals see time averages. The gaps
have an exponential distribution, the interval is their mean. The kernel stamps both arrivals; the time between
arrival and answer is left out of the round trip.
"""

from __future__ import annotations

import select
import socket
from time import time_ns
from typing import Any

from .datagrams import HEADER, IP_UDP, NSEC, stamped, stamped_from
from .distributions import poisson
from .item import Item, Lab, Spec


class Echo(Item):
    def __init__(self, lab: Lab, spec: Spec) -> None:
        super().__init__(lab, spec)
        self.padding = bytes(spec["size"] - IP_UDP - HEADER.size)
        self.sent: list[int] = []  # CLOCK_REALTIME
        self.up: list[int | None] = []
        self.down: list[int | None] = []
        self.server = self.open(self.receiver, self.port)
        self.loop.watch(self.server, select.EPOLLIN, self.answer)
        self.client = self.open(self.sender)
        self.client.connect((self.network.addresses[self.receiver], self.port))
        self.loop.watch(self.client, select.EPOLLIN, self.receive)
        rate = NSEC / spec["interval"]
        self.schedule = poisson(self.random("probes"), rate, self.start, self.stop)
        self.next()

    def open(self, node: str, port: int = 0) -> socket.socket:
        sock = self.network.udp(node, port)
        sock.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, self.spec["dscp"] << 2)
        return sock

    def next(self) -> None:
        due = next(self.schedule, None)
        if due is not None:
            self.loop.at(due, self.send)

    def send(self) -> None:
        now = time_ns()
        self.client.send(HEADER.pack(len(self.sent), now) + self.padding)
        self.sent.append(now)
        self.up.append(None)
        self.down.append(None)
        self.next()

    def answer(self, events: int) -> None:
        data, arrived, client = stamped_from(self.server)
        number, sent = HEADER.unpack(data)
        self.up[number] = arrived - sent
        self.server.sendto(HEADER.pack(number, time_ns()) + self.padding, client)

    def receive(self, events: int) -> None:
        data, arrived = stamped(self.client)
        number, answered = HEADER.unpack(data)
        self.down[number] = arrived - answered

    def measured(self) -> dict[str, Any]:
        at = [sent - self.loop.real_origin for sent in self.sent]
        answered = [number for number, down in enumerate(self.down) if down is not None]
        if not answered:
            self.silent(at[:1])
        count = answered[-1] + 1 if answered else 0
        trips = list(zip(self.up, self.down))[:count]
        return {
            "samples": {
                "at": at[:count],
                "rtt": [None if up is None or down is None else up + down for up, down in trips],
                "up": self.up[:count],
                "down": self.down[:count],
            }
        }
