# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The compared qdiscs: their order, their names, their families, and which in-tree qdisc an out-of-tree one replaces."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Iterable


@dataclass(frozen=True)
class Subject:
    """`name` stands alone; in a table's head, `member` stands below `group`."""

    name: str
    group: str
    member: str = ""


DEFAULT = "default"  # where a scenario compares nothing
IN, OUT = "in-tree", "out-of-tree"
FAST = "interval 10\u00a0ms"
OFF = "ceiling off"
AT_100, AT_200 = "ceiling 100\u00a0ms", "ceiling 200\u00a0ms"
KNOWN = {
    "none": Subject("no limit", "No limit"),
    "pfifo": Subject("tail drop", "Tail drop"),
    "red": Subject("RED", "RED"),
    "codel": Subject("in-tree codel", "CoDel", IN),
    "codel_oot": Subject("codel_oot", "CoDel", OUT),
    "codel_oot_100": Subject(f"codel_oot, {AT_100}", "CoDel", f"{OUT}, {AT_100}"),
    "codel_oot_200": Subject(f"codel_oot, {AT_200}", "CoDel", f"{OUT}, {AT_200}"),
    "codel_oot_off": Subject(f"codel_oot, {OFF}", "CoDel", f"{OUT}, {OFF}"),
    "codel_10ms": Subject(f"in-tree codel, {FAST}", f"CoDel, {FAST}", IN),
    "codel_oot_10ms": Subject(f"codel_oot, {FAST}", f"CoDel, {FAST}", OUT),
    "fq_codel": Subject("in-tree fq_codel", "FQ-CoDel", IN),
    "fq_codel_oot": Subject("fq_codel_oot", "FQ-CoDel", OUT),
    "fq_codel_htb": Subject("HTB, in-tree fq_codel", "FQ-CoDel", f"{IN}, below HTB"),
    "fq_codel_oot_htb": Subject("HTB, fq_codel_oot", "FQ-CoDel", f"{OUT}, below HTB"),
    "fq_codel_oot_rate": Subject("fq_codel_oot, rate set", "FQ-CoDel", f"{OUT}, rate set"),
    "fq_codel_oot_100": Subject(f"fq_codel_oot, {AT_100}", "FQ-CoDel", f"{OUT}, {AT_100}"),
    "fq_codel_oot_200": Subject(f"fq_codel_oot, {AT_200}", "FQ-CoDel", f"{OUT}, {AT_200}"),
    "fq_codel_oot_off": Subject(f"fq_codel_oot, {OFF}", "FQ-CoDel", f"{OUT}, {OFF}"),
    "rate95": Subject("fq_codel_oot, rate of 95%", "FQ-CoDel", f"{OUT}, rate of 95%"),
    "one": Subject("fq_codel_oot, downstream alone", "FQ-CoDel", f"{OUT}, downstream alone"),
    "downstream": Subject("fq_codel_oot, downstream", "FQ-CoDel", f"{OUT}, downstream"),
    "upstream": Subject("fq_codel_oot, upstream", "FQ-CoDel", f"{OUT}, upstream"),
    "both": Subject("fq_codel_oot, both", "FQ-CoDel", f"{OUT}, both"),
    "fq_codel_at_link": Subject(
        "in-tree fq_codel at the link itself", "FQ-CoDel", f"{IN}, at the link"
    ),
    "cake": Subject("CAKE", "CAKE", "default"),
    "cake_bw": Subject("CAKE, bandwidth set", "CAKE", "bandwidth set"),
    "pie": Subject("PIE", "PIE"),
    "fq_pie": Subject("FQ-PIE", "FQ-PIE"),
    "dualpi2": Subject("DualPI2", "DualPI2"),
}
ORDER = tuple(KNOWN)
# The subjects that share a panel of a figure
FAMILIES = {
    "Tail drop and RED": ("none", "pfifo", "red"),
    "CoDel": ("codel", "codel_oot", "codel_oot_100", "codel_oot_200", "codel_oot_off"),
    f"CoDel, {FAST}": ("codel_10ms", "codel_oot_10ms"),
    "FQ-CoDel": (
        "fq_codel",
        "fq_codel_oot",
        "fq_codel_htb",
        "fq_codel_oot_htb",
        "fq_codel_oot_rate",
        "rate95",
        "one",
        "downstream",
        "upstream",
        "both",
        "fq_codel_at_link",
        "fq_codel_oot_100",
        "fq_codel_oot_200",
        "fq_codel_oot_off",
    ),
    "CAKE": ("cake", "cake_bw"),
    "PIE": ("pie", "fq_pie", "dualpi2"),
}
REST = "Others"


def get(name: str) -> Subject:
    """A subject of a user's own scenario keeps its own name."""
    return KNOWN.get(name, Subject(name, name))


def title(name: str) -> str:
    return get(name).name


def ordered(names: Iterable[str]) -> list[str]:
    found = set(names)
    return [n for n in ORDER if n in found] + sorted(found - set(ORDER))


def families(names: Iterable[str]) -> list[tuple[str, list[str]]]:
    """The names by family, those of no family last."""
    given = ordered(names)
    known = {n for members in FAMILIES.values() for n in members}
    found = [(title, [n for n in given if n in members]) for title, members in FAMILIES.items()]
    found.append((REST, [n for n in given if n not in known]))
    return [(title, members) for title, members in found if members]


def in_tree(name: str) -> str | None:
    """The in-tree qdisc of the same kind, if this one is out-of-tree."""
    found = re.sub(r"_(off|\d+)$", "", name).replace("_oot", "")
    return found if "_oot" in name else None
