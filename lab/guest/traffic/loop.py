# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Timers that are on time and sockets that are ready, in one thread.

The loop looks at the clock between any two events, so that a timer waits for one event at most. For
what must be exact it is there some time before, and goes round until it is time.
"""

from __future__ import annotations

import gc
import os
import select
import socket
import struct
from heapq import heappop, heappush
from time import monotonic_ns, time_ns
from typing import Callable

from .item import TrafficError
from .libc import Timer
from .priority import first

READY_BEFORE = 200_000  # ns; more than any event takes
TOO_LATE = 100_000_000  # ns
EVENTS = 32
RESET = struct.pack("ii", 1, 0)  # struct linger: close() sends RST, nothing waits

Call = Callable[..., object]
Ready = Callable[[int], object]


def realtime_offset() -> int:
    """CLOCK_REALTIME - CLOCK_MONOTONIC: from the two reads that are closest together."""
    tries = []
    for _ in range(20):
        before = monotonic_ns()
        real = time_ns()
        after = monotonic_ns()
        tries.append((after - before, real - (before + after) // 2))
    return min(tries)[1]


class Loop:
    """Times are ns since the experiment's start."""

    def __init__(self, origin: int) -> None:
        self.origin = origin
        self.real_origin = origin + realtime_offset()  # of the kernel's receive time stamps
        self.timers: list[tuple[int, int, Call, tuple[object, ...]]] = []
        self.count = 0
        self.ready: dict[int, Ready] = {}
        self.socks: dict[int, socket.socket] = {}
        self.epoll = select.epoll()
        self.timer = Timer()
        self.epoll.register(self.timer.fd, select.EPOLLIN | select.EPOLLET)
        self.ready[self.timer.fd] = lambda events: None
        self.closing: list[socket.socket] = []
        self.latest = 0  # how late the latest of exactly() was

    def now(self) -> int:
        return monotonic_ns() - self.origin

    # ---- timers

    def at(self, time: int, call: Call, *args: object) -> None:
        """Of two calls at the same time the first is that which was asked for first."""
        self.count += 1
        heappush(self.timers, (time + self.origin, self.count, call, args))

    def exactly(self, time: int, call: Call) -> None:
        def wait() -> None:
            due = time + self.origin
            while (now := monotonic_ns()) < due:
                pass
            self.latest = max(self.latest, now - due)
            call()

        self.at(time - READY_BEFORE, wait)

    # ---- sockets

    def watch(self, sock: socket.socket, events: int, ready: Ready) -> None:
        fd = sock.fileno()
        if fd in self.ready:
            self.epoll.modify(fd, events)
        else:
            self.epoll.register(fd, events)
        self.ready[fd] = ready
        self.socks[fd] = sock

    def shut(self, sock: socket.socket, at_once: bool = False) -> None:
        """No more events, those included that the kernel has told of already. At once: what
        waits to be sent is thrown away."""
        fd = sock.fileno()
        if self.ready.pop(fd, None):
            self.epoll.unregister(fd)
            del self.socks[fd]
            if at_once:
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            self.closing.append(sock)

    def close_all(self) -> None:
        """Those that are shut: after the events that speak of their numbers."""
        for sock in self.closing:
            sock.close()
        self.closing.clear()

    # ---- running

    def run(self, until: int) -> None:
        collecting = gc.isenabled()
        gc.disable()
        try:
            with first():
                self._run(until + self.origin)
        finally:
            if collecting:
                gc.enable()

    def _run(self, until: int) -> None:
        call: Callable[..., object] = self._run
        try:
            while True:
                while self.timers and self.timers[0][0] <= (now := monotonic_ns()):
                    due, _, call, args = heappop(self.timers)
                    if due > until:
                        return
                    if now - due > TOO_LATE:
                        raise TrafficError(
                            f"the machine is too slow: at {(due - self.origin) / 1e9:.3f} s of the "
                            f"experiment the traffic is late by {(now - due) / 1e6:.0f} ms"
                        )
                    call(*args)
                self.close_all()
                due = self.timers[0][0] if self.timers else until + 1
                if due > until and monotonic_ns() >= until:
                    return
                due = min(due, until)
                if due != self.timer.due:
                    self.timer.set(due)
                for fd, events in self.epoll.poll(-1, EVENTS):
                    ready = self.ready.get(fd)
                    if ready:
                        call = ready
                        ready(events)
                    if monotonic_ns() >= due:
                        break  # the others will be told of again
        except OSError as error:
            name = getattr(getattr(call, "__self__", None), "name", None)
            if name is None:  # an action
                raise
            raise TrafficError(f"traffic {name}: {error}") from error

    def close(self) -> None:
        for sock in list(self.socks.values()):
            self.shut(sock, at_once=True)
        self.close_all()
        self.epoll.close()
        os.close(self.timer.fd)
