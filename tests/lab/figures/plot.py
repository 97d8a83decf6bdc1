# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""What all figures have in common: colours, shapes, themes, and files of the same bytes.

Colours are Okabe and Ito's, told apart with any colour vision; shapes say the same again: ours is
drawn solid, with filled markers, the kernel's own of the same kind dashed, with hollow ones.
"""

from __future__ import annotations

import io
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Sequence

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402
from matplotlib.axes import Axes  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter  # noqa: E402
from PIL import Image  # noqa: E402

from . import amounts, subjects  # noqa: E402

WIDTH = 5.2  # inches: narrow, so that letters stay readable on a phone
DPI = 160
ROOM = 1.5  # above the greatest value on a logarithmic axis
LEGEND_COLUMNS = 2
LEGEND_LINE = 0.19  # inches
INK = "ink"  # black on light pages, white on dark ones


@dataclass(frozen=True)
class Style:
    colour: str
    dashes: str
    marker: str
    hollow: bool = False
    width: float = 1.4

    @property
    def ink(self) -> str:
        return matplotlib.rcParams["text.color"] if self.colour == INK else self.colour


STYLES = {
    "none": Style("#999999", ":", "x"),
    "pfifo": Style(INK, "-", "s", width=1.1),
    "red": Style("#D55E00", "-.", "^"),
    "codel": Style("#56B4E9", "--", "o", hollow=True),
    "codel_oot": Style("#0072B2", "-", "o", width=1.9),
    "codel_10ms": Style("#56B4E9", ":", "P", hollow=True),
    "codel_oot_10ms": Style("#0072B2", ":", "P", width=1.9),
    "fq_codel": Style("#CC79A7", "--", "D", hollow=True),
    "fq_codel_oot": Style("#009E73", "-", "D", width=1.9),
    "cake": Style("#E69F00", ":", "v"),
}
OTHERS = (Style("#999999", "-", "x"), Style("#999999", "--", "+"), Style("#999999", ":", "*"))

COMMON = {
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.titlesize": 9.5,
    "axes.titlelocation": "left",
    "axes.titleweight": "bold",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.7,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.linewidth": 0.5,
    "legend.frameon": False,
    "legend.handlelength": 3.2,
    "legend.fontsize": 8.5,
    "legend.labelspacing": 0.35,
    "lines.markersize": 4.5,
    "xtick.major.width": 0.7,
    "ytick.major.width": 0.7,
    "svg.hashsalt": "lab",
}


def theme(ink: str, paper: str, lines: str) -> dict[str, object]:
    parts = ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color")
    papers = ("figure.facecolor", "axes.facecolor", "savefig.facecolor")
    return {
        **COMMON,
        **dict.fromkeys(parts, ink),
        **dict.fromkeys(papers, paper),
        "grid.color": lines,
    }


LIGHT = theme("#1b1b1b", "#ffffff", "#dedede")
DARK = theme("#ececec", "#17191c", "#3a3d42")


def dark(path: Path) -> Path:
    """The same figure for dark pages."""
    return path.with_name(f"{path.stem}-dark{path.suffix}")


def save(paint: Callable[[], Figure], path: Path) -> None:
    for colours, target in ((LIGHT, path), (DARK, dark(path))):
        with matplotlib.rc_context():
            # Nobody's own matplotlibrc changes a byte
            matplotlib.rcdefaults()
            matplotlib.rcParams.update(colours)
            figure = paint()
            store(figure, target)
            pyplot.close(figure)


def store(figure: Figure, target: Path) -> None:
    """With a palette: a third of the size, no date and no version in it."""
    plain = io.BytesIO()
    figure.savefig(plain, format="png", dpi=DPI, metadata={"Software": None})
    image = Image.open(plain).convert("RGB").quantize(128, dither=Image.Dither.NONE)
    image.save(target, format="PNG", optimize=True)


def size(picture: Path) -> tuple[int, int]:
    """In the pixels of a page; the file has more of them, for sharp screens and paper."""
    with Image.open(picture) as image:
        return round(image.width * 96 / DPI), round(image.height * 96 / DPI)


def style(name: str, among: Sequence[str] = ()) -> Style:
    if name in STYLES:
        return STYLES[name]
    unknown = [n for n in among if n not in STYLES]
    place = unknown.index(name) if name in unknown else 0
    return OTHERS[place % len(OTHERS)]


def line(area: Axes, name: str, x: Sequence[float], y: Sequence[float], **more: object) -> None:
    look = style(name)
    face = area.get_facecolor() if look.hollow else look.ink
    options: dict[str, object] = {
        "color": look.ink,
        "linestyle": look.dashes,
        "linewidth": look.width,
        "markerfacecolor": face,
        "label": subjects.title(name),
        **more,
    }
    area.plot(x, y, **options)


def panels(heights: Sequence[float], share: bool = True) -> tuple[Figure, list[Axes]]:
    """One below the other."""
    figure, areas = pyplot.subplots(
        len(heights),
        1,
        figsize=(WIDTH, sum(heights)),
        sharex=share,
        squeeze=False,
        gridspec_kw={"height_ratios": list(heights)},
        layout="constrained",
    )
    return figure, list(areas[:, 0])


def legend(figure: Figure, areas: Sequence[Axes]) -> None:
    """Every subject once, in a strip at the bottom that is kept free for it."""
    found: dict[str, object] = {}
    for area in areas:
        for handle, name in zip(*area.get_legend_handles_labels()):
            found.setdefault(name, handle)
    if not found:
        return
    rows = -(-len(found) // LEGEND_COLUMNS)
    strip = 0.1 + LEGEND_LINE * rows
    width, height = figure.get_size_inches()
    figure.set_size_inches(width, height + strip)
    free = strip / (height + strip)
    figure.get_layout_engine().set(rect=(0, free, 1, 1 - free))
    options = {"loc": "lower center", "ncol": LEGEND_COLUMNS, "borderaxespad": 0.2}
    figure.legend(found.values(), found.keys(), **options)


def greatest(areas: Sequence[Axes], which: str) -> float:
    """Of all that is drawn there."""
    ends = [a.dataLim.x1 if which == "x" else a.dataLim.y1 for a in areas]
    return max((e for e in ends if math.isfinite(e)), default=0.0)


def logarithmic(areas: Sequence[Axes], which: str = "y") -> None:
    """Logarithmic above 1, linear below: an empty queue is zero and belongs in the picture.

    Axes that share this one, or are to have the same, come together, after they are drawn.
    """
    top = max(10.0, greatest(areas, which) * ROOM)
    for area in areas:
        axis = area.yaxis if which == "y" else area.xaxis
        getattr(area, f"set_{which}scale")("symlog", linthresh=1, linscale=0.35)
        getattr(area, f"set_{which}lim")(0, top)
        axis.set_major_formatter(FuncFormatter(lambda value, _at: amounts.exactly(value)))
        axis.set_minor_locator(LogLocator(base=10, subs=(2, 5)))
        axis.set_minor_formatter(NullFormatter())
