# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Results to make pages of: the kept ones of lab/report, as they are and changed.

`other` has points, seeds and qdiscs that the experiments do not have; `holes` lacks qdiscs, runs and values.
"""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

KEPT = Path(__file__).resolve().parents[2] / "lab" / "report"
Document = dict[str, Any]

# Qdiscs of the kept runs, and what they are called here
SUBJECTS = {"codel_oot": "codel_oot", "codel": "pie", "pfifo": "sfb"}
POINTS: dict[str, dict[str, list[str]]] = {
    "fig5": {
        "rate": ["2mbit", "1gbit"],
        "rtt": ["15ms"],
        "load": ["2 bulk", "a mix of everything"],
    },
    "fig6": {"rate": ["64kbit"]},
    "fig8": {"rtt": ["40ms"], "load": ["1 bulk"]},
    "table1": {"rate": ["700kbit"]},
    "overload": {"load": ["2000/500"]},
    "ratelimit": {"load": ["700"]},
}


def kept(name: str) -> Document:
    found: Document = json.loads((KEPT / f"{name}.json").read_text())
    return found


def names() -> list[str]:
    return sorted(p.stem for p in KEPT.glob("*.json"))


def default() -> list[Document]:
    home = kept("fig7_small") | {"name": "home", "title": 'A <home> & its "own" words'}
    return [*map(kept, names()), home]


def other() -> list[Document]:
    """Points, seeds and subjects that no experiment has; fewer experiments."""
    made = [kept(name) | {"grid": "full"} for name in POINTS]
    for found, labels in zip(made, POINTS.values()):
        first = {run["qdisc"]: run for run in reversed(found["runs"])}
        found["runs"] = [
            first[old] | {"qdisc": new, "seed": 7, "point": dict(zip(labels, values))}
            for values in product(*labels.values())
            for old, new in SUBJECTS.items()
        ]
    made[0]["kernel"] = {"trixie": "6.12.48", "sid": "7.2.1"}
    made[0]["versions"] = {release: made[0]["versions"] for release in ("trixie", "sid")}
    return made


def holes() -> list[Document]:
    """Tail drop and every third run are gone, and of the others something: values, queues, traffic."""
    made = list(map(kept, names()))
    for found in made:
        runs = [r for r in found["runs"] if r["qdisc"] != "pfifo"]
        found["runs"] = [r for n, r in enumerate(runs) if n % 3]
        for number, one in enumerate(found["runs"]):
            dig_holes(one, number % 5)
    made[0]["runs"] = []
    return made


def dig_holes(one: Document, which: int) -> None:
    for found in one["queues"].values():
        if which == 0:
            found.update({"delay_ms": None, "utilisation": None, "jain_drops": None})
        elif which == 1:
            found.pop("series", None)
            found["phases"] = found.get("phases", [])[:1]
        elif which == 2:
            for phase in found.get("phases", []):
                phase.update({"control_point_ms": None, "delay_ms": None})
    if which == 3:
        one["queues"] = {}
    if which == 4:
        one["traffic"] = {}


GRIDS = {"default": default, "other": other, "holes": holes}


def write(where: Path, which: str) -> None:
    where.mkdir(parents=True, exist_ok=True)
    for found in GRIDS[which]():
        text = json.dumps(found, indent=1, sort_keys=True)
        (where / f"{found['name']}.json").write_text(text + "\n")
