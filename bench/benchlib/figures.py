# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""From the output of the guest to figures."""

from __future__ import annotations

import statistics
from typing import Any, Iterable

from .machine import Failure, Results
from .plan import DUMP_FLOWS, Job, Row
from .subjects import LOOP, NOP

Figures = dict[str, Any]
RATE_SLACK = 0.02


def _cost(run: dict[str, int]) -> float:
    if "window_calls" in run:  # of a link: the median of windows with as many packets each
        return run["window_median"] * run["window_calls"] / run["offered"]
    return run["ns"] / run["offered"]


def _median(results: Results, name: str) -> float | None:
    """Of the repetitions; None if the kernel has no such qdisc."""
    runs = [r for r in results.runs.get(name, []) if "unknown" not in r]
    return statistics.median(_cost(r) for r in runs) if runs else None


def _calls(run: dict[str, int], which: str) -> Figures:
    calls = run.get(f"{which}_calls", 0)
    if not calls:
        return {}
    figures: Figures = {k: run[f"{which}_{k}"] for k in ("median", "p99", "max")}
    figures["mean"] = round(run[f"{which}_ns"] / calls, 2)
    return figures


def _saturated(row: Row, name: str, run: dict[str, int]) -> float:
    """The rate of a link in bit/s. It had its own rate, and all packets have passed it."""
    rate = run["delivered"] * row.size * 8 / run["wall"] * 1e9
    if run["dropped"] or abs(rate / row.setting.rate - 1) > RATE_SLACK:
        raise Failure(
            f"{name}: {rate:.0f} bit/s, {run['dropped']} dropped: the link is not saturated"
        )
    return round(rate)


def cell(results: Results, row: Row, kind: str, loop: float) -> Figures | None:
    """One qdisc in one regime."""
    name = f"{row.name}/{kind}"
    total = _median(results, name)
    each = [r for r in results.runs.get(f"{name}/each", []) if "unknown" not in r]
    if total is None:
        return None
    figures: Figures = {"total": round(total, 2), "net": round(total - loop, 2)}
    run = results.runs[name][0]
    figures["dropped"] = round(run["dropped"] / run["offered"], 4)
    if row.link:
        figures["rate"] = _saturated(row, name, run)
    if each:
        # Several repetitions: the best of the longest is what the code needs.
        best = min(each, key=lambda r: max(r["enqueue_max"], r.get("dequeue_max", 0)))
        figures["marked"] = round(best["marked"] / best["offered"], 4)
        figures["enqueue"] = _calls(best, "enqueue")
        figures["dequeue"] = _calls(best, "dequeue")
    return figures


def rows(results: Results, wanted: Iterable[Row], kinds: Iterable[str]) -> list[Figures]:
    table = []
    for row in wanted:
        loop = _median(results, f"{row.name}/{LOOP}") or 0.0
        cells = {k: cell(results, row, k, loop) for k in kinds if k in row.kinds}
        table.append({
            "name": row.name, "regime": row.regime, "title": row.title, "flows": row.flows,
            "waiting": row.fill, "offered_per_dequeue": row.burst or 1, "size": row.size,
            "buckets": row.setting.buckets, "drop_batch": row.setting.batch,
            "loop": round(loop, 2), "qdiscs": {k: c for k, c in cells.items() if c},
        })  # fmt: skip
    return table


def dump(results: Results, kinds: Iterable[str]) -> Figures:
    """Statistics: time of a dump by active flows."""
    figures: Figures = {}
    for kind in kinds:
        runs = {n: results.runs.get(f"dump/{n}/{kind}") for n in DUMP_FLOWS}
        found = {str(n): r[0]["dump_ns"] for n, r in runs.items() if r and "dump_ns" in r[0]}
        if found:
            figures[kind] = found
    return figures


def memory(results: Results, kinds: Iterable[str]) -> Figures:
    """Bytes per qdisc by buckets, and per bucket where their number can be chosen."""
    figures: Figures = {}
    for kind in kinds:
        found: dict[str, float] = {}
        for buckets in (1024, 65536):
            for run in results.runs.get(f"memory/{buckets}/{kind}", []):
                if "kb" in run:
                    found[str(buckets)] = round(run["kb"] * 1024 / run["count"])
        if len(found) == 2:
            found["per_flow"] = round((found["65536"] - found["1024"]) / (65536 - 1024), 1)
        if found:
            figures[kind] = found
    return figures


def trust(results: Results) -> Figures:
    nop, loop = _median(results, f"trust/{NOP}"), _median(results, f"trust/{LOOP}")
    if nop is None or loop is None:
        return {}
    counts = [n.split("/")[1] for n in results.runs if n.startswith("trust/")]
    by_count = {n: _median(results, f"trust/{n}") for n in counts if n.isdigit()}
    return {
        "two_instructions_more": round(nop - loop, 3),
        "by_packets": {n: round(v, 3) for n, v in by_count.items() if v is not None},
    }


def options(jobs: Iterable[Job]) -> dict[str, str]:
    """The options of tc and of the module, by run."""
    return {j.name: f"{j.kind} {j.options} | {j.keys}" for j in jobs}
