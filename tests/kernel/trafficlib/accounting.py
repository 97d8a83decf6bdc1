# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Packet accounting of the out-of-tree qdiscs, and whether it adds up.

Read over netlink and not with tc, so that only the module is judged. Layout: codel_uapi.h.
"""

from __future__ import annotations

import socket
import struct
from typing import Iterator

RTM_GETQDISC, RTM_GETTCLASS = 38, 42
TC_H_ROOT = 0xFFFFFFFF
NLM_DUMP = 0x301
NLMSG_ERROR, NLMSG_DONE = 2, 3
TCA_KIND, TCA_STATS2 = 1, 7
TCA_STATS_QUEUE, TCA_STATS_APP = 3, 4
HEADER, TCMSG = struct.Struct("=IHHII"), struct.Struct("=BxxxiIII")

# Offset of the extended statistics
KINDS = {"codel": 40, "codel_oot": 40, "fq_codel": 48, "fq_codel_oot": 48}
COLLISIONS = 40  # offset; fq_codel only
EXT_STATS = struct.Struct("=30QHHHH")
MORE = struct.Struct("=12Q")  # room for further causes, after wire_bytes
CAUSES = ("codel", "limit", "memory", "change", "filter", "taken", "reset", "ceiling")
FOREVER = 20
STRICT = "strict_parent"


Count = tuple[int, int]  # packets, bytes


class Accounting:
    """Packets and bytes by fate; delays are packets by bucket of sojourn time."""

    def __init__(
        self, ifindex: int, handle: int, kind: str, ext: bytes, drops: int, collisions: int
    ) -> None:
        *numbers, offset, first, count, _ = EXT_STATS.unpack_from(ext)
        counts: list[Count] = list(zip(numbers[:28:2], numbers[1:28:2]))
        self.ifindex = ifindex
        self.handle = handle
        self.kind = kind
        self.received, self.sent, self.queued, self.bypassed = counts[:4]
        self.dropped = dict(zip(CAUSES, counts[4:12]))
        if offset >= EXT_STATS.size + 8 + MORE.size:  # causes that this file has no words for
            more = MORE.unpack_from(ext, EXT_STATS.size + 8)
            self.dropped["other"] = sum(more[:8:2]), sum(more[1:8:2])
        self.marked = dict(zip(("codel", "ce_threshold"), counts[12:14]))
        self.delays = dict(enumerate(struct.unpack_from(f"={count}Q", ext, offset), first))
        self.drops = drops  # as the core counts them
        self.collisions = collisions  # packets on overflow flows

    def faults(self) -> list[str]:
        """Sums that do not add up."""
        found = []
        for unit, i in ("packets", 0), ("bytes", 1):
            fate = self.sent[i] + self.queued[i] + sum(count[i] for count in self.dropped.values())
            if fate != self.received[i]:
                found.append(f"received {self.received[i]} {unit}, and {fate} are accounted for")
        if sum(self.delays.values()) != self.sent[0]:
            found.append(f"sent {self.sent[0]}, and {sum(self.delays.values())} have a delay")
        lost = sum(count[0] for count in self.dropped.values())
        lost -= self.dropped["taken"][0] + self.dropped["reset"][0]
        if lost & 0xFFFFFFFF != self.drops:
            found.append(f"the core counts {self.drops} drops, and there are {lost}")
        return [f"{self.kind} {self.handle >> 16:x}: {what}" for what in found]


def attributes(data: bytes) -> dict[int, bytes]:
    found = {}
    while len(data) >= 4:
        length, kind = struct.unpack_from("=HH", data)
        found[kind & 0x3FFF] = data[4:length]
        data = data[(length + 3) & ~3 :]
    return found


def decode(message: bytes) -> Accounting | None:
    """The accounting of one qdisc; None if the qdisc is not one of these modules."""
    _, ifindex, handle, _, _ = TCMSG.unpack_from(message)
    tb = attributes(message[TCMSG.size :])
    kind = tb[TCA_KIND].rstrip(b"\0").decode()
    stats = attributes(tb.get(TCA_STATS2, b""))
    app = stats.get(TCA_STATS_APP, b"")
    ext = app[KINDS.get(kind, 0) :]
    if kind not in KINDS or len(ext) < EXT_STATS.size:
        return None
    (drops,) = struct.unpack_from("=8xI", stats[TCA_STATS_QUEUE])
    collisions = struct.unpack_from("=Q", app, COLLISIONS)[0] if KINDS[kind] > COLLISIONS else 0
    return Accounting(ifindex, handle, kind, ext, drops, collisions)


def request(kind: int, index: int) -> bytes:
    """Ask for a dump."""
    return HEADER.pack(36, kind, NLM_DUMP, 1, 0) + TCMSG.pack(0, index, 0, 0, 0)


def dump(kind: int, index: int) -> Iterator[bytes]:
    """The messages of a dump, without the headers."""
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as sock:
        sock.send(request(kind, index))
        while True:
            data = sock.recv(1 << 16)
            while data:
                length, answer = struct.unpack_from("=IH", data)
                if answer == NLMSG_DONE:
                    return
                if answer == NLMSG_ERROR:
                    raise OSError(f"dump: {data[16:20].hex()}")
                yield data[16:length]
                data = data[(length + 3) & ~3 :]


def qdiscs(index: int = 0) -> list[bytes]:
    """A message for each qdisc of a device, or (0) in this network namespace."""
    found = dump(RTM_GETQDISC, index)
    return [message for message in found if index in (0, TCMSG.unpack_from(message)[1])]


def kinds() -> set[bytes]:
    """The kinds of all qdiscs in this network namespace."""
    return {attributes(message[TCMSG.size :])[TCA_KIND].rstrip(b"\0") for message in qdiscs()}


def read() -> list[Accounting]:
    """The accounting of all out-of-tree qdiscs in this network namespace."""
    return [found for message in qdiscs() if (found := decode(message))]


# Parents that count packets and no bytes: a drop below them is taken from a backlog that was never added to, which
# wraps (sch_multiq.c of 6.1 and 6.12 has no line about the backlog)
BYTELESS = ("multiq",)


def queued(tb: dict[int, bytes]) -> tuple[str, Count]:
    """The kind of a qdisc, and what it counts as queued: packets and bytes, 0 bytes where they say nothing."""
    kind = tb[TCA_KIND].rstrip(b"\0").decode()
    qlen, backlog = struct.unpack_from("=2I", attributes(tb[TCA_STATS2])[TCA_STATS_QUEUE])
    return kind, (qlen, 0 if kind in BYTELESS else backlog)


def drifts(messages: list[bytes], held: dict[int, Count]) -> list[str]:
    """Parents of a device whose packets and bytes differ from those of their children, and mistakes that a strict
    parent found.

    What parents hold themselves is in `held`, by handle; a strict parent that is not there may hold a packet.
    """
    found, have, below = [], {}, {}
    for message in messages:
        _, _, handle, parent, _ = TCMSG.unpack_from(message)
        tb = attributes(message[TCMSG.size :])
        kind, (qlen, backlog) = queued(tb)
        (mistakes,) = struct.unpack_from("=16xI", attributes(tb[TCA_STATS2])[TCA_STATS_QUEUE])
        if kind == STRICT and mistakes:
            found.append(f"{mistakes} mistakes of the child of {handle >> 16:x}:")
        if kind != STRICT or handle in held:
            have[handle] = kind, (qlen, backlog)
        if parent != TC_H_ROOT:
            packets, length = below.get(parent & 0xFFFF0000, (0, 0))
            below[parent & 0xFFFF0000] = (packets + qlen, length + backlog)
    for handle, (qlen, backlog) in below.items():
        stored = held.get(handle, (0, 0))
        sums = (qlen + stored[0], backlog + stored[1])
        kind, own = have.get(handle, ("", sums))
        if kind in BYTELESS:
            sums = sums[0], 0
        if handle and own != sums:
            found.append(f"{kind} {handle >> 16:x}: has {own}, what is below it {sums};")
    return found


def drifts_anywhere() -> list[str]:
    """The drifts of every device in this namespace."""
    devices = {TCMSG.unpack_from(message)[1] for message in qdiscs()}
    return [f"device {index}: {fault}" for index in devices for fault in drifts(qdiscs(index), {})]


def faults(tree: bool = False) -> list[str]:
    """Sums that do not add up in this namespace; with tree also between parents and children.

    The histogram is read after the other counters, so a packet may be sent in between; a real fault persists.
    """
    found: list[str] = []
    for _ in range(FOREVER):
        found = [fault for one in read() for fault in one.faults()]
        if tree:
            found += drifts_anywhere()
        if not found:
            break
    return found
