# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The commands that lead from the observed state to the requested state.

        device  root: shaper for egress
                clsact: all packets of ingress are redirected to the ifb
        ifb     root: shaper for ingress

A change of numbers keeps the leaf qdisc, its packets and all handles. A change of clsact does not: the
kernel empties the egress queue of the device. The redirect comes last and goes first: no packet reaches
an ifb without a shaper.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field

from . import offloads
from .errors import Refusal
from .former import Former, restore_root
from .offloads import Features
from .shaper import (
    CAKE,
    CLASS,
    HTB,
    LEAF,
    Json,
    Shaper,
    cake_words,
    class_words,
    leaf_words,
    same_cake,
    same_class,
    same_leaf,
    same_stab,
    stab_words,
)
from .values import LONGEST_NAME, Request

Command = list[str]

# Bytes of the header that a qdisc counts, by the type of the link
HEADERS = {"ether": 14, "none": 0, "ppp": 0, "rawip": 0}


@dataclass(frozen=True)
class Port:
    """A device as `ip` and `tc` show it; link None: there is none."""

    link: Json | None = None
    qdiscs: list[Json] = field(default_factory=list)
    classes: list[Json] = field(default_factory=list)
    filters: list[Json] = field(default_factory=list)

    @property
    def root(self) -> Json | None:
        return next((q for q in self.qdiscs if q.get("root")), None)

    @property
    def is_shaped(self) -> bool:
        root = self.root
        return root is not None and (root["kind"], root["handle"]) in (("htb", HTB), ("cake", CAKE))

    @property
    def hook(self) -> Json | None:
        """The qdisc of ingress."""
        return next((q for q in self.qdiscs if q["kind"] in ("ingress", "clsact")), None)

    def redirects(self, ifb: str) -> bool:
        return any(
            action.get("to_dev") == ifb
            for item in self.filters
            for action in item.get("options", {}).get("actions", [])
        )


@dataclass(frozen=True)
class Observed:
    """A link: its device, the ifb, and whatever else the plan depends on."""

    device: Port
    ifb: Port
    features: Features
    needs_ifb: bool  # the module is not loaded


def ifb_name(device: str) -> str:
    """ifb- and the device's name, or its checksum if the name is too long."""
    name = f"ifb-{device}"
    if len(name.encode(errors="surrogateescape")) <= LONGEST_NAME:
        return name
    checksum = zlib.crc32(device.encode(errors="surrogateescape"))
    return f"ifb-{checksum:08x}"


def shapers(device: str, link: Json, want: Request) -> tuple[Shaper | None, Shaper | None]:
    """Egress and ingress."""
    header = HEADERS.get(link["link_type"])
    if header is None:
        raise Refusal(
            f"{device}: a link of type {link['link_type']} is not supported: "
            f"the supported types are {', '.join(HEADERS)}"
        )

    def shaper(name: str, rate: int | None, ingress: bool) -> Shaper | None:
        if rate is None:
            return None
        return Shaper(name, rate, want.framing, header, link["mtu"], want.kind, ingress)

    return shaper(device, want.up, False), shaper(ifb_name(device), want.down, True)


def tc(verb: str, device: str, *words: str) -> Command:
    return ["tc", "qdisc", verb, "dev", device, *words]


def tc_class(verb: str, want: Shaper) -> Command:
    where = ["parent", HTB, "classid", CLASS]
    return ["tc", "class", verb, "dev", want.device, *where, *class_words(want)]


def _new_shaper(want: Shaper) -> list[Command]:
    handle = want.root[1]
    if want.is_cake:
        return [tc("replace", want.device, "root", "handle", handle, *cake_words(want))]
    root = ["root", "handle", handle, *stab_words(want), "htb", "default", "1"]
    leaf = ["parent", CLASS, "handle", LEAF, *leaf_words(want)]
    return [
        tc("replace", want.device, *root),
        tc_class("add", want),
        tc("add", want.device, *leaf),
    ]


