# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The other end of test_shared.sh: sends to the queues of a device, and judges how they share it.

All commands of shaped.py, and:

    fill DEV COUNT size=N FLOWS...    COUNT frames for each flow; FLOWS are N or FIRST-LAST
    busy DEV RATE size=N FLOWS...     RATE bit/s of frames from now on, in the background, until unload
    beat DEV GAP size=N FLOWS...      a frame for each flow every GAP s from now on, until unload
    parts RATE FIRST-LAST...          what the flows of each range have got, as a part of RATE, up to the
                                      time when one of the ranges had its last frame
    sum RATE MS [as for pace]         the lowest and the highest rate in any MS ms, as a part of RATE
    jain FIRST-LAST                   Jain's index of what the flows have got, up to the same time
"""

from __future__ import annotations

import bisect
import time
from collections import Counter

from . import probe, shaped
from .ring import NSEC, Arrival

PORT = 1024  # of flow 0


def span(text: str) -> range:
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def split(words: tuple[str, ...]) -> list[str]:
    """The words of a command of shaped.py."""
    flows = [flow for word in words if "=" not in word for flow in span(word)]
    return [word for word in words if "=" in word] + [f"flow={flow}" for flow in flows]


def fill(dev: str, count: str, *words: str) -> str:
    given = split(words)
    flows = sum(word.startswith("flow=") for word in given)
    return shaped.put(dev, str(int(count) * flows), *given)


def busy(dev: str, rate: str, *words: str) -> str:
    return shaped.load(dev, rate, *split(words))


class Beat(probe.Sender):
    """A frame of each flow in equal distances."""

    def __init__(self, dev: str, gap: float, words: list[str]) -> None:
        super().__init__()
        self.frames = shaped.Numbered(dev, words)
        self.flows = sum(word.startswith("flow=") for word in words)
        self.gap = gap

    def run(self) -> None:
        due = time.monotonic()
        while not self.stop:
            for _ in range(self.flows):
                self.frames.send()
                self.sent += 1
            due += self.gap
            time.sleep(max(0.0, due - time.monotonic()))


def beat(dev: str, gap: str, *words: str) -> str:
    probe.running.append(Beat(dev, float(gap), split(words)))
    probe.running[-1].start()
    return ""


def together(ranges: list[range]) -> list[Arrival]:
    """All frames up to the end of the range that ends first."""
    found = shaped.given_arrivals(2)
    last = {one.port - PORT: index for index, one in enumerate(found)}
    ends = [max((last.get(flow, -1) for flow in flows), default=-1) for flows in ranges]
    return found[: min(ends) + 1]


def seconds_of(found: list[Arrival]) -> float:
    if len(found) < 2:
        raise LookupError("a range of flows has got nothing")
    return (found[-1].time - found[0].time) / NSEC


def parts(rate: str, *words: str) -> str:
    ranges = [span(word) for word in words]
    found = together(ranges)
    whole = float(rate) / 8 * seconds_of(found)
    size: Counter[int] = Counter()
    for one in found[1:]:
        size[one.port - PORT] += one.length
    return " ".join(f"{sum(size[flow] for flow in flows) / whole:.5f}" for flows in ranges)


def total(rate: str, window: str, *words: str) -> str:
    """From one arrival to the first that is the window later, so that no packet is cut in two."""
    found = shaped.given_arrivals(2)
    due = shaped.busy(found, float(rate), words)
    times = [one.time for one in found]
    width = round(float(window) * 1e6)
    rates = []
    for first, begin in enumerate(times):
        last = bisect.bisect_left(times, begin + width)
        if last < len(times):
            rates.append((due[last] - due[first]) / (times[last] - begin))
    if not rates:
        raise LookupError("the frames have arrived within the window")
    return f"{min(rates):.5f} {max(rates):.5f}"


def jain(flows: str) -> str:
    each = span(flows)
    size = Counter(one.port - PORT for one in together([range(flow, flow + 1) for flow in each]))
    counts = [size[flow] for flow in each]
    squares = sum(count * count for count in counts)
    return f"{sum(counts) ** 2 / (len(counts) * squares):.5f} {min(counts)} {max(counts)}"


probe.COMMANDS.update(
    {
        "fill": fill,
        "busy": busy,
        "beat": beat,
        "parts": parts,
        "sum": total,
        "jain": jain,
    }
)
main = probe.main
