# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Takes down what arrives at a device, and when, without a process that has to keep up.

The kernel writes the time, the length and the first bytes of each packet into a ring, which is read
when all is over.
"""

from __future__ import annotations

import mmap
import socket
import struct
from typing import NamedTuple

ETH_P_IP = 0x0800
ETH_P_8021Q = 0x8100
SOL_PACKET = 263
PACKET_RX_RING, PACKET_STATISTICS, PACKET_VERSION = 5, 6, 10
TPACKET_V2 = 1
TP_STATUS_USER = 1
SLOT = 128
BLOCK = 1 << 18
SLOTS = 1 << 18
HEAD = struct.Struct("=IIIHHII")  # tpacket2_hdr: status, len, snaplen, mac, net, sec, nsec
PORT_AT = 14 + 20  # in an Ethernet frame with IPv4
PKTGEN = 0xBE9BE955  # the beginning of its data; the number follows
NSEC = 1_000_000_000


class Arrival(NamedTuple):
    """A frame; number is that of its flow, or the position of its first byte if it is TCP."""

    time: int  # ns
    length: int
    port: int
    number: int
    tcp: bool


class Ring:
    """All IPv4 frames that arrive from now on."""

    def __init__(self, dev: str) -> None:
        self.sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
        self.sock.setsockopt(SOL_PACKET, PACKET_VERSION, TPACKET_V2)
        request = struct.pack("=IIII", BLOCK, SLOTS * SLOT // BLOCK, SLOT, SLOTS)
        self.sock.setsockopt(SOL_PACKET, PACKET_RX_RING, request)
        self.memory = mmap.mmap(self.sock.fileno(), SLOTS * SLOT)
        self.sock.bind((dev, ETH_P_IP))
        self.next = 0
        self.begin = self.end = 0  # what is judged

    def close(self) -> None:
        self.memory.close()
        self.sock.close()

    def count(self) -> int:
        """How many have arrived since the ring was opened."""
        while self.next < SLOTS and HEAD.unpack_from(self.memory, self.next * SLOT)[0]:
            self.next += 1
        if self.next == SLOTS:
            raise OverflowError("more packets than the ring has slots")
        return self.next

    def arrival(self, index: int) -> Arrival:
        at = index * SLOT
        _, length, _, mac, _, sec, nsec = HEAD.unpack_from(self.memory, at)
        frame = self.memory[at + mac : at + SLOT]
        (port,) = struct.unpack_from("!H", frame, PORT_AT)
        tcp = frame[23] == socket.IPPROTO_TCP
        first, second = struct.unpack_from("!II", frame, PORT_AT + (4 if tcp else 8))
        number = second if first == PKTGEN and not tcp else first
        return Arrival(sec * NSEC + nsec, length, port, number, tcp)

    def take(self) -> None:
        """Judge what has arrived since the last call."""
        self.begin, self.end = self.end, self.count()

    def arrivals(self) -> list[Arrival]:
        """What is judged."""
        return [self.arrival(index) for index in range(self.begin, self.end)]
