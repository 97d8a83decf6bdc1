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
    """Counts what arrives and throws it away."""

    def __init__(self, loop: Loop, name: str, sock: socket.socket) -> None:
        self.loop = loop
        self.name = name
        self.sock = sock
        self.count = 0
        self.ended = False
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, LOWAT)
        loop.watch(sock, select.EPOLLIN, self.ready)

    def ready(self, events: int) -> None:
        try:
            got = self.sock.recv_into(_SCRAP, BLOCK, socket.MSG_TRUNC)
        except BlockingIOError:
            return
        except ConnectionResetError:  # the sender stopped
            got = 0
        self.count += got
        if not got:
            self.ended = True
            self.loop.forget(self.sock)

    def arrived(self) -> int:
        """With what the reader was not yet woken for."""
        if self.ended:
            return self.count
        fcntl.ioctl(self.sock, termios.FIONREAD, _INQ)
        return self.count + int.from_bytes(_INQ, "little")


class Source:
    """Sends `size` bytes, or without end."""

    def __init__(self, loop: Loop, name: str, sock: socket.socket, size: int | None) -> None:
        self.loop = loop
        self.name = name
        self.sock = sock
        self.left = size
        loop.watch(sock, select.EPOLLOUT, self.ready)

    def ready(self, events: int) -> None:
        try:
            if self.left is None:
                self.sock.send(_ZEROES)
                return
            self.left -= self.sock.send(_ZEROES[: self.left])
        except BlockingIOError:
            return
        if not self.left:
            self.loop.forget(self.sock)
            self.sock.shutdown(socket.SHUT_WR)
