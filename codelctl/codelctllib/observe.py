# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Read links, qdiscs, classes, filters and features from the machine."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

from . import classes, offloads
from .errors import Failure, Refusal
from .former import Former
from .plan import Observed, Port, ifb_name
from .run import CommandFailed, output, run

DEFAULT_QDISC = Path("/proc/sys/net/core/default_qdisc")


def listed(*argv: str) -> list[dict[str, Any]]:
    """The objects that a command prints as JSON."""
    text = output(argv)
    try:
        found: list[dict[str, Any]] = json.loads(text) if text.strip() else []
    except ValueError as error:
        raise Failure(f"`{' '.join(argv)}` printed no JSON: {error}") from error
    return [item for item in found if item]


def link(device: str) -> dict[str, Any] | None:
    try:
        found = listed("ip", "-json", "-details", "link", "show", "dev", device)
    except CommandFailed as error:
        if "does not exist" in error.reason:
            return None
        raise
    return found[0]


def qdiscs(device: str) -> list[dict[str, Any]]:
    """As `tc -j qdisc show` prints them: what undo must restore."""
    return listed("tc", "-json", "qdisc", "show", "dev", device)


def has_ethtool() -> bool:
    return shutil.which("ethtool") is not None


def features(device: str) -> offloads.Features:
    """Empty without ethtool, or for a device without features."""
    if not has_ethtool():
        return {}
    done = run(["ethtool", "-k", device])
    return offloads.parse(done.stdout) if done.returncode == 0 else {}


def _filters(device: str, shown: list[dict[str, Any]]) -> list[dict[str, Any]]:
    if not any(q["kind"] in ("ingress", "clsact") for q in shown):
        return []
    return listed("tc", "-json", "filter", "show", "dev", device, "ingress")


def port(device: str) -> Port:
    found = link(device)
    if not found:
        return Port()
    shown = listed("tc", "-json", "-details", "qdisc", "show", "dev", device)
    items = classes.parse(output(["tc", "-json", "-details", "class", "show", "dev", device]))
    return Port(found, shown, items, _filters(device, shown))


def observed(device: str) -> Observed:
    now = port(device)
    if not now.link:
        raise Refusal(f"{device}: there is no such device: `ip link` lists the devices")
    return Observed(now, port(ifb_name(device)), features(device), _needs_ifb())


def _needs_ifb() -> bool:
    """Whether ifb is a module that is not loaded."""
    try:
        modules = (Path("/lib/modules") / os.uname().release / "modules.dep").read_text()
    except OSError:
        return False
    return "/ifb.ko" in modules and not Path("/sys/module/ifb").exists()


def former(device: str) -> Former:
    return Former(qdiscs(device), features(device))


def default_qdisc() -> str | None:
    """The kind of default qdiscs; None in a network namespace that does not show it."""
    try:
        return DEFAULT_QDISC.read_text().strip()
    except OSError:
        return None
