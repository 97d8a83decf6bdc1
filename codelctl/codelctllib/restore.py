# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The commands that make the root qdisc again that a device had before the first setup.

The kernel gives a device without a configured root qdisc a default one, with handle 0. It returns when
the root is deleted. A configured root, or mq with its leaves, is made again, if all options can be
written exactly.
"""

from __future__ import annotations

from typing import Callable

from .errors import Refusal
from .marks import HOOKS, Json
from .shaper import HERE, far_words

Words = list[str]
# What the kernel shows of these, and nothing else, can be written as options
CODEL_TIMES = ("target", "interval", "ce_threshold", "ceiling")
PLAIN = ("codel", "fq_codel")
# These follow from other options
EFFECTS = ("target_effective", "interval_effective")


class _Unknown(Exception):
    """An option that cannot be written."""


def _limit(options: Json) -> Words:
    return ["limit", str(options.pop("limit"))]


def _nothing(options: Json) -> Words:
    options.clear()  # constants of the kind
    return []


def _microseconds(shown: int) -> int:
    """The time to write so that an in-tree qdisc shows `shown`: it keeps units of 1024 ns."""
    return next(us for us in range(shown, shown + 3) if (us * 1000 >> 10 << 10) // 1000 == shown)


def _shaper(options: Json) -> Words:
    """What is not a default. A module without a shaper shows none of these."""
    words = []
    rate, overhead = options.pop("rate", None), options.pop("overhead", None)
    if rate is not None:
        words += ["rate", f"{rate * 8}bit"]
    if overhead is not None:
        words += ["overhead", str(overhead)]
    if mpu := options.pop("mpu", 0):
        words += ["mpu", str(mpu)]
    if (cells := options.pop("atm", "noatm")) != "noatm":
        words.append(cells)
    words += [name for name in ("ingress", "shared") if options.pop(name, False)]
    split = options.pop("split_gso", False)
    if split or rate is not None:
        words.append("split_gso" if split else "no_split_gso")
    for name in EFFECTS:
        options.pop(name, None)
    return words


def _far(options: Json) -> Words:
    """The queue in another device: what is not a default."""
    found = {name: options.pop(name, default) for name, default in HERE.items()}
    return far_words(found, {})


def _codel(options: Json) -> Words:
    words = []
    for name in CODEL_TIMES:
        if name in options:
            us = options.pop(name)
            value = "off" if us is None else f"{us}us"
            words += [name, value]
    for name in ("limit", "flows", "quantum", "memory_limit", "drop_batch"):
        if name in options:
            words += [name, str(options.pop(name))]
    words.append("ecn" if options.pop("ecn", False) else "noecn")
    for name in ("ce_threshold_selector", "ce_threshold_mask"):
        if options.pop(name, 0) not in (0, "0", "0x0", "0x00"):
            raise _Unknown(name)
    return words + _shaper(options) + _far(options)


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


def _is_in_tree(qdisc: Json) -> bool:
    """Whether an in-tree module serves a plain name. The out-of-tree one shows a ceiling only after it was given an option
    that in-tree qdiscs do not have; its statistics always count what was received."""
    is_extended = "ceiling" in qdisc.get("options", {}) or "received" in qdisc
    return qdisc["kind"] in PLAIN and not is_extended


def _written(qdisc: Json) -> Words | None:
    """The options of a configured qdisc, or None if they cannot be written exactly."""
    options = dict(qdisc.get("options", {}))
    try:
        if _is_in_tree(qdisc):
            times = {name: us for name in CODEL_TIMES if (us := options.get(name)) is not None}
            options.update({name: _microseconds(us) for name, us in times.items()})
        words = WRITTEN[qdisc["kind"]](options)
    except (KeyError, StopIteration, _Unknown):
        return None
    return None if options or "stab" in qdisc else words


def root(device: str, qdiscs: list[Json]) -> list[Words]:
    """What follows `tc qdisc replace dev DEV`, for the root and the leaves of mq; empty: the root is a default one."""
    top = next((q for q in qdiscs if q.get("root")), None)
    if not top or top["handle"] == "0:":
        return []
    found = []
    for qdisc in qdiscs:
        is_leaf = qdisc.get("parent", "").startswith(top["handle"]) and top["kind"] == "mq"
        # The kernel makes the leaves of mq that have handle 0, and the hook of ingress stays
        if qdisc["handle"] == "0:" or qdisc["kind"] in HOOKS:
            continue
        words = _written(qdisc)
        if words is None or not (qdisc is top or is_leaf):
            raise Refusal(
                f"{device}: undo cannot restore the root qdisc {top['kind']} {top['handle']} exactly: "
                f"remove it first with `tc qdisc del dev {device} root`"
            )
        where = ["root"] if qdisc is top else ["parent", qdisc["parent"]]
        found.append([*where, "handle", qdisc["handle"], qdisc["kind"], *words])
    return found


def commands(device: str, former: list[Words]) -> list[Words]:
    """Lead from codelctl's root qdisc to the former one."""
    if not former:
        return [["tc", "qdisc", "del", "dev", device, "root"]]
    return [["tc", "qdisc", "replace", "dev", device, *words] for words in former]
