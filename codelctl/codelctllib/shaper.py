# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The shaper of one direction, and the qdiscs that shape by themselves: their words of tc, and what tc shows of them.

device  root fq_codel_oot c0d1:, codel_oot c0d0: or cake c0ca:

A device with several transmit queues may have a shaper below each (queues.py). The other kinds are below HTB (htb.py).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from . import rates, tuning
from .framing import Framing
from .marks import ROOTS, Json

# What tc shows where the queue is not elsewhere
HERE = {"bottleneck": "here", "answers": "self"}
# Of codel_shared.h: the time for which a transmit queue has the link, unless a packet takes longer
SLICE_US = 100


@dataclass(frozen=True)
class Shaper:
    """One direction of a link."""

    device: str
    rate: int | None  # bit/s on the wire; None: the link's, which it follows
    framing: Framing
    mtu: int
    kind: str
    ingress: bool = False
    htb: bool = False  # HTB shapes, and the kind is its leaf
    header: int = 0  # bytes of the device's header that HTB counts
    tuning: tuning.Parameters = field(default_factory=dict)
    # The device of the link, whose queue is elsewhere
    follows: str | None = None
    queues: int = 1  # transmit queues that may have a shaper each

    @property
    def is_spread(self) -> bool:
        """Whether each transmit queue has a shaper. Where a full packet takes longer than a slice, one processor is fast
        enough, and a packet would wait for one of each other queue."""
        if self.queues == 1 or not self.rate:
            return False
        return self.framing.wire(self.mtu) * 8 * 10**6 <= self.rate * SLICE_US

    @property
    def root(self) -> tuple[str, str]:
        """Kind and handle of the root qdisc."""
        kind = "htb" if self.htb else "mq" if self.is_spread else self.kind
        return kind, ROOTS[kind]

    def options(self) -> Json:
        """Of a kind that shapes by itself, as `tc -j` shows them. Overheads count from the IP header."""
        return {
            "bandwidth" if self.kind == "cake" else "rate": self.rate and self.rate // 8,
            "overhead": self.framing.overhead,
            "mpu": self.framing.mpu,
            "atm": {"none": "noatm"}.get(self.framing.cells, self.framing.cells),
            "ingress": self.ingress,
            "shared": self.is_spread,
            **self.tuning,
            **self.far(),
        }

    def far(self) -> Json:
        """The options of the queue elsewhere. An ifb has what comes in at the device, and its answers leave there."""
        if not self.follows:
            return HERE
        if self.ingress:
            return {"bottleneck": "upstream", "answers": self.follows}
        return {**HERE, "bottleneck": "downstream"}


def far_words(wanted: Json, shown: Json) -> list[str]:
    """The options of the queue elsewhere that change: a module of an earlier version has none of them."""
    changed = {n: value for n, value in wanted.items() if shown.get(n, HERE[n]) != value}
    return [word for item in changed.items() for word in item]


def is_followed(root: Json) -> bool:
    """Whether the queue of a root qdisc is elsewhere."""
    return root.get("options", {}).get("bottleneck", "here") != "here"


def _shared_words(wanted: bool, shown: Json) -> list[str]:
    """A change alone: a module of an earlier version has no such option."""
    if bool(shown.get("shared")) == wanted:
        return []
    return ["shared" if wanted else "alone"]


def words(want: Shaper, shown: Json) -> list[str]:
    """For tc; `shown` has the present options of the qdisc."""
    options = want.options()
    return [
        want.kind,
        "bandwidth" if want.kind == "cake" else "rate",
        f"{want.rate}bit" if want.rate else "off",
        *("overhead", str(options["overhead"]), "mpu", str(options["mpu"]), options["atm"]),
        "ingress" if want.ingress else "egress",
        *_shared_words(want.is_spread, shown),
        *tuning.words(want.tuning),
        # Without a bottleneck elsewhere, there is no device of the answers
        *far_words(want.far() if want.follows else {"bottleneck": "here"}, shown),
    ]


def _text(name: str, value: object) -> str:
    if name in ("rate", "bandwidth") and isinstance(value, int):
        return rates.text(value * 8)
    if name in tuning.TIMES and isinstance(value, int):
        return tuning.time_text(value)
    if value is None or isinstance(value, bool):
        return "on" if value else "off"
    return str(value)


def of_root(want: Shaper, root: Json | None) -> list[str]:
    """The difference, if another root qdisc is there than the setup demands."""
    if root and (root["kind"], root["handle"]) == want.root:
        return []
    found = f"{root['kind']} {root['handle']}" if root else "missing"
    return [f"the root qdisc of {want.device} is {found} instead of {' '.join(want.root)}"]


def of_options(want: Shaper, options: Json, where: str) -> list[str]:
    """What tc shows of a qdisc otherwise than the setup demands. cake leaves out what is 0."""
    shown = {**HERE, **options}
    return [
        f"{name} of {where} is {_text(name, shown.get(name, 0))} instead of {_text(name, value)}"
        for name, value in want.options().items()
        if shown.get(name, 0) != value
    ]


def differences(want: Shaper, root: Json | None) -> list[str]:
    """The same of the root qdisc; of HTB, no numbers."""
    found = of_root(want, root)
    if found or want.htb:
        return found
    return of_options(want, (root or {}).get("options", {}), want.device)
