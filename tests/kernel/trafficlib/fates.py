# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Compares the fates of the packets of one device by the in-tree tracepoints with the statistics of the
qdisc under test in tc.

    tc -s -j qdisc show dev DEV | run.py fates INSTANCE HANDLE

INSTANCE of tracefs has net_dev_queue and net_dev_start_xmit of the device, qdisc_enqueue and
qdisc_dequeue of its root, kfree_skb, and codel_drop and codel_mark. HANDLE is the qdisc's. If it is
not the root, the root must hold no packet itself: one leaves both at once. None may be
queued at the end.

Prints the percentiles from both sides; a line about a difference begins with FAIL.
"""

from __future__ import annotations

import json
import os
import sys
from bisect import bisect_left, bisect_right
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Iterator

from . import trace

PERCENTILES = {"p50_ns": 500, "p90_ns": 900, "p99_ns": 990, "p99_9_ns": 999}  # in thousandths
# ns: how far apart the qdisc and the tracepoint may look at the clock
NEAR = int(5000 * float(os.environ.get("CODEL_TEST_SLACK", "1")))
# An interrupt may come between the two looks at the clock. In timelines 1 to 10 of bookworm and 1 to 3 of trixie, 6 cases each,
# one packet of 5,000 at most was on the other side of a bound, and a maximum was 5.2 us apart
STRAYS = 3
LATE = 4 * NEAR
DROPS = ("codel", "limit", "memory", "change", "filter", "taken", "reset", "ceiling")
MARKS = ("codel", "ce_threshold")
Qdisc = dict[str, Any]


@dataclass
class Packet:
    """One that is between the stack and the device."""

    arrived: int
    queued: int = 0
    left: int = 0


@dataclass
class Fates:
    """Of all packets that were handed to the device."""

    sojourns: list[int] = field(default_factory=list)  # ns, of those that the root had
    bypassed: int = 0
    freed: int = 0
    dropped: Counter[str] = field(default_factory=Counter)  # by codel_drop
    marked: Counter[str] = field(default_factory=Counter)
    waiting: dict[int, Packet] = field(default_factory=dict)
    strange: list[str] = field(default_factory=list)

    def net_dev_queue(self, time: int, values: trace.Values) -> None:
        skb = values["skbaddr"]
        if skb in self.waiting:
            self.strange.append(f"{time}: a packet came that had not left yet")
        self.waiting[skb] = Packet(time)

    def qdisc_enqueue(self, time: int, values: trace.Values) -> None:
        self.waiting[values["skbaddr"]].queued = time

    def qdisc_dequeue(self, time: int, values: trace.Values) -> None:
        packet = self.waiting.get(values["skbaddr"])
        if packet and values["packets"] == 1:
            packet.left = time
        elif values["packets"]:
            self.strange.append(f"{time}: {values['packets']} packets left at once")

    def net_dev_start_xmit(self, _time: int, values: trace.Values) -> None:
        packet = self.waiting.pop(values["skbaddr"])
        if packet.queued:
            self.sojourns.append(packet.left - packet.queued)
        else:
            self.bypassed += 1

    def kfree_skb(self, _time: int, values: trace.Values) -> None:
        if self.waiting.pop(values["skbaddr"], None):
            self.freed += 1

    def codel_drop(self, _time: int, values: trace.Values) -> None:
        self.dropped[DROPS[values["cause"]]] += 1

    def codel_mark(self, _time: int, values: trace.Values) -> None:
        self.marked[MARKS[values["cause"]]] += 1


def follow(events: list[trace.Event]) -> Fates:
    fates = Fates()
    for time, name, values in events:
        getattr(fates, name)(time, values)
    fates.sojourns.sort()
    return fates


# ---- the histogram ------------------------------------------------------------------------------


def bounds() -> Iterator[int]:
    """Lower bounds of the buckets, ns, as documented in codel_delay.h."""
    yield from range(0, 512, 64)
    for octave in range(9, 37):
        yield from range(1 << octave, 2 << octave, 1 << octave - 3)
    yield 1 << 63


BOUNDS = list(bounds())


def bucket_of(time: int) -> int:
    return bisect_right(BOUNDS, time) - 1


def buckets(delay: Qdisc) -> Iterator[str]:
    """Faults in the bounds of the buckets in the output."""
    for shown in delay["buckets"]:
        start, end = shown["from_ns"], shown["to_ns"] or BOUNDS[-1]
        if (start, end) not in zip(BOUNDS, BOUNDS[1:]):
            yield f"FAIL: there is no bucket from {start} to {end} ns"


def percentiles(sojourns: list[int], delay: Qdisc) -> Iterator[str]:
    """A percentile of the qdisc's is the end of a bucket, or the maximum if that is less."""
    for name, share in PERCENTILES.items():
        true, shown = sojourns[-(-share * len(sojourns) // 1000) - 1], delay[name]
        bucket = bucket_of(shown - 1)
        apart = bucket - bucket_of(true)
        yield (
            f"{'FAIL: ' if abs(apart) > 1 else ''}{name}: trace {true}, qdisc {shown}, in the"
            f" bucket from {BOUNDS[bucket]} to {BOUNDS[bucket + 1]}, buckets apart: {apart}"
        )


def shape(sojourns: list[int], delay: Qdisc) -> Iterator[str]:
    """Faults in the histogram: every bound has the same number of packets below it, and the maximum is the same."""
    below = strays = 0
    wrong = []
    for bucket in delay["buckets"]:
        below += bucket["count"]
        end = bucket["to_ns"] or BOUNDS[-1]
        least = bisect_left(sojourns, end - NEAR)
        most = bisect_left(sojourns, end + NEAR)
        strays = max(strays, least - below, below - most)
        if not least - STRAYS <= below <= most + STRAYS:
            wrong.append(f"below {end} ns: {least} to {most} in the trace, the qdisc says {below}")
    yield f"packets on the other side of a bound: {strays}"
    if wrong:
        yield f"FAIL: {len(wrong)} buckets are wrong, the first {wrong[0]}"
    apart = abs(sojourns[-1] - delay["max_ns"])
    yield (
        f"{'FAIL: ' if apart > LATE else ''}maximum: trace {sojourns[-1]}, qdisc"
        f" {delay['max_ns']}"
    )


# ---- the packet accounting ---------------------------------------------------------------------------------


def counts(fates: Fates, qdisc: Qdisc) -> Iterator[tuple[str, int, int]]:
    """Title, value of the trace, value of the qdisc."""
    dropped = {cause: count["packets"] for cause, count in qdisc["dropped"].items()}
    yield "sent", len(fates.sojourns), qdisc["sent"]["packets"]
    yield "in the histogram", len(fates.sojourns), sum(
        b["count"] for b in qdisc["delay"]["buckets"]
    )
    yield "bypassed", fates.bypassed, qdisc["bypassed"]["packets"]
    yield "queued", len(fates.waiting), qdisc["queued"]["packets"]
    yield "freed", fates.freed, sum(dropped.values())
    for cause in DROPS:
        yield f"dropped, {cause}", fates.dropped[cause], dropped[cause]
    for cause in MARKS:
        yield f"marked, {cause}", fates.marked[cause], qdisc["marked"][cause]["packets"]


def compare(fates: Fates, qdisc: Qdisc) -> Iterator[str]:
    for what, seen, said in counts(fates, qdisc):
        if seen != said:
            yield f"FAIL: {what}: {seen} in the trace, the qdisc says {said}"
        elif seen:
            yield f"{what}: {seen}"
    yield from (f"FAIL: {line}" for line in fates.strange)
    yield from buckets(qdisc["delay"])
    yield from percentiles(fates.sojourns, qdisc["delay"])
    yield from shape(fates.sojourns, qdisc["delay"])


def main(words: list[str]) -> None:
    instance, handle = words
    (qdisc,) = (row for row in json.load(sys.stdin) if row["handle"] == handle)
    for line in compare(follow(trace.read(Path(instance))), qdisc):
        print(line)
