# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Trees of qdiscs with the kinds under test as their leaves, and random options of those.

Rates are such that any queue drains within seconds.
"""

from __future__ import annotations

from random import Random
from typing import Callable

KINDS = ("codel_oot", "fq_codel_oot")
Lines = list[str]  # commands of `tc -batch`
Leaves = list[str]  # where the kinds under test are: "parent 1:1 handle 11:"


QUEUES = ("mq", "multiq")  # trees with a leaf for each queue of the device
SHARED = " rate 200mbit shared"
OF_RATE = ("share", "overhead", "mpu", "cells", "way")


def options(rng: Random, kind: str, many: bool = False) -> str:
    """Some options, or with `many` nearly all."""
    pick = rng.choice
    words = {
        "limit": pick(("1", "10", "100", "1000")),
        "target": pick(("1us", "1ms", "5ms", "50ms")),
        "interval": pick(("10us", "10ms", "100ms")),
        "ecn": pick(("ecn", "noecn")),
        "ce_threshold": pick(("1us", "2ms", "off")),
        "ceiling": pick(("1ms", "30ms", "1s", "off")),
        "rate": pick(("20mbit", "200mbit", "off", "off")),
        "share": pick(("shared", "shared", "alone")),
        "overhead": pick(("18", "44", "off")),
        "mpu": pick(("0", "64")),
        "cells": pick(("noatm", "atm", "ptm")),
        "way": pick(("egress", "ingress")),
        "split": pick(("split_gso", "no_split_gso")),
    }
    if kind == "fq_codel_oot":
        words |= {
            "flows": pick(("1", "16", "1024", "65536")),
            "quantum": pick(("256", "1514", "60000")),
            "memory_limit": pick(("20000", "500000", "16m")),
            "drop_batch": pick(("1", "64")),
            "ce_threshold_selector": pick(("0/0", "0x1/0x3")),
        }
    names = rng.sample(sorted(words), len(words) - 2 if many else rng.randint(1, 4))
    if "rate" not in names or words["rate"] == "off":  # the others of the shaper need it
        names = [name for name in names if name not in OF_RATE]
    bare = ("ecn", "cells", "way", "split", "share")
    return " ".join(words[n] if n in bare else f"{n} {words[n]}" for n in names)


def leaf(rng: Random, where: str, more: str = "") -> str:
    kind = rng.choice(KINDS)
    return f"qdisc replace dev DEV {where} {kind} {options(rng, kind)}{more}"


def root(_rng: Random) -> tuple[Lines, Leaves]:
    return [], ["root handle 10:"]


def queues(kind: str) -> Callable[[Random], tuple[Lines, Leaves]]:
    """mq and multiq: a leaf for each queue of the device."""

    def tree(_rng: Random) -> tuple[Lines, Leaves]:
        return [f"qdisc add dev DEV root handle 1: {kind}"], [
            f"parent 1:{n} handle 1{n}:" for n in range(1, 5)
        ]

    return tree


def prio(_rng: Random) -> tuple[Lines, Leaves]:
    lines = ["qdisc add dev DEV root handle 1: prio bands 3"]
    lines += [
        "filter add dev DEV parent 1: protocol ip prio 1 u32 match ip protocol 6 0xff classid 1:2"
    ]
    return lines, [f"parent 1:{n} handle 1{n}:" for n in range(1, 4)]


def tbf(rng: Random) -> tuple[Lines, Leaves]:
    rate = rng.choice(("50mbit", "500mbit"))
    return [f"qdisc add dev DEV root handle 1: tbf rate {rate} burst 64k limit 10m"], [
        "parent 1:1 handle 11:"
    ]


def htb(rng: Random) -> tuple[Lines, Leaves]:
    """Three classes; the third has netem below it."""
    lines = ["qdisc add dev DEV root handle 1: htb default 1"]
    lines += ["class add dev DEV parent 1: classid 1:10 htb rate 900mbit"]
    for number in (1, 2, 3):
        rate = rng.choice(("20mbit", "200mbit"))
        lines.append(
            f"class add dev DEV parent 1:10 classid 1:{number} htb rate {rate} ceil 900mbit"
        )
    lines += [
        "filter add dev DEV parent 1: protocol ip prio 1 u32 match ip protocol 6 0xff classid 1:2"
    ]
    lines += [
        "filter add dev DEV parent 1: protocol ip prio 2 u32 match ip protocol 1 0xff classid 1:3"
    ]
    lines += ["qdisc add dev DEV parent 1:3 handle 13: netem delay 1ms limit 100"]
    return lines, ["parent 1:1 handle 11:", "parent 1:2 handle 12:"]


def netem(_rng: Random) -> tuple[Lines, Leaves]:
    """netem, which hands to its child what it has delayed."""
    return ["qdisc add dev DEV root handle 1: netem delay 500us 200us limit 1000"], [
        "parent 1:1 handle 11:"
    ]


def stack(rng: Random) -> tuple[Lines, Leaves]:
    """prio above tbf above a leaf, beside another leaf."""
    lines, _ = prio(rng)
    lines += ["qdisc add dev DEV parent 1:1 handle 2: tbf rate 300mbit burst 64k limit 10m"]
    return lines, ["parent 2:1 handle 21:", "parent 1:2 handle 12:", "parent 1:3 handle 13:"]


TREES: dict[str, Callable[[Random], tuple[Lines, Leaves]]] = {
    "root": root, "mq": queues("mq"), "multiq": queues("multiq"), "prio": prio, "tbf": tbf, "htb": htb,
    "netem": netem, "stack": stack,
}  # fmt: skip


def tree(rng: Random, name: str, shared: bool = False) -> tuple[Lines, Leaves]:
    """The commands that build a tree, and its leaves. Half of those with queues share a rate, and with `shared` all."""
    lines, leaves = TREES[name](rng)
    more = rng.choice(("", SHARED)) if name in QUEUES else ""
    return [*lines, *(leaf(rng, where, SHARED if shared else more) for where in leaves)], leaves


def way_back(rng: Random, device: str) -> str:
    """The qdisc of the other end."""
    kind = rng.choice((*KINDS, "netem delay 1ms limit 1000"))
    more = options(rng, kind) if kind in KINDS else ""
    return f"qdisc replace dev {device} root handle 30: {kind} {more}"
