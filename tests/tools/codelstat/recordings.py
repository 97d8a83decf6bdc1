# SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
"""Netlink messages, and recordings made of them."""

from __future__ import annotations

import struct
import tempfile
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Iterator

from cases import RECORDING

RECORD_HEADER, RECORD_HEAD = 16, 24
DONE, NEWLINK, NEWQDISC, NEWTCLASS = 3, 16, 36, 40
ROOT = 0xFFFFFFFF
NESTED = 0x8000


def attribute(kind: int, payload: bytes) -> bytes:
    return struct.pack("=HH", 4 + len(payload), kind) + payload + bytes(-len(payload) % 4)


def message(kind: int, body: bytes, sequence: int = 0) -> bytes:
    multi = 2
    return struct.pack("=IHHII", 16 + len(body), kind, multi, sequence, 0) + body


def link(ifindex: int, name: bytes, sequence: int = 0) -> bytes:
    body = struct.pack("=BxHiII", 0, 0, ifindex, 0, 0) + attribute(3, name + b"\0")
    return message(NEWLINK, body, sequence)


def _tc(ifindex: int, handle: int, parent: int, kind: bytes) -> bytes:
    return struct.pack("=BxxxiIII", 0, ifindex, handle, parent, 0) + attribute(1, kind + b"\0")


def qdisc(
    ifindex: int,
    handle: int,
    kind: bytes = b"codel",
    sequence: int = 0,
    more: bytes = b"",
    parent: int = ROOT,
) -> bytes:
    """Nothing but its kind, and these attributes."""
    return message(NEWQDISC, _tc(ifindex, handle, parent, kind) + more, sequence)


def codel_oot(
    ifindex: int,
    handle: int,
    nest: bytes,
    ceiling_drops: int = 0,
    kind: bytes = b"codel_oot",
    parent: int = ROOT,
    wire: int | None = None,
) -> bytes:
    """An out-of-tree codel with these attributes in its nest. The ceiling has dropped packets of 100
    bytes, as many as left. Modules without a shaper do not send the bytes on the wire."""
    counts = [0] * 28
    counts[0:2] = [2 * ceiling_drops, 200 * ceiling_drops]  # received
    counts[2:4] = counts[22:24] = [ceiling_drops, 100 * ceiling_drops]  # sent, and the last cause
    more = b"" if wire is None else struct.pack("=Q", wire)
    app = bytes(40) + struct.pack("=30Q4H", *counts, 0, 0, 248 + len(more), 0, 0, 0) + more
    basic = attribute(1, struct.pack("=QI4x", 100 * ceiling_drops, ceiling_drops))
    options = attribute(2, struct.pack("=I", 1000)) + attribute(64 | NESTED, nest)
    more = attribute(2, options) + attribute(7, basic + attribute(4, app))
    return qdisc(ifindex, handle, kind, more=more, parent=parent)


def sharing(
    ifindex: int,
    handle: int,
    sent: int,
    waits: int,
    members: int,
    parent: int = ROOT,
    kind: bytes = b"codel_oot",
    rate: int = 2500000,
    drops: int = 0,
    cut: int = 0,
    queued: int = 2,
) -> bytes:
    """An out-of-tree qdisc that shares its rate with other members of a link: it has sent packets of 100 bytes, 125 on the
    wire, half of which waited for 4.5 ms, and half for 45 ms. CoDel has dropped `drops`. `waits` slices waited, for 1 ms
    each, and 7 did not. It has three flows. `cut` bytes are missing at the end."""
    counts = [0] * 28
    counts[0:4] = [sent + drops, 100 * (sent + drops), sent, 100 * sent]
    counts[8:10] = [drops, 100 * drops]  # the first cause
    delays = [0] * 36
    delays[8] = delays[35] = sent // 2  # from bucket 104 on: 4.19 to 4.72 ms, 41.9 to 46.1 ms
    delay = 104, 8 * len(delays)
    fixed = struct.pack("=30Q4H", *counts, 0, 50_000_000, 360, delay[0], len(delays), 0)
    fixed += struct.pack("=Q", 125 * sent) + bytes(96) + struct.pack("=II", 360 + delay[1], 0)
    part = struct.pack("=4QII", waits + 7, waits, waits * 1_000_000, 0, members, 3)
    head = bytes(48 if kind.startswith(b"fq_") else 40)
    app = head + fixed + struct.pack(f"={len(delays)}Q", *delays) + part
    app = app[: len(app) - cut]
    basic = attribute(1, struct.pack("=QI4x", 100 * sent, sent))
    queue = attribute(3, struct.pack("=5I", queued, 100 * queued, drops, 0, 0))
    options = attribute(1, struct.pack("=I", 5000)) + attribute(2, struct.pack("=I", 1000))
    options += attribute(3, struct.pack("=I", 100000))
    options += attribute(64 | NESTED, attribute(6, struct.pack("=Q", rate)))
    more = attribute(2, options) + attribute(7, basic + queue + attribute(4, app))
    return qdisc(ifindex, handle, kind, more=more, parent=parent)


def flow(ifindex: int, classid: int, xstats: bytes = struct.pack("=I", 1)) -> bytes:
    """A class of fq_codel; its statistics begin with their type, which is 1."""
    stats = attribute(7, attribute(4, xstats))
    return message(NEWTCLASS, _tc(ifindex, classid, classid & 0xFFFF0000, b"fq_codel") + stats)


@contextmanager
def stored(data: bytes) -> Iterator[str]:
    """The path of a file with these bytes, as long as it is a context."""
    with tempfile.NamedTemporaryFile(suffix=".rec") as file:
        file.write(data)
        file.flush()
        yield file.name


def in_tree(ifindex: int, handle: int, drops: int, overlimit: int, overmemory: int = 0) -> bytes:
    """An in-tree fq_codel that has dropped as many packets: in all, for a limit, and of these for memory."""
    app = struct.pack("=10I", 0, 0, overlimit, 0, 0, 0, 0, 0, 0, overmemory)
    queue = struct.pack("=5I", 0, 0, drops, 0, 0)
    stats = attribute(7, attribute(3, queue) + attribute(4, app))
    return qdisc(ifindex, handle, b"fq_codel", more=stats)


def cake(ifindex: int, handle: int, rate: int, tins: list[tuple[int, int, int, int]]) -> bytes:
    """Of each tin: average and peak delay, us, packets dropped and marked."""
    stats = b""
    for number, values in enumerate(tins, 1):
        fields = zip((19, 18, 4, 8), values)  # TCA_CAKE_TIN_STATS_*
        tin = b"".join(attribute(n, struct.pack("=I", v)) for n, v in fields)
        stats += attribute(number | NESTED, tin)
    app = attribute(4 | NESTED, attribute(10 | NESTED, stats))  # TCA_CAKE_STATS_TIN_STATS
    options = attribute(2 | NESTED, attribute(2, struct.pack("=Q", rate)))
    return qdisc(ifindex, handle, b"cake", more=options + attribute(7, app))


def recording(body: bytes, snapshots: int = 2, apart: float = 1) -> AbstractContextManager[str]:
    """A file of snapshots that all have this body. `apart` is the time between two of them, s."""
    return recording_of([body] * snapshots, apart)


def recording_of(bodies: list[bytes], apart: float = 1) -> AbstractContextManager[str]:
    """A file of snapshots with these bodies."""
    data = Path(RECORDING).read_bytes()[:RECORD_HEADER]
    for number, body in enumerate(bodies):
        at = round(number * apart * 1e9)
        data += struct.pack("=QQII", at, at, len(body), 0) + body
    return stored(data)
