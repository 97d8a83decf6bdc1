# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""A picture of a measurement, as SVG: each ping over time, and the parts of the median ping."""

from __future__ import annotations

import math
from typing import Iterator, Sequence
from xml.sax.saxutils import escape

from . import measure
from .measure import Phase

WIDTH = 900
LEFT, RIGHT = 150, 690  # of the axes
PANEL, GAP, BAR = 200, 60, 22
# Distinct for all kinds of colour vision (Okabe and Ito)
COLOURS = ("#d55e00", "#0072b2", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
PARTS = {"idle": "#bbbbbb", "egress": "#0072b2", "ingress": "#56b4e9", "elsewhere": "#d55e00"}
UNKNOWN = "#e69f00"


def _text(x: float, y: float, text: str, anchor: str = "start", colour: str = "#000") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}">{escape(text)}</text>'


def _line(x: float, y: float, to_x: float, to_y: float, style: str = 'stroke="#ddd"') -> str:
    return f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{to_x:.1f}" y2="{to_y:.1f}" {style}/>'


def _decades(phases: Sequence[Phase]) -> tuple[int, int]:
    """Powers of ten of milliseconds that contain all pings."""
    times = [ms for phase in phases for ms in phase.pings.times if ms > 0] or [1.0]
    low = math.floor(math.log10(min(times)))
    return low, max(low + 1, math.ceil(math.log10(max(times))))


def _runs(phase: Phase) -> Iterator[list[tuple[int, float]]]:
    """Pings without a loss between them."""
    run: list[tuple[int, float]] = []
    for number, ms in phase.pings.replies:
        if run and number != run[-1][0] + 1:
            yield run
            run = []
        run.append((number, ms))
    if run:
        yield run


class Panel:
    """The pings of the phases with one load."""

    def __init__(self, top: float, phases: Sequence[Phase], seconds: float, low: int, high: int):
        self.top, self.phases, self.seconds = top, phases, seconds
        self.low, self.high = low, high

    def y(self, ms: float) -> float:
        share = (math.log10(max(ms, 10**self.low)) - self.low) / (self.high - self.low)
        return self.top + PANEL * (1 - share)

    def axes(self, title: str, duration: float) -> Iterator[str]:
        yield _text(
            LEFT,
            self.top - 10,
            f"ping beside {title}" if title in ("upload", "download") else "ping",
        )
        for power in range(self.low, self.high + 1):
            y = self.y(10**power)
            yield _line(LEFT, y, RIGHT, y)
            yield _text(LEFT - 8, y + 4, f"{10.0**power:g} ms", "end")
        yield _text(LEFT, self.top + PANEL + 16, "0")
        yield _text(RIGHT, self.top + PANEL + 16, f"{duration:.3g} s", "end")

    def lines(self, colours: dict[str, str], duration: float) -> Iterator[str]:
        for row, phase in enumerate(self.phases):
            colour = colours[phase.setup]
            for run in _runs(phase):
                points = " ".join(
                    f"{LEFT + (RIGHT - LEFT) * (n - 1) * self.seconds / duration:.1f},{self.y(ms):.1f}"
                    for n, ms in run
                )
                yield f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.5"/>'
            median = phase.pings.percentile(0.5)
            label = "no reply" if median is None else f"median {measure.short(median)} ms"
            if phase.pings.lost:
                label += f", {phase.pings.lost} lost"
            yield _text(
                RIGHT + 12,
                self.top + 14 + 18 * row,
                f"{phase.setup} {label}".strip(),
                "start",
                colour,
            )


def _parts(phase: Phase, idle: Phase) -> list[tuple[str, float]]:
    """The parts of the median ping with their colours, ms."""
    found = [(PARTS["idle"], idle.pings.percentile(0.5) or 0.0)]
    rest, total = measure.elsewhere(phase, idle), measure.added(phase, idle) or 0.0
    if phase is idle:
        return found
    if rest is None:
        return [*found, (UNKNOWN, total)]
    # The median sojourn times may exceed what the load adds: bounds of buckets
    for name, queue in (("egress", phase.egress), ("ingress", phase.ingress)):
        part = min(queue.percentile(0.5) or 0.0, total)
        total -= part
        found.append((PARTS[name], part))
    return [*found, (PARTS["elsewhere"], rest)]


def _bars(top: float, phases: Sequence[Phase], idle: Phase) -> Iterator[str]:
    bars = [(phase.name, _parts(phase, idle)) for phase in phases]
    most = max(sum(ms for _, ms in parts) for _, parts in bars) or 1.0
    yield _text(LEFT, top - 10, f"parts of the median ping, 0 to {measure.short(most)} ms:")
    x = LEFT + 280.0
    legend = {**PARTS, "not split": UNKNOWN}
    for name, colour in legend.items():
        yield _text(x, top - 10, name, "start", colour)
        x += 20 + 7.5 * len(name)
    for row, (name, parts) in enumerate(bars):
        y, x = top + row * BAR, float(LEFT)
        yield _text(LEFT - 8, y + 13, name, "end")
        for colour, ms in parts:
            width = (RIGHT - LEFT) * ms / most
            yield f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{BAR - 6}" fill="{colour}"/>'
            x += width


def svg(phases: Sequence[Phase], idle: Phase, seconds: float) -> str:
    """The picture; `seconds` is the time between two pings."""
    low, high = _decades([*phases, idle])
    last = max((n for phase in phases for n, _ in phase.pings.replies), default=2)
    duration = max(last - 1, 1) * seconds
    setups = list(dict.fromkeys(phase.setup for phase in phases))
    colours = {setup: COLOURS[i % len(COLOURS)] for i, setup in enumerate(setups)}
    top, items = 40.0, []
    for load in dict.fromkeys(phase.load for phase in phases):
        panel = Panel(top, [p for p in phases if p.load == load], seconds, low, high)
        items += [*panel.axes(load, duration), *panel.lines(colours, duration)]
        top += PANEL + GAP
    items += _bars(top, phases, idle)
    height = top + len(phases) * BAR + 20
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" '
    head += f'width="{WIDTH}" height="{height:.0f}" font-family="sans-serif" font-size="13">'
    return "\n".join([head, '<rect width="100%" height="100%" fill="#fff"/>', *items, "</svg>", ""])
