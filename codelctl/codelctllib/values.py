# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The settings of a link: names, defaults and bounds, from the command line or a file."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Mapping, Sequence

from . import rates, tuning
from .errors import Refusal
from .framing import CELLS, LINKS, VLAN_TAG, Framing
from .marks import ROOTS
from .tuning import DIRECTIONS

KINDS = ("fq_codel_oot", "codel_oot", "fq_codel", "codel", "cake")
# These split merged packets by themselves
SPLITTING = ("fq_codel_oot", "codel_oot")
OFFLOADS = ("auto", "off", "keep")
# A rate that removes its direction
OFF = "off"
# Every setting, with its default; None: as of the link, or as tc has set it
DEFAULTS: dict[str, str | None] = {
    "up": OFF,
    "down": OFF,
    "follow": OFF,
    "link": "ethernet",
    "overhead": None,
    "mpu": None,
    "cells": None,
    "vlan": "0",
    "kind": "fq_codel_oot",
    "offloads": "auto",
    **dict.fromkeys(tuning.EVERY),
    "queues": "auto",
}
# In place of a part of --link, which takes its place again when it is given
PARTS = ("overhead", "mpu", "cells")
# A packet of 64 KB takes 0.5 ms at this rate. Above it, segmentation costs more than it gains.
OFFLOADS_ABOVE = 10**9
HOST = re.compile(r"[\w:][\w:.%-]*")
DEVICE = re.compile(r"[^\s/:]+")
LONGEST_NAME, LONGEST_ALTNAME = 15, 127  # bytes


@dataclass(frozen=True)
class Request:
    """What the user asks for."""

    up: int | None  # bit/s; None: no shaper
    down: int | None  # bit/s
    framing: Framing
    kind: str
    htb: bool  # the kind cannot shape
    keep_offloads: bool
    optional_offloads: bool = True  # as far as the device allows
    # Parameters of the AQM, of egress and ingress
    tuning: tuple[tuning.Parameters, tuning.Parameters] = field(default_factory=lambda: ({}, {}))
    # Of DIRECTIONS, those whose queue is elsewhere, and is followed; a rate is a bound then
    follow: frozenset[str] = frozenset()
    # Those with a qdisc for each transmit queue, where the device has several
    spread: frozenset[str] = frozenset()

    @property
    def directions(self) -> frozenset[str]:
        """Those that have a qdisc."""
        rates_of = {"up": self.up, "down": self.down}
        return self.follow | {name for name, rate in rates_of.items() if rate is not None}

    def without(self, names: set[str]) -> Request:
        """The same without these directions."""
        up, down = (None if name in names else getattr(self, name) for name in DIRECTIONS)
        return replace(self, up=up, down=down, follow=self.follow - names)


def device(name: str) -> str:
    length = len(name.encode(errors="surrogateescape"))
    if not DEVICE.fullmatch(name) or name in (".", "..") or length > LONGEST_ALTNAME:
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


def _rate(option: str, written: str | None) -> int | None:
    return None if written in (OFF, None) else rates.parse(option, str(written))


def follows(given: Mapping[str, str]) -> bool:
    """Whether both directions follow the link."""
    return given.get("follow", OFF) != OFF


def _refuse_without_rate(
    prefix: str, given: Mapping[str, str], found: Mapping[str, int | None]
) -> None:
    if all(rate is None for rate in found.values()):
        raise Refusal(
            f"a rate is missing: give {prefix}up, {prefix}down or both, or {prefix}follow"
        )
    for direction, rate in found.items():
        settings = sorted(tuning.of_directions([direction]) & given.keys())
        if settings and rate is None:
            raise Refusal(
                f"{prefix}{settings[0]}: that direction has no shaper: give {prefix}{direction}"
            )


