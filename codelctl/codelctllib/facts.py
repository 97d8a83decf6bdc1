# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""What doctor judges, read from the machine. A fact that cannot be read is None or empty."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import observe
from .offloads import Features
from .plan import Port
from .run import run

MODULES = ("sch_codel_oot", "sch_fq_codel_oot")
# The flag SecureBoot is the fifth byte, behind the variable's attributes
SECURE_BOOT = "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"


@dataclass(frozen=True)
class Module:
    """One of the out-of-tree modules."""

    name: str
    version: str | None = None  # of the file for the running kernel; None: there is no file
    loaded: bool = False
    loaded_version: str | None = None


@dataclass(frozen=True)
class Machine:
    release: str
    modules: list[Module]
    headers: bool
    secure_boot: bool
    signatures: bool  # modules without a valid signature are refused
    default_qdisc: str | None
    kinds_known_to_tc: dict[str, bool]
    forwards: bool
    ethtool: bool = True


@dataclass(frozen=True)
class Neighbour:
    """Another device, from which packets may be forwarded."""

    name: str
    features: Features
    gro_max_size: int


@dataclass(frozen=True)
class Link:
    """A device that is set up."""

    device: str
    settings: dict[str, str]
    present: bool
    in_force: bool = False
    up: int | None = None  # bit/s
    down: int | None = None
    speed: int | None = None  # bit/s, of the device
    bql: bool = True  # the driver limits the bytes in its rings
    now: Port = Port()
    features: Features = field(default_factory=dict)
    flowtables: list[str] = field(default_factory=list)  # "family table name"
    neighbours: list[Neighbour] = field(default_factory=list)
    leaves: dict[str, dict[str, Any]] = field(default_factory=dict)  # by direction, with statistics


def _read(path: str) -> str | None:
    try:
        return Path(path).read_text(errors="replace").strip()
    except OSError:
        return None


def _module(name: str) -> Module:
    version = None
    if shutil.which("modinfo"):
        done = run(["modinfo", "-F", "version", name])
        version = done.stdout.strip() or None if done.returncode == 0 else None
    folder = f"/sys/module/{name}"
    return Module(name, version, Path(folder).exists(), _read(f"{folder}/version"))


def _secure_boot() -> bool:
    try:
        return Path(SECURE_BOOT).read_bytes()[4:5] == b"\1"
    except OSError:
        return False


def _signatures() -> bool:
    lockdown = _read("/sys/kernel/security/lockdown") or ""
    enforced = _read("/sys/module/module/parameters/sig_enforce") == "Y"
    return enforced or "[integrity]" in lockdown or "[confidentiality]" in lockdown


def _tc_knows(kind: str) -> bool:
    """Whether tc has a plugin for the kind: it prints the kind's options without asking the kernel."""
    return (
        "Unknown qdisc" not in run(["tc", "qdisc", "add", "dev", "lo", "root", kind, "help"]).stderr
    )


def machine() -> Machine:
    release = os.uname().release
    forwarding = ("ipv4/ip_forward", "ipv6/conf/all/forwarding")
    return Machine(
        release=release,
        modules=[_module(name) for name in MODULES],
        headers=Path(f"/lib/modules/{release}/build/Makefile").exists(),
        secure_boot=_secure_boot(),
        signatures=_signatures(),
        default_qdisc=observe.default_qdisc(),
        kinds_known_to_tc={kind: _tc_knows(kind) for kind in ("codel_oot", "fq_codel_oot")},
        ethtool=observe.has_ethtool(),
        forwards=any(_read(f"/proc/sys/net/{name}") == "1" for name in forwarding),
    )


def speed(device: str) -> int | None:
    """The rate of the device itself; virtual devices have none."""
    text = _read(f"/sys/class/net/{device}/speed")
    return int(text) * 10**6 if text and text.lstrip("-").isdigit() and int(text) > 0 else None


def bql(device: str) -> bool:
    return Path(f"/sys/class/net/{device}/queues/tx-0/byte_queue_limits/limit").exists()


def flowtables(device: str) -> list[str]:
    """Flow tables of nftables that take packets of this device past its qdiscs."""
    if not shutil.which("nft"):
        return []
    done = run(["nft", "-j", "list", "flowtables"])
    items = json.loads(done.stdout)["nftables"] if done.returncode == 0 else []
    tables = [item["flowtable"] for item in items if "flowtable" in item]
    return [
        f"{table['family']} {table['table']} {table['name']}"
        for table in tables
        if device in ([table["dev"]] if isinstance(table.get("dev"), str) else table.get("dev", []))
    ]


def neighbours(device: str, forwards: bool) -> list[Neighbour]:
    if not forwards:
        return []
    shown = observe.listed("ip", "-json", "-details", "link", "show", "up")
    return [
        Neighbour(item["ifname"], observe.features(item["ifname"]), item.get("gro_max_size", 65536))
        for item in shown
        if item["ifname"] != device and item["link_type"] == "ether"
        if item.get("linkinfo", {}).get("info_kind") not in ("ifb", "bridge", "vlan")
    ]


def leaf(device: str) -> dict[str, Any] | None:
    """The AQM qdisc that codelctl has set up on a device, with its statistics."""
    shown = observe.listed("tc", "-s", "-json", "qdisc", "show", "dev", device)
    return next((q for q in shown if q.get("handle") in ("c0df:", "c0ca:")), None)
