# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Read links, qdiscs, classes, filters and features from the machine, and find what is codelctl's."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import time
from dataclasses import dataclass
from pathlib import Path

from . import classes, marks, offloads, restore, state
from .errors import Failure, Refusal
from .marks import Json, Port
from .plan import Observed, ifb_names
from .run import output, run
from .state import State
from .values import LONGEST_NAME

# The kind of a qdisc may be one that tc does not have, so the list of all is read as text
QDISC = re.compile(r"^qdisc (\S+) (\S+) dev (\S+)( root)?", re.M)
# A link is in use if WATCHED_PACKETS of ingress arrive in WATCHED_SECONDS
WATCHED_SECONDS, WATCHED_PACKETS = 1, 10
# Some kinds of filters are not printed as JSON
CHAIN = re.compile(r"^chain (?:.* )?chain (\d+)", re.M)
FILTER = re.compile(r"^filter (?:.* )?pref (\d+) (\S+)", re.M)
NO_DEVICE = "{}: there is no such device: `ip link` lists the devices"
DEFAULT_QDISC = Path("/proc/sys/net/core/default_qdisc")


def listed(*argv: str) -> list[Json]:
    """The objects that a command prints as JSON."""
    text = output(argv)
    try:
        found: list[Json] = json.loads(text) if text.strip() else []
    except ValueError as error:
        raise Failure(f"`{' '.join(argv)}` printed no JSON: {error}") from error
    return [item for item in found if item]


def _of_folder(shown: Json) -> Json:
    """What /sys shows of a link: its identity (see marks), and its transmit queues, of which `ip` shows those that it may have.
    The folder may be that of another network namespace, which has a device with this name."""
    folder = Path("/sys/class/net") / shown["ifname"]
    unknown = {"identity": None, "queues": shown.get("num_tx_queues", 1)}
    try:
        for name in ("ifindex", "address"):
            if (folder / name).read_text().strip() != str(shown.get(name, "")):
                return unknown
        queues = sum(1 for _ in folder.glob("queues/tx-*"))
        return {"identity": folder.stat().st_ino, "queues": queues or unknown["queues"]}
    except OSError:
        return unknown


def links() -> list[Json]:
    """With the identity and the transmit queues of each."""
    shown = listed("ip", "-json", "-details", "link", "show")
    return [{**ln, **_of_folder(ln)} for ln in shown]


def named(shown: list[Json], device: str) -> Json | None:
    """The link with this name, or this alternative name."""
    return next((ln for ln in shown if device in (ln["ifname"], *ln.get("altnames", ()))), None)


def link(device: str) -> Json | None:
    return named(links(), device)


def name_of(device: str) -> str:
    """The name of a device that is given by an alternative name; a name that no device has may be that of one which
    comes."""
    found = link(device)
    if not found and len(device.encode(errors="surrogateescape")) > LONGEST_NAME:
        raise Refusal(NO_DEVICE.format(device))
    return str(found["ifname"]) if found else device


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


def _chains(device: str, hook: str) -> list[int]:
    text = output(["tc", "chain", "show", "dev", device, hook])
    return [int(number) for number in CHAIN.findall(text) if number != "0"]


def _on_qdiscs(device: str, qdiscs: list[Json]) -> list[Json]:
    """The filters on the root qdisc and on those below it. Other qdiscs with handle 0: have none."""
    found = []
    for qdisc in qdiscs:
        handle = qdisc["handle"]
        if qdisc["kind"] in marks.HOOKS or handle == "0:" and not qdisc.get("root"):
            continue
        place = [] if qdisc.get("root") else ["parent", handle]
        text = output(["tc", "filter", "show", "dev", device, *place])
        # Each preference has several lines
        for preference, kind in sorted(set(FILTER.findall(text))):
            found.append({"parent": handle, "pref": int(preference), "kind": kind})
    return found


def _qdiscs(device: str) -> list[Json]:
    """With statistics if there is a configured qdisc with a plain name: they show which module serves it."""
    asked = ("-json", "-details", "qdisc", "show", "dev", device)
    shown = listed("tc", *asked)
    is_plain = any(q["kind"] in restore.PLAIN and q["handle"] != "0:" for q in shown)
    return listed("tc", "-statistics", *asked) if is_plain else shown


