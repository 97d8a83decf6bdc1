# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The compared qdiscs: their order, their names, and who is compared with whom."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterable


@dataclass(frozen=True)
class Subject:
    """`name` stands alone; in a table's head, `member` stands below `group`."""

    name: str
    group: str
    member: str = ""


DEFAULT = "default"  # where a scenario compares nothing
KNOWN = {
    "none": Subject("no limit", "No limit"),
    "pfifo": Subject("tail drop", "Tail drop"),
    "red": Subject("RED", "RED"),
    "codel": Subject("the kernel\u2019s CoDel", "CoDel", "kernel\u2019s"),
    "codel_oot": Subject("our CoDel", "CoDel", "ours"),
    "codel_10ms": Subject(
        "the kernel\u2019s CoDel, 10\u00a0ms", "CoDel, 10\u00a0ms", "kernel\u2019s"
    ),
    "codel_oot_10ms": Subject("our CoDel, 10\u00a0ms", "CoDel, 10\u00a0ms", "ours"),
    "fq_codel": Subject("the kernel\u2019s FQ-CoDel", "FQ-CoDel", "kernel\u2019s"),
    "fq_codel_oot": Subject("our FQ-CoDel", "FQ-CoDel", "ours"),
    "cake": Subject("CAKE", "CAKE"),
}
ORDER = tuple(KNOWN)


def get(name: str) -> Subject:
    """A subject that only a user's own scenario has goes by its own name."""
    return KNOWN.get(name, Subject(name, name))


def title(name: str) -> str:
    return get(name).name


def ordered(names: Iterable[str]) -> list[str]:
    found = set(names)
    return [n for n in ORDER if n in found] + sorted(found - set(ORDER))


def kernels_own(name: str) -> str | None:
    """What the kernel has of the same kind, if this is one of ours."""
    return name.replace("_oot", "") if "_oot" in name else None
