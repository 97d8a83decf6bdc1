# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The marks of all that codelctl creates, and what is codelctl's in what `ip` and `tc` show.

    egress      the root qdisc of a device: its kind and handle. Below mq, the qdiscs of the queues are codelctl's, too
    ingress     a filter: its preference, kind and handle, of which there are two: in a clsact of codelctl, and in one of others
                an ifb: its alias, which has the ifindex and the identity of the device; until it has one, its name

A device keeps its ifindex when it is renamed. Another device may get it later: the identity of a device is the inode of
its folder in /sys, which no device has twice. A clsact of codelctl goes when its hooks are empty.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]

# Root qdiscs, by kind: HTB, mq, and the kinds that shape by themselves
ROOTS = {
    "htb": "c0de:",
    "mq": "c0d2:",
    "cake": "c0ca:",
    "codel_oot": "c0d0:",
    "fq_codel_oot": "c0d1:",
}
# Below HTB. No root has this handle
CLASS = "c0de:1"
LEAF = "c0df:"
# Of the filter that redirects. It is behind the filters that `tc` adds without a preference
PREFERENCE = 0xC0DE
HANDLE = 0xC0DE
HANDLE_OWN = 0xC0DF  # the clsact is codelctl's, too
HOOKS = ("ingress", "clsact")
ALIAS = re.compile(r"codelctl: ingress of device (\d+)(?:/(\d+))? \((.*)\)", re.S)
NAME = re.compile(r"codelctl-(\d+)")


def is_shaper(qdisc: Json) -> bool:
    return "root" in qdisc and ROOTS.get(qdisc["kind"]) == qdisc["handle"]


def is_measured(qdisc: Json) -> bool:
    """Whether the qdisc is the one with the queue of a direction, or one of those below mq."""
    if is_shaper(qdisc):
        return qdisc["kind"] not in ("htb", "mq")
    is_below = qdisc.get("parent", "").startswith(ROOTS["mq"]) and qdisc["handle"] != "0:"
    return is_below or qdisc.get("handle") == LEAF


def _has_place(item: Json) -> bool:
    return (item.get("pref"), item["kind"], item.get("chain", 0)) == (PREFERENCE, "matchall", 0)


def is_redirect(item: Json) -> bool:
    return _has_place(item) and item.get("options", {}).get("handle") in (HANDLE, HANDLE_OWN)


# A packet goes on to the next filter, or may
GOING_ON = ("continue", "goto", "jump")


def _ends(action: Json) -> bool:
    """Whether an action ends the way of every packet, or hands it to the next action; of other kinds, that is not known."""
    is_certain = action.get("kind") in ("gact", "mirred") and "prob" not in action
    return is_certain and action.get("control_action", {}).get("type") not in GOING_ON


def takes_all(item: Json) -> bool:
    """Whether no packet gets past a filter."""
    if (item["kind"], item.get("protocol"), item.get("chain", 0)) != ("matchall", "all", 0):
        return False
    options = item.get("options")
    return (
        options is not None
        and not options.get("skip_sw")
        and all(map(_ends, options.get("actions", [])))
    )


def redirect_words(handle: int) -> list[str]:
    """The place of the filter and its mark, as words of tc."""
    place = f"ingress protocol all pref {PREFERENCE} handle {handle:#x} matchall"
    return place.split()


def same(known: int | None, now: int | None) -> bool:
    """Whether two identities may be those of one device: without /sys, a device has none."""
    return None in (known, now) or known == now


def alias(device: Json) -> str:
    identity = device.get("identity")
    number = f"{device['ifindex']}/{identity}" if identity else str(device["ifindex"])
    return f"codelctl: ingress of device {number} ({device['ifname']})"


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
    return match[3] if match else None


def served_identity(link: Json) -> int | None:
    match = ALIAS.fullmatch(link.get("ifalias", ""))
    return int(match[2]) if match and match[2] else None


def serves(link: Json, device: Json) -> bool:
    """Whether a link is the ifb of this device."""
    identities = served_identity(link), device.get("identity")
    return served(link) == device["ifindex"] and same(*identities)


@dataclass(frozen=True)
class Port:
    """A device as `ip` and `tc` show it; link None: there is none."""

    link: Json | None = None
    qdiscs: list[Json] = field(default_factory=list)
    classes: list[Json] = field(default_factory=list)
    ingress: list[Json] = field(default_factory=list)  # filters
    egress: list[Json] = field(default_factory=list)
    # On the root qdisc and those below it: parent, pref and kind
    filters: list[Json] = field(default_factory=list)
    chains: list[int] = field(
        default_factory=list
    )  # of the hooks, but for the first; a chain may have a template alone

    @property
    def root(self) -> Json | None:
        return next((q for q in self.qdiscs if q.get("root")), None)

    @property
    def shaper(self) -> Json | None:
        """The root qdisc, if it is codelctl's."""
        return self.root if self.root and is_shaper(self.root) else None

    @property
    def queue(self) -> Json | None:
        """The qdisc of codelctl that has the queue, or the first of them."""
        return next(filter(is_measured, self.qdiscs), None) if self.shaper else None

    @property
    def is_spread(self) -> bool:
        """Whether codelctl has made a qdisc for each transmit queue."""
        return self.shaper is not None and self.shaper["kind"] == "mq"

    @property
    def queues(self) -> int:
        """The device's transmit queues."""
        return int((self.link or {}).get("queues", 1))

    @property
    def hook(self) -> Json | None:
        """The qdisc of ingress."""
        return next((q for q in self.qdiscs if q["kind"] in HOOKS), None)

    @property
    def redirect(self) -> Json | None:
        """The filter of codelctl."""
        return next(filter(is_redirect, self.ingress), None)

    @property
    def owns_hook(self) -> bool:
        """Whether codelctl has made the qdisc of ingress, as its redirect shows."""
        return self.redirect is not None and self.redirect["options"]["handle"] == HANDLE_OWN

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

    @property
    def shares_hook(self) -> bool:
        """Whether others use the qdisc of ingress."""
        return bool(self.foreign or self.chains)

    @property
    def _others_on_ingress(self) -> list[Json]:
        """In the chain of the redirect."""
        return [f for f in self.ingress if f in self.foreign and not f.get("chain")]

    @property
    def before(self) -> list[int]:
        """The preferences of filters that no packet gets past on its way to the redirect."""
        others = filter(takes_all, self._others_on_ingress)
        return sorted({f["pref"] for f in others if f["pref"] < PREFERENCE})

    @property
    def behind(self) -> list[int]:
        """The preferences of filters that no packet reaches behind the redirect."""
        return sorted({f["pref"] for f in self._others_on_ingress if f["pref"] > PREFERENCE})


def ifb_of(links: list[Json], device: Json) -> Json | None:
    return next((link for link in links if serves(link, device)), None)


def without_device(links: list[Json]) -> list[Json]:
    """The ifbs of devices that are gone."""
    ours = [link for link in links if served(link) is not None]
    return [link for link in ours if not any(serves(link, device) for device in links)]


def unfinished(links: list[Json]) -> list[Json]:
    """The ifbs that a killed codelctl had just created, for devices that are gone: no device's name leads to them."""
    return [link for link in without_device(links) if served_name(link) is None]


def orphan(links: list[Json], device: str) -> Json | None:
    """The ifb of a device that had this name and is gone."""
    return next((ln for ln in without_device(links) if served_name(ln) == device), None)
