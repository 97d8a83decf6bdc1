# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""What other programs have put on a root qdisc: it would go with the qdisc, and undo cannot make it again."""

from __future__ import annotations

import shlex
from typing import Iterator

from .errors import Refusal
from .marks import CLASS, Port


def _filters(device: str, port: Port) -> Iterator[tuple[str, list[str]]]:
    for found in port.filters:
        # A default qdisc has handle 0:, and a filter without a parent is on the root
        place = [] if found["parent"] == "0:" else ["parent", found["parent"]]
        what = f"a filter of another program ({found['kind']}, preference {found['pref']})"
        yield what, ["tc", "filter", "del", "dev", device, *place]


def _classes(device: str, port: Port) -> Iterator[tuple[str, list[str]]]:
    """Below HTB of codelctl, with their qdiscs: any other root with classes is one that undo cannot restore."""
    for found in port.classes if port.shaper else []:
        handle = found["handle"]
        # A leaf lists its flows as classes, too
        if found["class"] == "htb" and handle != CLASS:
            command = ["tc", "class", "del", "dev", device, "classid", handle]
            yield f"a class of another program ({handle})", command


def refuse(port: Port) -> None:
    """Refuse to replace or to remove the root qdisc of a device."""
    assert port.link and port.root
    device = port.link["ifname"]
    for what, command in (*_filters(device, port), *_classes(device, port)):
        raise Refusal(
            f"{device}: {what} would go with the root qdisc {port.root['kind']} "
            f"{port.root['handle']}: remove it first with `{shlex.join(command)}`"
        )
