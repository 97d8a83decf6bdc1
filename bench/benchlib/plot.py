# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The bar chart: one group of bars per regime, one bar per qdisc."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402
from matplotlib.axes import Axes  # noqa: E402
from matplotlib.ticker import FuncFormatter  # noqa: E402

Figures = dict[str, Any]

# Okabe and Ito's: told apart with any colour vision. Out-of-tree qdiscs are hatched as well.
COLOURS = {
    "pfifo": "#999999", "codel": "#56B4E9", "codel_oot": "#0072B2", "fq_codel": "#E69F00",
    "fq_codel_oot": "#D55E00", "fq": "#009E73", "fq_pie": "#F0E442", "cake": "#CC79A7",
    "dualpi2": "#000000",
}  # fmt: skip
SHOWN = {
    "one-f1": "one packet\nat a time",
    "wait-f512": "500 waiting,\n512 flows",
    "dissect-wait-f512": "the same,\nhash dissected",
    "drop-f16": "CoDel drops,\n16 flows",
    "mark-f16": "CoDel marks,\n16 flows",
    "enqueue-f900": "flood,\n900 flows",
    "enqueue-f900-b65536": "flood, 900 flows,\n65,536 buckets",
    "enqueue-f9000-b65536": "flood, 9,000 flows,\n65,536 buckets",
}
LEAST = 10  # where bars begin: the axis is logarithmic


def _bars(area: Axes, rows: list[Figures], kinds: list[str]) -> None:
    width = 0.88 / len(kinds)
    for at, kind in enumerate(kinds):
        places, heights = [], []
        for group, row in enumerate(rows):
            if kind in row["qdiscs"]:
                places.append(group + (at - (len(kinds) - 1) / 2) * width)
                heights.append(max(row["qdiscs"][kind]["total"], LEAST))
        bars = area.bar(places, heights, width * 0.94, label=kind, color=COLOURS[kind],
                        edgecolor="black", linewidth=0.5,
                        hatch="///" if kind.endswith("_oot") else "")  # fmt: skip
        area.bar_label(bars, [f"{h:,.0f}" for h in heights], rotation=90, padding=2, fontsize=6.5)


def draw(data: Figures, target: Path) -> None:
    """Nothing, if no row has a qdisc that is shown."""
    rows = [r for r in data["rows"] if any(k in r["qdiscs"] for k in COLOURS)]
    chosen = [r for r in rows if r["name"] in SHOWN] or rows
    if not chosen:
        return
    kinds = [k for k in COLOURS if any(k in r["qdiscs"] for r in chosen)]
    figure, area = pyplot.subplots(figsize=(max(6.0, 1.9 * len(chosen)), 5.6), dpi=110)
    _bars(area, chosen, kinds)
    area.set_yscale("log")
    top = max(c["total"] for r in chosen for c in r["qdiscs"].values())
    area.set_ylim(LEAST, top * 6)
    area.yaxis.set_major_formatter(FuncFormatter(lambda value, _at: f"{value:,.0f}"))
    area.set_ylabel(f"{data['unit'].lower()} per packet offered (logarithmic)")
    area.set_xticks(range(len(chosen)), [SHOWN.get(r["name"], r["name"]) for r in chosen],
                    fontsize=8)  # fmt: skip
    area.set_title(f"Enqueue and dequeue, driving loop included, kernel {data['kernel']}",
                   fontsize=11)  # fmt: skip
    area.grid(True, axis="y", which="major", linewidth=0.4, color="0.85")
    area.set_axisbelow(True)
    area.legend(loc="upper center", bbox_to_anchor=(0.5, -0.12), ncol=len(kinds), frameon=False)
    figure.tight_layout()
    figure.savefig(target, metadata={"Software": None})
    pyplot.close(figure)
