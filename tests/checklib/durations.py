# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""How long each part and each of its cases took in its last run, in seconds of wall time.

Those of this tree on this machine, and estimates of the repository where there are none: for the order of the parts, and for the time
that is left.
"""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

GUESS = 40.0
ESTIMATES = Path(__file__).with_name("times.json")
TIMES = Path(__file__).resolve().parents[2] / "out" / "check" / "times.json"

Table = dict[str, dict[str, Any]]


def _read(path: Path) -> Table:
    try:
        found = json.loads(path.read_text())
        return {kind: dict(found[kind]) for kind in ("parts", "cases")}
    except (OSError, ValueError, KeyError, TypeError):
        return {"parts": {}, "cases": {}}


@functools.cache
def known() -> Table:
    tables = [_read(path) for path in (ESTIMATES, TIMES)]
    return {kind: tables[0][kind] | tables[1][kind] for kind in tables[0]}


def _of_cases(label: str, names: list[str]) -> float | None:
    """The sum of a selftest's cases, which begin with the name of their function."""
    cases: dict[str, float] = known()["cases"].get(label, {})
    found = [s for case, s in cases.items() if case.partition(":")[0] in names]
    return sum(found) if found else None


def cost(label: str) -> float:
    """Of a part, of NAME:CASE,... or of NAME:1/2."""
    whole, _, cases = label.partition(":")
    if "/" in cases:
        return cost(whole) / int(cases.partition("/")[2])
    found = known()["parts"].get(label)
    if found is None and cases:
        found = _of_cases(whole, cases.split(","))
    return float(GUESS if found is None else found)


def remember(parts: dict[str, float], cases: dict[str, dict[str, float]]) -> None:
    """For the next call."""
    table = {
        "parts": known()["parts"] | {k: round(s, 1) for k, s in parts.items()},
        "cases": known()["cases"] | {k: c for k, c in cases.items() if ":" not in k},
    }
    TIMES.parent.mkdir(parents=True, exist_ok=True)
    TIMES.write_text(json.dumps(table, indent=1, sort_keys=True))
