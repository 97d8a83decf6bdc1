# SPDX-License-Identifier: GPL-2.0
"""UDP with sequence numbers and time stamps.

    traffic.py sink [--port P] [--log LOG] [--interval SECONDS] > REPORT
    traffic.py send [--OPTION VALUE]... ADDRESS          the options of the class Options

iperf3 tells how many datagrams were lost, these say which, when, how long each of the others was
under way, and what became of its ECN field. The report has lines of source port, key and value, after
one that comes as soon as the sink listens; the log has one for every datagram that arrived:

    <time of arrival, ns> <time of sending, ns> <source port> <sequence number> <TOS byte>

Both ends share a kernel and so a clock; the arrival is stamped by the kernel, so that the delay does
not include the wait of the reader for the processor. The sink ends when it is told to (SIGTERM).
"""

from __future__ import annotations

import signal
import socket
import struct
import sys
import time
from collections.abc import Iterator
from types import FrameType

HEADER = struct.Struct("!QQ")  # sequence number, time of sending in ns
TIMESPEC = struct.Struct("@ll")  # of SO_TIMESTAMPNS, whose numbers are words of the processor
SO_SNDBUFFORCE = 32
SO_RCVBUFFORCE = 33
SO_TIMESTAMPNS = 35
UDP_SEGMENT = 103
BUFFER = 64 << 20
IP_UDP = {socket.AF_INET: 28, socket.AF_INET6: 48}
Line = tuple[int, int, int, int, int]  # of the log
NSEC = 1_000_000_000


class Stopped(Exception):
    """A signal asked for the end."""


def stop(_signum: int, _frame: FrameType | None) -> None:
    raise Stopped


def family(address: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in address else socket.AF_INET


# ---- report -------------------------------------------------------------------------------------


class Flow:
    """The fates of the datagrams from one source port."""

    def __init__(self) -> None:
        self.ecn = [0, 0, 0, 0]
        self.bad_order = 0
        self.lost: list[int] = []
        self.delays_ce: list[int] = []
        self.delays_other: list[int] = []
        self.signals: list[int] = []  # arrivals that were marked, or that follow a loss
        self.first = 0
        self.last = 0
        self.expected = 0

    def add(self, line: Line) -> None:
        arrived, sent, _, sequence, tos = line
        marked = tos & 3 == 3
        self.first = self.first or arrived
        self.last = arrived
        self.ecn[tos & 3] += 1
        (self.delays_ce if marked else self.delays_other).append(arrived - sent)
        if sequence < self.expected:
            self.bad_order += 1
            return
        self.signals += [arrived] * (sequence - self.expected + marked)
        self.lost += range(self.expected, sequence)
        self.expected = sequence + 1

    def schedule(self, interval: float) -> list[float]:
        """How late each signal was against interval/sqrt(count), ms, the first being in time."""
        late = []
        due = 0.0
        for count, arrived in enumerate(self.signals, start=1):
            late.append((arrived - self.signals[0]) / 1e6 - due)
            due += interval * 1e3 / count**0.5
        return late

    def summary(self, interval: float) -> dict[str, object]:
        delays = sorted(self.delays_ce + self.delays_other)
        late = self.schedule(interval)
        return {
            "packets": len(delays),
            "lost": len(self.lost),
            "first_lost": self.lost[0] if self.lost else "none",
            "bad_order": self.bad_order,
            "not_ect": self.ecn[0],
            "ect1": self.ecn[1],
            "ect0": self.ecn[2],
            "ce": self.ecn[3],
            "seconds": (self.last - self.first) / NSEC,
            "delay_min_ms": delays[0] / 1e6,
            "delay_p50_ms": delays[len(delays) // 2] / 1e6,
            "delay_p95_ms": delays[len(delays) * 95 // 100] / 1e6,
            "delay_p99_ms": delays[len(delays) * 99 // 100] / 1e6,
            "delay_max_ms": delays[-1] / 1e6,
            "ce_delay_min_ms": min(self.delays_ce) / 1e6 if self.delays_ce else "none",
            "other_delay_max_ms": max(self.delays_other) / 1e6 if self.delays_other else "none",
            "schedule_earliest_ms": min(late, default="none"),
            "schedule_latest_ms": max(late, default="none"),
        }


def report(seen: list[Line], interval: float) -> Iterator[str]:
    flows: dict[int, Flow] = {}
    for line in seen:
        flows.setdefault(line[2], Flow()).add(line)
    for port, flow in sorted(flows.items()):
        for key, value in flow.summary(interval).items():
            yield f"{port} {key} {value}\n"


# ---- sink ---------------------------------------------------------------------------------------


def listen(port: int) -> socket.socket:
    sock = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
    sock.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, BUFFER)
    sock.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
    sock.setsockopt(socket.IPPROTO_IP, socket.IP_RECVTOS, 1)
    sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_RECVTCLASS, 1)
    sock.bind(("::", port))
    return sock


def receive(sock: socket.socket) -> Line:
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


def sink(opts: Options) -> None:
    seen: list[Line] = []
    signal.signal(signal.SIGTERM, stop)
    sock = listen(opts.port)
    print("# listening", flush=True)
    try:
        while True:
            seen.append(receive(sock))
    except Stopped:
        pass
    if opts.log:
        with open(opts.log, "w", encoding="ascii") as log:
            log.writelines(f"{' '.join(map(str, line))}\n" for line in seen)
    sys.stdout.writelines(report(seen, opts.interval))


# ---- send ---------------------------------------------------------------------------------------


def connect(opts: Options, flow: int) -> socket.socket:
    sock = socket.socket(family(opts.address), socket.SOCK_DGRAM)
    sock.setsockopt(socket.SOL_SOCKET, SO_SNDBUFFORCE, BUFFER)
    if sock.family == socket.AF_INET:
        sock.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, opts.tos)
    else:
        sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_TCLASS, opts.tos)
    if opts.segments > 1:
        sock.setsockopt(socket.IPPROTO_UDP, UDP_SEGMENT, opts.size - IP_UDP[sock.family])
    sock.bind(("", opts.source + flow))
    sock.connect((opts.address, opts.port))
    return sock


