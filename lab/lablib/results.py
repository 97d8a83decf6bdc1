# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""One document of all runs of a scenario, in the order of the plan."""

from __future__ import annotations

import json
import math
from typing import Any, Mapping, Sequence

from .plan import Plan

SCHEMA = 2
DIGITS = 6

Outcome = Mapping[str, Any]


def rounded(value: Any) -> Any:
    """As many digits of fractions as mean anything."""
    if isinstance(value, dict):
        return {k: rounded(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [rounded(v) for v in value]
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}") if math.isfinite(value) else None
    return value


def common(plan: Plan, outcomes: Sequence[Outcome], key: str) -> Any:
    """The common value of all runs; by Debian release if there are several."""
    by_release = {run.release: outcome[key] for run, outcome in zip(plan.runs, outcomes)}
    return by_release if len(by_release) > 1 else next(iter(by_release.values()), None)


def assemble(plan: Plan, outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """`outcomes` are those of the plan's runs, in its order."""
    runs = [
        {**outcome["result"], "qdisc": run.qdisc, "seed": run.seed, "point": run.point}
        for run, outcome in zip(plan.runs, outcomes)
    ]
    return {
        "schema": SCHEMA,
        "name": plan.name,
        "title": plan.title,
        "grid": plan.grid,
        "scenario": plan.scenario,
        "kernel": common(plan, outcomes, "kernel"),
        "versions": common(plan, outcomes, "versions"),
        "runs": rounded(runs),
    }


def dump(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def text(document: Mapping[str, Any]) -> str:
    """JSON with a line for each run, so that two of them can be compared."""
    head = [f"{dump(k)}: {dump(v)}" for k, v in sorted(document.items()) if k != "runs"]
    runs = ",\n".join(map(dump, document["runs"]))
    return "{" + ",\n".join([*head, f'"runs": [\n{runs}\n]']) + "}\n"
