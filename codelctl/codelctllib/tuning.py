# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Parameters of the AQM as settings, of both directions or, as up-target, of one. A parameter without a setting stays as tc
has set it.

A parameter has the name and the value that `tc -j` shows, times in us. `queues` is none of a qdisc: it decides how many there are.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any, Collection, Iterable, Mapping

from .errors import Refusal

Parameters = dict[str, Any]

UNITS = {"us": 1, "ms": 10**3, "s": 10**6}
LEAST_US, GREATEST_US = 1, 10**7
WRITTEN = re.compile(r"(\d+(?:\.\d+)?)(us|ms|s)")
DIRECTIONS = ("up", "down")
# As the qdiscs have it
TARGET_US = 5_000
TIMES = ("target", "interval", "ceiling")
FLAGS = ("ecn", "nat")
DIFFSERV = ("besteffort", "precedence", "diffserv3", "diffserv4", "diffserv8")
# For egress, where the hosts behind the router send, and for ingress
ISOLATION = {
    "flows": ("flows", "flows"),
    "hosts": ("srchost", "dsthost"),
    "dual": ("dual-srchost", "dual-dsthost"),
    "triple": ("triple-isolate", "triple-isolate"),
}
QUEUES = ("auto", "one")
# The settings of each kind
IN_TREE = ("target", "interval", "ecn")
OF_KIND: dict[str, tuple[str, ...]] = {
    "fq_codel_oot": (*IN_TREE, "ceiling", "queues"),
    "codel_oot": (*IN_TREE, "ceiling", "queues"),
    "fq_codel": IN_TREE,
    "codel": IN_TREE,
    "cake": ("nat", "diffserv", "isolation"),
}
SETTINGS = (*TIMES, *FLAGS, "diffserv", "isolation", "queues")
# Those of one direction: it and the parameter
OF_DIRECTION = {f"{d}-{name}": (d, name) for name in SETTINGS for d in DIRECTIONS}
EVERY = (*SETTINGS, *OF_DIRECTION)


def parameter(setting: str) -> str:
    return OF_DIRECTION[setting][1] if setting in OF_DIRECTION else setting


def replaced(given: Iterable[str]) -> set[str]:
    """The settings of one direction that those of both replace."""
    return {setting for setting, (_, name) in OF_DIRECTION.items() if name in given}


def of_directions(names: Collection[str]) -> set[str]:
    """The settings of these directions."""
    return {setting for setting, (direction, _) in OF_DIRECTION.items() if direction in names}


def foreign(kind: str) -> set[str]:
    """The settings that a kind does not have."""
    return {setting for setting in EVERY if parameter(setting) not in OF_KIND[kind]}


def time_text(us: int) -> str:
    return f"{us // 1000}ms" if us % 1000 == 0 else f"{us}us"


def _time(option: str, written: str, allowed: str) -> int:
    match = WRITTEN.fullmatch(written)
    if not match:
        raise Refusal(
            f"{option}: '{written}' is not a time: write a number with us, ms or s{allowed}"
        )
    us = int(Decimal(match[1]) * UNITS[match[2]])
    if not LEAST_US <= us <= GREATEST_US:
        raise Refusal(f"{option}: {written} is outside {LEAST_US}us to {GREATEST_US // 10**6}s")
    return us


def _word(option: str, written: str, allowed: Mapping[str, Any]) -> Any:
    if written not in allowed:
        raise Refusal(f"{option}: '{written}' is not one of {', '.join(allowed)}")
    return allowed[written]


def value(option: str, setting: str, written: str) -> Any:
    name = parameter(setting)
    if name == "ceiling" and written == "off":
        return None
    if name in TIMES:
        return _time(option, written, ", for example 5ms" + (", or off" * (name == "ceiling")))
    if name in FLAGS:
        return _word(option, written, {"on": True, "off": False})
    if name == "isolation":
        return _word(option, written, ISOLATION)
    return _word(option, written, {w: w for w in (QUEUES if name == "queues" else DIFFSERV)})


def _of_direction(prefix: str, given: Mapping[str, str], index: int) -> Parameters:
    """A setting of the direction itself is in place of that of both."""
    settings = {name: name for name in SETTINGS if name in given}
    own = ((f"{DIRECTIONS[index]}-{name}", name) for name in SETTINGS)
    settings |= {name: setting for setting, name in own if setting in given}
    found = {n: value(f"{prefix}{s}", s, given[s]) for n, s in settings.items()}
    ceiling, target = found.get("ceiling"), found.get("target", TARGET_US)
    if ceiling is not None and ceiling <= target:
        text = f"{time_text(ceiling)} is not longer than the target of {time_text(target)}"
        raise Refusal(f"{prefix}{settings['ceiling']}: {text}")
    modes = found.pop("isolation", None)
    return {**found, "flowmode": modes[index]} if modes else found


def parse(prefix: str, given: Mapping[str, str], kind: str) -> tuple[Parameters, Parameters]:
    """The parameters of egress and ingress; `given` has settings of this module only."""
    for setting in sorted(foreign(kind) & given.keys()):
        name = parameter(setting)
        having = ", ".join(k for k, names in OF_KIND.items() if name in names)
        raise Refusal(f"{prefix}{setting}: {kind} has no such parameter: {having} have it")
    return _of_direction(prefix, given, 0), _of_direction(prefix, given, 1)


def shown(kind: str, options: Parameters) -> Parameters:
    """The parameters that have settings, of what tc shows."""
    names = ("flowmode" if name == "isolation" else name for name in OF_KIND[kind])
    # In-tree codel shows no ecn that is off
    return {n: options.get(n, False) for n in names if n in options or n in FLAGS}


def words(parameters: Parameters) -> list[str]:
    """For tc."""
    found = []
    for name, value in parameters.items():
        if name in TIMES:
            found += [name, "off" if value is None else f"{value}us"]
        elif name in FLAGS:
            found.append(name if value else f"no{name}")
        else:
            found.append(value)
    return found
