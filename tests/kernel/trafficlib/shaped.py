# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The other end of shaped.sh: sends to a shaped device, and judges when the packets arrive.

All commands of probe.py, and:

    record DEV                        take down what arrives there, with times
    whole                             judge everything since record
    recorded                          the number of frames so far
    take                              judge what has arrived since the last one, or since record
    put DEV COUNT [size=N...] [flow=N...]     frames at once; sizes and flows take turns
    load DEV RATE [as for put]        RATE bit/s of frames from now on, in the background
    unload                            end of it; the number of frames
    super DEV COUNT size=N segment=N [flow=N]   super-packets of TCP with N bytes of data each, in
                                      segments; the number of bytes
    pace RATE [wire=LEN:N,...]        frames, and how early and how late the earliest and the latest of
                                      them came, us: each after the time on the wire, at RATE bit/s, of
                                      all that came between the first one and it; and the rate from the first
                                      to the last, as a part of RATE. A frame of LEN bytes has N bytes on the wire
    seconds RATE [as for pace]        the lowest and the highest rate in any second, as a part of RATE
    order                             frames, how many of those that were numbered before are missing,
                                      and how many came late
    stream                            bytes of TCP, and how many segments do not continue the one before
    lengths                           LENGTH:FRAMES of each length
    goodput                           bit/s of frames between the first and the last
