#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""sample.py [--grid default|other|holes] DIR: invented results, to try the page with.

Delays and shares are made up from a table of what each qdisc is like. `other` has points, seeds and
qdiscs that the experiments do not have; `holes` lacks qdiscs, runs and values.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from itertools import product
from pathlib import Path
from typing import Any, Iterable

Point = dict[str, str]
Document = dict[str, Any]

KINDS = ("pfifo", "red", "codel", "codel_oot", "fq_codel", "fq_codel_oot", "cake")
FAST = ("codel_10ms", "codel_oot_10ms")
# Median delay in ms, how much slower the slowest are, utilisation, drop rate, fairness of drops
LIKE = {
    "none": (400, 4, 0.99, 0.02, 0.6),
    "pfifo": (800, 3, 0.985, 0.004, 0.55),
    "red": (60, 4, 0.95, 0.012, 0.7),
    "codel": (5.2, 14, 0.975, 0.011, 0.88),
    "codel_oot": (5.0, 13, 0.976, 0.011, 0.9),
    "fq_codel": (3.1, 9, 0.977, 0.012, 0.8),
    "fq_codel_oot": (3.0, 8.5, 0.977, 0.012, 0.82),
    "cake": (3.5, 8, 0.97, 0.013, 0.8),
}
KINDS_OF = {"codel_10ms": "codel", "codel_oot_10ms": "codel_oot", "none": "pfifo"}
PERCENTILES = {
    "p5": 0.05,
    "p25": 0.55,
    "p50": 1.0,
    "p75": 1.5,
    "p90": 2.2,
    "p95": 3.0,
    "p99": 5.0,
    "p99_9": 8.0,
}


