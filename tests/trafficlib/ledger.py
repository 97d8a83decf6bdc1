# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""What a qdisc of ours says became of its packets, and whether it adds up.

Read from netlink itself, not from tc: it is the module that is judged. Layout: codel_uapi.h.
"""

from __future__ import annotations

import socket
import struct
from typing import Iterator

RTM_GETQDISC = 38
NLM_DUMP = 0x301
NLMSG_ERROR, NLMSG_DONE = 2, 3
TCA_KIND, TCA_STATS2 = 1, 7
TCA_STATS_QUEUE, TCA_STATS_APP = 3, 4
HEADER, TCMSG = struct.Struct("=IHHII"), struct.Struct("=BxxxiIII")

KINDS = {"codel": 40, "codel_oot": 40, "fq_codel": 48, "fq_codel_oot": 48}  # where ours begins
SHARED = 40  # of fq_codel, behind the statistics of the in-tree one
SIGHT = struct.Struct("=30QHHHH")
CAUSES = ("codel", "limit", "memory", "change", "filter", "taken", "reset", "ceiling")
FOREVER = 20
STRICT = b"strict_parent"


Count = tuple[int, int]  # packets, bytes


class Ledger:
    """Packets and bytes by what became of them; delays are packets by bucket of sojourn time."""

    def __init__(
        self, ifindex: int, handle: int, kind: str, ours: bytes, drops: int, shared: int
    ) -> None:
        *numbers, offset, first, count, _ = SIGHT.unpack_from(ours)
        counts: list[Count] = list(zip(numbers[:28:2], numbers[1:28:2]))
        self.ifindex = ifindex
        self.handle = handle
        self.kind = kind
        self.received, self.sent, self.queued, self.bypassed = counts[:4]
        self.dropped = dict(zip(CAUSES, counts[4:12]))
        self.marked = dict(zip(("codel", "ce_threshold"), counts[12:14]))
        self.delays = dict(enumerate(struct.unpack_from(f"={count}Q", ours, offset), first))
        self.drops = drops  # as the core counts them
        self.shared = shared  # packets that found no idle queue

    def faults(self) -> list[str]:
        """What does not add up."""
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


def decode(message: bytes) -> Ledger | None:
    """Of one qdisc; None if it is not ours."""
    _, ifindex, handle, _, _ = TCMSG.unpack_from(message)
    tb = attributes(message[TCMSG.size :])
    kind = tb[TCA_KIND].rstrip(b"\0").decode()
    stats = attributes(tb.get(TCA_STATS2, b""))
    app = stats.get(TCA_STATS_APP, b"")
    ours = app[KINDS.get(kind, 0) :]
    if kind not in KINDS or len(ours) < SIGHT.size:
        return None
    (drops,) = struct.unpack_from("=8xI", stats[TCA_STATS_QUEUE])
    shared = struct.unpack_from("=Q", app, SHARED)[0] if KINDS[kind] > SHARED else 0
    return Ledger(ifindex, handle, kind, ours, drops, shared)


def qdiscs() -> list[bytes]:
    """A message for each qdisc in this network namespace."""
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as sock:
        sock.send(HEADER.pack(36, RTM_GETQDISC, NLM_DUMP, 1, 0) + TCMSG.pack(0, 0, 0, 0, 0))
        return list(messages(sock))


def kinds() -> set[bytes]:
    """Of all qdiscs in this network namespace."""
    return {attributes(message[TCMSG.size :])[TCA_KIND].rstrip(b"\0") for message in qdiscs()}


def read() -> list[Ledger]:
    """All qdiscs of ours in this network namespace."""
    return [found for message in qdiscs() if (found := decode(message))]


def drifts() -> list[str]:
    """Parents that have other sums than their children, and mistakes that a strict parent found."""
    found, have, below = [], {}, {}
    for message in qdiscs():
        _, _, handle, parent, _ = TCMSG.unpack_from(message)
        tb = attributes(message[TCMSG.size :])
        stats = attributes(tb[TCA_STATS2])[TCA_STATS_QUEUE]
        qlen, backlog, _, _, mistakes = struct.unpack_from("=5I", stats)
        if tb[TCA_KIND].rstrip(b"\0") != STRICT:  # may have set a packet aside
            have[handle] = (qlen, backlog)
        elif mistakes:
            found.append(f"{mistakes} mistakes of the child of {handle >> 16:x}:")
        packets, length = below.get(parent & 0xFFFF0000, (0, 0))
        below[parent & 0xFFFF0000] = (packets + qlen, length + backlog)
    for handle, sums in below.items():
        if handle and have.get(handle, sums) != sums:
            found.append(f"{handle >> 16:x}: has {have[handle]}, what is below it {sums}")
    return found


def messages(sock: socket.socket) -> Iterator[bytes]:
    """What a dump that was asked for consists of, without the headers."""
    while True:
        data = sock.recv(1 << 17)
        while data:
            length, kind = struct.unpack_from("=IH", data)
            if kind == NLMSG_DONE:
                return
            if kind == NLMSG_ERROR:
                raise OSError(f"dump: {data[16:20].hex()}")
            yield data[16:length]
            data = data[(length + 3) & ~3 :]


def faults(tree: bool = False) -> list[str]:
    """What does not add up in this namespace; with tree also between parents and children. A delay is read after the rest of the ledger, so
    a packet may be in between; a real difference does not go away."""
    found: list[str] = []
    for _ in range(FOREVER):
        found = [fault for ledger in read() for fault in ledger.faults()]
        if tree:
            found += drifts()
        if not found:
            break
    return found
