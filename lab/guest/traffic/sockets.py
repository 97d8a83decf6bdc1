# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Sockets of the nodes: one belongs to the network namespace in which it was made."""

from __future__ import annotations

import errno
import os
import socket

from namespace import inside

SO_SNDBUFFORCE = 32
SO_RCVBUFFORCE = 33
SO_TIMESTAMPNS = 35
SO_MARK = 36
IP_BIND_ADDRESS_NO_PORT = 24
BUFFER = 64 << 20  # of datagrams: what is lost is lost in a queue
BACKLOG = 4096
ECN_MARK = 3168  # of sockets that ask for ECN


class Network:
    """The nodes' addresses."""

    def __init__(self, addresses: dict[str, str]) -> None:
        self.addresses = addresses

    def socket(self, node: str, kind: int, port: int = 0) -> socket.socket:
        """Bound to the node's address."""
        with inside(node):
            sock = socket.socket(socket.AF_INET, kind | socket.SOCK_NONBLOCK)
        if port:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        else:  # found at connect(), when it is known which are free
            sock.setsockopt(socket.IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, 1)
        sock.bind((self.addresses[node], port))
        return sock

    def connect(self, node: str, peer: str, port: int, cc: str, ecn: bool) -> socket.socket:
        """It is under way. With ecn it asks for it: see ecn.py."""
        sock = self.socket(node, socket.SOCK_STREAM)
        _congestion(sock, cc)
        if ecn:
            sock.setsockopt(socket.SOL_SOCKET, SO_MARK, ECN_MARK)
        error = sock.connect_ex((self.addresses[peer], port))
        if error not in (0, errno.EINPROGRESS):
            raise OSError(error, os.strerror(error))
        return sock

    def listener(self, node: str, port: int, cc: str | None = None) -> socket.socket:
        """What it accepts has its congestion control."""
        sock = self.socket(node, socket.SOCK_STREAM, port)
        _congestion(sock, cc)
        sock.listen(BACKLOG)
        return sock

    def udp(self, node: str, port: int = 0) -> socket.socket:
        """With the kernel's time stamps on what arrives."""
        sock = self.socket(node, socket.SOCK_DGRAM, port)
        sock.setsockopt(socket.SOL_SOCKET, SO_SNDBUFFORCE, BUFFER)
        sock.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, BUFFER)
        sock.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        return sock


def _congestion(sock: socket.socket, cc: str | None) -> None:
    """The kernel loads the module by itself."""
    if cc is None:
        return
    try:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, cc.encode())
    except FileNotFoundError:
        raise OSError(f"this kernel has no congestion control '{cc}'") from None
