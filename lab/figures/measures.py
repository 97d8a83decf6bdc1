# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The numbers that several experiments ask of a run."""

from __future__ import annotations

from .results import dig
from .tables import Better, Measure, scaled

LOW, HIGH, NEITHER = Better.LOW, Better.HIGH, Better.NEITHER
NAMES = {
    "p5": "5th percentile",
    "p25": "25th percentile",
    "p50": "median",
    "p75": "75th percentile",
    "p90": "90th percentile",
    "p95": "95th percentile",
    "p99": "99th percentile",
    "p99_9": "99.9th percentile",
    "mean": "mean",
    "max": "maximum",
}


def delay(queue: str, which: str) -> Measure:
    """Of the time in the queue of every packet that was sent."""
    return Measure(f"{NAMES[which]} delay", "ms", LOW, lambda r: r.queue(queue, "delay_ms", which))


def utilisation(queue: str) -> Measure:
    return Measure("utilisation", "%", HIGH, scaled(lambda r: r.queue(queue, "utilisation"), 100))


def megabytes(queue: str) -> Measure:
    return Measure("carried", "MB", HIGH, scaled(lambda r: r.queue(queue, "bytes"), 1e-6))


def drop_rate(queue: str) -> Measure:
    return Measure("dropped", "%", LOW, scaled(lambda r: r.queue(queue, "drop_rate"), 100))


def drops(queue: str) -> Measure:
    return Measure("dropped", "packets", NEITHER, lambda r: r.queue(queue, "dropped"))


def marked(queue: str) -> Measure:
    return Measure("marked", "packets", NEITHER, lambda r: r.queue(queue, "marked") or None)


def backlog(queue: str) -> Measure:
    return Measure("mean queue", "packets", LOW, lambda r: r.queue(queue, "backlog"))


def jain_drops(queue: str) -> Measure:
    return Measure("Jain\u2019s index of drops", "", HIGH, lambda r: r.queue(queue, "jain_drops"))


def of_queue(queue: str) -> list[Measure]:
    """What is worth a row of any queue."""
    delays = [delay(queue, which) for which in ("p50", "p95", "p99", "max")]
    shares = [utilisation(queue), drop_rate(queue), marked(queue)]
    return [*delays, *shares, backlog(queue), megabytes(queue)]


def traffic(
    item: str, name: str, unit: str, better: Better, *path: str, factor: float = 1
) -> Measure:
    """A number of one item of the traffic."""
    return Measure(name, unit, better, scaled(lambda r: dig(r.traffic, item, *path), factor))


def of_traffic(item: str, kind: str) -> list[Measure]:
    """What is worth a row of any item of its kind."""

    def times(key: str, what: str) -> list[Measure]:
        return [
            traffic(item, f"{NAMES[p]} {what}", "ms", LOW, key, p) for p in ("p50", "p95", "p99")
        ]

    if kind == "bulk":
        return [
            traffic(item, "goodput", "Mbit/s", HIGH, "goodput_mbit"),
            traffic(item, "Jain\u2019s index of flows", "", HIGH, "jain"),
        ]
    if kind in ("web", "uploads"):
        rows = [traffic(item, "finished", "", HIGH, "finished")]
        return [*rows, *times("time_ms", "time")]
    if kind in ("cbr", "onoff"):
        loss = traffic(item, "lost", "%", LOW, "loss", factor=100)
        return [loss, *times("delay_ms", "delay")]
    if kind == "frames":
        loss = traffic(item, "lost", "%", LOW, "loss", factor=100)
        larger = traffic(item, "lost of larger frames", "%", LOW, "key_loss", factor=100)
        return [larger, loss, *times("delay_ms", "delay")]
    if kind == "requests":
        return [
            traffic(item, "answered in time", "/s", HIGH, "answered_per_s"),
            traffic(item, "success", "%", HIGH, "success", factor=100),
            *times("time_ms", "time to the answer"),
        ]
    if kind in ("ping", "probe"):
        return [*times("rtt_ms", "round trip"), traffic(item, "lost", "", LOW, "lost")]
    return []
