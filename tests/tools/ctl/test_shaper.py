# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Bytes on the wire, the words of a shaper, and the numbers of HTB."""

from __future__ import annotations

from dataclasses import replace

from cases import case, check
from codelctllib import htb, shaper, values
from codelctllib.framing import LINKS, Framing
from codelctllib.shaper import Shaper

# Link, length of the IP packet, bytes on the wire
WIRE = [
    ("raw", 40, 40),
    ("ethernet", 1500, 1538),
    ("ethernet", 40, 84),
    ("ethernet", 46, 84),
    ("ethernet", 47, 85),
    ("docsis", 1500, 1518),
    ("docsis", 40, 64),
    ("cable", 1500, 1518),
    ("fibre", 1500, 1538),
    ("fibre", 40, 84),
    ("pppoe-fibre", 1492, 1538),
    ("pppoe-fibre", 38, 84),
    ("pppoe-fibre", 39, 85),
    ("lte", 40, 84),
    ("starlink", 1500, 1538),
    ("conservative", 1500, 1749),
    ("vdsl", 1500, 1522),
    ("pppoe-vdsl", 1492, 1522),
    ("pppoe-vdsl", 38, 68),
    ("pppoe-adsl", 1492, 32 * 53),
    ("pppoe-adsl", 1496, 32 * 53),
    ("pppoe-adsl", 1497, 33 * 53),
    ("pppoe-adsl", 40, 2 * 53),
    ("pppoa-adsl", 38, 53),
    ("pppoa-adsl", 39, 2 * 53),
]
ETHERNET = Shaper("eth0", 19_000_000, LINKS["ethernet"], 1500, "fq_codel_oot")
HTB = replace(ETHERNET, kind="fq_codel", htb=True, header=14)


def at(rate: int) -> Shaper:
    return replace(HTB, rate=rate)


@case("framing: overhead, the least packet, and whole cells")
def wire() -> None:
    for link, length, size in WIRE:
        check(f"{link} {length}", LINKS[link].wire(length), size)


@case("framing: without --link, as much as any link without PPPoE adds, but DSL")
def unknown() -> None:
    default = LINKS[str(values.DEFAULTS["link"])]
    for link, framing in LINKS.items():
        if framing.cells == "none" and "pppoe" not in link:
            for length in (40, 100, 1500):
                sizes = framing.wire(length), default.wire(length)
                check(f"{link} {length}: {sizes}", sizes[0] <= sizes[1], True)


@case(
    "size table: overhead counts from the device's header, and is negative where the link has none"
)
def stab() -> None:
    sizes = {"mtu": 2047, "tsize": 2048}
    for link, header, expected in (
        ("ethernet", 14, {"linklayer": "ethernet", "overhead": 24, "mpu": 84, **sizes}),
        ("pppoe-adsl", 0, {"linklayer": "atm", "overhead": 40, "mpu": 0, **sizes}),
        ("raw", 14, {"linklayer": "ethernet", "overhead": -14, "mpu": 0, "mtu": 0, "tsize": 0}),
        ("pppoe-vdsl", 14, {"linklayer": "ethernet", "overhead": 16, "mpu": 68, **sizes}),
    ):
        check(link, htb.stab(replace(HTB, framing=LINKS[link], header=header)), expected)


