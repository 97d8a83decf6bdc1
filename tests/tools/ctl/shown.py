# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""What `tc` and `ip` show of a link, as iproute2 6.15 prints it: parts of which the tests make states."""

from __future__ import annotations

from typing import Any

from codelctllib.former import Former
from codelctllib.offloads import Feature, Features
from codelctllib.plan import Observed, Port
from codelctllib.shaper import Json, Shaper

DEFAULT_ROOT: Json = {
    "kind": "fq_codel",
    "handle": "0:",
    "root": True,
    "options": {
        "limit": 10240,
        "flows": 1024,
        "quantum": 1514,
        "target": 4999,
        "interval": 99999,
        "memory_limit": 33554432,
        "ecn": True,
        "drop_batch": 64,
    },
}
CLSACT: Json = {"kind": "clsact", "handle": "ffff:", "parent": "ffff:fff1", "options": {}}
MERGES: Features = {
    "tcp-segmentation-offload": Feature(True, False),
    "tx-tcp-segmentation": Feature(True, False),
    "tx-tcp-mangleid-segmentation": Feature(False, False),
    "generic-segmentation-offload": Feature(True, False),
    "generic-receive-offload": Feature(True, False),
    "large-receive-offload": Feature(False, True),
}
SPLITS: Features = {name: Feature(False, feature.fixed) for name, feature in MERGES.items()}


def link(name: str, mtu: int = 1500, kind: str = "ether", flags: str = "UP") -> Json:
    return {"ifname": name, "ifindex": 7, "mtu": mtu, "link_type": kind, "flags": flags.split()}


def leaf(want: Shaper, less: int = 0) -> Json:
    options = {**DEFAULT_ROOT["options"], **want.times()}
    options = {n: v - less if n in ("target", "interval") else v for n, v in options.items()}
    return {"kind": want.kind, "handle": "c0df:", "parent": "c0de:1", "options": options}


def shaped(want: Shaper, name: str) -> Port:
    """The device after the shaper has been set up."""
    if want.is_cake:
        options: dict[str, Any] = {"diffserv": "diffserv3", **want.cake()}
        root = {"kind": "cake", "handle": "c0ca:", "root": True, "options": options}
        return Port(link(name), [root])
    stab = {n: v for n, v in want.stab().items() if v}
    options = {"r2q": 10, "default": "0x1", "direct_packets_stat": 0}
    root = {"kind": "htb", "handle": "c0de:", "root": True, "options": options, "stab": stab}
    item = {"class": "htb", "handle": "c0de:1", "root": True, "leaf": "0xc0df", **want.htb_class()}
    return Port(link(name), [root, leaf(want)], [item])


def redirect(ifb: str) -> Json:
    action = {"order": 1, "kind": "mirred", "mirred_action": "redirect", "to_dev": ifb}
    return {"protocol": "all", "pref": 49152, "kind": "matchall", "options": {"actions": [action]}}


FRESH = Observed(Port(link("eth0"), [DEFAULT_ROOT]), Port(), MERGES, True)
FORMER = Former([DEFAULT_ROOT], MERGES)