def groups(opts: Options) -> Iterator[float]:
    """When, from the start on, each group of datagrams is due."""
    per_group = opts.burst * opts.segments
    every = opts.every or (opts.size * 8 * per_group / opts.rate if opts.rate else 0.0)
    first = every / 2 if opts.head else 0.0
    index = 0
    while index * every < opts.time and (not opts.groups or index < opts.groups):
        yield first + index * every
        index += 1


class Sender:
    """Numbers the datagrams; the flows take turns."""

    def __init__(self, opts: Options) -> None:
        self.socks = [connect(opts, flow) for flow in range(opts.flows)]
        self.padding = bytes(opts.size - IP_UDP[self.socks[0].family] - HEADER.size)
        self.segments = opts.segments
        self.sent = [0] * opts.flows
        self.turn = 0

    def burst(self, number: int) -> None:
        for _ in range(number):
            flow = self.turn
            self.turn = (flow + 1) % len(self.socks)
            first = self.sent[flow]
            self.sent[flow] += self.segments
            now = time.time_ns()
            self.socks[flow].send(
                b"".join(HEADER.pack(n, now) + self.padding for n in range(first, self.sent[flow]))
            )


def send(opts: Options) -> None:
    sender = Sender(opts)
    start = time.monotonic()
    sender.burst(opts.head)
    for due in groups(opts):
        wait = start + due - time.monotonic()
        if wait > 0:
            time.sleep(wait)
        sender.burst(opts.burst)
    print(sum(sender.sent))


# ---- command line -------------------------------------------------------------------------------


class Options:
    """Not argparse: importing it takes as long as most of the traffic."""

    # sink
    port = 5000
    log = ""  # a file for a line for every datagram
    interval = 0.1  # CoDel's, seconds

    # send
    address = ""
    source = 6000  # port of the first flow
    flows = 1  # they take turns
    size = 1250  # length of the IP packet
    tos = 0
    rate = 0.0  # bit/s of IP packets
    burst = 1  # datagrams sent at once
    segments = 1  # datagrams in one, as UDP GSO
    head = 0  # sent half a period before all others
    every = 0.0  # seconds from burst to burst
    groups = 0  # bursts in all
    time = float("inf")  # seconds

    def __init__(self, words: list[str]) -> None:
        names = iter(words)
        for name in names:
            default = getattr(self, name[2:], None)
            if not name.startswith("--") or default is None:
                sys.exit(f"traffic.py: {name} is no option")
            text = next(names, "")
            try:
                value = int(text, 0) if isinstance(default, int) else type(default)(text)
            except ValueError:
                sys.exit(f"traffic.py: {name}: {text!r} is no {type(default).__name__}")
            setattr(self, name[2:], value)


def main(words: list[str]) -> None:
    if words[:1] == ["sink"]:
        sink(Options(words[1:]))
    elif words[:1] == ["send"] and len(words) > 1:
        send(Options([*words[1:-1], "--address", words[-1]]))
    else:
        sys.exit("usage: traffic.py sink|send [--OPTION VALUE]... [ADDRESS]")
