# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The shaper of one direction: its numbers, as words of tc, and whether tc shows the same.

device  root HTB c0de: -- class c0de:1 -- leaf CoDel or FQ-CoDel c0df:
device  root cake c0ca:
"""

from __future__ import annotations

from dataclasses import dataclass

from .framing import Framing
from .marks import ROOTS, Json

# Sent in one burst: longer bursts delay packets, shorter ones cost a timer per packet
BURST_US = 1000
# HTB's bounds for a quantum are 1000 and 200000; above 60000, nothing is gained
LEAST_QUANTUM, MOST_QUANTUM = 1000, 60_000
TARGET_US = 5_000
INTERVAL_US = 100_000
# An entry for every size up to 2048 bytes: tc's default rounds sizes up to a multiple of 4
SIZES = {"mtu": 2047, "tsize": 2048}
# HTB keeps a burst as time. tc cuts the time to microseconds, up to twice, and rounds large sizes
BURST_STEPS_US = 2


@dataclass(frozen=True)
class Shaper:
    """One direction of a link."""

    device: str
    rate: int  # bit/s on the wire
    framing: Framing
    header: int  # bytes of the device's header that a qdisc counts
    mtu: int
    kind: str
    ingress: bool = False

    @property
    def is_cake(self) -> bool:
        return self.kind == "cake"

    @property
    def root(self) -> tuple[str, str]:
        """Kind and handle of the root qdisc."""
        kind = "cake" if self.is_cake else "htb"
        return kind, ROOTS[kind]

    @property
    def packet(self) -> int:
        """Bytes of a full packet on the wire."""
        return self.framing.wire(self.mtu)

    @property
    def bytes_per_second(self) -> int:
        return self.framing.shaped(self.rate) // 8

    def stab(self) -> Json:
        """The size table, as `tc -j` shows it."""
        atm = self.framing.cells == "atm"
        found = {
            "linklayer": "atm" if atm else "ethernet",
            "overhead": self.framing.overhead - self.header,
            "mpu": self.framing.mpu,
        }
        # Without cells and mpu, tc makes no table
        return {**found, **(SIZES if atm or self.framing.mpu else {"mtu": 0, "tsize": 0})}

    def htb_class(self) -> dict[str, int]:
        burst = max(self.packet, self.bytes_per_second * BURST_US // 10**6)
        return {
            "rate": self.bytes_per_second,
            "ceil": self.bytes_per_second,
            "burst": burst,
            "cburst": burst,
            "quantum": max(LEAST_QUANTUM, min(burst, MOST_QUANTUM)),
        }

    def times(self) -> dict[str, int]:
        """Target and interval in microseconds. The target is at least 1.5 packets: a shorter one
        drops packets that wait for nothing but the packet in transmission."""
        packet_us = -(-self.packet * 10**6 // self.bytes_per_second)
        target = max(TARGET_US, packet_us * 3 // 2)
        return {"target": target, "interval": INTERVAL_US + target - TARGET_US}

    def cake(self) -> Json:
        """The options of cake, as `tc -j` shows them."""
        return {
            "bandwidth": self.rate // 8,
            "overhead": self.framing.overhead,
            "mpu": self.framing.mpu,
            "atm": {"none": "noatm"}.get(self.framing.cells, self.framing.cells),
            "ingress": self.ingress,
        }


def stab_words(want: Shaper) -> list[str]:
    return ["stab", *(word for name, value in want.stab().items() for word in (name, str(value)))]


def class_words(want: Shaper) -> list[str]:
    numbers = want.htb_class()
    words = ["htb"]
    for name in ("rate", "ceil"):
        words += [name, f"{numbers[name] * 8}bit"]
    for name in ("burst", "cburst", "quantum"):
        words += [name, str(numbers[name])]
    return words


def leaf_words(want: Shaper) -> list[str]:
    return [want.kind, *(w for name, us in want.times().items() for w in (name, f"{us}us"))]


def cake_words(want: Shaper) -> list[str]:
    options = want.cake()
    return [
        "cake",
        "bandwidth",
        f"{want.rate}bit",
        *("overhead", str(options["overhead"]), "mpu", str(options["mpu"]), options["atm"]),
        "ingress" if want.ingress else "egress",
    ]


def same_stab(want: Shaper, qdisc: Json) -> bool:
    shown = qdisc.get("stab")
    return shown is not None and all(
        shown.get(name, 0) == value for name, value in want.stab().items()
    )


def _same_burst(want: Shaper, value: int, shown: int) -> bool:
    rounded = 1024 if value > 1 << 20 else 16
    return abs(shown - value) <= want.bytes_per_second * BURST_STEPS_US // 10**6 + rounded


def same_class(want: Shaper, shown: Json) -> bool:
    numbers = want.htb_class()
    step = shown.get("rate_step", 1)
    return (
        all(0 <= numbers[name] - shown.get(name, 0) < step for name in ("rate", "ceil"))
        and all(_same_burst(want, numbers[n], shown.get(n, 0)) for n in ("burst", "cburst"))
        and numbers["quantum"] == shown.get("quantum")
    )


def same_leaf(want: Shaper, shown: Json) -> bool:
    """In-tree qdiscs keep times in units of 1024 ns and show up to 2 us less."""
    options = shown.get("options", {})
    return shown["kind"] == want.kind and all(
        0 <= us - options.get(name, 0) <= 2 for name, us in want.times().items()
    )


def same_cake(want: Shaper, shown: Json) -> bool:
    options = shown.get("options", {})
    return all(options.get(name, 0) == value for name, value in want.cake().items())
