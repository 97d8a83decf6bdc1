# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The marks of all that codelctl creates, and what is codelctl's in what `ip` and `tc` show.

    egress      the root qdisc of a device: its kind and handle
    ingress     a filter: its preference, kind and handle
                an ifb: its alias, which has the ifindex of the device; until it has one, its name

A device keeps its ifindex when it is renamed. A clsact has no mark: it goes when its hooks are empty.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]

# Root qdiscs, by kind: HTB, and the kinds that shape by themselves
ROOTS = {"htb": "c0de:", "cake": "c0ca:", "codel_oot": "c0d0:", "fq_codel_oot": "c0d1:"}
# Below HTB. No root has this handle
CLASS = "c0de:1"
LEAF = "c0df:"
# Of the filter that redirects. It is behind the filters that `tc` adds without a preference
PREFERENCE = 0xC0DE
HANDLE = 0xC0DE
HOOKS = ("ingress", "clsact")
ALIAS = re.compile(r"codelctl: ingress of device (\d+) \((.*)\)", re.S)
NAME = re.compile(r"codelctl-(\d+)")


def is_shaper(qdisc: Json) -> bool:
    return "root" in qdisc and ROOTS.get(qdisc["kind"]) == qdisc["handle"]


def is_measured(qdisc: Json) -> bool:
    """Whether the qdisc is the one with the queue of a direction."""
    return qdisc.get("handle") == LEAF or is_shaper(qdisc) and qdisc["kind"] != "htb"


def _has_place(item: Json) -> bool:
    return (item.get("pref"), item["kind"], item.get("chain", 0)) == (PREFERENCE, "matchall", 0)


def is_redirect(item: Json) -> bool:
    return _has_place(item) and item.get("options", {}).get("handle") == HANDLE


def redirect_words() -> list[str]:
    """The place of the filter and its mark, as words of tc."""
    place = f"ingress protocol all pref {PREFERENCE} handle {HANDLE:#x} matchall"
    return place.split()


def alias(ifindex: int, device: str) -> str:
    return f"codelctl: ingress of device {ifindex} ({device})"


def first_name(ifindex: int) -> str:
    """The name with which an ifb is created: a device cannot be created with an alias."""
    return f"codelctl-{ifindex}"


def _marked(link: Json) -> re.Match[str] | None:
    if link.get("linkinfo", {}).get("info_kind") != "ifb":
        return None
    return ALIAS.fullmatch(link.get("ifalias", "")) or NAME.fullmatch(link["ifname"])


def served(link: Json) -> int | None:
    """The ifindex of the device whose ingress an ifb of codelctl shapes; None: another device."""
    match = _marked(link)
    return int(match[1]) if match else None


def served_name(link: Json) -> str | None:
    """The device's name when the ifb was created."""
    match = ALIAS.fullmatch(link.get("ifalias", ""))
    return match[2] if match else None


@dataclass(frozen=True)
class Port:
    """A device as `ip` and `tc` show it; link None: there is none."""

    link: Json | None = None
    qdiscs: list[Json] = field(default_factory=list)
    classes: list[Json] = field(default_factory=list)
    ingress: list[Json] = field(default_factory=list)  # filters
    egress: list[Json] = field(default_factory=list)

    @property
    def root(self) -> Json | None:
        return next((q for q in self.qdiscs if q.get("root")), None)

    @property
    def shaper(self) -> Json | None:
        """The root qdisc, if it is codelctl's."""
        return self.root if self.root and is_shaper(self.root) else None

    @property
    def hook(self) -> Json | None:
        """The qdisc of ingress."""
        return next((q for q in self.qdiscs if q["kind"] in HOOKS), None)

    @property
    def redirect(self) -> Json | None:
        """The filter of codelctl."""
        return next(filter(is_redirect, self.ingress), None)

    @property
    def redirects_to(self) -> str | None:
        """The name of a device, * if the device is gone, None without a redirect."""
        actions = self.redirect["options"].get("actions", []) if self.redirect else []
        return next((action.get("to_dev") for action in actions), None)

    @property
    def foreign(self) -> list[Json]:
        """Filters of others, on both hooks. Each preference has an entry without options, too."""
        ours = [f for f in self.ingress if _has_place(f) and "options" not in f or is_redirect(f)]
        return [f for f in (*self.ingress, *self.egress) if f not in ours]


def ifb_of(links: list[Json], ifindex: int) -> Json | None:
    return next((link for link in links if served(link) == ifindex), None)


def unfinished(links: list[Json]) -> list[Json]:
    """The ifbs that a killed codelctl had just created, for devices that are gone: no device's name leads to them."""
    there = {link["ifindex"] for link in links}
    ours = [link for link in links if _marked(link) and served_name(link) is None]
    return [link for link in ours if served(link) not in there]


def orphan(links: list[Json], device: str) -> Json | None:
    """The ifb of a device that had this name and is gone."""
    there = {link["ifindex"] for link in links}
    gone = (link for link in links if served(link) not in (None, *there))
    return next((link for link in gone if served_name(link) == device), None)
