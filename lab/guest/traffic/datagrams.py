# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""cbr, onoff and frames: datagrams, each with its number and the time of its sending.

The kernel stamps their arrival. The first one is sent at a random moment within one gap
after the item's start; from then on each has its place in time, however late another was.
onoff is cbr in periods of random length, the first of which is on, with nothing between them.
frames sends several at once, and now and then a larger frame, whose losses are also counted alone.
"""

from __future__ import annotations

import select
import socket
import struct
from collections.abc import Iterator
from itertools import count, repeat
from time import time_ns
from typing import Any

from .distributions import times
from .item import Item, Lab, Spec

HEADER = struct.Struct("!QQ")  # number, CLOCK_REALTIME in ns
TIMESPEC = struct.Struct("@qq")
STAMP_SPACE = socket.CMSG_SPACE(TIMESPEC.size)
IP_UDP = 28
NSEC = 1_000_000_000


def stamped_from(sock: socket.socket) -> tuple[bytes, int, Any]:
    """The next datagram's header, when it arrived (CLOCK_REALTIME, ns), and the sender's address."""
    data, control, _, sender = sock.recvmsg(HEADER.size, STAMP_SPACE)
    seconds, ns = TIMESPEC.unpack(control[0][2])
    return data, seconds * NSEC + ns, sender


def stamped(sock: socket.socket) -> tuple[bytes, int]:
    """The same without the address."""
    return stamped_from(sock)[:2]


class Cbr(Item):
    def __init__(self, lab: Lab, spec: Spec) -> None:
        super().__init__(lab, spec)
        self.size: int = spec["size"]
        if self.size < IP_UDP + HEADER.size:
            raise self.error(f"size {self.size} is less than {IP_UDP + HEADER.size}")
        self.padding = bytes(self.size - IP_UDP - HEADER.size)
        self.sent = 0
        self.sendings: list[int] = []  # times of all, as stamped
        self.delays: list[int] = []
        self.arrivals: list[int] = []
        self.numbers: list[int] = []  # of those that arrived
        self.inlet = self.network.udp(self.receiver, self.port)
        self.loop.watch(self.inlet, select.EPOLLIN, self.receive)
        self.outlet = self.open()
        self.schedule = self.times()
        self.next()

    def open(self) -> socket.socket:
        sock = self.network.udp(self.sender)
        tos = self.spec["dscp"] << 2 | self.spec["ecn"]
        sock.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, tos)
        sock.connect((self.network.addresses[self.receiver], self.port))
        return sock

    def times(self) -> Iterator[int]:
        """Of sending, without end."""
        bits = self.size * 8 * NSEC
        rate: int = self.spec["rate"]
        phase = self.random("phase").randrange(max(1, bits // rate))
        number = 0
        while True:
            yield self.start + phase + number * bits // rate
            number += 1

    def next(self) -> None:
        due = next(self.schedule)
        if due < self.stop:
            self.loop.at(due, self.send)

    def send(self) -> None:
        now = time_ns()
        self.outlet.send(HEADER.pack(self.sent, now) + self.padding)
        self.sent += 1
        self.sendings.append(now)
        self.next()

    def receive(self, events: int) -> None:
        data, arrived = stamped(self.inlet)
        number, sent = HEADER.unpack(data)
        self.numbers.append(number)
        self.delays.append(arrived - sent)
        self.arrivals.append(arrived)

    def measured(self) -> dict[str, Any]:
        origin = self.loop.real_origin
        if not self.numbers:
            self.silent([sent - origin for sent in self.sendings[:1]])
        last = max(self.numbers, default=-1)
        lost = sorted(set(range(last)) - set(self.numbers))
        return {
            "samples": {
                "sent": self.sent,
                "received": len(self.numbers),
                "open": self.sent - last - 1,  # sent after the last that arrived
                "lost": [self.sendings[number] - origin for number in lost],
                "delay": self.delays,
                "at": [arrived - origin for arrived in self.arrivals],
            }
        }


class OnOff(Cbr):
    def times(self) -> Iterator[int]:
        bits = self.size * 8 * NSEC
        rate: int = self.spec["rate"]
        on = times(self.random("on"), self.spec["on"], "exponential")
        off = times(self.random("off"), self.spec["off"], "exponential")
        start = self.start
        while True:
            length = on()
            for number in range(-(-length * rate // bits)):
                yield start + number * bits // rate
            start += length + off()


class Frames(Cbr):
    def __init__(self, lab: Lab, spec: Spec) -> None:
        self.period: int = spec["key_interval"] // spec["interval"]  # in frames
        if not self.period:
            raise ValueError(f"{spec['name']}: key_interval is shorter than interval")
        self.large: set[int] = set()  # numbers of the datagrams of larger frames
        super().__init__(lab, spec)

    def times(self) -> Iterator[int]:
        due = self.start + self.random("phase").randrange(self.spec["interval"])
        number = 0
        for frame in count(1):
            large = frame % self.period == 0
            size: int = self.spec["key_frame" if large else "frame"]
            if large:
                self.large.update(range(number, number + size))
            number += size
            yield from repeat(due, size)
            due += self.spec["interval"]

    def measured(self) -> dict[str, Any]:
        found = super().measured()
        last = max(self.numbers, default=-1)
        settled = {number for number in self.large if number <= last}
        found["samples"]["large"] = len(settled)
        found["samples"]["large_lost"] = len(settled - set(self.numbers))
        return found