def parse(given: Mapping[str, str], prefix: str = "--", former: bool = False) -> Request:
    """A request from settings as text; `prefix` is what a message puts before a name. `former`: as an
    earlier version set the link up, which had HTB above the out-of-tree kinds."""
    unknown = sorted(set(given) - set(DEFAULTS))
    if unknown:
        raise Refusal(f"{prefix}{unknown[0]}: the settings are {', '.join(DEFAULTS)}")
    values = {**DEFAULTS, **given}
    up, down = (_rate(f"{prefix}{name}", values[name]) for name in DIRECTIONS)
    kind = choice(f"{prefix}kind", values["kind"] or "", KINDS)
    follow = choice(f"{prefix}follow", values["follow"] or "", ("on", OFF)) == "on"
    if follow and kind not in SPLITTING:
        raise Refusal(
            f"{prefix}follow: {kind} does not follow a link: {' and '.join(SPLITTING)} do"
        )
    if not follow:
        _refuse_without_rate(prefix, given, {"up": up, "down": down})
    offloads = choice(f"{prefix}offloads", values["offloads"] or "", OFFLOADS)
    slowest = min((rate for rate in (up, down) if rate is not None), default=0)
    splits = kind in SPLITTING and not former
    parameters = tuning.parse(prefix, {n: given[n] for n in tuning.EVERY if n in given}, kind)
    queues = dict(zip(DIRECTIONS, (found.pop("queues", "auto") for found in parameters)))
    return Request(
        up=up,
        down=down,
        framing=_framing(prefix, values),
        kind=kind,
        htb=kind not in ROOTS or kind in SPLITTING and former,
        keep_offloads=offloads == "keep"
        or offloads == "auto"
        and (splits or slowest > OFFLOADS_ABOVE),
        optional_offloads=offloads == "auto",
        tuning=parameters,
        follow=frozenset(DIRECTIONS if follow else ()),
        # A queue elsewhere is one
        spread=frozenset(d for d in DIRECTIONS if splits and not follow and queues[d] == "auto"),
    )


def validate(given: Mapping[str, str]) -> None:
    """Each value by itself: others may come from the present setup."""
    for name, written in given.items():
        if name in tuning.EVERY:
            tuning.value(f"--{name}", name, written)
        elif written != OFF or name not in DIRECTIONS:
            parse({"up": rates.text(rates.GREATEST), name: written})


def merged(present: Mapping[str, str], given: Mapping[str, str]) -> dict[str, str]:
    """The present settings, with those that are given in their place. Another kind may not have all parameters, and
    a direction that goes has none."""
    dropped = tuning.replaced(given) | ({*PARTS} if "link" in given else set())
    dropped |= tuning.foreign(given["kind"]) if "kind" in given else set()
    if not follows({**present, **given}):
        dropped |= tuning.of_directions([n for n in DIRECTIONS if given.get(n) == OFF])
    found = {**{n: v for n, v in present.items() if n not in dropped}, **given}
    found = {n: v for n, v in found.items() if n not in (*DIRECTIONS, "follow") or v != OFF}
    if present and not found.keys() & {*DIRECTIONS, "follow"}:
        raise Refusal("no direction is left: `codelctl undo DEV` removes the setup")
    return found


def changes(old: Mapping[str, str], new: Mapping[str, str]) -> list[str]:
    """Each setting that changes, in words."""

    def shown(name: str, settings: Mapping[str, str]) -> str:
        unset = "as of the link" if name in PARTS else "not set"
        return settings.get(name, DEFAULTS[name]) or unset

    pairs = ((name, shown(name, old), shown(name, new)) for name in DEFAULTS)
    return [f"{name} {before} becomes {after}" for name, before, after in pairs if before != after]


def is_flag(setting: str) -> bool:
    return setting == "follow" or tuning.parameter(setting) in tuning.FLAGS


def words(given: Mapping[str, str]) -> list[str]:
    """The settings as of the command line."""
    found = []
    for name, value in given.items():
        if is_flag(name):
            found.append(f"--{name}" if value == "on" else f"--no-{name}")
        else:
            found += [f"--{name}", value]
    return found


def text(given: Mapping[str, str]) -> str:
    """The settings in one line, the given rates first."""
    names = [n for n in DEFAULTS if n in given or n in ("link", "kind")]
    return ", ".join(f"{n} {given.get(n, DEFAULTS[n])}" for n in names)