def port(found: Json | None) -> Port:
    if not found:
        return Port()
    device = found["ifname"]
    qdiscs = _qdiscs(device)
    kinds = {q["kind"] for q in qdiscs}
    items = []
    if "htb" in kinds:
        items = classes.parse(output(["tc", "-json", "-details", "class", "show", "dev", device]))
    hooks = ["ingress"] if kinds & set(marks.HOOKS) else []
    hooks += ["egress"] if "clsact" in kinds else []
    filters = {hook: _filters(device, hook) for hook in hooks}
    return Port(
        found,
        qdiscs,
        items,
        filters.get("ingress", []),
        filters.get("egress", []),
        _on_qdiscs(device, qdiscs),
        [number for hook in hooks for number in _chains(device, hook)],
    )


def ifb(device: str) -> str | None:
    """The name of a device's ifb."""
    shown = links()
    found = named(shown, device)
    ours = marks.ifb_of(shown, found) if found else None
    return ours["ifname"] if ours else None


def refuse_ifb(device: str, command: str) -> None:
    """Refuse a device with which codelctl shapes the ingress of another one; `command` is that for the other one."""
    shown = links()
    found = named(shown, device)
    if not found or marks.served(found) is None:
        return
    serving = next((ln["ifname"] for ln in shown if marks.serves(found, ln)), None)
    other = serving or marks.served_name(found) or "a device that is gone"
    words = ["codelctl", command, other]
    raise Refusal(
        f"{found['ifname']}: codelctl shapes the ingress of {other} with this device: run "
        f"`{shlex.join(words)}{' --down RATE' if command != 'undo' else ''}`"
    )


def required(shown: list[Json], device: str) -> Json:
    found = named(shown, device)
    if not found:
        raise Refusal(NO_DEVICE.format(device))
    return found


def observed(device: str) -> Observed:
    """The link with this name, or this alternative name."""
    shown = links()
    found = required(shown, device)
    device, ifindex = found["ifname"], found["ifindex"]
    names = ifb_names(device, ifindex)
    ifb = marks.ifb_of(shown, found) or marks.orphan(shown, device)
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


def _owned_by(link: Json, shown: list[Json], has_mark: bool) -> Owned | None:
    """What there is of a device that is there."""
    ifb, known = marks.ifb_of(shown, link), state.of(link)
    if not (has_mark or ifb or known):
        return None
    return Owned(link["ifindex"], _was(ifb, known) or link["ifname"], link, ifb, known)


def _was(ifb: Json | None, known: State | None) -> str | None:
    if known:
        return known.device
    return marks.served_name(ifb) or str(ifb["ifname"]) if ifb else None


def _left(shown: list[Json]) -> list[Owned]:
    """What is left of devices that are gone."""
    there = {ln["ifindex"]: ln for ln in shown}
    ifbs, found = marks.without_device(shown), []
    for ifindex in state.ifindexes():
        known = state.load(ifindex)
        if known and not (ifindex in there and state.is_of(known, there[ifindex])):
            of = [i for i in ifbs if marks.served(i) == ifindex]
            ifb = next(
                (i for i in of if marks.same(marks.served_identity(i), known.identity)), None
            )
            found.append(Owned(ifindex, known.device, None, ifb, known))
    taken = [item.ifb for item in found]
    for ifb in ifbs:
        if ifb not in taken:
            ifindex = marks.served(ifb)
            assert ifindex is not None
            found.append(Owned(ifindex, _was(ifb, None) or str(ifindex), None, ifb, None))
    return found


def owned() -> list[Owned]:
    """All links of codelctl in this network namespace, by their present names."""
    shown = links()
    marked = _marked(shown)
    present = (_owned_by(ln, shown, ln["ifindex"] in marked) for ln in shown)
    found = [*filter(None, present), *_left(shown)]
    return sorted(found, key=lambda item: (item.name, item.ifindex))


def meant(device: str) -> list[Owned]:
    """The link with this name, or else the links that had this name when they were set up. Where another device has the
    name now, these are the ones that are gone."""
    return _meant(owned(), device)


def _meant(found: list[Owned], device: str) -> list[Owned]:
    present = link(device)
    if not present:
        return [item for item in found if item.was == device]
    now = [item for item in found if item.link and item.ifindex == present["ifindex"]]
    return now or _gone(found, device)


def _gone(found: list[Owned], device: str) -> list[Owned]:
    return [item for item in found if item.was == device and not item.link]


def undone(device: str) -> list[Owned]:
    """Those that are meant, and links that had this name when they were set up, and are gone."""
    found = owned()
    items = _meant(found, device)
    return [*items, *(item for item in _gone(found, device) if item not in items)]


def renamed(device: str) -> list[str]:
    """The present names of links that had this name when they were set up."""
    return [item.name for item in owned() if item.link and item.was == device != item.name]


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