@case("HTB: a burst of 1 ms or one packet, and a quantum that the kernel does not complain about")
def numbers() -> None:
    for rate, burst, quantum in (
        (64_000, 1538, 1538),
        (19_000_000, 2375, 2375),
        (1_000_000_000, 125_000, 60_000),
        (100_000_000_000, 12_500_000, 60_000),
    ):
        found = htb.numbers(at(rate))
        expected = {"rate": rate // 8, "ceil": rate // 8, "burst": burst, "cburst": burst}
        check(f"{rate}", found, {**expected, "quantum": quantum})
        assert 1000 <= found["quantum"] <= 200_000, found
    small = replace(HTB, rate=64_000, mtu=576, framing=Framing(0, 0, "none"))
    check("a small MTU", htb.numbers(small)["quantum"], 1000)


@case("HTB: PTM sends 64 of 65 bytes")
def ptm() -> None:
    found = htb.numbers(replace(HTB, rate=65_000_000, framing=LINKS["vdsl"]))
    check("rate", found["rate"], 8_000_000)


@case("CoDel: the target covers one packet and a half, and the interval grows with it")
def times() -> None:
    for rate, target, interval in (
        (64_000, 288_375, 383_375),
        (1_000_000, 18_456, 113_456),
        (3_000_000, 6153, 101_153),
        (4_000_000, 5000, 100_000),
        (10_000_000_000, 5000, 100_000),
    ):
        check(f"{rate}", htb.times(at(rate)), {"target": target, "interval": interval})


# Kind, link, ingress, words
OWN = [
    ("cake", "pppoe-vdsl", True, "cake bandwidth 19000000bit overhead 30 mpu 68 ptm ingress"),
    ("cake", "ethernet", False, "cake bandwidth 19000000bit overhead 38 mpu 84 noatm egress"),
    ("codel_oot", "raw", False, "codel_oot rate 19000000bit overhead 0 mpu 0 noatm egress"),
    ("fq_codel_oot", "adsl", True, "fq_codel_oot rate 19000000bit overhead 32 mpu 0 atm ingress"),
]


@case("kinds that shape: the overhead counts from the IP header, and the rate is that of the wire")
def own() -> None:
    for kind, link, ingress, words in OWN:
        want = replace(ETHERNET, kind=kind, framing=LINKS[link], ingress=ingress)
        check(words, " ".join(shaper.words(want, {})), words)


TUNING = {"target": 7000, "ceiling": None, "ecn": False}


@case("parameters: words of tc, and only those with a setting differ")
def tuned() -> None:
    want = replace(ETHERNET, tuning=TUNING)
    words = " ".join(shaper.words(want, {}))
    assert words.endswith(" egress target 7000us ceiling off noecn"), words
    root = {
        "kind": "fq_codel_oot",
        "handle": "c0d1:",
        "root": True,
        "options": {**OPTIONS, **TUNING},
    }
    check("equal", shaper.differences(want, root), [])
    shown = {**OPTIONS, "target": 5000, "ceiling": 50000, "ecn": True, "interval": 1}
    expected = ["target of eth0 is 5ms instead of 7ms", "ceiling of eth0 is 50ms instead of off",
                "ecn of eth0 is on instead of off"]  # fmt: skip
    check("others", shaper.differences(want, {**root, "options": shown}), expected)
    cake = replace(
        want, kind="cake", tuning={"nat": True, "diffserv": "diffserv4", "flowmode": "dual-srchost"}
    )
    words = " ".join(shaper.words(cake, {}))
    assert words.endswith(" egress nat diffserv4 dual-srchost"), words


@case("follow: no rate, the queue elsewhere, and only what differs of it")
def follow() -> None:
    egress = replace(ETHERNET, rate=None, follows="eth0")
    ingress = replace(egress, device="ifb-eth0", ingress=True)
    place = "fq_codel_oot rate off overhead 38 mpu 84 noatm"
    check("egress", " ".join(shaper.words(egress, {})), f"{place} egress bottleneck downstream")
    words = f"{place} ingress bottleneck upstream answers eth0"
    check("ingress", " ".join(shaper.words(ingress, {})), words)
    root = {"kind": "fq_codel_oot", "handle": "c0d1:", "root": True}
    shown = {**OPTIONS, "rate": None, "bottleneck": "downstream", "answers": "self"}
    check("in force", shaper.differences(egress, {**root, "options": shown}), [])
    bound = replace(egress, rate=8_000_000)
    check("again", shaper.words(bound, shown)[-1], "egress")
    check("no longer", shaper.words(ETHERNET, shown)[-2:], ["bottleneck", "here"])
    texts = shaper.differences(ETHERNET, {**root, "options": {**shown, "rate": 19_000_000 // 8}})
    check("differs", texts, ["bottleneck of eth0 is downstream instead of here"])


@case("parameters with HTB: a slow link has a longer target, and the interval grows by as much")
def tuned_htb() -> None:
    want = replace(HTB, tuning={"target": 7000, "interval": 70000, "ecn": False})
    check("fast", htb.times(want), {"target": 7000, "interval": 70000})
    slow = htb.times(replace(want, rate=1_000_000))
    check("slow", slow, {"target": 18456, "interval": 81456})
    check("words", htb._leaf_words(want), "fq_codel target 7000us interval 70000us noecn".split())
    shown = {"kind": "fq_codel", "options": {"target": 6999, "interval": 69999}}
    check("equal", htb._same_leaf(want, shown), True)
    shown["options"]["ecn"] = True
    check("with ecn", htb._same_leaf(want, shown), False)


OPTIONS = {"rate": 2375000, "overhead": 38, "mpu": 84, "atm": "noatm", "ingress": False}
# Options that tc shows otherwise, and words of the difference
OTHERS = [
    ({"rate": 125000}, "rate of eth0 is 1mbit instead of 19mbit"),
    ({"rate": None}, "rate of eth0 is off instead of 19mbit"),
    ({"overhead": None}, "overhead of eth0 is off instead of 38"),
    ({"overhead": -4}, "overhead of eth0 is -4 instead of 38"),
    ({"mpu": 0}, "mpu of eth0 is 0 instead of 84"),
    ({"atm": "ptm"}, "atm of eth0 is ptm instead of noatm"),
    ({"ingress": True}, "ingress of eth0 is on instead of off"),
]


@case("kinds that shape: each option that is another one is named, and no other")
def differences() -> None:
    root = {"kind": "fq_codel_oot", "handle": "c0d1:", "root": True, "options": OPTIONS}
    check("equal", shaper.differences(ETHERNET, root), [])
    tuned = {**OPTIONS, "target": 3000, "split_gso": False}
    check("others", shaper.differences(ETHERNET, {**root, "options": tuned}), [])
    for other, text in OTHERS:
        found = shaper.differences(ETHERNET, {**root, "options": {**OPTIONS, **other}})
        check(text, found, [text])
    # An overhead that is off counts the header, too: it is not an overhead of 0
    raw = replace(ETHERNET, framing=LINKS["raw"])
    found = shaper.differences(raw, {**root, "options": {**OPTIONS, "overhead": None, "mpu": 0}})
    check("overhead off", found, ["overhead of eth0 is off instead of 0"])
    text = "the root qdisc of eth0 is {} instead of fq_codel_oot c0d1:"
    for found, words in (
        ({**root, "handle": "c0df:"}, "fq_codel_oot c0df:"),
        ({**root, "kind": "htb", "handle": "c0de:"}, "htb c0de:"),
        ({**root, "kind": "codel_oot"}, "codel_oot c0d1:"),
        (None, "missing"),
    ):
        check(words, shaper.differences(ETHERNET, found), [text.format(words)])
    found = {"kind": "htb", "handle": "c0de:", "root": True, "options": {"r2q": 10}}
    check("HTB", shaper.differences(HTB, found), [])
    words = "the root qdisc of eth0 is fq_codel_oot c0d1: instead of htb c0de:"
    check("no HTB", shaper.differences(HTB, root), [words])