def digits(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: digits(v) for k, v in value.items()}
    if isinstance(value, list):
        return [digits(v) for v in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value


def like(qdisc: str) -> tuple[float, float, float, float, float]:
    return LIKE.get(qdisc.removesuffix("_10ms"), (20, 5, 0.9, 0.02, 0.7))


def delays(dice: random.Random, qdisc: str, factor: float) -> dict[str, float]:
    middle, tail, *_rest = like(qdisc)
    middle *= factor * dice.uniform(0.93, 1.07)
    found = {k: middle * p for k, p in PERCENTILES.items()}
    return found | {"mean": middle * 1.2, "max": middle * max(tail, 9)}


def rate_of(point: Point) -> float:
    text = point.get("rate", "10mbit")
    number = float("".join(c for c in text if c.isdigit() or c == "."))
    return number * (1e3 if "kbit" in text else 1e6)


def served_by(kind: str) -> Document:
    if kind == "fq_codel":
        return {"module": None, "origin": "built-in"}
    return {"module": f"sch_{kind}", "origin": "out-of-tree" if "_oot" in kind else "in-tree"}


def queue(
    dice: random.Random, qdisc: str, seconds: float, rate: float, items: Iterable[str]
) -> Document:
    _middle, _tail, busy, lost, fair = like(qdisc)
    share = min(1.0, busy * dice.uniform(0.99, 1.01))
    size = int(rate * seconds * share / 8)
    sent = max(1, size // 1500)
    dropped = int(sent * lost * dice.uniform(0.8, 1.1))
    found = delays(dice, qdisc, max(1.0, 3e6 / rate))
    part = {"packets": sent, "bytes": size, "dropped": dropped, "marked": 0}
    parts = {n: {**part, "drop_rate": dropped / (sent + dropped)} for n in items}
    return {
        "options": f"{KINDS_OF.get(qdisc, qdisc)} limit 830",
        "served_by": served_by(KINDS_OF.get(qdisc, qdisc)),
        "packets": sent,
        "bytes": size,
        "dropped": dropped,
        "marked": 0,
        "drop_rate": dropped / (sent + dropped),
        "utilisation": share,
        "backlog": found["mean"] * rate * share / 12e6,
        "delay_ms": found,
        "jain_drops": min(1.0, fair * dice.uniform(0.97, 1.03)),
        "traffic": {n: {**p, "delay_ms": found} for n, p in parts.items()},
    }


def phases(dice: random.Random, qdisc: str, spans: list[tuple[float, float, float]]) -> list[Any]:
    return [
        {
            "at_s": begin,
            "until_s": end,
            "rate_mbit": rate,
            "utilisation": like(qdisc)[2] * dice.uniform(0.98, 1.01),
            "bytes": int((end - begin) * rate * 125000 * like(qdisc)[2]),
            "dropped": dice.randrange(50),
            "delay_ms": delays(dice, qdisc, max(0.4, 5 / rate)),
            "held_below_ms": 50.0,
            "held_ms": None if qdisc == "pfifo" else dice.uniform(100, 900),
            "control_point_ms": dice.uniform(20, 95) * (60 if qdisc == "pfifo" else 1),
        }
        for begin, end, rate in spans
    ]


def series(dice: random.Random, qdisc: str, spans: list[tuple[float, float, float]]) -> Document:
    """A spike when the rate falls, that goes away; sawteeth besides."""
    middle, tail, busy, *_rest = like(qdisc)
    step, total = 0.1, 0.0
    found: Document = {"step_s": step, "p50_ms": [], "max_ms": [], "kbytes": [], "dropped": []}
    before = spans[0][2]
    for begin, end, rate in spans:
        spike = middle * tail * max(0.0, before / rate - 1) ** 0.5
        for n in range(round((end - begin) / step)):
            value = middle * dice.uniform(0.2, 1.8) + spike * 0.75 ** (n * step)
            total += rate * busy * step * 125
            found["p50_ms"].append(value if dice.random() > 0.01 else None)
            found["max_ms"].append(value * 1.6 if found["p50_ms"][-1] is not None else None)
            found["kbytes"].append(total)
            found["dropped"].append(int(dice.random() < 0.2))
        before = rate
    return found


def requests(dice: random.Random, qdisc: str, offered: float, served: float) -> Document:
    answered = min(offered, served) * dice.uniform(0.98, 1.0)
    factor = 1.0 if offered < 0.95 * served else 4.0
    times = delays(dice, qdisc, factor * (0.5 if "10ms" in qdisc else 1))
    return {
        "kind": "requests",
        "sent": int(offered * 10),
        "answered": int(answered * 10),
        "offered_per_s": offered,
        "answered_per_s": answered,
        "success": answered / offered,
        "time_ms": times,
        "refused": 0,
    }


def bulk(dice: random.Random, qdisc: str, rate: float) -> Document:
    good = rate * like(qdisc)[2] / 1e6 * dice.uniform(0.94, 0.96)
    return {"kind": "bulk", "goodput_mbit": good, "flows_mbit": [good / 4] * 4, "jain": 0.98}


def probe(dice: random.Random, qdisc: str, seconds: float) -> Document:
    times = delays(dice, qdisc, 1)
    course = [[n / 5, 20 + times["p50"] * dice.uniform(0, 2)] for n in range(int(seconds * 5))]
    return {"kind": "probe", "sent": 500, "lost": 3, "rtt_ms": times, "series": course}


def pages(dice: random.Random, qdisc: str) -> Document:
    return {"kind": "web", "finished": 300, "unfinished": 2, "time_ms": delays(dice, qdisc, 9)}


def call(dice: random.Random, qdisc: str) -> Document:
    times = delays(dice, qdisc, 1)
    return {"kind": "cbr", "sent": 900, "received": 880, "loss": 0.02, "delay_ms": times}


def item(dice: random.Random, kind: str, qdisc: str, rate: float) -> Document:
    if kind == "bulk":
        return bulk(dice, qdisc, rate)
    if kind == "web":
        return pages(dice, qdisc)
    return call(dice, qdisc) if kind == "cbr" else {**probe(dice, qdisc, 60), "kind": kind}


# ---- the experiments --------------------------------------------------------------------------------


def grid(**labels: list[str]) -> list[Point]:
    return [dict(zip(labels, values)) for values in product(*labels.values())]


LOADS = ["4 bulk", "16 bulk", "4 bulk + web + cbr"]
POINTS = {
    "fig5": grid(rate=["3mbit", "10mbit", "45mbit", "100mbit"], rtt=["20ms", "100ms"], load=LOADS),
    "fig6": grid(
        rate=["128kbit", "256kbit", "512kbit", "1500kbit"],
        rtt=["30ms", "100ms"],
        mtu=["500", "1500"],
        load=LOADS[:1],
    ),
    "fig8": grid(rtt=["10ms", "30ms", "100ms", "200ms", "500ms"], load=LOADS[:2]),
    "table1": grid(rate=["512kbit", "1500kbit"]),
    "overload": grid(
        load=["1000/1000", "990/1000", "950/1000", "900/1000", "1000/900"]
        + ["1000/750", "1000/500", "1000/250", "1000/100"]
    ),
    "ratelimit": grid(load=["100", "200", "300", "400", "450", "500", "600"]),
    "observer": grid(meter=["without", "with"]),
    "slowlinks": grid(rate=["64kbit", "128kbit", "256kbit", "512kbit"]),
    "unresponsive": grid(flood=["110%", "200%", "200%, ECT(0)", "200%, ECT(1)", "1000%"]),
    "releases": grid(release=["bookworm", "trixie", "sid"]),
    "falling": grid(fall=["50 to 1 Mbit/s", "40 to 4 Mbit/s"]),
}
OTHER = {
    "fig5": grid(rate=["2mbit", "1gbit"], rtt=["15ms"], load=["2 bulk", "a mix of everything"]),
    "fig6": grid(rate=["64kbit"]),
    "fig8": grid(rtt=["40ms"], load=["1 bulk"]),
    "table1": grid(rate=["700kbit"]),
    "overload": grid(load=["2000/500"]),
    "ratelimit": grid(load=["700"]),
}
SPANS = {
    "fig7": [(n * 50.0, n * 50.0 + 50, float(r)) for n, r in enumerate((100, 10, 1, 50, 1, 100))],
    "graph2": [
        (n * 15.0, n * 15.0 + 15, float(r)) for n, r in enumerate((100, 10, 50, 80, 5, 100))
    ],
}
SPANS["fig7_small"] = SPANS["fig7"]
SPANS["falling"] = [(0.0, 5.0, 50.0), (5.0, 17.0, 1.0)]
QDISCS = {
    "overload": (*KINDS, *FAST),
    "ratelimit": ("none", "pfifo", "codel_oot", "fq_codel_oot"),
    "observer": ("codel_oot",),
    "slowlinks": (*KINDS, "cake_bw"),
    "ecn": (*KINDS, "pie", "fq_pie"),
    "unresponsive": (*KINDS, "pie"),
    "chain": ("pfifo", "codel_oot", "fq_codel_oot"),
}
ONE_QUEUE = {"dsl": {"delay": "20ms", "up": {"qdisc": "subject"}}}
LINKS = {
    "table1": {"edge": {"qdisc": "subject"}},
    "rrul": {"edge": {"qdisc": "subject"}},
    "chain": {f"hop{n}": {"up": {"qdisc": "subject"}} for n in (1, 2, 3)},
}
# Items of traffic and their kinds
TRAFFIC = {
    "ecn": {"plain": "bulk", "ecn": "bulk", "web": "web", "ping": "ping"},
    "bbr": {"cubic": "bulk", "bbr": "bulk", "ping": "ping"},
    "falling": {"bulk": "bulk", "web": "web", "ping": "ping"},
    "shortflows": {"web": "web"},
    "slowlinks": {"call": "cbr", "upload": "bulk", "ping": "ping"},
    "releases": {"bulk": "bulk", "web": "web", "ping": "ping"},
    "unresponsive": {
        "flood": "cbr",
        "tcp": "bulk",
        "tcp_ecn": "bulk",
        "ping": "ping",
        "random": "probe",
    },
}
NAMES = (*dict.fromkeys((*POINTS, *SPANS, *TRAFFIC)), "chain", "rrul")


def queues_of(name: str) -> list[str]:
    if name in ("table1", "rrul"):
        return ["edge.up", "edge.down"]
    return [f"hop{n}.up" for n in (1, 2, 3)] if name == "chain" else ["dsl.up"]


def traffic_of(dice: random.Random, name: str, qdisc: str, point: Point) -> Document:
    load = point.get("load", "")
    if name == "overload":
        offered, served = map(float, load.split("/"))
        return {"calls": requests(dice, qdisc, offered, served)}
    if name == "ratelimit":
        return {"calls": requests(dice, qdisc, float(load), 430)}
    if name in ("rrul", "chain"):
        up, down = (bulk(dice, qdisc, rate) for rate in (10e6, 50e6))
        return {"uploads": up, "downloads": down, "probe": probe(dice, qdisc, 60)}
    if name in TRAFFIC:
        return {n: item(dice, kind, qdisc, rate_of(point)) for n, kind in TRAFFIC[name].items()}
    return {"bulk": bulk(dice, qdisc, rate_of(point))}


def run(name: str, qdisc: str, seed: int, point: Point) -> Document:
    dice = random.Random(f"{name} {qdisc} {seed} {sorted(point.items())}")
    spans = SPANS.get(name, [(0.0, 60.0, rate_of(point) / 1e6)])
    rate = sum((e - b) * r for b, e, r in spans) / (spans[-1][1]) * 1e6
    traffic = traffic_of(dice, name, qdisc, point)
    queues = {q: queue(dice, qdisc, spans[-1][1], rate, traffic) for q in queues_of(name)}
    for found in queues.values():
        found["phases"] = phases(dice, qdisc, spans)
        if name in SPANS or name == "rrul":
            found["series"] = series(dice, qdisc, spans)
    if point.get("meter") == "without":
        queues = {q: {"tc": [], "served_by": f["served_by"]} for q, f in queues.items()}
    return {"qdisc": qdisc, "seed": seed, "point": point, "queues": queues, "traffic": traffic}


def seeds_of(qdisc: str, seeds: list[int]) -> list[int]:
    """Only CoDels have them all, as in the experiments."""
    return seeds if "codel" in qdisc else seeds[:1]


def document(name: str, points: list[Point], qdiscs: Iterable[str], seeds: list[int]) -> Document:
    runs = [run(name, q, s, p) for p in points for q in qdiscs for s in seeds_of(q, seeds)]
    return {
        "schema": 2,
        "name": name,
        "title": f"Sample of {name}",
        "grid": "default",
        "kernel": "6.12.48+deb13-amd64",
        "versions": {"iproute2": "6.15.0", "ping": "20240905", "irtt": "0.9.1"},
        "scenario": {
            "duration": "60s",
            "warmup": "0s",
            "link": LINKS.get(name, ONE_QUEUE),
            "traffic": {"calls": {"deadline": "500ms"}},
        },
        "runs": runs,
    }


def default() -> list[Document]:
    made = [document(n, POINTS.get(n, [{}]), QDISCS.get(n, KINDS), [1, 2]) for n in NAMES]
    home = document("home", [{}], ("pfifo", "codel_oot"), [1])
    return [*made, home | {"title": 'A <home> & its "own" words'}]


def other() -> list[Document]:
    """Points, seeds and subjects that no experiment has; fewer experiments."""
    qdiscs = ("codel_oot", "pie", "sfb")
    made = [document(n, p, qdiscs, [7]) | {"grid": "full"} for n, p in OTHER.items()]
    made[0]["kernel"] = {"trixie": "6.12.48", "sid": "7.2.1"}
    made[0]["versions"] = {release: made[0]["versions"] for release in ("trixie", "sid")}
    return made


def holes() -> list[Document]:
    """Every third run is gone, and of the others something: values, queues, traffic."""
    made = [document(n, POINTS.get(n, [{}]), KINDS[1:], [1, 2, 3]) for n in NAMES]
    for found in made:
        found["runs"] = [r for n, r in enumerate(found["runs"]) if n % 3]
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
        text = json.dumps(digits(found), indent=1, sort_keys=True)
        (where / f"{found['name']}.json").write_text(text + "\n")


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Writes made-up results into DIR.")
    parser.add_argument("--grid", choices=GRIDS, default="default")
    parser.add_argument("dir", metavar="DIR", type=Path)
    opts = parser.parse_args(argv)
    write(opts.dir, opts.grid)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
