# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""How much a run may carry: bits, and packets that the meter must have room for."""

from __future__ import annotations

from typing import Any

Document = dict[str, Any]

SECOND = 10**9
ETHERNET = 14
OTHER = {"up": "down", "down": "up"}
UNLIMITED = 10**9  # bit/s: more than a machine forwards that emulates every instruction
SMALLEST = 1000  # records
PER_CONNECTION = 12  # packets that begin it, ask, and end it
ACKNOWLEDGEMENT = 66  # bytes


def capacity(way: Document, duration: int) -> int:
    """Bits that a direction carries at most."""
    steps = way.get("course") or [[0, way["rate"] or UNLIMITED], *way["rates"]]
    ends = [time for time, _rate in steps[1:]] + [duration]
    return sum(r * max(0, min(e, duration) - s) for (s, r), e in zip(steps, ends)) // SECOND


def frame_packets(item: Document) -> float:
    """Packets a second of an item of frames."""
    larger = (item["key_frame"] - item["frame"]) / item["key_interval"]
    return float(SECOND * (item["frame"] / item["interval"] + larger))


def offered(item: Document) -> float:
    """Bits that an item of traffic may send; TCP is limited by the link."""
    seconds = (item["stop"] - item["start"]) / SECOND
    kind = item["kind"]
    if kind in ("cbr", "onoff"):
        return float(item["rate"] * seconds)
    if kind == "frames":
        return frame_packets(item) * item["size"] * 8 * seconds
    if kind in ("web", "requests"):
        return float(item["rate"] * item["size"] * 8 * seconds)
    return 0.0 if kind in ("ping", "probe") else float("inf")


def heading(document: Document, item: Document) -> tuple[str, range]:
    """Which way an item's data goes, and over which links."""
    begin, end = (document["nodes"].index(item[key]) for key in ("from", "to"))
    return ("up", range(begin, end)) if begin < end else ("down", range(end, begin))


def megabits(document: Document) -> float:
    """Most bits that pass the slowest link of each direction."""
    total = 0.0
    for name in OTHER:
        items = [i for i in document["traffic"] if heading(document, i)[0] == name]
        ways = [link[name] for link in document["links"] if link[name]["rate"]]
        limits = [capacity(way, document["duration"]) for way in ways]
        most = min([sum(map(offered, items)), *limits])
        total += most if most < float("inf") else 0
    return total / 1e6


def small(item: Document) -> int:
    """Packets of an item that are not full, both ways, acknowledgements aside."""
    seconds = (item["stop"] - item["start"]) / SECOND
    kind = item["kind"]
    if kind in ("cbr", "onoff"):
        return round(seconds * item["rate"] / (8 * item["size"]) * 1.1)
    if kind == "frames":
        return round(seconds * frame_packets(item) * 1.1)
    if kind == "requests":
        return round(seconds * item["rate"] * 2.2)
    if kind == "web":
        return round(seconds * item["rate"] * PER_CONNECTION)
    return round(seconds * SECOND / item["interval"] * 2) if kind in ("ping", "probe") else 0


def singles(document: Document) -> int:
    """Packets that a program wakes for, one by one."""
    return sum(small(item) for item in document["traffic"])


def data(document: Document, number: int, name: str) -> int:
    """Bits of TCP's data that may cross a link one way."""
    for item in (
        i for i in document["traffic"] if offered(i) == float("inf") or i["kind"] == "web"
    ):
        way, links = heading(document, item)
        if way == name and number in links:
            return capacity(document["links"][number][name], document["duration"])
    return 0


def records(document: Document) -> int:
    """At every measured direction full packets, acknowledgements of the other way's, and small ones.

    Twice, for what is sent again, and for packets that are not quite full.
    """
    total = SMALLEST
    others = singles(document)
    for number, link in enumerate(document["links"]):
        full = 8 * (link["mtu"] + ETHERNET)
        for name in (n for n in OTHER if link[n]["measure"]):
            own = capacity(link[name], document["duration"]) // (8 * ACKNOWLEDGEMENT)
            packets = data(document, number, name) // full
            packets += min(data(document, number, OTHER[name]) // full, own)
            total += 2 * packets + others
    return total
