#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Draws queue delay over time, one line per qdisc, from the demonstration's JSON document."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402
from matplotlib.axes import Axes  # noqa: E402
from matplotlib.ticker import FuncFormatter, MaxNLocator  # noqa: E402

# Okabe and Ito's: told apart with any colour vision, and in grey.
COLOURS = ("#D55E00", "#0072B2", "#009E73")
TARGET_MS = 5
# Logarithmic above, linear below: an empty queue is zero and belongs in the picture.
LINEAR_MS = 1


def delays(phase: dict[str, Any]) -> tuple[list[float], list[float]]:
    """What the queue adds to each ping: its round trip less an idle one's."""
    base = phase["ping"]["base_ms"]
    times = [p["s"] for p in phase["ping"]["samples"]]
    added = [max(p["rtt_ms"] - base, 0.0) for p in phase["ping"]["samples"]]
    return times, added


def axes(area: Axes, setup: dict[str, Any]) -> None:
    area.set_title(
        f"What the uplink's queue adds to a ping beside {setup['uploads']} TCP uploads\n"
        f"({setup['rate_mbit']} Mbit/s uplink, {setup['delay_ms']} ms path)"
    )
    area.set_xlabel("time since the uploads began, s")
    area.set_ylabel("queue delay (ping less idle ping), ms\nlogarithmic above 1")
    area.set_yscale("symlog", linthresh=LINEAR_MS, linscale=0.4)
    area.yaxis.set_major_formatter(FuncFormatter(lambda value, _at: f"{value:g}"))
    area.xaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))
    area.set_xlim(-1, setup["seconds"])
    area.set_ylim(-0.1, 3000)
    area.grid(True, which="major", linewidth=0.4, color="0.85")


def draw(data: dict[str, Any], target: Path) -> None:
    figure, area = pyplot.subplots(figsize=(9, 5.2), dpi=110)
    axes(area, data["setup"])
    for phase, colour in zip(data["phases"], COLOURS):
        times, added = delays(phase)
        label = f"{phase['qdisc']} (median ping {phase['ping']['p50_ms']:.0f} ms)"
        area.plot(times, added, color=colour, linewidth=1.3, label=label)
    area.axhline(
        TARGET_MS, color="black", linewidth=0.8, linestyle="--", label="CoDel's target, 5 ms"
    )
    area.legend(loc="upper center", bbox_to_anchor=(0.5, -0.12), ncol=2, frameon=False)
    figure.tight_layout()
    # No version in the file: the same samples make the same bytes.
    figure.savefig(target, metadata={"Software": None})


if __name__ == "__main__":
    draw(json.loads(Path(sys.argv[1]).read_text()), Path(sys.argv[2]))
