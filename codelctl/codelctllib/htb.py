# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""A shaper for kinds that have none: in-tree fq_codel and codel. An earlier version had the out-of-tree kinds below it, too.

device  root HTB c0de: -- class c0de:1 -- leaf c0df:

The size table adds the overhead. Burst, quantum, target and interval follow from the rate.
"""

from __future__ import annotations

from . import tuning
from .marks import CLASS, LEAF, Json, Port
from .shaper import Shaper

Command = list[str]

# Sent in one burst: longer bursts delay packets, shorter ones cost a timer per packet
BURST_US = 1000
# HTB's bounds for a quantum are 1000 and 200000; above 60000, nothing is gained
LEAST_QUANTUM, MOST_QUANTUM = 1000, 60_000
INTERVAL_US = 100_000
# An entry for every size up to 2048 bytes: tc's default rounds sizes up to a multiple of 4
SIZES = {"mtu": 2047, "tsize": 2048}
# HTB keeps a burst as time. tc cuts the time to microseconds, up to twice, and rounds large sizes
BURST_STEPS_US = 2


def _packet(want: Shaper) -> int:
    """Bytes of a full packet on the wire."""
    return want.framing.wire(want.mtu)


def _bytes_per_second(want: Shaper) -> int:
    return want.framing.shaped(want.rate) // 8


def stab(want: Shaper) -> Json:
    """The size table, as `tc -j` shows it."""
    atm = want.framing.cells == "atm"
    found = {
        "linklayer": "atm" if atm else "ethernet",
        "overhead": want.framing.overhead - want.header,
        "mpu": want.framing.mpu,
    }
    # Without cells and mpu, tc makes no table
    return {**found, **(SIZES if atm or want.framing.mpu else {"mtu": 0, "tsize": 0})}


def numbers(want: Shaper) -> dict[str, int]:
    """Of the class."""
    rate = _bytes_per_second(want)
    burst = max(_packet(want), rate * BURST_US // 10**6)
    return {
        "rate": rate,
        "ceil": rate,
        "burst": burst,
        "cburst": burst,
        "quantum": max(LEAST_QUANTUM, min(burst, MOST_QUANTUM)),
    }


def times(want: Shaper) -> dict[str, int]:
    """Target and interval in microseconds. The target is at least 1.5 packets: a shorter one
    drops packets that wait for nothing but the packet in transmission."""
    packet_us = -(-_packet(want) * 10**6 // _bytes_per_second(want))
    least = want.tuning.get("target", tuning.TARGET_US)
    target = max(least, packet_us * 3 // 2)
    return {"target": target, "interval": want.tuning.get("interval", INTERVAL_US) + target - least}


def _stab_words(want: Shaper) -> list[str]:
    return ["stab", *(word for name, value in stab(want).items() for word in (name, str(value)))]


def _class_words(want: Shaper) -> list[str]:
    found = numbers(want)
    words = ["htb"]
    for name in ("rate", "ceil"):
        words += [name, f"{found[name] * 8}bit"]
    for name in ("burst", "cburst", "quantum"):
        words += [name, str(found[name])]
    return words


def _leaf_words(want: Shaper) -> list[str]:
    return [want.kind, *tuning.words({**want.tuning, **times(want)})]


def _same_stab(want: Shaper, qdisc: Json) -> bool:
    shown = qdisc.get("stab")
    return shown is not None and all(
        shown.get(name, 0) == value for name, value in stab(want).items()
    )


def _same_burst(want: Shaper, value: int, shown: int) -> bool:
    rounded = 1024 if value > 1 << 20 else 16
    return abs(shown - value) <= _bytes_per_second(want) * BURST_STEPS_US // 10**6 + rounded


def same_class(want: Shaper, shown: Json) -> bool:
    found = numbers(want)
    step = shown.get("rate_step", 1)
    return (
        all(0 <= found[name] - shown.get(name, 0) < step for name in ("rate", "ceil"))
        and all(_same_burst(want, found[n], shown.get(n, 0)) for n in ("burst", "cburst"))
        and found["quantum"] == shown.get("quantum")
    )


def _same_leaf(want: Shaper, shown: Json) -> bool:
    """In-tree qdiscs keep times in units of 1024 ns and show up to 2 us less."""
    options = shown.get("options", {})
    flags = {name: on for name, on in want.tuning.items() if name in tuning.FLAGS}
    return (
        shown["kind"] == want.kind
        and all(0 <= us - options.get(name, 0) <= 2 for name, us in times(want).items())
        and all(options.get(name, False) == on for name, on in flags.items())
    )


def _tc(verb: str, device: str, *words: str) -> Command:
    return ["tc", "qdisc", verb, "dev", device, *words]


def _tc_class(verb: str, want: Shaper) -> Command:
    where = ["parent", want.root[1], "classid", CLASS]
    return ["tc", "class", verb, "dev", want.device, *where, *_class_words(want)]


def new(want: Shaper) -> list[Command]:
    """In place of another root qdisc."""
    root = ["root", "handle", want.root[1], *_stab_words(want), "htb", "default", "1"]
    leaf = ["parent", CLASS, "handle", LEAF, *_leaf_words(want)]
    return [
        _tc("replace", want.device, *root),
        _tc_class("add", want),
        _tc("add", want.device, *leaf),
    ]


def _leaf(want: Shaper, now: Port) -> list[Command]:
    leaf = next((q for q in now.qdiscs if q.get("parent") == CLASS), None)
    place = ["parent", CLASS, "handle", LEAF, *_leaf_words(want)]
    if leaf and leaf["handle"] == LEAF and leaf["kind"] == want.kind:
        return [] if _same_leaf(want, leaf) else [_tc("change", want.device, *place)]
    # A handle cannot change its kind
    gone = [_tc("del", want.device, "parent", CLASS)] if leaf and leaf["handle"] == LEAF else []
    return [*gone, _tc("replace", want.device, *place)]


def change(want: Shaper, now: Port, root: Json) -> list[Command]:
    """Where the root qdisc is HTB: what differs."""
    found = []
    # HTB refuses a change of its options: the kind is left out, and only the size table changes
    if not _same_stab(want, root):
        found.append(_tc("change", want.device, "root", "handle", want.root[1], *_stab_words(want)))
    shown = next((c for c in now.classes if c["handle"] == CLASS), None)
    if not shown or not same_class(want, shown):
        found.append(_tc_class("change" if shown else "add", want))
    return found + _leaf(want, now)
