# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Offloads that merge packets. A merged packet of 64 KB holds a slow link for long, unless the qdisc splits
it, and a size table adds the overhead of one packet to it."""

from __future__ import annotations

import re
from dataclasses import dataclass

# Names that `ethtool -k` prints and `ethtool -K` takes in a short form only
SHORT = {
    "generic-segmentation-offload": "gso",
    "generic-receive-offload": "gro",
    "large-receive-offload": "lro",
}
MERGING = {**SHORT, "tcp-segmentation-offload": "tso"}
LINE = re.compile(r"(\t?)([a-z0-9_-]+): (on|off)(?: (\[.*\]))?")


@dataclass(frozen=True)
class Feature:
    on: bool
    fixed: bool
    # Something else was requested: the device below a macvlan refused it
    refused: bool = False


Features = dict[str, Feature]


def parse(shown: str) -> Features:
    """What `ethtool -k` prints."""
    found = {}
    for line in shown.splitlines():
        match = LINE.fullmatch(line.rstrip(" "))
        if match:
            note = match[4] or ""
            found[match[2]] = Feature(
                match[3] == "on", note == "[fixed]", note.startswith("[requested")
            )
    return found


def merging(now: Features) -> list[str]:
    """The names of offloads that merge packets."""
    return [name for name in MERGING if name in now and now[name].on]


def _off(now: Features) -> list[str]:
    return [
        word
        for name, short in sorted(MERGING.items())
        if name in now and now[name].on and not now[name].fixed
        for word in (short, "off")
    ]


def _on_again(now: Features, had: Features) -> list[str]:
    """Groups have no name that ethtool takes, their members have: tx-tcp-segmentation."""
    return [
        word
        for name, feature in had.items()
        if feature.on and not feature.refused and name in now
        if (not now[name].on or now[name].refused) and not now[name].fixed
        if name in SHORT or not name.endswith("-offload") and "checksumming" not in name
        for word in (SHORT.get(name, name), "on")
    ]


def _ethtool(device: str, words: list[str]) -> list[list[str]]:
    return [["ethtool", "-K", device, *words]] if words else []


def _is_as_wanted(feature: Feature) -> bool:
    return feature.on and not feature.refused


def at_risk(now: Features) -> Features:
    """Those that may go off with the ones that merge packets: their members, and what depends on them."""
    names = [n for n in now if n in SHORT or n.startswith("tx-tcp") or n == "rx-gro-hw"]
    return {name: now[name] for name in names if _is_as_wanted(now[name])}


def switched_off(known: Features, before: Features, after: Features) -> Features:
    """What codelctl has switched off, earlier or between two readings, and what is off since."""
    found = {**known, **{n: f for n, f in before.items() if _is_as_wanted(f)}}
    return {n: f for n, f in found.items() if n in after and not _is_as_wanted(after[n])}


def restore(device: str, now: Features, had: Features) -> list[list[str]]:
    return _ethtool(device, _on_again(now, had))


def commands(device: str, keep: bool, now: Features, had: Features) -> list[list[str]]:
    return restore(device, now, had) if keep else _ethtool(device, _off(now))
