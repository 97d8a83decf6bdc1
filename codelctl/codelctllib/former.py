# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The state of a device before the first setup, and the commands that restore its root qdisc.

The kernel gives a device without a configured root qdisc a default one, with handle 0. It returns when
the root is deleted. A configured root, or mq with its leaves, is made again, if all options can be
written exactly.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Callable

from .errors import Refusal
from .offloads import Features
from .shaper import Json

Words = list[str]
# What the kernel shows of these, and nothing else, can be written as options
CODEL_TIMES = ("target", "interval", "ce_threshold", "ceiling")


@dataclass(frozen=True)
class Former:
    qdiscs: list[Json] = field(default_factory=list)
    features: Features = field(default_factory=dict)

    @property
    def root(self) -> Json | None:
        return next((q for q in self.qdiscs if q.get("root")), None)

    @property
    def hook(self) -> Json | None:
        return next((q for q in self.qdiscs if q["kind"] in ("ingress", "clsact")), None)

    @property
    def children(self) -> list[Json]:
        return [q for q in self.qdiscs if not q.get("root") and q is not self.hook]


class _Unknown(Exception):
    """An option that cannot be written."""


def _limit(options: Json) -> Words:
    return ["limit", str(options.pop("limit"))]


def _nothing(options: Json) -> Words:
    options.clear()  # constants of the kind
    return []


def _microseconds(shown: int, in_tree: bool) -> int:
    """The time to write so that `shown` is shown: in-tree qdiscs keep units of 1024 ns."""
    if not in_tree:
        return shown
    return next(us for us in range(shown, shown + 3) if (us * 1000 >> 10 << 10) // 1000 == shown)


def _codel(options: Json) -> Words:
    in_tree = "ceiling" not in options
    words = []
    for name in CODEL_TIMES:
        if name in options:
            us = options.pop(name)
            value = "off" if us is None else f"{_microseconds(us, in_tree)}us"
            words += [name, value]
    for name in ("limit", "flows", "quantum", "memory_limit", "drop_batch"):
        if name in options:
            words += [name, str(options.pop(name))]
    words.append("ecn" if options.pop("ecn", False) else "noecn")
    for name in ("ce_threshold_selector", "ce_threshold_mask"):
        if options.pop(name, 0) not in (0, "0", "0x0", "0x00"):
            raise _Unknown(name)
    return words


# Options of fq with a number, and its unit
FQ_UNITS = {
    **dict.fromkeys(("limit", "flow_limit", "buckets", "orphan_mask"), ""),
    **dict.fromkeys(("quantum", "initial_quantum"), ""),
    **dict.fromkeys(("maxrate", "low_rate_threshold"), "bps"),
    **dict.fromkeys(("refill_delay", "ce_threshold", "horizon", "offload_horizon"), "us"),
    "timer_slack": "ns",
}
# The kernel's defaults
FQ_BANDS = {
    "priomap": [1, 2, 2, 2, 1, 2, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1],
    "weights": [589824, 196608, 65536],
}


def _fq(options: Json) -> Words:
    words = ["pacing" if options.pop("pacing", True) else "nopacing"]
    for name, unit in FQ_UNITS.items():
        if name in options:
            words += [name, f"{options.pop(name)}{unit}"]
    options.pop("bands", None)  # a constant
    for name, default in FQ_BANDS.items():
        # iproute2 6.15 prints these names with a blank, and refuses the weights that it prints
        if options.pop(name, options.pop(f"{name} ", default)) != default:
            raise _Unknown(name)
    for name in ("horizon_drop", "horizon_cap"):  # null
        if name in options:
            options.pop(name)
            words.append(name)
    return words


WRITTEN: dict[str, Callable[[Json], Words]] = {
    "pfifo": _limit,
    "bfifo": _limit,
    "pfifo_fast": _nothing,
    "noqueue": _nothing,
    "mq": _nothing,
    "codel": _codel,
    "codel_oot": _codel,
    "fq_codel": _codel,
    "fq_codel_oot": _codel,
    "fq": _fq,
}


def _written(root: Json) -> Words | None:
    """The options of a configured qdisc, or None if they cannot be written exactly."""
    options = dict(root.get("options", {}))
    try:
        words = WRITTEN[root["kind"]](options)
    except (KeyError, StopIteration, _Unknown):
        return None
    return None if options or "stab" in root else words


def _is_default(qdiscs: list[Json], default: str | None) -> bool:
    """Whether the kernel would make these by itself. Devices without a queue have noqueue."""
    kinds = {q["kind"] for q in qdiscs} - {"noqueue", "mq"}
    return all(q["handle"] == "0:" for q in qdiscs) and (default is None or kinds <= {default})


def _refuse(device: str, root: Json, why: str) -> Refusal:
    return Refusal(
        f"{device}: undo cannot restore the root qdisc {root['kind']} {root['handle']} exactly: {why}"
    )


def _replace(device: str, where: Words, qdisc: Json, options: Words) -> Words:
    """The command that makes a qdisc again."""
    place = [*where, "handle", qdisc["handle"]]
    return ["tc", "qdisc", "replace", "dev", device, *place, qdisc["kind"], *options]


def _children(device: str, former: Former) -> list[Words] | None:
    """The commands that make the leaves of mq again; None: one of them cannot be written exactly."""
    assert former.root
    found = []
    for child in former.children:
        if child["handle"] == "0:":  # a default qdisc
            continue
        words = _written(child)
        if words is None or not child["parent"].startswith(former.root["handle"]):
            return None
        found.append(_replace(device, ["parent", child["parent"]], child, words))
    return found


def _require_default(device: str, former: Former, default: str | None) -> None:
    """Refuse default qdiscs that the kernel would not make any more."""
    root = former.root
    assert root
    qdiscs = [q for q in (root, *former.children) if q["handle"] == "0:"]
    if not _is_default(qdiscs, default):
        kind = next(q["kind"] for q in reversed(qdiscs) if q["kind"] != default)
        why = f"the default is now {default}; run `sysctl net.core.default_qdisc={kind}` first"
        raise _refuse(device, root, why)


def restore_root(device: str, former: Former, default: str | None) -> list[Words]:
    """The commands that restore the root; `default` is net.core.default_qdisc, if known."""
    delete = ["tc", "qdisc", "del", "dev", device, "root"]
    root = former.root
    if not root:  # the device was down
        return [delete]
    _require_default(device, former, default)
    if root["handle"] == "0:":
        return [delete]
    is_mq = root["kind"] == "mq"
    words = _written(root)
    children = _children(device, former) if is_mq or not former.children else None
    if words is None or children is None:
        why = f"remove it first with `tc qdisc del dev {device} root`"
        raise _refuse(device, root, why)
    return [_replace(device, ["root"], root, words), *children]
