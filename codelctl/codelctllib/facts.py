# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""What doctor judges, read from the machine. A fact that cannot be read is None or empty."""

from __future__ import annotations

import json
import os
import re
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import cake, marks, measure, observe
from .errors import Failure
from .offloads import Features
from .marks import Port
from .run import run

KINDS = ("codel", "fq_codel", "codel_oot", "fq_codel_oot")
# In a network namespace of its own: reference counts with a qdisc, without it, and with it. There may be no module
PROBE_SERVER = """
tc qdisc add dev lo root "$1" || exit
grep -H . /sys/module/sch_*/refcnt
echo --
tc qdisc del dev lo root
grep -H . /sys/module/sch_*/refcnt
echo --
tc qdisc add dev lo root "$1" || exit
grep -H . /sys/module/sch_*/refcnt
exit 0
"""
PROBE_PLUGIN = 'tc qdisc add dev lo root "$1" ceiling 77ms && tc -json qdisc show dev lo'
PLUGINS = ("lib*/tc", "lib/*/tc", "local/lib*/tc")
SHAPERS = ("htb", "hfsc", "tbf")
MODULES = ("sch_codel_oot", "sch_fq_codel_oot")
PACKAGED = "/var/lib/dpkg/info/codel-oot-tools.list"
# Beside the installed library
SOURCE = Path(__file__).resolve().parents[1] / "source"
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
class Plugin:
    """What tc does with a kind of the out-of-tree modules."""

    kind: str
    path: str | None  # of the file that tc looks for; None: not known
    loads: bool
    # Whether tc shows an option as it was set; None: no module is loaded that could tell
    works: bool | None = None
    others: list[str] = field(default_factory=list)  # plugins that tc does not look for


@dataclass(frozen=True)
class Machine:
    release: str
    modules: list[Module]
    headers: bool
    dkms: bool  # a package has installed the modules' sources for DKMS
    packaged: bool  # a package has installed the plugins
    source: str | None  # the tree of `make install`, if that has installed codelctl
    secure_boot: bool
    signatures: bool  # modules without a valid signature are refused
    default_qdisc: str | None
    plugins: list[Plugin]
    # By kind: the module, "built-in", or None if no loaded module serves the kind
    served: dict[str, str | None]
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
    """A device that codelctl has set up, or one with an AQM qdisc that the user has configured."""

    device: str
    settings: dict[str, str]
    present: bool
    in_force: bool = False
    outdated_mtu: int | None = None  # the MTU at the setup, if that is another one now
    differs: list[str] = field(default_factory=list)  # from the setup, in words
    enabled: bool = True  # the setup returns after a reboot, or nothing could make it return
    shaped: bool = True
    splits: list[str] = field(default_factory=list)  # up, down: the qdisc splits merged packets
    up: int | None = None  # bit/s
    down: int | None = None
    speed: int | None = None  # bit/s, of the device
    bql: bool = True  # the driver limits the bytes in its rings
    bypassed: str | None = None  # the ifb that no packet of ingress reaches
    behind: list[int] = field(default_factory=list)  # preferences of filters behind the redirect
    now: Port = Port()
    features: Features = field(default_factory=dict)
    # "family table name": "family table chain handle N" of the rules that use the flow table
    flowtables: dict[str, list[str]] = field(default_factory=dict)
    xdp: bool = False
    neighbours: list[Neighbour] = field(default_factory=list)
    cakes: list[cake.Cake] = field(default_factory=list)  # of the device and the ifb
    # Of egress and ingress, the state of the queue elsewhere: see tc-fq_codel_oot(8)
    far: dict[str, str] = field(default_factory=dict)


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


def _builtin(release: str) -> set[str] | None:
    """Names of modules that the kernel has built in; None: there are no files of modules."""
    shown = _read(f"/lib/modules/{release}/modules.builtin")
    return None if shown is None else {Path(line).stem for line in shown.splitlines()}


def _references(shown: str) -> dict[str, int]:
    """Reference counts by module, as grep prints them."""
    lines = (line.split(":") for line in shown.splitlines())
    return {path.split("/")[3]: int(count) for path, count in lines}


def _server(kind: str) -> str | None:
    """The module that serves a kind: a qdisc holds a reference to it while the qdisc exists."""
    done = run(["unshare", "--net", "sh", "-c", PROBE_SERVER, "sh", kind])
    parts = [_references(part) for part in done.stdout.split("--\n")]
    if done.returncode or len(parts) != 3:
        return None
    found = [name for name, n in parts[0].items() if parts[1].get(name, n) < n]
    # One change alone may be that of another network namespace
    found = [name for name in found if parts[2].get(name, 0) > parts[1][name]]
    return found[0] if len(found) == 1 else None if found else "built-in"


def _served(kind: str, builtin: set[str] | None) -> str | None:
    plain = f"sch_{kind.removesuffix('_oot')}"
    loaded = any(Path(f"/sys/module/{name}").exists() for name in (plain, f"{plain}_oot"))
    # Otherwise, the probe would load a module
    return _server(kind) if loaded or builtin is None or f"sch_{kind}" in builtin else None


