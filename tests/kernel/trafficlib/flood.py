# SPDX-License-Identifier: GPL-2.0
"""UDP from many sources, that are not there: a flood.

    flood.py SOURCES RATE SECONDS ADDRESS

Packets of 1500 bytes at RATE bit/s to the discard port of ADDRESS, each from the next of SOURCES
addresses in 172.16.0.0/12 and as many ports.
"""

from __future__ import annotations

import socket
import struct
import sys
import time

SIZE = 1500
SO_SNDBUFFORCE = 32
PORT = 9  # discard
FIRST = 0xAC100000


def headers(source: int, target: bytes) -> bytes:
    """IP and UDP, both without a checksum."""
    ip = struct.pack("!BBHHHBBH", 0x45, 0, SIZE, 0, 0, 64, socket.IPPROTO_UDP, 0)
    udp = struct.pack("!HHHH", 1024 + source % 60000, PORT, SIZE - 20, 0)
    return ip + struct.pack("!L", FIRST + source) + target + udp


def main(sources: int, rate: float, seconds: float, address: str) -> None:
    heads = [headers(source, socket.inet_aton(address)) for source in range(sources)]
    body = bytes(SIZE - len(heads[0]))
    sock = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
    sock.setsockopt(socket.SOL_SOCKET, SO_SNDBUFFORCE, 64 << 20)
    target = (address, 0)
    start = time.monotonic()
    for n in range(int(rate * seconds / 8 / SIZE)):
        wait = start + n * SIZE * 8 / rate - time.monotonic()
        if wait > 0:
            time.sleep(wait)
        sock.sendto(heads[n % sources] + body, target)


main(int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3]), sys.argv[4])
