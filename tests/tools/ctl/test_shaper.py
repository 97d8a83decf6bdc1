# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Bytes on the wire, and the numbers of a shaper."""

from __future__ import annotations

from dataclasses import replace

from cases import case, check
from codelctllib import shaper
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
ETHERNET = Shaper("eth0", 19_000_000, LINKS["ethernet"], 14, 1500, "fq_codel_oot")


def at(rate: int) -> Shaper:
    return replace(ETHERNET, rate=rate)


@case("framing: overhead, the least packet, and whole cells")
def wire() -> None:
    for link, length, size in WIRE:
        check(f"{link} {length}", LINKS[link].wire(length), size)


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
        found = replace(ETHERNET, framing=LINKS[link], header=header)
        check(link, found.stab(), expected)


@case("HTB: a burst of 1 ms or one packet, and a quantum that the kernel does not complain about")
def htb() -> None:
    for rate, burst, quantum in (
        (64_000, 1538, 1538),
        (19_000_000, 2375, 2375),
        (1_000_000_000, 125_000, 60_000),
        (100_000_000_000, 12_500_000, 60_000),
    ):
        found = at(rate).htb_class()
        expected = {"rate": rate // 8, "ceil": rate // 8, "burst": burst, "cburst": burst}
        check(f"{rate}", found, {**expected, "quantum": quantum})
        assert 1000 <= found["quantum"] <= 200_000, found
    small = replace(ETHERNET, rate=64_000, mtu=576, framing=Framing(0, 0, "none"))
    check("a small MTU", small.htb_class()["quantum"], 1000)


@case("HTB: PTM sends 64 of 65 bytes")
def ptm() -> None:
    found = replace(ETHERNET, rate=65_000_000, framing=LINKS["vdsl"])
    check("rate", found.htb_class()["rate"], 8_000_000)


@case("CoDel: the target covers one packet and a half, and the interval grows with it")
def times() -> None:
    for rate, target, interval in (
        (64_000, 288_375, 383_375),
        (1_000_000, 18_456, 113_456),
        (3_000_000, 6153, 101_153),
        (4_000_000, 5000, 100_000),
        (10_000_000_000, 5000, 100_000),
    ):
        check(f"{rate}", at(rate).times(), {"target": target, "interval": interval})


@case("cake: its overhead counts from the IP header")
def cake() -> None:
    want = replace(ETHERNET, kind="cake", framing=LINKS["pppoe-vdsl"], ingress=True)
    words = "cake bandwidth 19000000bit overhead 30 mpu 68 ptm ingress"
    check("words", " ".join(shaper.cake_words(want)), words)
    words = "cake bandwidth 19000000bit overhead 38 mpu 84 noatm egress"
    check("words", " ".join(shaper.cake_words(replace(ETHERNET, kind="cake"))), words)
