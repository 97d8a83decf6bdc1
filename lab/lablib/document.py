# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The run document: the input of the guest, in ns, bit/s and bytes."""

from __future__ import annotations

import re
from typing import Any, Optional

from . import load, red
from .check import DIRECTIONS, Table, absent
from .cross import SUBJECT
from .kinds import Bad
from .load import ETHERNET, SECOND
from .locate import Path

Document = dict[str, Any]
Subject = Optional[tuple[str, str]]  # the compared qdisc: its name, and tc's words

FIRST_PORT, PORTS = 20000, 100
BARE_RED = "red"
# Kinds that shape by themselves, and the word before the rate
OWN = {"cake": "bandwidth", "codel_oot": "rate", "fq_codel_oot": "rate"}
WORD = re.compile(r"\{(\w*)\}")
# Keys of an item that are not the guest's business
HOST_ONLY = ("enabled",)


class Unfit(Exception):
    """The words of a qdisc have no meaning at its place; with the path of the key that has them."""

    def __init__(self, path: Path, message: str) -> None:
        super().__init__(message)
        self.path = path


def round_trip(found: Table) -> int:
    """Of the whole path, in ns."""
    return sum(link[d]["delay"] for link in found["links"] for d in DIRECTIONS)


def buffer(way: Table, mtu: int, rtt: int) -> int:
    """The length of a direction's queue in packets."""
    size = way["buffer"]
    if size is None:
        raise Bad("there is no buffer")
    if size.packets is not None:
        return int(size.packets)
    if not way["rate"]:
        raise Bad("a buffer in bdp needs a rate, and there is none")
    product = size.bdp * way["rate"] * rtt / (8 * (mtu + ETHERNET) * SECOND)
    return max(1, int(product.to_integral_value()))


def words(text: str, way: Table, mtu: int, rtt: int) -> str:
    """tc's words for a qdisc in one place."""
    if text == BARE_RED:
        if not way["rate"]:
            raise Bad("red without options needs a rate, and there is none")
        try:
            return red.configure(way["rate"], mtu, buffer(way, mtu, rtt)).words
        except ValueError as error:
            raise Bad(str(error)) from error

    def value(match: re.Match[str]) -> str:
        if match[1] == "rate":
            if not way["rate"]:
                raise Bad("{rate} needs a rate, and there is none")
            return f"{way['rate']}bit"
        if match[1] not in ("buffer", "buffer_bytes"):
            raise Bad(
                f"{match[0]} stands for nothing ({{buffer}}, {{buffer_bytes}} and {{rate}} do)"
            )
        packets = buffer(way, mtu, rtt)
        return str(packets if match[1] == "buffer" else packets * (mtu + ETHERNET))

    return WORD.sub(value, text)


def shaping(text: str | None, way: Table) -> str:
    """The words of a qdisc that is to be the shaper, with its rate."""
    kind = text.split()[0] if text else "pfifo"
    word = OWN.get(kind)
    if not word:
        raise Bad(f'{kind} has no shaper: shaper = "own" is for {", ".join(OWN)}')
    if not way["rate"]:
        raise Bad('shaper = "own" needs a rate, and there is none')
    if text and word in text.split():
        raise Bad(f'shaper = "own" sets {word}: leave it out')
    return f"{text} {word} {way['rate']}bit"


def direction(name: str, link: Table, subject: Subject, rtt: int) -> Document:
    way = link[name]
    compared = way["qdisc"] == SUBJECT and subject
    text = compared[1] if compared else way["qdisc"]
    try:
        text = words(text, way, link["mtu"], rtt) if text else None
        if way["shaper"] == "own":
            text = shaping(text, way)
    except Bad as error:
        if compared:
            message = f"for link.{link['name']}.{name}: {error}"
            raise Unfit(("qdiscs", compared[0]), message) from error
        raise Unfit(("link", link["name"], name, "qdisc"), str(error)) from error
    # Keys that few have are left out of the others' documents, which stay as they were
    rare = {key: way[key] for key in ("course", "delays") if way[key]}
    return {
        "delay": way["delay"],
        "rate": way["rate"] or None,
        "rates": way["rates"],
        **rare,
        "shaper": way["shaper"],
        "qdisc": text,
        "measure": bool(way["rate"] or text),
    }


def item(traffic: Table, index: int, duration: int) -> Document:
    made = {"name": traffic["name"], "kind": traffic["kind"], "port": FIRST_PORT + PORTS * index}
    rest = {k: v for k, v in traffic.items() if k not in made and k not in HOST_ONLY}
    return made | rest | {"stop": traffic["stop"] or duration}


def for_guest(document: Document) -> Document:
    """Without the keys that only the host uses, so that they do not change a run."""
    return {k: v for k, v in document.items() if k not in ("series", "held_below")}


def build(found: Table, subject: Subject, seed: int) -> Document:
    """Of a scenario that was read without an error."""
    nodes, rtt = found["nodes"], round_trip(found)
    links = [
        {
            "name": link["name"],
            "mtu": link["mtu"],
            "ends": nodes[number : number + 2],
            **{d: direction(d, link, subject, rtt) for d in DIRECTIONS},
        }
        for number, link in enumerate(found["links"])
    ]
    present = [t for t in found["traffic"] if not absent(t)]
    made = {
        "seed": seed,
        "duration": found["duration"],
        "warmup": found["warmup"],
        "series": found["series"],
        "held_below": found["held_below"],
        "nodes": nodes,
        **({"offloads": True} if found["offloads"] else {}),
        **({"hosts": found["hosts"]} if found["hosts"] else {}),
        "links": links,
        "traffic": [item(t, n, found["duration"]) for n, t in enumerate(present)],
    }
    return made | {"records": load.records(made) if found["meter"] else 0}
