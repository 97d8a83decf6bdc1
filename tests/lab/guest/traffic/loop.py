# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Timers that are on time and sockets that are ready, in one thread.

The thread has a real-time priority: neither the kernel's own threads nor the tools make it late.
It looks at the clock between any two events, so that a timer waits for one event at most. For
what must be exact the thread is there some time before, and waits in a circle.
"""

from __future__ import annotations

import gc
import os
import select
import socket
from heapq import heappop, heappush
from time import monotonic_ns, time_ns
from typing import Callable

from .item import TrafficError
from .timer import Timer

READY_BEFORE = 200_000  # ns; more than any event takes
EVENTS = 32

Call = Callable[[], object]
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
        self.timers: list[tuple[int, int, Call]] = []
        self.count = 0
        self.ready: dict[int, Ready] = {}
        self.epoll = select.epoll()
        self.timer = Timer()
        self.epoll.register(self.timer.fd, select.EPOLLIN | select.EPOLLET)
        self.ready[self.timer.fd] = lambda events: None
        self.closing: list[socket.socket] = []
        self.latest = 0  # how late the latest of exactly() was

    def now(self) -> int:
        return monotonic_ns() - self.origin

    # ---- timers

    def at(self, time: int, call: Call) -> None:
        """Of two calls at the same time the first is that which was asked for first."""
        self.count += 1
        heappush(self.timers, (time + self.origin, self.count, call))

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

    def forget(self, sock: socket.socket) -> None:
        """No more events, those included that the kernel has told of already."""
        if self.ready.pop(sock.fileno(), None):
            self.epoll.unregister(sock.fileno())

    def shut(self, sock: socket.socket) -> None:
        """Forgets and closes, but after all events that speak of its number."""
        self.forget(sock)
        self.closing.append(sock)

    # ---- running

    def run(self, until: int) -> None:
        collecting = gc.isenabled()
        gc.disable()
        policy, param = os.sched_getscheduler(0), os.sched_getparam(0)
        os.sched_setscheduler(0, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(1))
        try:
            self._run(until + self.origin)
        finally:
            os.sched_setscheduler(0, policy, param)
            if collecting:
                gc.enable()

    def _run(self, until: int) -> None:
        call: Callable[..., object] = self._run
        try:
            while True:
                while self.timers and self.timers[0][0] <= monotonic_ns():
                    due, _, call = heappop(self.timers)
                    if due > until:
                        return
                    call()
                now = monotonic_ns()
                if now >= until:
                    return
                due = min(self.timers[0][0], until) if self.timers else until
                if due != self.timer.due:
                    self.timer.set(due)
                for fd, events in self.epoll.poll(-1, EVENTS):
                    ready = self.ready.get(fd)
                    if ready:
                        call = ready
                        ready(events)
                    if monotonic_ns() >= due:
                        break  # the others will be told of again
                for sock in self.closing:
                    sock.close()
                self.closing.clear()
        except OSError as error:
            name = getattr(getattr(call, "__self__", None), "name", None)
            if name is None:  # an action
                raise
            raise TrafficError(f"traffic {name}: {error}") from error

    def close(self) -> None:
        for sock in self.closing:
            sock.close()
        self.epoll.close()
        os.close(self.timer.fd)
