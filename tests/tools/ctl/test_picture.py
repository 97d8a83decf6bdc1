# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The picture of prove: well-formed, with every ping and every part where it belongs."""

from __future__ import annotations

import xml.etree.ElementTree as xml
from dataclasses import replace

from cases import case, check
from codelctllib import picture
from codelctllib.measure import Phase, Pings, Queue

SVG = "{http://www.w3.org/2000/svg}"
SECONDS = 0.2


def pings(*times: float | None) -> Pings:
    """None: a ping without a reply."""
    replies = [(n, ms) for n, ms in enumerate(times, 1) if ms is not None]
    return Pings(sorted(ms for _, ms in replies), len(times) - len(replies), replies)


def phase(load: str, setup: str, *times: float | None, queue: Queue = Queue()) -> Phase:
    return Phase(load, (1e6, 1e6), pings(*times), queue, Queue(), setup)


IDLE = phase("idle", "", 20, 20, 20)
BEFORE = phase("upload", "before", 100, 1000, None, 1000, 1000, queue=Queue(0, None))
AFTER = phase("upload", "<after>", 30, 30, 30, 30, 30, queue=Queue(9, [(4_000_000, 100)]))


def drawn(*phases: Phase, idle: Phase = IDLE) -> xml.Element:
    return xml.fromstring(picture.svg(phases, idle, SECONDS))


def points(root: xml.Element) -> list[list[tuple[float, float]]]:
    lines = [item.get("points", "") for item in root.iter(f"{SVG}polyline")]
    return [
        [(float(x), float(y)) for x, y in (p.split(",") for p in line.split())] for line in lines
    ]


def widths(root: xml.Element) -> list[float]:
    return [float(item.get("width", "")) for item in root.iter(f"{SVG}rect") if item.get("x")]


@case("picture: a point for each reply, on a logarithmic scale, and a gap for each loss")
def lines() -> None:
    found = points(drawn(BEFORE, AFTER))
    check("runs", [len(run) for run in found], [2, 2, 5])
    top, step = 40.0, (picture.RIGHT - picture.LEFT) / 4
    # From 10 to 1000 ms
    check("first run", found[0], [(picture.LEFT, top + 100), (picture.LEFT + step, top)])
    check("second run", [x for x, _ in found[1]], [picture.LEFT + 3 * step, picture.RIGHT])
    heights = {y for _, y in found[2]}
    check("the same height", len(heights), 1)
    assert top + 100 < heights.pop() < top + 200


@case("picture: a panel for each load, with names that are escaped")
def panels() -> None:
    root = drawn(BEFORE, AFTER, replace(AFTER, load="download"))
    texts = [item.text or "" for item in root.iter(f"{SVG}text")]
    for text in ("ping beside upload", "ping beside download", "<after> median 30 ms"):
        assert text in texts, texts
    assert "before median 1000 ms, 1 lost" in texts, texts


@case("picture: the bars add up to the median ping, and a delay that cannot be split is one part")
def bars() -> None:
    before_idle, unknown, *after = widths(drawn(BEFORE, AFTER))
    width = picture.RIGHT - picture.LEFT
    check("before", round(before_idle + unknown), width)
    check("idle of 1000 ms", round(before_idle, 1), round(width * 0.02, 1))
    check("after: idle, egress, ingress, elsewhere", after,
          [round(width * ms / 1000, 1) for ms in (20, 4, 0, 6)])  # fmt: skip


@case("picture: without replies, and of the present traffic")
def nothing() -> None:
    lost = phase("upload", "", None, None)
    assert "no reply" in "".join(drawn(lost, idle=phase("idle", "", None)).itertext())
    now = phase("now", "", 20, 21)
    check("lines", len(points(drawn(now, idle=now))), 1)
    check("parts", [round(w) for w in widths(drawn(now, idle=now))], [picture.RIGHT - picture.LEFT])
