# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""A capture that holds its packets: run.py capture DEV.

The socket has no ring, so that every captured packet is a clone of the one that goes on. A
line is printed when it is open. After a line on standard input, the packets are read, and a line
has the number of UDP packets over IPv4, and of those with Congestion Experienced.
"""

from __future__ import annotations

import socket
import sys

ETH_P_ALL = 0x0003  # also packets that a bridge takes
ETH_P_IP = 0x0800
SO_RCVBUFFORCE = 33
CE = 3


def packets(sock: socket.socket) -> list[bytes]:
    """Everything that waits in the socket."""
    found: list[bytes] = []
    while True:
        try:
            found.append(sock.recv(65536))
        except BlockingIOError:
            return found


def is_udp(data: bytes) -> bool:
    """Over IPv4, without a VLAN tag."""
    ethertype = int.from_bytes(data[12:14], "big")
    return ethertype == ETH_P_IP and data[23] == socket.IPPROTO_UDP


def main(words: list[str]) -> None:
    (dev,) = words
    sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
    sock.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 30)
    sock.bind((dev, ETH_P_ALL))
    sock.setblocking(False)
    print("open", flush=True)
    sys.stdin.readline()
    udp = [data for data in packets(sock) if is_udp(data)]
    print(len(udp), sum(data[15] & CE == CE for data in udp), flush=True)