def _leaf(want: Shaper, now: Port) -> list[Command]:
    leaf = next((q for q in now.qdiscs if q.get("parent") == CLASS), None)
    place = ["parent", CLASS, "handle", LEAF, *leaf_words(want)]
    if leaf and leaf["handle"] == LEAF and leaf["kind"] == want.kind:
        return [] if same_leaf(want, leaf) else [tc("change", want.device, *place)]
    # A handle cannot change its kind
    gone = [tc("del", want.device, "parent", CLASS)] if leaf and leaf["handle"] == LEAF else []
    return [*gone, tc("replace", want.device, *place)]


def shaper_commands(want: Shaper, now: Port) -> list[Command]:
    """Lead to the shaper; packets stay queued unless the kind of a qdisc changes."""
    root = now.root
    if not root or (root["kind"], root["handle"]) != want.root:
        return _new_shaper(want)
    if want.is_cake:
        words = ["root", "handle", root["handle"], *cake_words(want)]
        return [] if same_cake(want, root) else [tc("change", want.device, *words)]
    found = []
    # HTB refuses a change of its options: the kind is left out, and only the size table changes
    if not same_stab(want, root):
        found.append(tc("change", want.device, "root", "handle", HTB, *stab_words(want)))
    shown = next((c for c in now.classes if c["handle"] == CLASS), None)
    if not shown or not same_class(want, shown):
        found.append(tc_class("change" if shown else "add", want))
    return found + _leaf(want, now)


def _ifb_link(want: Shaper, now: Observed) -> list[Command]:
    link, found = now.ifb.link, []
    if not link:
        # Without numifbs=0, the module brings two devices along
        if now.needs_ifb:
            found.append(["modprobe", "ifb", "numifbs=0"])
        found.append(["ip", "link", "add", want.device, "type", "ifb"])
    if not link or link["mtu"] != want.mtu or "UP" not in link["flags"]:
        found.append(["ip", "link", "set", want.device, "mtu", str(want.mtu), "up"])
    return found


def redirect_commands(device: str, ifb: str, now: Port, former: Former) -> list[Command]:
    if now.redirects(ifb):
        return []
    if now.hook and (former.hook or now.filters):
        kind = now.hook["kind"]
        raise Refusal(
            f"{device}: it has a qdisc {kind}, which other filters may need: remove it with "
            f"`tc qdisc del dev {device} {kind}`, or shape egress only, without --down"
        )
    hook = [] if now.hook else [tc("add", device, "clsact")]
    words = "ingress protocol all matchall action mirred egress redirect dev"
    return [*hook, ["tc", "filter", "add", "dev", device, *words.split(), ifb]]


def ingress_commands(device: str, want: Shaper, now: Observed, former: Former) -> list[Command]:
    return [
        *_ifb_link(want, now),
        *shaper_commands(want, now.ifb),
        *redirect_commands(device, want.device, now.device, former),
    ]


def no_ingress_commands(device: str, now: Observed, former: Former) -> list[Command]:
    found, ifb, hook = [], ifb_name(device), now.device.hook
    if hook and not former.hook and (now.device.redirects(ifb) or not now.device.filters):
        found.append(tc("del", device, hook["kind"]))
    if now.ifb.link:
        found.append(["ip", "link", "del", ifb])
    return found


def commands(device: str, request: Request, now: Observed, former: Former) -> list[Command]:
    """All commands of a setup."""
    assert now.device.link
    restore = restore_root(device, former, None)
    up, down = shapers(device, now.device.link, request)
    found = offloads.commands(device, request.keep_offloads, now.features, former.features)
    if up:
        found += shaper_commands(up, now.device)
    elif now.device.is_shaped:
        found += restore
    if down:
        found += ingress_commands(device, down, now, former)
    elif now.ifb.link:
        found += no_ingress_commands(device, now, former)
    return found


def undo_commands(device: str, now: Observed, former: Former) -> list[Command]:
    """Remove all that a setup may have added, whether or not it was completed."""
    found = no_ingress_commands(device, now, former) if now.ifb.link else []
    if now.device.is_shaped:
        found += restore_root(device, former, None)
    return found + offloads.restore(device, now.features, former.features)
