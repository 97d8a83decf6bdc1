# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The settings of a link: names, defaults and bounds, from the command line or a file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Mapping, Sequence

from . import rates
from .errors import Refusal
from .framing import CELLS, LINKS, VLAN_TAG, Framing
from .marks import ROOTS

KINDS = ("fq_codel_oot", "codel_oot", "fq_codel", "codel", "cake")
# These split merged packets by themselves
SPLITTING = ("fq_codel_oot", "codel_oot")
OFFLOADS = ("auto", "off", "keep")
# Every setting, with its default; None: not given
DEFAULTS: dict[str, str | None] = {
    "up": None,
    "down": None,
    "link": "ethernet",
    "overhead": None,
    "mpu": None,
    "cells": None,
    "vlan": "0",
    "kind": "fq_codel_oot",
    "offloads": "auto",
}
# A packet of 64 KB takes 0.5 ms at this rate. Above it, segmentation costs more than it gains.
OFFLOADS_ABOVE = 10**9
HOST = re.compile(r"[\w:][\w:.%-]*")
DEVICE = re.compile(r"[^\s/:]+")
LONGEST_NAME = 15  # bytes


@dataclass(frozen=True)
class Request:
    """What the user asks for."""

    up: int | None  # bit/s
    down: int | None  # bit/s
    framing: Framing
    kind: str
    htb: bool  # the kind cannot shape
    keep_offloads: bool


def device(name: str) -> str:
    length = len(name.encode(errors="surrogateescape"))
    if not DEVICE.fullmatch(name) or name in (".", "..") or length > LONGEST_NAME:
        raise Refusal(f"'{name}' is not a device name: `ip link` lists the devices")
    return name


def host(name: str) -> str:
    if not HOST.fullmatch(name):
        raise Refusal(f"--server: '{name}' is not a host's name or address")
    return name


def choice(option: str, value: str, allowed: Sequence[str]) -> str:
    if value not in allowed:
        raise Refusal(f"{option}: '{value}' is not one of {', '.join(allowed)}")
    return value


def number(option: str, value: str, least: int, greatest: int) -> int:
    if not re.fullmatch(r"-?\d{1,6}", value) or not least <= int(value) <= greatest:
        raise Refusal(f"{option}: '{value}' is not a number from {least} to {greatest}")
    return int(value)


def _framing(prefix: str, values: Mapping[str, str | None]) -> Framing:
    base = LINKS[choice(f"{prefix}link", values["link"] or "", sorted(LINKS))]
    tags = number(f"{prefix}vlan", values["vlan"] or "", 0, 2)
    overhead, mpu, cells = base.overhead, base.mpu, base.cells
    if values["overhead"] is not None:
        overhead = number(f"{prefix}overhead", values["overhead"], 0, 256)
    if values["mpu"] is not None:
        mpu = number(f"{prefix}mpu", values["mpu"], 0, 256)
    if values["cells"] is not None:
        cells = choice(f"{prefix}cells", values["cells"], CELLS)
    return Framing(overhead + tags * VLAN_TAG, mpu, cells)


def parse(given: Mapping[str, str], prefix: str = "--", former: bool = False) -> Request:
    """A request from settings as text; `prefix` is what a message puts before a name. `former`: as an
    earlier version set the link up, which had HTB above the out-of-tree kinds."""
    unknown = sorted(set(given) - set(DEFAULTS))
    if unknown:
        raise Refusal(f"{prefix}{unknown[0]}: the settings are {', '.join(DEFAULTS)}")
    values = {**DEFAULTS, **given}
    if values["up"] is None and values["down"] is None:
        raise Refusal(f"a rate is missing: give {prefix}up, {prefix}down or both")
    up, down = (
        None if written is None else rates.parse(f"{prefix}{name}", written)
        for name, written in (("up", values["up"]), ("down", values["down"]))
    )
    offloads = choice(f"{prefix}offloads", values["offloads"] or "", OFFLOADS)
    slowest = min(rate for rate in (up, down) if rate is not None)
    kind = choice(f"{prefix}kind", values["kind"] or "", KINDS)
    splits = kind in SPLITTING and not former
    return Request(
        up=up,
        down=down,
        framing=_framing(prefix, values),
        kind=kind,
        htb=kind not in ROOTS or kind in SPLITTING and former,
        keep_offloads=offloads == "keep"
        or offloads == "auto"
        and (splits or slowest > OFFLOADS_ABOVE),
    )


def text(given: Mapping[str, str]) -> str:
    """The settings in one line, the given rates first."""
    names = [n for n in DEFAULTS if n in given or n in ("link", "kind")]
    return ", ".join(f"{n} {given.get(n, DEFAULTS[n])}" for n in names)
