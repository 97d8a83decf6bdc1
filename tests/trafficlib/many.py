# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Packets of many flows on a device, and how long the processor is away.

    many.py send DEV FLOWS EACH     EACH packets of every flow, the flows in turn
    many.py watch SECONDS           the longest time that this process was kept from running, us
"""

from __future__ import annotations

import socket
import struct
import sys
import time

SO_SNDBUFFORCE = 32
ETHERNET = bytes.fromhex("020000000001 020000000002 0800")
SIZE = 60  # of a frame
PORT = 9  # discard
FIRST = 0xAC100000  # 172.16.0.0


def frame(flow: int) -> bytes:
    """UDP over IPv4, each flow from another address; without checksums."""
    length = SIZE - len(ETHERNET)
    ip = struct.pack("!BBHHHBBHLL", 0x45, 0, length, 0, 0, 64, 17, 0, FIRST + flow, FIRST)
    udp = struct.pack("!HHHH", 1024, PORT, length - 20, 0)
    return (ETHERNET + ip + udp).ljust(SIZE, b"\0")


def send(device: str, flows: int, each: int) -> None:
    sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
    sock.setsockopt(socket.SOL_SOCKET, SO_SNDBUFFORCE, 1 << 30)
    sock.bind((device, 0))
    for _ in range(each):
        for flow in range(flows):
            sock.send(frame(flow))


def watch(seconds: float) -> None:
    longest = 0
    last = time.monotonic_ns()
    end = last + int(seconds * 1e9)
    while last < end:
        now = time.monotonic_ns()
        longest = max(longest, now - last)
        last = now
    print(longest // 1000)


if sys.argv[1] == "send":
    send(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
else:
    watch(float(sys.argv[2]))
