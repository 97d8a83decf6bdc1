# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""A shaper below each transmit queue of a device, with one rate for all, so that several processors send at once.

device  root mq c0d2: -- c0d2:1 fq_codel_oot or codel_oot, shared
                      -- c0d2:2 ...
"""

from __future__ import annotations

from . import shaper
from .marks import ROOTS, Json, Port
from .shaper import Shaper

Command = list[str]


def _parent(queue: int) -> str:
    return f"{ROOTS['mq']}{queue:x}"


def _leaf(port: Port, queue: int) -> Json | None:
    """The qdisc of a queue, unless it is a default one."""
    below = (q for q in port.qdiscs if q.get("parent") == _parent(queue))
    return next((q for q in below if q["handle"] != "0:"), None)


def _numbers(want: Shaper) -> range:
    return range(1, want.queues + 1)


def _leaf_commands(want: Shaper, queue: int, leaf: Json | None) -> list[Command]:
    if leaf and leaf["kind"] == want.kind:
        verb, shown = "change", leaf.get("options", {})
        if not shaper.of_options(want, shown, want.device):
            return []
    else:
        verb, shown = "replace", {}
    place = ["parent", _parent(queue), *shaper.words(want, shown)]
    return [["tc", "qdisc", verb, "dev", want.device, *place]]


def commands(want: Shaper, now: Port) -> list[Command]:
    """Lead to the shapers; packets stay queued unless the root qdisc, or the kind of another one, changes."""
    if shaper.of_root(want, now.root):
        kind, handle = want.root
        root = ["tc", "qdisc", "replace", "dev", want.device, "root", "handle", handle, kind]
        return [root, *(c for queue in _numbers(want) for c in _leaf_commands(want, queue, None))]
    return [c for n in _numbers(want) for c in _leaf_commands(want, n, _leaf(now, n))]


def _of_queue(want: Shaper, queue: int, leaf: Json | None) -> list[str]:
    where = f"queue {queue} of {want.device}"
    kind = leaf["kind"] if leaf else "a default qdisc"
    if not leaf or kind != want.kind:
        return [f"{where} has {kind} instead of {want.kind}"]
    return shaper.of_options(want, leaf.get("options", {}), where)


def differences(want: Shaper, now: Port) -> list[str]:
    """What tc shows otherwise than the setup demands."""
    found = shaper.of_root(want, now.root)
    return found or [t for n in _numbers(want) for t in _of_queue(want, n, _leaf(now, n))]
