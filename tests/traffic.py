#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""UDP with sequence numbers and time stamps.

    traffic.py sink [--port P] [--idle S] > LOG
    traffic.py send [options] ADDRESS
    traffic.py report LOG...
    traffic.py schedule --interval S LOG

iperf3 tells how many datagrams were lost, these say which, when, how long each of the others was
under way, and what became of its ECN field: one line for every datagram that arrived,

    <time of arrival, ns> <time of sending, ns> <source port> <sequence number> <TOS byte>

Both ends share a kernel and so a clock; the arrival is stamped by the kernel, so that the delay does
not include the wait of the reader for the processor.
"""

from __future__ import annotations

import argparse
import json
import select
import signal
import socket
import struct
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from types import FrameType

HEADER = struct.Struct("!QQ")  # sequence number, time of sending in ns
TIMESPEC = struct.Struct("@qq")
SO_SNDBUFFORCE = 32
SO_RCVBUFFORCE = 33
SO_TIMESTAMPNS = 35
BUFFER = 64 << 20
IP_UDP = {socket.AF_INET: 28, socket.AF_INET6: 48}
NSEC = 1_000_000_000


class Stopped(Exception):
    """A signal asked for the end."""


def stop(_signum: int, _frame: FrameType | None) -> None:
    raise Stopped


def family(address: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in address else socket.AF_INET


# ---- sink ---------------------------------------------------------------------------------------


def listen(port: int) -> socket.socket:
    sock = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
    sock.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, BUFFER)
    sock.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
    sock.setsockopt(socket.IPPROTO_IP, socket.IP_RECVTOS, 1)
    sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_RECVTCLASS, 1)
    sock.bind(("::", port))
    return sock


def receive(sock: socket.socket) -> tuple[int, int, int, int, int]:
    data, control, _, source = sock.recvmsg(65536, 256)
    sequence, sent = HEADER.unpack_from(data)
    arrived = tos = 0
    for level, kind, value in control:
        if level == socket.SOL_SOCKET and kind == SO_TIMESTAMPNS:
            seconds, ns = TIMESPEC.unpack(value)
            arrived = seconds * NSEC + ns
        elif (level, kind) == (socket.IPPROTO_IP, socket.IP_TOS):
            tos = value[0]
        elif (level, kind) == (socket.IPPROTO_IPV6, socket.IPV6_TCLASS):
            tos = value[0] or value[-1]  # an int of this machine's byte order
    return arrived, sent, source[1], sequence, tos


def sink(opts: argparse.Namespace) -> None:
    sock = listen(opts.port)
    seen: list[tuple[int, int, int, int, int]] = []
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    try:
        while not seen or not opts.idle or select.select([sock], [], [], opts.idle)[0]:
            seen.append(receive(sock))
    except Stopped:
        pass
    sys.stdout.write("".join(f"{' '.join(map(str, line))}\n" for line in seen))


# ---- send ---------------------------------------------------------------------------------------


def connect(opts: argparse.Namespace, flow: int) -> socket.socket:
    sock = socket.socket(family(opts.address), socket.SOCK_DGRAM)
    sock.setsockopt(socket.SOL_SOCKET, SO_SNDBUFFORCE, BUFFER)
    if sock.family == socket.AF_INET:
        sock.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, opts.tos)
    else:
        sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_TCLASS, opts.tos)
    sock.bind(("", opts.source + flow))
    sock.connect((opts.address, opts.port))
    return sock


def groups(opts: argparse.Namespace) -> Iterator[float]:
    """When, from the start on, each group of datagrams is due."""
    every = opts.every or (opts.size * 8 * opts.burst / opts.rate if opts.rate else 0.0)
    index = 0
    while index * every < opts.time and (not opts.groups or index < opts.groups):
        yield index * every
        index += 1


def send(opts: argparse.Namespace) -> None:
    socks = [connect(opts, flow) for flow in range(opts.flows)]
    padding = bytes(opts.size - IP_UDP[socks[0].family] - HEADER.size)
    start = time.monotonic()
    number = 0
    for due in groups(opts):
        wait = start + due - time.monotonic()
        if wait > 0:
            time.sleep(wait)
        for _ in range(opts.burst):
            data = HEADER.pack(number // opts.flows, time.time_ns()) + padding
            socks[number % opts.flows].send(data)
            number += 1
    print(number)


# ---- report -------------------------------------------------------------------------------------


@dataclass
class Flow:
    packets: int = 0
    bad_order: int = 0
    lost: list[int] = field(default_factory=list)
    tos: dict[int, int] = field(default_factory=dict)
    delays: list[int] = field(default_factory=list)
    first: int = 0
    last: int = 0
    expected: int = 0

    def add(self, arrived: int, sent: int, sequence: int, tos: int) -> None:
        self.first = self.first or arrived
        self.last = arrived
        self.packets += 1
        self.tos[tos] = self.tos.get(tos, 0) + 1
        self.delays.append(arrived - sent)
        if sequence < self.expected:
            self.bad_order += 1
            return
        self.lost.extend(range(self.expected, sequence))
        self.expected = sequence + 1

    def summary(self) -> dict[str, object]:
        delays = sorted(self.delays)
        ecn = [0, 0, 0, 0]
        for tos, packets in self.tos.items():
            ecn[tos & 3] += packets
        return {
            "packets": self.packets,
            "lost": len(self.lost),
            "first_lost": self.lost[0] if self.lost else None,
            "bad_order": self.bad_order,
            "not_ect": ecn[0],
            "ect1": ecn[1],
            "ect0": ecn[2],
            "ce": ecn[3],
            "seconds": (self.last - self.first) / NSEC,
            "delay_min_ms": delays[0] / 1e6,
            "delay_p50_ms": delays[len(delays) // 2] / 1e6,
            "delay_p95_ms": delays[len(delays) * 95 // 100] / 1e6,
            "delay_max_ms": delays[-1] / 1e6,
        }


def lines(path: str) -> Iterator[tuple[int, int, int, int, int]]:
    with open(path, encoding="ascii") as log:
        for line in log:
            arrived, sent, port, sequence, tos = map(int, line.split())
            yield arrived, sent, port, sequence, tos


def report(opts: argparse.Namespace) -> None:
    flows: dict[int, Flow] = {}
    for path in opts.log:
        for arrived, sent, port, sequence, tos in lines(path):
            flows.setdefault(port, Flow()).add(arrived, sent, sequence, tos)
    print(json.dumps({str(port): flow.summary() for port, flow in sorted(flows.items())}))


# ---- schedule -----------------------------------------------------------------------------------


def signals(path: str) -> list[int]:
    """When the datagrams arrived that follow a lost one, or that were marked."""
    found = []
    expected = 0
    for arrived, _, _, sequence, tos in lines(path):
        found += [arrived] * (sequence - expected + (tos & 3 == 3))
        expected = sequence + 1
    return found


def schedule(opts: argparse.Namespace) -> None:
    """How late each signal was against interval/sqrt(count), from the first one on."""
    late: list[float] = []
    due = 0.0
    found = signals(opts.log)
    for count, arrived in enumerate(islice(found, opts.signals), start=1):
        late.append((arrived - found[0]) / 1e6 - due)
        due += opts.interval * 1e3 / count**0.5
    print(
        json.dumps(
            {
                "signals": len(found),
                "compared": len(late),
                "earliest_ms": min(late, default=None),
                "latest_ms": max(late, default=None),
            }
        )
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="UDP with sequence numbers and time stamps")
    actions = parser.add_subparsers(required=True)

    action = actions.add_parser("sink", help="print a line for every datagram")
    action.add_argument("--port", type=int, default=5000)
    action.add_argument("--idle", type=float, default=0, help="end after so many silent seconds")
    action.set_defaults(run=sink)

    action = actions.add_parser("send", help="send datagrams, print how many")
    action.add_argument("address")
    action.add_argument("--port", type=int, default=5000)
    action.add_argument("--source", type=int, default=6000, help="port of the first flow")
    action.add_argument("--flows", type=int, default=1, help="take turns")
    action.add_argument("--size", type=int, default=1250, help="length of the IP packet")
    action.add_argument("--tos", type=lambda text: int(text, 0), default=0)
    action.add_argument("--rate", type=float, default=0, help="bit/s of IP packets")
    action.add_argument("--burst", type=int, default=1, help="datagrams sent at once")
    action.add_argument("--every", type=float, default=0, help="seconds from burst to burst")
    action.add_argument("--groups", type=int, default=0, help="bursts in all")
    action.add_argument("--time", type=float, default=float("inf"), help="seconds")
    action.set_defaults(run=send)

    action = actions.add_parser("report", help="JSON: losses, delays and marks per source port")
    action.add_argument("log", nargs="+")
    action.set_defaults(run=report)

    action = actions.add_parser("schedule", help="JSON: signals against the control law")
    action.add_argument("--interval", type=float, required=True, help="seconds")
    action.add_argument("--signals", type=int, default=None, help="compare the first so many")
    action.add_argument("log")
    action.set_defaults(run=schedule)

    opts = parser.parse_args()
    opts.run(opts)


if __name__ == "__main__":
    main()
