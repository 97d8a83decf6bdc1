# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""What a run's records and its programs' answers come to.

Delays are those of every packet that left the queue, in ms, by nearest rank. Everything is of the
time from the warm-up's end to the experiment's.
"""

from __future__ import annotations

import json
import math
from typing import Any, Sequence

import numpy as np
import numpy.typing as npt

from .machine import Raw
from .records import DROPPED, MARKED, Records, load

Document = dict[str, Any]
Figures = dict[str, Any]
Array = npt.NDArray[np.int64]

SECOND = 1_000_000_000
MILLISECOND = 1_000_000
PERCENTILES = {"p5": 5.0, "p25": 25.0, "p50": 50.0, "p75": 75.0, "p90": 90.0, "p95": 95.0,
               "p99": 99.0, "p99_9": 99.9}  # fmt: skip
PORTS_PER_ITEM = 100
LEAST_SHARE = 0.01  # of the packets: flows below it say nothing about fairness
ETHERNET = 14


def nearest_rank(ordered: Array, percent: float) -> int:
    return int(ordered[max(math.ceil(len(ordered) * percent / 100) - 1, 0)])


def milliseconds(times: Sequence[int] | Array) -> Figures | None:
    """Percentiles, of times in ns."""
    if not len(times):
        return None
    ordered = np.sort(np.asarray(times, dtype=np.int64))
    found = {k: nearest_rank(ordered, p) / MILLISECOND for k, p in PERCENTILES.items()}
    return found | {"mean": ordered.mean() / MILLISECOND, "max": int(ordered[-1]) / MILLISECOND}


def jain(values: Sequence[float]) -> float | None:
    """Jain's index: 1 when all are equal, 1/n when one has everything."""
    total, squares = sum(values), sum(v * v for v in values)
    return total * total / (len(values) * squares) if squares else None


# ---- a queue --------------------------------------------------------------------------------------


class Queue:
    """The packets of one measured direction of a link."""

    def __init__(self, records: Records, index: int, begin: int, end: int) -> None:
        here = (records.queue == index) & (records.time_ns >= begin) & (records.time_ns < end)
        self.time: Array = records.time_ns[here]
        self.waited: Array = records.waited_ns[here]
        self.flow: Array = records.flow[here]
        self.fate: Array = records.fate[here]
        self.length: Array = records.length[here]
        self.left = self.fate != DROPPED

    def figures(self, where: npt.NDArray[np.bool_]) -> Figures:
        """Of the packets where this is true."""
        left = self.left & where
        packets, dropped = int(left.sum()), int((~self.left & where).sum())
        return {
            "packets": packets,
            "bytes": int(self.length[left].sum()),
            "dropped": dropped,
            "marked": int((self.fate[where] == MARKED).sum()),
            "drop_rate": dropped / (packets + dropped) if packets + dropped else 0.0,
            "delay_ms": milliseconds(self.waited[left]),
        }

    def between(self, begin: int, end: int) -> npt.NDArray[np.bool_]:
        return (self.time >= begin) & (self.time < end)

    def fairness(self) -> float | None:
        """Jain's index over the flows' drop rates; none without drops."""
        arrived = np.bincount(self.flow)
        dropped = np.bincount(self.flow[~self.left], minlength=len(arrived))
        counted = arrived >= max(1, LEAST_SHARE * len(self.flow))
        return jain([float(v) for v in dropped[counted] / arrived[counted]])


def rates(way: Figures, duration: int) -> list[tuple[int, int, int]]:
    """From when to when the link has which rate; empty where it has none."""
    if not way["rate"]:
        return []
    starts = list(map(tuple, way.get("course") or [(0, way["rate"]), *way["rates"]]))
    ends = [time for time, _rate in starts[1:]] + [duration]
    return [(begin, end, rate) for (begin, rate), end in zip(starts, ends)]


