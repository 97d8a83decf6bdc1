# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The settings of a link, from the qdiscs that codelctl has set up on it: /run may be lost."""

from __future__ import annotations

from . import rates
from .marks import CLASS, LEAF, Json, Port, serves
from .plan import Observed, header
from .shaper import is_followed
from .values import SPLITTING


def _of_htb(port: Port, root: Json, header_bytes: int) -> Json | None:
    shown = next((c for c in port.classes if c["handle"] == CLASS), None)
    leaf = next((q for q in port.qdiscs if q["handle"] == LEAF), None)
    if not shown or not leaf:
        return None
    stab = root.get("stab", {})
    return {
        "rate": shown["rate"] * 8,
        "overhead": stab.get("overhead", 0) + header_bytes,
        "mpu": stab.get("mpu", 0),
        "cells": "atm" if stab.get("linklayer") == "atm" else "none",
        "kind": leaf["kind"],
    }


def _of_queue(qdisc: Json) -> Json | None:
    """Of a kind that shapes by itself."""
    options = qdisc["options"]
    rate = options.get("bandwidth" if qdisc["kind"] == "cake" else "rate")
    follows = is_followed(qdisc)
    if not isinstance(rate, int) and not follows:
        return None
    return {
        "rate": rate * 8 if isinstance(rate, int) else None,
        "follow": follows,
        "overhead": options.get("overhead") or 0,
        "mpu": options.get("mpu", 0),
        "cells": options.get("atm", "noatm").replace("noatm", "none"),
        "kind": qdisc["kind"],
    }


def _direction(port: Port, link: Json) -> Json | None:
    root = port.shaper
    if not root:
        return None
    if root["kind"] == "htb":
        return _of_htb(port, root, header(link))
    return _of_queue(port.queue) if port.queue else None


def queues(now: Observed, directions: set[str], kind: str) -> dict[str, str]:
    """Settings with which directions keep one qdisc where they could have several."""
    if kind not in SPLITTING:
        return {}
    ports = {"up": now.device, "down": now.ifb}
    one = (n for n in ports if n in directions and ports[n].queues > 1 and not ports[n].is_spread)
    return {f"{name}-queues": "one" for name in one}


def settings(now: Observed) -> dict[str, str]:
    """As of the command line; empty if no direction is complete."""
    assert now.device.link
    link = now.device.link
    # The ifb may be that of a device which is gone and had this name
    ifb = now.ifb if now.ifb.link and serves(now.ifb.link, link) else Port()
    found = {"up": _direction(now.device, link), "down": _direction(ifb, link)}
    complete = [numbers for numbers in found.values() if numbers]
    if not complete:
        return {}
    given = {
        n: rates.text(numbers["rate"])
        for n, numbers in found.items()
        if numbers and numbers["rate"]
    }
    if any(numbers.get("follow") for numbers in complete):
        given["follow"] = "on"
    given |= {name: str(complete[0][name]) for name in ("overhead", "mpu", "cells", "kind")}
    if "follow" not in given:
        given |= queues(now, set(given), given["kind"])
    # What they were is not known
    return {**given, "link": "raw", "offloads": "keep"}
