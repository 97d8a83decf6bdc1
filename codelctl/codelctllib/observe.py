# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Read links, qdiscs, classes, filters and features from the machine, and find what is codelctl's."""

from __future__ import annotations

import json
import os
import re
import shutil
import time
from dataclasses import dataclass
from pathlib import Path

from . import classes, marks, offloads, state
from .errors import Failure, Refusal
from .marks import Json, Port
from .plan import Observed, ifb_names
from .run import output, run
from .state import State

# The kind of a qdisc may be one that tc does not have, so the list of all is read as text
QDISC = re.compile(r"^qdisc (\S+) (\S+) dev (\S+)( root)?", re.M)
# A link is in use if WATCHED_PACKETS of ingress arrive in WATCHED_SECONDS
WATCHED_SECONDS, WATCHED_PACKETS = 1, 10
DEFAULT_QDISC = Path("/proc/sys/net/core/default_qdisc")


def listed(*argv: str) -> list[Json]:
    """The objects that a command prints as JSON."""
    text = output(argv)
    try:
        found: list[Json] = json.loads(text) if text.strip() else []
    except ValueError as error:
        raise Failure(f"`{' '.join(argv)}` printed no JSON: {error}") from error
    return [item for item in found if item]


def links() -> list[Json]:
    return listed("ip", "-json", "-details", "link", "show")


def named(shown: list[Json], device: str) -> Json | None:
    """The link with this name, or this alternative name."""
    return next((ln for ln in shown if device in (ln["ifname"], *ln.get("altnames", ()))), None)


def link(device: str) -> Json | None:
    return named(links(), device)


def has_ethtool() -> bool:
    return shutil.which("ethtool") is not None


def features(device: str) -> offloads.Features:
    """Empty without ethtool, or for a device without features."""
    if not has_ethtool():
        return {}
    done = run(["ethtool", "-k", device])
    return offloads.parse(done.stdout) if done.returncode == 0 else {}


def _filters(device: str, hook: str) -> list[Json]:
    return listed("tc", "-statistics", "-json", "filter", "show", "dev", device, hook)


def port(found: Json | None) -> Port:
    if not found:
        return Port()
    device = found["ifname"]
    qdiscs = listed("tc", "-json", "-details", "qdisc", "show", "dev", device)
    kinds = {q["kind"] for q in qdiscs}
    items = []
    if "htb" in kinds:
        items = classes.parse(output(["tc", "-json", "-details", "class", "show", "dev", device]))
    ingress = _filters(device, "ingress") if kinds & set(marks.HOOKS) else []
    egress = _filters(device, "egress") if "clsact" in kinds else []
    return Port(found, qdiscs, items, ingress, egress)


def ifb(device: str) -> str | None:
    """The name of a device's ifb."""
    shown = links()
    found = named(shown, device)
    ours = marks.ifb_of(shown, found["ifindex"]) if found else None
    return ours["ifname"] if ours else None


def required(shown: list[Json], device: str) -> Json:
    found = named(shown, device)
    if not found:
        raise Refusal(f"{device}: there is no such device: `ip link` lists the devices")
    return found


def observed(device: str) -> Observed:
    """The link with this name, or this alternative name."""
    shown = links()
    found = required(shown, device)
    device, ifindex = found["ifname"], found["ifindex"]
    names = ifb_names(device, ifindex)
    ifb = marks.ifb_of(shown, ifindex) or marks.orphan(shown, device)
    if ifb and ifb["ifname"] != marks.first_name(ifindex):
        name = ifb["ifname"]
    else:
        name = next((n for n in names if not named(shown, n)), names[-1])
    return Observed(port(found), port(ifb), name, features(device), _needs_ifb())


@dataclass(frozen=True)
class Owned:
    """A link of which codelctl has something, or remembers something."""

    ifindex: int
    was: str  # its name when it was set up
    link: Json | None  # None: it is gone
    ifb: Json | None
    known: State | None

    @property
    def name(self) -> str:
        return self.link["ifname"] if self.link else self.was


def _marked(shown: list[Json]) -> set[int]:
    """The devices on which there is something of codelctl."""
    devices = {ln["ifname"]: ln["ifindex"] for ln in shown if marks.served(ln) is None}
    found = set()
    for kind, handle, device, root in QDISC.findall(output(["tc", "qdisc", "show"])):
        qdisc = {"kind": kind, "handle": handle, **({"root": True} if root else {})}
        if device in devices and (marks.is_shaper(qdisc) or _redirects(device, kind)):
            found.add(devices[device])
    return found


def _redirects(device: str, kind: str) -> bool:
    return kind in marks.HOOKS and any(map(marks.is_redirect, _filters(device, "ingress")))


def owned() -> list[Owned]:
    """All links of codelctl in this network namespace, by their present names."""
    shown = links()
    there = {ln["ifindex"]: ln for ln in shown}
    ifbs = {marks.served(ln): ln for ln in shown}
    known = {ifindex: state.load(ifindex) for ifindex in state.ifindexes()}
    found = []
    for ifindex in {*_marked(shown), *known, *ifbs} - {None}:
        link, ifb, memory = there.get(ifindex), ifbs.get(ifindex), known.get(ifindex)
        names = (memory and memory.device, ifb and (marks.served_name(ifb) or ifb["ifname"]))
        was = next(filter(None, names), link["ifname"] if link else str(ifindex))
        found.append(Owned(ifindex, was, link, ifb, memory))
    return sorted(found, key=lambda item: (item.name, item.ifindex))


def meant(device: str) -> list[Owned]:
    """The link with this name, or else the links that had this name when they were set up."""
    found, present = owned(), link(device)
    now = [item for item in found if present and item.ifindex == present["ifindex"]]
    return now or [item for item in found if item.was == device]


def _ingress_counts(device: str) -> tuple[int, int, int]:
    """Packets that the device has received, packets that were redirected, and seconds since the last of these."""
    shown = listed("ip", "-statistics", "-json", "link", "show", "dev", device)
    redirect = next(filter(marks.is_redirect, _filters(device, "ingress")), None)
    if not redirect:
        raise Failure(f"{device}: its redirect was removed meanwhile")
    action = redirect["options"]["actions"][0]
    received, redirected = shown[0]["stats64"]["rx"]["packets"], action["stats"]["packets"]
    return received, redirected, action.get("last_used", 0)


def bypassed(devices: list[str]) -> set[str]:
    """Those whose redirect sees no packet, while the device receives packets. This takes a second if a redirect was
    not used in the last second."""
    before = {device: _ingress_counts(device) for device in devices}
    before = {device: counts for device, counts in before.items() if counts[2] >= 1}
    if not before:
        return set()
    time.sleep(WATCHED_SECONDS)
    after = {device: _ingress_counts(device) for device in before}
    return {
        device
        for device, counts in after.items()
        if counts[0] - before[device][0] >= WATCHED_PACKETS and counts[1] == before[device][1]
    }


def _needs_ifb() -> bool:
    """Whether ifb is a module that is not loaded."""
    try:
        modules = (Path("/lib/modules") / os.uname().release / "modules.dep").read_text()
    except OSError:
        return False
    return "/ifb.ko" in modules and not Path("/sys/module/ifb").exists()


def default_qdisc() -> str | None:
    """The kind of default qdiscs; None in a network namespace that does not show it."""
    try:
        return DEFAULT_QDISC.read_text().strip()
    except OSError:
        return None
