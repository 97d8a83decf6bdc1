# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Common code of the cases: a network of two links, items with all their keys, and checks.

    a ----- up0 ---- r ---- up1 [the rate and the qdisc] ---- b
       fast               the rest of the round trip
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
import zlib
from pathlib import Path
from typing import Any, Callable, Sequence

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "lab" / "guest"))

import network  # noqa: E402
import traffic  # noqa: E402

NODES = ["a", "r", "b"]
ADDRESSES = {node: network.address(k) for k, node in enumerate(NODES)}
US, MS, SECOND = 1_000, 1_000_000, 1_000_000_000
LEAD = 200 * MS
TCP = {"cc": "cubic", "ecn": False}
UDP = {"rate": 64000, "size": 100, "dscp": 0, "ecn": 0}
DEFAULTS: dict[str, dict[str, Any]] = {
    "bulk": {**TCP, "count": 1, "spread": 0, "bytes": None},
    "web": {**TCP, "rate": 20.0, "size": 12000, "shape": 1.2},
    "uploads": {**TCP, "size": 10**6, "pause": [5 * SECOND, 15 * SECOND], "count": 1},
    "cbr": UDP,
    "onoff": {**UDP, "on": SECOND, "off": SECOND},
    "frames": {
        "size": 1250,
        "frame": 3,
        "interval": 33 * MS,
        "key_frame": 40,
        "key_interval": 3 * SECOND,
        "dscp": 0,
        "ecn": 0,
    },
    "requests": {
        "rate": 100.0,
        "size": 100,
        "distribution": "fixed",
        "clients": 1,
        "deadline": SECOND,
        "workers": 0,
        "service": 25 * MS,
        "service_distribution": "exponential",
    },
    "ping": {"interval": 200 * MS, "size": 56},
    "probe": {"interval": 20 * MS, "size": 172, "dscp": 0, "arrivals": "periodic"},
}
Result = dict[str, Any]
Action = tuple[int, Callable[[], object]]


class Failed(Exception):
    """A case, in its own words."""


def item(kind: str, **keys: Any) -> dict[str, Any]:
    """From a to b all the time, unless the keys have other values."""
    return {"name": kind, "kind": kind, "from": "a", "to": "b", **DEFAULTS[kind], **keys}


def _way(
    delay: int = 0, rate: int | None = None, qdisc: str | None = None, shaper: str = "wire"
) -> dict[str, Any]:
    return {"delay": delay, "rate": rate, "rates": [], "shaper": shaper, "qdisc": qdisc}


class Bench:
    """A network, for one case."""

    def __init__(
        self, rate: int | None = None, qdisc: str = "pfifo limit 1000", delay: int = 10 * MS,
        shaper: str = "wire", mtu: int = 1500,
    ) -> None:  # fmt: skip
        near = {"name": "near", "mtu": mtu, "ends": ["a", "r"], "up": _way(), "down": _way()}
        slow = _way(delay, rate, qdisc if rate else None, shaper)
        far = {"name": "far", "mtu": mtu, "ends": ["r", "b"], "up": slow, "down": _way(delay)}
        self.network = {"nodes": NODES, "links": [near, far]}
        self.busy = 0  # instructions of the last run, idle time left out
        self.mine = 0  # those of this process, in user space and in the kernel

    def __enter__(self) -> Bench:
        network.build(self.network, meter=False)
        return self

    def __exit__(self, *_: object) -> None:
        for name in network.namespaces(self.network):
            network.command("ip", "netns", "del", name)

    def run(
        self, items: list[dict[str, Any]], duration: float, warmup: float = 0, seed: int = 1,
        actions: Sequence[Action] = (),
    ) -> list[Result]:  # fmt: skip
        end = round(duration * SECOND)
        for index, one in enumerate(items):
            one.update({"port": 20000 + 100 * index, "start": one.get("start", 0)})
            one.setdefault("stop", end)
        document = {
            **self.network,
            "seed": seed,
            "duration": end,
            "warmup": round(warmup * SECOND),
            "traffic": items,
        }
        began, mine = busy(), time.process_time_ns()
        results = traffic.run(document, ADDRESSES, time.monotonic_ns() + LEAD, list(actions))
        self.busy, self.mine = busy() - began, time.process_time_ns() - mine
        note("results", f"{zlib.crc32(json.dumps(results).encode()):08x}")
        return results


def busy() -> int:
    """ns, and so instructions, that the processor was not idle."""
    fields = Path("/proc/stat").read_text().split("\n", 1)[0].split()
    return time.monotonic_ns() - (int(fields[4]) + int(fields[5])) * 10 * MS


def in_node(node: str, *argv: str) -> str:
    argv = ("ip", "netns", "exec", node, *argv)
    return subprocess.run(argv, capture_output=True, text=True, check=True).stdout


def note(what: str, value: object) -> None:
    print(f"# {what}: {value:.6g}" if isinstance(value, float) else f"# {what}: {value}")


def between(what: str, value: float, low: float, high: float) -> None:
    note(what, value)
    if not low <= value <= high:
        raise Failed(f"{what}: {value} is not between {low} and {high}")


def equal(what: str, value: object, expected: object) -> None:
    note(what, value)
    if value != expected:
        raise Failed(f"{what}: {value} is not {expected}")


def goodput(result: Result, duration: float) -> float:
    """bit/s"""
    return sum(flow["bytes"] for flow in result["flows"]) * 8 / duration


def gaps(times: list[int]) -> list[int]:
    return [later - earlier for earlier, later in zip(times, times[1:])]


def mean(values: list[Any]) -> float:
    return sum(values) / len(values)