def capacity(way: Figures, begin: int, end: int) -> float:
    """Bits that could have left between two times."""
    spans = rates(way, end)
    return sum(r * max(0, min(e, end) - max(b, begin)) / SECOND for b, e, r in spans)


def utilisation(way: Figures, figures: Figures, begin: int, end: int) -> float | None:
    could = capacity(way, begin, end)
    return figures["bytes"] * 8 / could if could else None


# ---- what changes with a rate ---------------------------------------------------------------------

WINDOW = 100 * MILLISECOND  # CoDel's interval: what a controller needs to see
LEAST = 5  # packets: fewer are no window
HELD_BELOW = 50 * MILLISECOND  # unless the scenario has another bound,
HELD_PACKETS = 8  # full packets, if they take longer


def windows(time: Array, waited: Array, begin: int, end: int) -> list[tuple[int, Array]]:
    """The delays of each window of an interval or more in increasing order, and when the window began."""
    found = []
    at = begin
    first = int(np.searchsorted(time, begin))
    while at < end:
        until = at + WINDOW
        last = int(np.searchsorted(time, until))
        while last - first < LEAST and until < end:
            until += WINDOW
            last = int(np.searchsorted(time, until))
        if last > first:
            found.append((at, np.sort(waited[first:last])))
        at, first = until, last
    return found


Windows = Sequence[tuple[int, Array]]