def _plugin(kind: str, is_served: bool) -> Plugin:
    """tc prints the kind's options without asking the kernel; the C library prints what it opens."""
    asked = ["env", "LD_DEBUG=files", "tc", "qdisc", "add", "dev", "lo", "root", kind, "help"]
    said = run(asked).stderr
    name = f"q_{kind}.so"
    match = re.search(rf"file=(/\S*/{name}) ", said)
    path = os.path.normpath(match[1]) if match else None
    folders = (folder for pattern in PLUGINS for folder in Path("/usr").glob(pattern))
    others = [str(p) for folder in folders if (p := folder / name).exists() and str(p) != path]
    loads = "Unknown qdisc" not in said
    works = None
    if loads and is_served:
        done = run(["unshare", "--net", "sh", "-c", PROBE_PLUGIN, "sh", kind])
        works = '"ceiling":77000' in done.stdout.replace(" ", "")
    return Plugin(kind, path, loads, works, others)


def machine() -> Machine:
    release = os.uname().release
    builtin = _builtin(release)
    served = {kind: _served(kind, builtin) for kind in KINDS}
    forwarding = ("ipv4/ip_forward", "ipv6/conf/all/forwarding")
    return Machine(
        release=release,
        modules=[_module(name) for name in MODULES],
        headers=Path(f"/lib/modules/{release}/build/Makefile").exists(),
        dkms=any(Path("/usr/src").glob("codel-oot-*/dkms.conf")),
        packaged=Path(PACKAGED).exists(),
        source=_read(str(SOURCE)),
        secure_boot=_secure_boot(),
        signatures=_signatures(),
        default_qdisc=observe.default_qdisc(),
        plugins=[_plugin(kind, bool(served[kind])) for kind in KINDS if kind.endswith("_oot")],
        served=served,
        ethtool=observe.has_ethtool(),
        forwards=any(_read(f"/proc/sys/net/{name}") == "1" for name in forwarding),
    )


def speed(device: str) -> int | None:
    """The rate of the device itself; virtual devices have none."""
    text = _read(f"/sys/class/net/{device}/speed")
    return int(text) * 10**6 if text and text.lstrip("-").isdigit() and int(text) > 0 else None


def bql(device: str) -> bool:
    """Whether the driver limits the bytes in its rings. A virtual device has no rings."""
    if not Path(f"/sys/class/net/{device}/device").exists():
        return True
    return Path(f"/sys/class/net/{device}/queues/tx-0/byte_queue_limits/limit").exists()


def lowers(device: str) -> set[str]:
    """The device, and those below it: of a VLAN, a bridge or a bond."""
    below = Path(f"/sys/class/net/{device}").glob("lower_*")
    return {device}.union(*(lowers(path.name.removeprefix("lower_")) for path in below))


def _uses(rule: dict[str, Any], table: dict[str, Any]) -> bool:
    same = (rule["family"], rule["table"]) == (table["family"], table["table"])
    return same and any(
        isinstance(part, dict) and part.get("flow", {}).get("flowtable") == f"@{table['name']}"
        for part in rule["expr"]
    )


def flowtables(device: str) -> dict[str, list[str]]:
    """Flow tables of nftables that take packets of this device past its qdiscs, and the rules that use them."""
    if not shutil.which("nft"):
        return {}
    done = run(["nft", "-j", "list", "ruleset"])
    items = json.loads(done.stdout)["nftables"] if done.returncode == 0 else []
    rules = [item["rule"] for item in items if "rule" in item]
    taken, found = lowers(device), {}
    for table in (item["flowtable"] for item in items if "flowtable" in item):
        devices = table.get("dev", [])
        if taken & set([devices] if isinstance(devices, str) else devices):
            found[f"{table['family']} {table['table']} {table['name']}"] = [
                f"{r['family']} {r['table']} {r['chain']} handle {r['handle']}"
                for r in rules
                if _uses(r, table)
            ]
    return found


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
    """The AQM qdisc that codelctl has set up on a device, with its statistics; of several queues, their sum."""
    shown = observe.listed("tc", "-s", "-json", "qdisc", "show", "dev", device)
    found = [q for q in shown if marks.is_measured(q)]
    return measure.total(found) if len(found) > 1 else next(iter(found), None)


def _shapes(qdisc: dict[str, Any]) -> bool:
    """A cake may have an unlimited bandwidth."""
    options = qdisc.get("options", {})
    has_rate = options.get("rate") or isinstance(options.get("bandwidth"), int)
    return qdisc["kind"] in SHAPERS or bool(has_rate)


def configured() -> dict[str, bool]:
    """Devices on which a user has configured an AQM qdisc, and whether a qdisc shapes there."""
    try:
        shown = observe.listed("tc", "-json", "qdisc", "show")
    except Failure:  # tc prints no JSON for a kind that it does not have
        return {}
    by_user = [q for q in shown if q["handle"] != "0:"]
    shaped = {q["dev"] for q in by_user if _shapes(q)}
    return {q["dev"]: q["dev"] in shaped for q in by_user if q["kind"] in (*KINDS, "cake")}
