# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The results on a terminal: a table of queues and one of traffic for each point."""

from __future__ import annotations

import statistics
from typing import Any, Iterable, Iterator, Mapping, Sequence

Figures = Mapping[str, Any]
Row = list[str]

TIMES_HEAD = ["p50 ms", "p95 ms", "p99 ms", "max ms"]
QUEUES = ["queue", "qdisc", "util %", *TIMES_HEAD, "drop %", "mark %", "Mbit/s"]
SERVERS = ["queue", "qdisc", "Jain of drops", "served by"]
PHASES = ["queue", "qdisc", "at s", "Mbit/s", "util %", "p95 ms", "max ms", "control ms", "held ms"]
TRAFFIC = ["traffic", "qdisc", *TIMES_HEAD, "lost %", "Mbit/s", ""]
PERCENTILES = ("p50", "p95", "p99", "max")
# Where each kind of traffic has its percentiles
TIMES = ("time_ms", "delay_ms", "rtt_ms")
NOTES = {"time_ms": "until done", "delay_ms": "one way", "rtt_ms": "there and back"}
TEXTS = ("served by", "")  # columns without numbers
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
    """Goodput of TCP in Mbit/s, of the items whose data was in this queue."""
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
        delays = [median(dig(q, "delay_ms", p) for q in each) for p in PERCENTILES]
        yield [
            queue,
            qdisc,
            percent(median(dig(q, "utilisation") for q in each)),
            *map(number, delays),
            percent(median(dig(q, "drop_rate") for q in each)),
            percent(median(map(mark_rate, each))),
            number(median(queue_rate(run, queue) for run in runs)),
        ]


def mark_rate(queue: Figures) -> float | None:
    """Of the packets that left."""
    return queue["marked"] / queue["packets"] if queue.get("packets") else None


def server(queue: Figures) -> str:
    """The module that serves it, and its origin."""
    origin = dig(queue, "served_by", "origin") or NONE
    module = dig(queue, "served_by", "module")
    return f"{module} ({origin})" if module else origin


def server_rows(qdisc: str, runs: Sequence[Figures]) -> Iterator[Row]:
    for queue in runs[0]["queues"]:
        each = [run["queues"][queue] for run in runs]
        fairness = number(median(dig(q, "jain_drops") for q in each))
        yield [queue, qdisc, fairness, ", ".join(dict.fromkeys(map(server, each)))]


def phase_rows(qdisc: str, runs: Sequence[Figures]) -> Iterator[Row]:
    """Of the queues whose link changes its rate; "never" if not held at the end of the phase."""
    for queue in runs[0]["queues"]:
        every = list(zip(*(run["queues"][queue].get("phases", ()) for run in runs)))
        for each in every if len(every) > 1 else ():
            held = [phase["held_ms"] for phase in each]
            yield [
                queue,
                qdisc,
                f"{each[0]['at_s']:g}",
                f"{each[0]['rate_mbit']:g}",
                percent(median(phase["utilisation"] for phase in each)),
                *(
                    number(median(dig(phase, "delay_ms", p) for phase in each))
                    for p in ("p95", "max")
                ),
                number(median(phase["control_point_ms"] for phase in each)),
                "never" if None in held else number(median(held)),
            ]


def traffic_rows(qdisc: str, runs: Sequence[Figures]) -> Iterator[Row]:
    for name in runs[0]["traffic"]:
        each = [run["traffic"][name] for run in runs]
        key = next((k for k in TIMES if k in each[0]), "")
        times = [median(dig(t, key, p) for t in each) for p in PERCENTILES]
        fairness = median(t.get("jain") for t in each if len(t.get("flows_mbit", ())) > 1)
        yield [
            name,
            qdisc,
            *map(number, times),
            percent(median(lost(t) for t in each)),
            number(median(t.get("goodput_mbit") for t in each)),
            NOTES.get(key, "" if fairness is None else f"Jain {number(fairness)}"),
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
            cell.ljust(width) if title in TEXTS else cell.rjust(width)
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


TABLES = (
    (QUEUES, queue_rows),
    (SERVERS, server_rows),
    (PHASES, phase_rows),
    (TRAFFIC, traffic_rows),
)


def lines(document: Figures) -> Iterator[str]:
    seeds = {run["seed"] for run in document["runs"]}
    yield f"{document['title']}" + (f" (medians of {len(seeds)} seeds)" if len(seeds) > 1 else "")
    for point, by_qdisc in points(document["runs"]):
        yield ""
        if point:
            yield ", ".join(f"{k} {v}" for k, v in point.items())
        found = [(head, rows(by_qdisc, make)) for head, make in TABLES]
        for place, (head, each) in enumerate((head, each) for head, each in found if each):
            if place:
                yield ""
            yield from layout(head, each)