def control_point(seen: Windows, begin: int, end: int) -> float | None:
    """ms from a change until the standing queue is back at what it is in the second half of the phase.

    The standing queue is the smallest delay in an interval, as CoDel sees it. Back is where it is no more than
    nine tenths of those later on; 0 if it does not leave them within a second. None: no packet left.
    """
    least = [(at, int(delays[0])) for at, delays in seen]
    later = sorted(delay for at, delay in least if at >= (begin + end) // 2)
    if not later:
        return None
    bound = later[math.ceil(0.9 * len(later)) - 1]
    above = [n for n, (at, delay) in enumerate(least) if delay > bound and at < begin + SECOND]
    if not above:
        return 0.0
    back = (at for at, delay in least[above[0] :] if delay <= bound)
    return (next(back, end) - begin) / MILLISECOND


def held_below(document: Document, rate: int, mtu: int) -> int:
    """The delay below which a queue counts as controlled at a rate, ns."""
    packets = HELD_PACKETS * (mtu + ETHERNET) * 8 * SECOND // rate
    return int(document["held_below"] or max(HELD_BELOW, packets))


def held(seen: Windows, begin: int, bound: int) -> float | None:
    """ms from a change until the median delay of every later window is below the bound.

    None: that of the last window is not, or no packet left.
    """
    above = [n for n, (_at, delays) in enumerate(seen) if nearest_rank(delays, 50) >= bound]
    first = above[-1] + 1 if above else 0
    if first >= len(seen):
        return None
    return (seen[first][0] - begin) / MILLISECOND if above else 0.0


def phase_spans(way: Figures, end: int) -> list[tuple[int, int, int]]:
    """From when to when a phase is, and its rate: the changes of a course are one phase."""
    return [(0, end, way["rate"])] if way.get("course") else rates(way, end)


def phases(queue: Queue, way: Figures, mtu: int, document: Document) -> list[Figures]:
    """What the queue was while the link had each of its rates."""
    found = []
    begin, end = document["warmup"], document["duration"]
    time, waited = queue.time[queue.left], queue.waited[queue.left]
    for start, stop, rate in phase_spans(way, end):
        start, stop = max(start, begin), min(stop, end)
        if start >= stop:
            continue
        figures = queue.figures(queue.between(start, stop))
        seen = windows(time, waited, start, stop)
        bound = held_below(document, rate, mtu)
        found.append(
            {
                "at_s": start / SECOND,
                "until_s": stop / SECOND,
                "rate_mbit": rate / 1e6,
                "utilisation": utilisation(way, figures, start, stop),
                "control_point_ms": control_point(seen, start, stop),
                "held_below_ms": bound / MILLISECOND,
                "held_ms": held(seen, start, bound),
                **{k: figures[k] for k in ("packets", "bytes", "dropped", "marked", "delay_ms")},
            }
        )
    return found


# ---- over time ------------------------------------------------------------------------------------


def series(queue: Queue, step: int, begin: int, end: int) -> Figures:
    """Delay, bytes and drops, step by step from the warm-up's end."""
    count = -(-(end - begin) // step)
    bins = (queue.time - begin) // step
    left = queue.left
    edges = np.searchsorted(bins[left], np.arange(count + 1))
    waited, lengths = queue.waited[left], queue.length[left]
    cumulative = np.concatenate(([0], np.cumsum(lengths)))
    parts = [np.sort(waited[a:b]) for a, b in zip(edges[:-1], edges[1:])]
    return {
        "step_s": step / SECOND,
        "p50_ms": [nearest_rank(p, 50) / MILLISECOND if len(p) else None for p in parts],
        "max_ms": [int(p[-1]) / MILLISECOND if len(p) else None for p in parts],
        "kbytes": [int(cumulative[b]) / 1e3 for b in edges[1:]],
        "dropped": np.bincount(bins[~left], minlength=count).tolist(),
    }


def item_of(records: Records, document: Document) -> Array:
    """The number of the traffic item that each flow is of, by its port; pings by the protocol."""
    numbers = np.full(len(records.sport), -1, dtype=np.int64)
    for index, item in enumerate(document["traffic"]):
        if item["kind"] == "ping":
            numbers[records.proto == 1] = index
            continue
        for port in (records.sport, records.dport):
            mine = (port >= item["port"]) & (port < item["port"] + PORTS_PER_ITEM)
            numbers[mine & (records.proto != 1)] = index
    return numbers


def ways(document: Document) -> list[tuple[str, Figures, int]]:
    """The measured directions in the meter's order: name, properties, MTU."""
    return [
        (f"{link['name']}.{direction}", link[direction], link["mtu"])
        for link in document["links"]
        for direction in ("up", "down")
        if link[direction]["measure"]
    ]


def queue_result(
    records: Records, index: int, way: Figures, mtu: int, document: Document
) -> Figures:
    begin, end = document["warmup"], document["duration"]
    queue = Queue(records, index, begin, end)
    everything = np.ones(len(queue.time), dtype=np.bool_)
    figures = queue.figures(everything)
    waits = queue.waited[queue.left]
    items = item_of(records, document)[queue.flow]
    found = figures | {
        "options": way["qdisc"] or "pfifo",
        "utilisation": utilisation(way, figures, begin, end),
        "backlog": float(waits.sum()) / (end - begin),  # Little's law
        "jain_drops": queue.fairness(),
        "phases": phases(queue, way, mtu, document),
        "traffic": {
            item["name"]: queue.figures(items == number)
            for number, item in enumerate(document["traffic"])
        },
    }
    if document.get("series"):
        found["series"] = series(queue, document["series"], begin, end)
    return found


# ---- traffic --------------------------------------------------------------------------------------


def bulk(answer: Figures, _item: Figures, seconds: float) -> Figures:
    each = [flow["bytes"] * 8 / seconds / 1e6 for flow in answer["flows"]]
    return {"goodput_mbit": sum(each), "flows_mbit": each, "jain": jain(each)}


def transfers(answer: Figures, _item: Figures, seconds: float) -> Figures:
    samples = answer["samples"]
    done = [(t, b) for t, b in zip(samples["time"], samples["bytes"]) if t is not None]
    return {
        "finished": len(done),
        "unfinished": len(samples["time"]) - len(done),
        "time_ms": milliseconds([t for t, _b in done]),
        "goodput_mbit": sum(b for _t, b in done) * 8 / seconds / 1e6,
    }


def datagrams(answer: Figures, _item: Figures, _seconds: float) -> Figures:
    samples = answer["samples"]
    sent, received = samples["sent"], samples["received"]
    settled = sent - samples["open"]  # those still on the way at the end are not lost
    return {
        "sent": sent,
        "received": received,
        "loss": 1 - received / settled if settled else float(sent > 0),
        "delay_ms": milliseconds(samples["delay"]),
    }


def frames(answer: Figures, item: Figures, seconds: float) -> Figures:
    samples = answer["samples"]
    larger = samples["large"]
    return datagrams(answer, item, seconds) | {
        "key_loss": samples["large_lost"] / larger if larger else None,
    }


def answers(answer: Figures, item: Figures, _seconds: float) -> Figures:
    samples = answer["samples"]
    good = [t for t in samples["time"] if t is not None]
    seconds = (samples["until"] - item["start"]) / SECOND
    return {
        "sent": samples["sent"],
        "refused": samples["refused"],
        "answered": len(good),
        "offered_per_s": samples["sent"] / seconds,
        "answered_per_s": len(good) / seconds,
        "success": len(good) / samples["sent"] if samples["sent"] else None,
        "time_ms": milliseconds(good),
    }


def round_trips(answer: Figures, _item: Figures, _seconds: float) -> Figures:
    samples = answer["samples"]
    good = [t for t in samples["rtt"] if t is not None]
    return {
        "sent": len(samples["rtt"]),
        "lost": len(samples["rtt"]) - len(good),
        "rtt_ms": milliseconds(good),
    }


KINDS = {
    "bulk": bulk,
    "web": transfers,
    "uploads": transfers,
    "cbr": datagrams,
    "onoff": datagrams,
    "frames": frames,
    "requests": answers,
    "ping": round_trips,
    "probe": round_trips,
}


def course(answer: Figures) -> list[list[float | None]]:
    """Every round trip over time, for a picture."""
    samples = answer["samples"]
    return [
        [at / SECOND, rtt / MILLISECOND if rtt is not None else None]
        for at, rtt in zip(samples["at"], samples["rtt"])
    ]


def traffic_result(answer: Figures, item: Figures, document: Document) -> Figures:
    seconds = (document["duration"] - document["warmup"]) / SECOND
    found = {"kind": item["kind"]} | KINDS[item["kind"]](answer, item, seconds)
    if document.get("series") and item["kind"] in ("ping", "probe"):
        found["series"] = course(answer)
    if document.get("series") and item["kind"] == "bulk":
        found["series"] = [sum(step) for step in zip(*(f["series"] for f in answer["flows"]))]
    return found


def said_by_tc(text: str) -> list[Figures]:
    """The subject's own figures, beside the meter's; shapers and histograms are left out."""
    keep = ("kind", "options", "bytes", "packets", "drops", "overlimits", "requeues", "ecn_mark")
    return [
        {k: q[k] for k in keep if k in q}
        | ({"far": {k: q["far"][k] for k in FAR}} if "far" in q else {})
        for q in json.loads(text)
    ]


# Of the queue in another device: whether something is done about it, why not, and what was learnt
FAR = ("state", "path_ns", "window", "answers", "released")


def reduce(document: Document, raw: Raw) -> Figures:
    """The figures of a run; of its queues only what tc says, if nothing was recorded.

    `busy` is the share of the time that the guest's processor worked: near 1, it is the bottleneck.
    """
    queues: Figures = {}
    records = load(raw.records, raw.flows, raw.status) if document["records"] else None
    for index, (name, way, mtu) in enumerate(ways(document)):
        answer = raw.result["queues"][index]
        queues[name] = queue_result(records, index, way, mtu, document) if records else {}
        queues[name]["served_by"] = answer["served_by"]
        queues[name]["tc"] = said_by_tc(answer["tc"])
    items = zip(document["traffic"], raw.result["traffic"])
    return {
        "busy": max(0.0, 1 - raw.result["idle"] * SECOND / document["duration"]),
        "queues": queues,
        "traffic": {i["name"]: traffic_result(answer, i, document) for i, answer in items},
    }
