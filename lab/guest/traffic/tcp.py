# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The two ends of a TCP transfer, woken as rarely as the kernel allows.

The reader is woken for LOWAT bytes and not for each packet, and has the kernel throw away
what it reads, without a copy (MSG_TRUNC). It does not hold up the sender: TCP acknowledges as ever, and
wakes the reader for less when the window has but one packet left. The writer hands over as much as fits,
and is woken when a third of that has been acknowledged.
"""

from __future__ import annotations

import fcntl
import select
import socket
import termios
from typing import Callable

from .loop import Loop

LOWAT = 16 << 10
BLOCK = 1 << 20
_SCRAP = bytearray(BLOCK)  # nothing is ever written to it
_ZEROES = memoryview(bytes(BLOCK))
_INQ = bytearray(4)


class Sink:
    """Counts what arrives and throws it away, until `size` bytes are there or no more come."""

    def __init__(
        self,
        loop: Loop,
        name: str,
        sock: socket.socket,
        size: int | None = None,
        done: Callable[[Sink], object] | None = None,
    ) -> None:
        self.loop = loop
        self.name = name
        self.sock = sock
        self.size = size
        self.done = done
        self.count = 0
        self.ended = False
        self.wake_for(LOWAT if size is None else min(size, LOWAT))
        loop.watch(sock, select.EPOLLIN, self.ready)

    def wake_for(self, size: int) -> None:
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, size)

    def ready(self, events: int) -> None:
        try:
            got = self.sock.recv_into(_SCRAP, BLOCK, socket.MSG_TRUNC)
        except BlockingIOError:
            return
        except OSError:  # the sender was reset, or given up
            got = 0
        self.count += got
        if not got or self.count == self.size:
            self.end()
        elif self.size and self.size - self.count < LOWAT:
            self.wake_for(self.size - self.count)

    def end(self) -> None:
        self.ended = True
        self.loop.shut(self.sock)
        if self.done:
            self.done(self)

    def arrived(self) -> int:
        """With what the reader was not yet woken for."""
        if self.ended:
            return self.count
        fcntl.ioctl(self.sock, termios.FIONREAD, _INQ)
        return self.count + int.from_bytes(_INQ, "little")


class Source:
    """Sends `size` bytes and the end, or without end. From connect() or accept() on."""

    def __init__(
        self,
        loop: Loop,
        name: str,
        sock: socket.socket,
        size: int | None = None,
        failed: Callable[[], object] | None = None,
    ) -> None:
        self.loop = loop
        self.name = name
        self.sock = sock
        self.left = size
        self.failed = failed
        loop.watch(sock, select.EPOLLOUT, self.ready)

    def ready(self, events: int) -> None:
        try:
            if self.left is None:
                self.sock.send(_ZEROES)
                return
            self.left -= self.sock.send(_ZEROES[: self.left])
        except BlockingIOError:
            return
        except OSError:  # no answer for minutes
            if self.failed is None:
                raise
            self.loop.shut(self.sock)
            self.failed()
            return
        if not self.left:
            self.sock.shutdown(socket.SHUT_WR)
            self.loop.watch(self.sock, select.EPOLLIN, self.ended)

    def ended(self, events: int) -> None:
        """The receiver has closed, too."""
        self.loop.shut(self.sock)
