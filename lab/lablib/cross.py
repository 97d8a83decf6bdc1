# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Conditions between the values of a scenario."""

from __future__ import annotations

import contextlib
from difflib import get_close_matches
from typing import Callable

from .check import DIRECTIONS, Absent, Reader, Table, absent
from .locate import Path
from .tree import Tree, suggestion
from .units import SIZE, TIME, show

SUBJECT = "subject"
RESERVED = "wire"  # the guest's own namespace, where delays are
MOST_ITEMS = 100  # each owns 100 ports, below those that the kernel chooses
HEADERS = {"ping": 28, "cbr": 0, "onoff": 0, "frames": 0, "requests": 0, "probe": 0}  # over `size`

Check = Callable[[Reader, Table], None]


def chain(reader: Reader, found: Table) -> None:
    nodes, links = len(found["nodes"]), len(found["links"])
    if links != nodes - 1:
        reader.wrong(("link",), f"{links} for {nodes} nodes: a chain of them has {nodes - 1}")
    if RESERVED in found["nodes"]:
        reader.wrong(
            ("nodes", found["nodes"].index(RESERVED)), f'a node cannot be called "{RESERVED}"'
        )


def times(reader: Reader, found: Table) -> None:
    for name in ("warmup", "series"):
        with contextlib.suppress(Absent):
            if found[name] and found[name] >= found["duration"]:
                reader.wrong((name,), f"not before the end, {TIME.format(found['duration'])}")


def elsewhere(found: Table) -> bool:
    """A compared qdisc is for a queue in another device."""
    return any("bottleneck" in one["qdisc"].split() for one in found["qdiscs"].values())


def subjects(reader: Reader, found: Table) -> None:
    """The compared qdisc has a place, and the place has a qdisc."""
    every = [(n, d) for n in found["links"] for d in DIRECTIONS]
    ways = [(link, d) for link, d in every if link[d].get("qdisc") == SUBJECT]
    mistyped = [(link, d) for link, d in every if resembles_subject(link[d].get("qdisc"))]
    for link, direction in mistyped:
        where = place(reader, link, direction, "qdisc")
        reader.wrong(where, f"{show(link[direction]['qdisc'])}: did you mean {SUBJECT}?")
    if found["qdiscs"] and not ways and not mistyped:
        reader.wrong(("qdiscs",), f'no link has qdisc = "{SUBJECT}"')
    if ways and not found["qdiscs"]:
        link, direction = ways[0]
        reader.wrong(place(reader, link, direction, "qdisc"), "there are no [qdiscs]")
    for link, direction in ways:
        if not link[direction].get("rate", True) and not elsewhere(found):
            where = place(reader, link, direction, "qdisc")
            reader.warn(where, "this direction has no rate, so no queue builds up in the qdisc")


def resembles_subject(words: str | None) -> bool:
    return words is not None and words != SUBJECT and bool(get_close_matches(words, [SUBJECT]))


def written(tree: Tree, path: Path) -> Path:
    """Where a direction's key was given: its own, or in its link."""
    own = len(path) < 4 or path[0] != "link" or tree.get(path[:4]) is not None
    return path if own else (*path[:2], *path[3:])


def place(reader: Reader, link: Table, direction: str, key: str) -> Path:
    return written(reader.tree, ("link", link["name"], direction, key))


def rates(reader: Reader, found: Table) -> None:
    for link in found["links"]:
        for direction in DIRECTIONS:
            with contextlib.suppress(Absent):
                way = link[direction]
                where = place(reader, link, direction, "rates")
                if way["rates"] and not way["rate"]:
                    reader.wrong(where, "there is no rate to start with")
                if way["rates"] and way["rates"][-1][0] >= found["duration"]:
                    last = (*where, len(way["rates"]) - 1)
                    reader.wrong(last, f"not before the end, {TIME.format(found['duration'])}")


