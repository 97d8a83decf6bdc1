# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The settings of a link, from the qdiscs that codelctl has set up on it: /run may be lost."""

from __future__ import annotations

from . import rates
from .marks import CLASS, LEAF, Json, Port
from .plan import Observed, header


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


def _of_cake(root: Json) -> Json | None:
    options = root["options"]
    if not isinstance(options.get("bandwidth"), int):
        return None
    return {
        "rate": options["bandwidth"] * 8,
        "overhead": options.get("overhead", 0),
        "mpu": options.get("mpu", 0),
        "cells": options.get("atm", "noatm").replace("noatm", "none"),
        "kind": "cake",
    }


def _direction(port: Port, header_bytes: int) -> Json | None:
    root = port.shaper
    if not root:
        return None
    return _of_cake(root) if root["kind"] == "cake" else _of_htb(port, root, header_bytes)


def settings(now: Observed) -> dict[str, str]:
    """As of the command line; empty if no direction is complete."""
    assert now.device.link
    size = header(now.device.link)
    found = {"up": _direction(now.device, size), "down": _direction(now.ifb, size)}
    complete = [numbers for numbers in found.values() if numbers]
    if not complete:
        return {}
    given = {name: rates.text(numbers["rate"]) for name, numbers in found.items() if numbers}
    given |= {name: str(complete[0][name]) for name in ("overhead", "mpu", "cells", "kind")}
    # What they were is not known
    return {**given, "link": "raw", "offloads": "keep"}
