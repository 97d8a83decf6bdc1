# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""What `tc` and `ip` show of a link, as iproute2 6.15 prints it: parts of which the tests make states."""

from __future__ import annotations

from typing import Any

from codelctllib import htb
from codelctllib.marks import Json, Port
from codelctllib.offloads import Feature, Features
from codelctllib.plan import Former, Observed
from codelctllib.shaper import Shaper

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


def link(
    name: str, mtu: int = 1500, kind: str = "ether", flags: str = "UP", queues: int = 1
) -> Json:
    found = {"ifname": name, "ifindex": 7, "mtu": mtu, "link_type": kind, "flags": flags.split()}
    return {**found, "queues": queues}


def leaf(want: Shaper, less: int = 0) -> Json:
    options = {**DEFAULT_ROOT["options"], **want.tuning, **htb.times(want)}
    options = {n: v - less if n in ("target", "interval") else v for n, v in options.items()}
    return {"kind": want.kind, "handle": "c0df:", "parent": "c0de:1", "options": options}


def shaped(want: Shaper, name: str) -> Port:
    """The device after the shaper has been set up."""
    of = ifb(name) if want.ingress else link(name)
    if not want.htb:
        own: dict[str, Any] = {"limit": 1000, **want.options()}
        kind, handle = want.root
        return Port(of, [{"kind": kind, "handle": handle, "root": True, "options": own}])
    stab = {n: v for n, v in htb.stab(want).items() if v}
    options = {"r2q": 10, "default": "0x1", "direct_packets_stat": 0}
    root = {"kind": "htb", "handle": "c0de:", "root": True, "options": options, "stab": stab}
    item = {"class": "htb", "handle": "c0de:1", "root": True, "leaf": "0xc0df", **htb.numbers(want)}
    return Port(of, [root, leaf(want)], [item])


def ifb(name: str, of: int = 7, queues: int = 1) -> Json:
    found = {**link(name, queues=queues), "ifindex": 9, "linkinfo": {"info_kind": "ifb"}}
    return {**found, "ifalias": f"codelctl: ingress of device {of} (eth0)"}


def redirect(to: str) -> list[Json]:
    """The filter of codelctl in a clsact of its own, and the entry of its preference."""
    action = {"order": 1, "kind": "mirred", "mirred_action": "redirect", "to_dev": to}
    place = {"protocol": "all", "pref": 49374, "kind": "matchall", "chain": 0}
    return [place, {**place, "options": {"handle": 49375, "actions": [action]}}]


def rule(preference: int) -> list[Json]:
    """A filter of a firewall."""
    place = {"protocol": "ip", "pref": preference, "kind": "flower", "chain": 0}
    action = {"order": 1, "kind": "gact", "control_action": {"type": "drop"}}
    return [place, {**place, "options": {"handle": 1, "actions": [action]}}]


FRESH = Observed(Port(link("eth0"), [DEFAULT_ROOT]), Port(), "ifb-eth0", MERGES, True)
FORMER = Former([], False, MERGES)
