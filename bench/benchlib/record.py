# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The recorded figures, which the out-of-tree qdiscs must not exceed."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, Iterable

from . import table
from .machine import BENCH, Failure
from .plan import Row
from .subjects import IN_TREE, OOT, RIVALS, SHAPED, kind_of

RECORDED = BENCH / "recorded.json"
REGIMES = ("one-f1,small-f1,wait-f1,wait-f16,wait-f512,dissect-wait-f512,drop-f1,mark-f1,ceiling-f1,"
           "short,short-wait,acks-wait,shaped*,link-500mbit,enqueue-f900,enqueue-f900-b65536,flood-f900,"
           "flood-f65536-b65536,overmemory-f900,dump")  # fmt: skip
# In timelines 1 to 8 packets cost the same within 1%, and a dump 1408 to 1415 or 1451 to 1457 instructions
SLACK, DUMP_SLACK = 1.03, 1.05
# The out-of-tree qdiscs, and those that they have goals against
KINDS = list(dict.fromkeys((*IN_TREE, *OOT, *(k for k in SHAPED if kind_of(k) in OOT), *RIVALS)))

Figures = dict[str, Any]


def rows(wanted: Iterable[Row]) -> list[Row]:
    """Rows of out-of-tree qdiscs; with others where the figures of those are the goals."""
    return [
        row
        if row.goal in ("short", "shaped", "link")
        else replace(row, kinds=tuple(k for k in row.kinds if k in OOT))
        for row in wanted
    ]


def values(data: Figures) -> dict[str, float]:
    """One number per name: cost of a packet, loop subtracted, or of a dump."""
    found: dict[str, float] = {}
    for row in data["rows"]:
        for kind, cell in row["qdiscs"].items():
            if kind_of(kind) in OOT:
                found[f"{kind}: {row['name']}"] = cell["net"]
    for kind in OOT:
        for flows, ns in data["dump"].get(kind, {}).items():
            found[f"{kind}: dump with {flows} active"] = ns
    return found


def write(data: Figures, keep: bool) -> None:
    """Record the figures; with `keep`, those that were not measured remain."""
    before = json.loads(RECORDED.read_text()) if keep else {"instructions": {}}
    for what in ("release", "kernel") if keep else ():
        if before[what] != data[what]:
            raise Failure(f"the other figures are of {before[what]}, not {data[what]}: record all")
    kept = {"release": data["release"], "kernel": data["kernel"]}
    figures = {**before["instructions"], **values(data)}
    text = json.dumps({**kept, "instructions": figures}, indent=1, sort_keys=True)
    RECORDED.write_text(f"{text}\n")


def _case(name: str, now: float | None, before: float) -> tuple[bool, str]:
    if now is None:
        return False, f"{name}: {before:.1f} instructions before, not measured now"
    change = 100 * (now / before - 1) if before else 0.0
    passed = now <= before * (DUMP_SLACK if ": dump " in name else SLACK)
    return passed, f"{name}: {now:.1f} instructions, {before:.1f} recorded ({change:+.1f}%)"


def check(data: Figures) -> int:
    """KTAP; fails where a figure has risen by more than its slack. Goals that are missed are shown."""
    recorded = json.loads(RECORDED.read_text())
    now = values(data)
    cases = [_case(n, now.get(n), v) for n, v in sorted(recorded["instructions"].items())]
    print(f"TAP version 13\n1..{len(cases)}")
    if data["kernel"] != recorded["kernel"]:
        print(f"# recorded with kernel {recorded['kernel']}, this is {data['kernel']}")
    print("\n".join(f"# {line}" for line in table.goals(data).splitlines()))
    for number, (passed, text) in enumerate(cases, 1):
        print(f"{'ok' if passed else 'not ok'} {number} {text}")
    return 0 if all(passed for passed, _text in cases) else 1
