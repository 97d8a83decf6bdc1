# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""What doctor says about a cake, which codelstat does not show in full: its rate and overhead beside the device's rate,
and its delay, drops and marks.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field
from typing import Any

from . import observe, rates
from .errors import Failure

# Of the memory limit: cake drops from its longest queues when it is reached
FULL = 0.9


@dataclass(frozen=True)
class Cake:
    device: str
    place: str  # words of tc: root, or parent and the class
    options: dict[str, Any]
    statistics: dict[str, Any]
    tins: list[dict[str, Any]] = field(default_factory=list)

    @property
    def rate(self) -> int | None:
        """bit/s; None: it does not shape."""
        shown = self.options.get("bandwidth")
        return shown * 8 if isinstance(shown, int) else None


def read(device: str) -> list[Cake]:
    """All of a device; none if tc prints no JSON for another kind there."""
    try:
        shown = observe.listed("tc", "-s", "-json", "qdisc", "show", "dev", device)
    except Failure:
        return []
    return [
        Cake(
            device,
            "root" if "root" in qdisc else f"parent {qdisc.get('parent')}",
            qdisc.get("options", {}),
            qdisc,
            qdisc.get("tins", []),
        )
        for qdisc in shown
        if qdisc["kind"] == "cake"
    ]


def _shaper(cake: Cake, speed: int | None) -> str:
    if cake.rate is None:
        return "does not shape: no bandwidth is set"
    of_device = f" of the device's {rates.text(speed)}" if speed else ""
    overhead = cake.options.get("overhead", 0)
    cells = cake.options.get("atm", "noatm")
    if cake.options.get("raw") or not overhead:
        framing = "no overhead is set"
    else:
        framing = f"overhead {overhead}" + (f", {cells} cells" if cells != "noatm" else "")
    return f"shapes to {rates.text(cake.rate)}{of_device}, {framing}"


def _delay(cake: Cake) -> str:
    """Of the tin that has the greatest peak."""
    used = [tin for tin in cake.tins if tin.get("sent_packets")]
    if not used:
        return "no packet was sent"
    worst = max(used, key=lambda tin: int(tin.get("peak_delay_us", 0)))
    average, peak = (worst.get(f"{name}_delay_us", 0) / 1000 for name in ("avg", "peak"))
    of_tin = f" of tin {cake.tins.index(worst)}" if len(cake.tins) > 1 else ""
    return f"delay{of_tin} {average:.1f} ms on average, {peak:.1f} ms at its peak"


def _losses(cake: Cake) -> str:
    def total(name: str) -> int:
        return sum(int(tin.get(name, 0)) for tin in cake.tins)

    packets = cake.statistics.get("packets", 0)
    return f"{total('drops')} drops and {total('ecn_mark')} marks beside {packets} packets"


def text(cake: Cake, speed: int | None) -> str:
    parts = [_shaper(cake, speed), _delay(cake), _losses(cake)]
    used, limit = (cake.statistics.get(f"memory_{name}", 0) for name in ("used", "limit"))
    if limit and used >= limit * FULL:
        parts.append(f"{used} of {limit} bytes of memory were in use: it drops at the limit")
    if cake.options.get("wash"):
        parts.append("wash clears the DSCP of packets")
    return "; ".join(parts)


def details(cake: Cake) -> str:
    """The command that prints all."""
    return shlex.join(["tc", "-s", "qdisc", "show", "dev", cake.device])


def slower(cake: Cake, rate: int) -> str:
    """The command that sets another rate."""
    words = ["tc", "qdisc", "change", "dev", cake.device, *cake.place.split()]
    return shlex.join([*words, "cake", "bandwidth", f"{rate}bit"])