def delays(reader: Reader, found: Table) -> None:
    """netem is the root qdisc of a direction with a delay and no queue: only there it can be changed."""
    for link, direction in ((n, d) for n in found["links"] for d in DIRECTIONS):
        with contextlib.suppress(Absent):
            way = link[direction]
            where = place(reader, link, direction, "delays")
            if way["delays"] and (way["rate"] or way["qdisc"] or not way["delay"]):
                reader.wrong(
                    where,
                    "only a direction with a delay, and without rate and qdisc, has later ones",
                )
            if way["delays"] and way["delays"][-1][0] >= found["duration"]:
                last = (*where, len(way["delays"]) - 1)
                reader.wrong(last, f"not before the end, {TIME.format(found['duration'])}")


def hosts(reader: Reader, found: Table) -> None:
    nodes = found["nodes"]
    for name, host in found["hosts"].items():
        if name not in nodes:
            reader.wrong(("host", name), f"{name} is no node ({suggestion(name, nodes)})")
            continue
        with contextlib.suppress(Absent):
            if host["tunnel"] and host["tunnel"] not in nodes[nodes.index(name) + 1 :]:
                reader.wrong(("host", name, "tunnel"), f"{host['tunnel']} is no node behind {name}")
    tunnels = [name for name, host in found["hosts"].items() if host.get("tunnel")]
    for name in tunnels[1:]:
        reader.wrong(("host", name, "tunnel"), f"{tunnels[0]} has one, too: there can be one")


def traffic(reader: Reader, found: Table) -> None:
    if all(absent(item) for item in found["traffic"]):
        reader.wrong(("traffic",), "there is none")
    if len(found["traffic"]) > MOST_ITEMS:
        reader.wrong(("traffic",), f"{len(found['traffic'])} items: at most {MOST_ITEMS}")
    for item in found["traffic"]:
        for check in (ends, spell, fits):
            with contextlib.suppress(Absent):
                check(reader, item, found)


def ends(reader: Reader, item: Table, found: Table) -> None:
    path = ("traffic", item["name"])
    for key in ("from", "to"):
        if item[key] not in found["nodes"]:
            hint = suggestion(item[key], found["nodes"])
            reader.wrong((*path, key), f"{item[key]} is no node ({hint})")
    if item["from"] == item["to"]:
        reader.wrong((*path, "to"), f"{item['to']} is where it comes from")


def spell(reader: Reader, item: Table, found: Table) -> None:
    path = ("traffic", item["name"])
    stop = item["stop"] or found["duration"]
    if stop > found["duration"]:
        reader.wrong((*path, "stop"), f"after the end, {TIME.format(found['duration'])}")
    if item["start"] >= stop:
        reader.wrong((*path, "start"), f"not before it stops, {TIME.format(stop)}")
    elif item["start"] + item.get("spread", 0) > stop:
        reader.wrong((*path, "spread"), f"some would start after {TIME.format(stop)}")


def fits(reader: Reader, item: Table, found: Table) -> None:
    """Datagrams must not be fragmented: a fragment has no ports."""
    nodes = found["nodes"]
    if item["kind"] not in HEADERS or not {item["from"], item["to"]} <= set(nodes):
        return
    first, last = sorted(nodes.index(item[key]) for key in ("from", "to"))
    mtu = min((link["mtu"] for link in found["links"][first:last]), default=0)
    most = mtu - HEADERS[item["kind"]]
    if mtu and item["size"] > most:
        written = SIZE.format(item["size"])
        reader.wrong(
            ("traffic", item["name"], "size"),
            f"{written} is too much for a path with an MTU of {mtu}: at most {most}B",
        )


CHECKS: tuple[Check, ...] = (chain, times, subjects, rates, delays, hosts, traffic)


def check(reader: Reader, found: Table) -> None:
    for one in CHECKS:
        # Values that could not be parsed have been reported already
        with contextlib.suppress(Absent):
            one(reader, found)
