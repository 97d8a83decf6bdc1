# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The results on a terminal: a table of queues and one of traffic for each point."""

from __future__ import annotations

import statistics
from typing import Any, Iterable, Iterator, Mapping, Sequence

Figures = Mapping[str, Any]
Row = list[str]

QUEUES = ["queue", "qdisc", "util %", "p50 ms", "p95 ms", "p99 ms", "drop %", "goodput Mbit/s"]
TRAFFIC = ["traffic", "qdisc", "p50 ms", "p95 ms", "p99 ms", "lost %", "Mbit/s", ""]
# Where each kind of traffic has its percentiles
TIMES = ("time_ms", "delay_ms", "rtt_ms")
NONE = "-"


def dig(figures: Any, *path: str) -> Any:
    """A figure, or None where there is none."""
    for key in path:
        figures = figures.get(key) if isinstance(figures, Mapping) else None
    return figures


def median(values: Iterable[Any]) -> float | None:
    found = [v for v in values if v is not None]
    return statistics.median(found) if found else None


def number(value: float | None) -> str:
    """Three digits that count, none of them after a large number."""
    if value is None:
        return NONE
    places = 0 if abs(value) >= 1000 else 1 if abs(value) >= 100 else 2
    return f"{value:.{places}f}"


def percent(value: float | None) -> str:
    return NONE if value is None else f"{100 * value:.1f}"


def goodput(run: Figures) -> dict[str, float]:
    """Mbit/s of each item of traffic that has it."""
    return {k: v["goodput_mbit"] for k, v in run["traffic"].items() if "goodput_mbit" in v}


def queue_rate(run: Figures, queue: str) -> float | None:
    """Mbit/s of TCP data that its user gets, of the items whose data was in this queue."""
    here = dig(run, "queues", queue, "traffic") or {}
    found = [
        rate
        for item, rate in goodput(run).items()
        if dig(here, item, "bytes") and carries(here, item)
    ]
    return sum(found) if found else None


def carries(items: Figures, name: str) -> bool:
    """Data makes larger packets than acknowledgements do."""
    packets = dig(items, name, "packets")
    return bool(packets) and dig(items, name, "bytes") / packets > ACKNOWLEDGEMENT


ACKNOWLEDGEMENT = 100  # bytes


def lost(item: Figures) -> float | None:
    if "loss" in item:
        return float(item["loss"])
    if "success" in item:
        return None if item["success"] is None else 1 - float(item["success"])
    return item["lost"] / item["sent"] if item.get("sent") and "lost" in item else None


def queue_rows(qdisc: str, runs: Sequence[Figures]) -> Iterator[Row]:
    for queue in runs[0]["queues"]:
        each = [run["queues"][queue] for run in runs]
        delays = [median(dig(q, "delay_ms", p) for q in each) for p in ("p50", "p95", "p99")]
        yield [
            queue,
            qdisc,
            percent(median(dig(q, "utilisation") for q in each)),
            *map(number, delays),
            percent(median(dig(q, "drop_rate") for q in each)),
            number(median(queue_rate(run, queue) for run in runs)),
        ]


def traffic_rows(qdisc: str, runs: Sequence[Figures]) -> Iterator[Row]:
    for name in runs[0]["traffic"]:
        each = [run["traffic"][name] for run in runs]
        key = next((k for k in TIMES if k in each[0]), "")
        times = [median(dig(t, key, p) for t in each) for p in ("p50", "p95", "p99")]
        yield [
            name,
            qdisc,
            *map(number, times),
            percent(median(lost(t) for t in each)),
            number(median(t.get("goodput_mbit") for t in each)),
            {"time_ms": "until done", "delay_ms": "one way", "rtt_ms": "there and back"}.get(
                key, ""
            ),
        ]


def layout(head: Row, rows: Iterable[Row]) -> Iterator[str]:
    """Columns as wide as they must be; numbers to the right. A name is written where it changes."""
    every = [head, *rows]
    widths = [max(len(row[i]) for row in every) for i in range(len(head))]
    last = None
    for row in every:
        first = "" if row[0] == last else row[0]
        last = row[0]
        cells = [first.ljust(widths[0]), row[1].ljust(widths[1])]
        cells += [
            cell.rjust(width) if title else cell.ljust(width)
            for cell, width, title in zip(row[2:], widths[2:], head[2:])
        ]
        yield "  ".join(cells).rstrip()


def points(runs: Sequence[Figures]) -> list[tuple[Figures, dict[str, list[Figures]]]]:
    """The runs of each point by qdisc, in the order of the plan."""
    found: list[tuple[Figures, dict[str, list[Figures]]]] = []
    for run in runs:
        if not found or found[-1][0] != run["point"]:
            found.append((run["point"], {}))
        found[-1][1].setdefault(run["qdisc"] or NONE, []).append(run)
    return found


def rows(by_qdisc: Mapping[str, Sequence[Figures]], make: Any) -> list[Row]:
    """All qdiscs of a queue or item together."""
    found = [row for qdisc, runs in by_qdisc.items() for row in make(qdisc, runs)]
    order = list(dict.fromkeys(row[0] for row in found))
    return sorted(found, key=lambda row: order.index(row[0]))


def lines(document: Figures) -> Iterator[str]:
    seeds = {run["seed"] for run in document["runs"]}
    yield f"{document['title']}" + (f" (medians of {len(seeds)} seeds)" if len(seeds) > 1 else "")
    for point, by_qdisc in points(document["runs"]):
        yield ""
        if point:
            yield ", ".join(f"{k} {v}" for k, v in point.items())
        yield from layout(QUEUES, rows(by_qdisc, queue_rows))
        yield ""
        yield from layout(TRAFFIC, rows(by_qdisc, traffic_rows))