"""

from __future__ import annotations

import bisect
import itertools
import os
import socket
import struct
import time
from collections import Counter

from . import probe
from .ring import NSEC, SOL_PACKET, Arrival, Ring

PACKET_VNET_HDR = 15
VNET = struct.Struct("=BBHHHH")
NEEDS_CSUM, GSO_TCPV4 = 1, 1
TCP_HEADERS = 14 + 20 + 20
ADDRESSES = socket.inet_aton("10.9.3.1") + socket.inet_aton("10.9.3.2")
PERIOD = 0.002  # s, between two looks at the clock
AHEAD = 0.02  # s of the link, that a load sends at once

rings: list[Ring] = []

# Kernels before 6.5 leave the timer of the shaper to ksoftirqd, which is to come first
os.nice(19)


# ---- sending ------------------------------------------------------------------------------------


class Numbered:
    """Frames, each with a number of its flow."""

    def __init__(self, dev: str, words: list[str]) -> None:
        given = probe.options(words)
        self.sock = probe.opened(dev, probe.handle(given.get("prio", ["0:0"])[0]))
        sizes = [int(size) for size in given.get("size", ["1000"])]
        flows = [int(flow) for flow in given.get("flow", ["0"])]
        parts = [[self.part(size, flow) for size in sizes] for flow in flows]
        # the flows take turns, and each of them sends all sizes
        self.turns = itertools.cycle(itertools.chain.from_iterable(zip(*parts)))

    @staticmethod
    def part(size: int, flow: int) -> tuple[int, int, bytes, bytes]:
        data = probe.frame(size, flow)
        return size, flow, data[: probe.HEADERS], data[probe.HEADERS + 4 :]

    def send(self) -> int:
        """The bytes of one frame."""
        size, flow, head, rest = next(self.turns)
        number = numbers[flow]
        numbers[flow] = number + 1
        probe.transmit(self.sock, head + struct.pack("!I", number) + rest)
        return size


numbers: Counter[int] = Counter()
stream_sent: Counter[int] = Counter()


def put(dev: str, count: str, *words: str) -> str:
    frames = Numbered(dev, list(words))
    for _ in range(int(count)):
        frames.send()
    return count


class Load(probe.Sender):
    """At a rate of bits, however long a frame is."""

    def __init__(self, dev: str, rate: float, words: list[str]) -> None:
        super().__init__()
        self.frames = Numbered(dev, words)
        self.rate = rate / 8

    def run(self) -> None:
        begin = time.monotonic()
        sent = 0
        while not self.stop:
            due = (time.monotonic() - begin + AHEAD) * self.rate
            while sent < due:
                sent += self.frames.send()
                self.sent += 1
            time.sleep(PERIOD)


def load(dev: str, rate: str, *words: str) -> str:
    probe.running.append(Load(dev, float(rate), list(words)))
    probe.running[-1].start()
    return ""


def unload() -> str:
    return probe.calm()


def tcp_super(data: int, segment: int, flow: int, position: int) -> bytes:
    """With the header that tells the kernel how to segment it."""
    length = 40 + data
    fields = [0x45, 0, length, 0, 0, 64, socket.IPPROTO_TCP, 0]
    fields[7] = probe.checksum(struct.pack("!BBHHHBBH", *fields) + ADDRESSES)
    ip = struct.pack("!BBHHHBBH", *fields) + ADDRESSES
    pseudo = ADDRESSES + struct.pack("!HH", socket.IPPROTO_TCP, 20 + data)
    partial = ~probe.checksum(pseudo) & 0xFFFF
    tcp = struct.pack("!HHIIBBHHH", 1024 + flow, 9, position, 1, 0x50, 0x10, 0xFFFF, partial, 0)
    gso = GSO_TCPV4 if data > segment else 0
    head = VNET.pack(NEEDS_CSUM, gso, TCP_HEADERS, segment if gso else 0, 34, 16)
    return head + probe.ETHERNET + ip + tcp + bytes(data)


def send_super(dev: str, count: str, *words: str) -> str:
    given = probe.options(list(words))
    sizes = [int(size) for size in given["size"]]
    (segment,) = [int(size) for size in given["segment"]]
    flow = int(given.get("flow", ["0"])[0])
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as sock:
        sock.setsockopt(socket.SOL_SOCKET, probe.SO_SNDBUFFORCE, probe.ENDLESS)
        sock.setsockopt(SOL_PACKET, PACKET_VNET_HDR, 1)
        sock.bind((dev, 0))
        for number in range(int(count)):
            data = sizes[number % len(sizes)]
            probe.transmit(sock, tcp_super(data, segment, flow, stream_sent[flow]))
            stream_sent[flow] += data
    return str(stream_sent[flow])


# ---- judging ------------------------------------------------------------------------------------


def record(dev: str) -> str:
    while rings:
        rings.pop().close()
    rings.append(Ring(dev))
    return ""


def recorded() -> str:
    return str(rings[0].count())


def take() -> str:
    rings[0].take()
    return ""


def whole() -> str:
    take()
    rings[0].begin = 0
    return ""


def given_arrivals(least: int) -> list[Arrival]:
    found = rings[0].arrivals()
    if len(found) < least:
        raise LookupError(f"{len(found)} frames have arrived")
    return found


def busy(found: list[Arrival], rate: float, words: tuple[str, ...]) -> list[int]:
    """The time that the link has taken for all frames before each, ns."""
    table = {}
    for pair in ",".join(probe.options(list(words)).get("wire", [])).split(","):
        if pair:
            length, _, wire = pair.partition(":")
            table[int(length)] = int(wire)
    if table and not {one.length for one in found} <= table.keys():
        raise LookupError("the length of a frame is not in the table")
    sent = 0
    times = []
    for one in found:
        times.append(round(sent * 8 * NSEC / rate))
        sent += table.get(one.length, one.length)
    return times


def pace(rate: str, *words: str) -> str:
    found = given_arrivals(2)
    due = busy(found, float(rate), words)
    late = [one.time - found[0].time - when for one, when in zip(found, due)]
    part = due[-1] / (found[-1].time - found[0].time)
    return f"{len(found)} {min(late) / 1e3:.1f} {max(late) / 1e3:.1f} {part:.6f}"


def seconds(rate: str, *words: str) -> str:
    """From one arrival to the first that is a second later, so that no packet is cut in two."""
    found = given_arrivals(2)
    due = busy(found, float(rate), words)
    times = [one.time for one in found]
    parts = []
    for first, begin in enumerate(times):
        last = bisect.bisect_left(times, begin + NSEC)
        if last < len(times):
            parts.append((due[last] - due[first]) / (times[last] - begin))
    if not parts:
        raise LookupError("the frames have arrived within a second")
    return f"{min(parts):.6f} {max(parts):.6f}"


def order() -> str:
    last: dict[int, int] = {}
    missing = late = 0
    found = given_arrivals(1)
    for one in found:
        before = last.get(one.port)
        if before is not None and one.number <= before:
            late += 1
            continue
        missing += 0 if before is None else one.number - before - 1
        last[one.port] = one.number
    return f"{len(found)} {missing} {late}"


def stream() -> str:
    due: dict[int, int] = {}
    total = breaks = 0
    for one in given_arrivals(1):
        if not one.tcp:
            continue
        data = one.length - TCP_HEADERS
        breaks += one.number != due.get(one.port, 0)
        due[one.port] = one.number + data
        total += data
    return f"{total} {breaks}"


def lengths() -> str:
    found = Counter(one.length for one in given_arrivals(1))
    return " ".join(f"{length}:{count}" for length, count in sorted(found.items()))


def goodput() -> str:
    found = given_arrivals(2)
    size = sum(one.length for one in found[:-1])
    return f"{size * 8 * NSEC / (found[-1].time - found[0].time):.0f}"


probe.COMMANDS.update(
    {
        "record": record,
        "recorded": recorded,
        "take": take,
        "whole": whole,
        "put": put,
        "load": load,
        "unload": unload,
        "super": send_super,
        "pace": pace,
        "seconds": seconds,
        "order": order,
        "stream": stream,
        "lengths": lengths,
        "goodput": goodput,
    }
)
main = probe.main
