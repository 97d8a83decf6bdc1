# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""What all figures have in common: colours, shapes, themes, and files of the same bytes.

Colours are Okabe and Ito's, told apart with any colour vision; shapes say the same again: an out-of-tree
qdisc is drawn solid, with filled markers, the in-tree qdisc of the same kind dashed, with hollow ones.
"""

from __future__ import annotations

import io
import math
import textwrap
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
from .series import Line  # noqa: E402

WIDTH = 5.2  # inches: narrow, so that letters stay readable on a phone
DPI = 160
ROOM = 1.5  # beyond the extremes on a logarithmic axis
FEW = 100.0  # from the least to the greatest: so short a logarithmic axis has labels between the powers of ten
COLUMN = 64  # letters that fit above all columns of a matrix
ROW = 1.25  # inches of each row of a matrix
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
    "codel_oot_100": Style("#0072B2", "-", "<", width=1.4),
    "codel_oot_200": Style("#0072B2", "-", ">", width=1.4),
    "codel_oot_off": Style("#0072B2", ":", "X", width=1.4),
    "codel_10ms": Style("#56B4E9", ":", "P", hollow=True),
    "codel_oot_10ms": Style("#0072B2", ":", "P", width=1.9),
    "fq_codel": Style("#CC79A7", "--", "D", hollow=True),
    "fq_codel_oot": Style("#009E73", "-", "D", width=1.9),
    "fq_codel_htb": Style("#CC79A7", "--", "s", hollow=True),
    "fq_codel_oot_htb": Style("#009E73", "--", "s", hollow=True),
    "fq_codel_oot_rate": Style("#009E73", "-", "d", width=1.9),
    "fq_codel_oot_100": Style("#009E73", "-", "<", width=1.4),
    "fq_codel_oot_200": Style("#009E73", "-", ">", width=1.4),
    "fq_codel_oot_off": Style("#009E73", ":", "X", width=1.4),
    "rate95": Style("#D55E00", "-.", "^"),
    "one": Style("#56B4E9", ":", "P"),
    "downstream": Style("#009E73", "-", "D", width=1.9),
    "upstream": Style("#009E73", "-", "D", width=1.9),
    "both": Style("#009E73", "-", "D", width=1.9),
    "fq_codel_at_link": Style(INK, "--", "s", hollow=True),
    "cake": Style("#E69F00", ":", "v"),
    "cake_bw": Style("#E69F00", "-", "v"),
    "pie": Style("#56B4E9", "-", "p"),
    "fq_pie": Style("#CC79A7", "-.", "h"),
    "dualpi2": Style(INK, ":", "*"),
}
OTHER = Style("#999999", "-", "x")

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
            # A user's matplotlibrc changes no byte
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


def style(name: str) -> Style:
    return STYLES.get(name, OTHER)


def line(area: Axes, name: str, x: Sequence[float], y: Sequence[float], **more: object) -> None:
    look = style(name)
    face = area.get_facecolor() if look.hollow else look.ink
    options: dict[str, object] = {
        "color": look.ink,
        "linestyle": look.dashes,
        "linewidth": look.width,
        "markerfacecolor": face,
        "label": subjects.title(name),
        "zorder": 3 if look.hollow else 2,  # dashes above a solid line show both
        **more,
    }
    area.plot(x, y, **options)


def band(area: Axes, name: str, course: Line) -> None:
    """The median over the seeds as a line, and from the least seed to the greatest as a shade."""
    shade = {"color": style(name).ink, "alpha": 0.18, "linewidth": 0}
    area.fill_between(course.times, course.low, course.high, **shade)
    line(area, name, course.times, course.middle)


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


def matrix(
    rows: Sequence[tuple[str, object]], columns: Sequence[str]
) -> tuple[Figure, list[list[Axes]]]:
    """A row of panels for each (title, _), a column for each name; rows share x, columns share y."""
    figure, areas = pyplot.subplots(
        max(1, len(rows)),
        len(columns),
        figsize=(WIDTH, 0.5 + ROW * max(1, len(rows))),
        sharex=True,
        sharey="col",
        squeeze=False,
        layout="constrained",
    )
    for area, name in zip(areas[0], columns):
        words = textwrap.fill(name[0].upper() + name[1:], COLUMN // len(columns))
        area.set_title(words, loc="center", fontweight="normal", fontsize=9, pad=16)
    for area in [a for row in areas for a in row]:
        area.tick_params(labelsize=8)
    for (title, _members), row in zip(rows, areas):
        row[0].text(
            0, 1.04, title, transform=row[0].transAxes, fontsize=9, fontweight="bold", va="bottom"
        )
    return figure, [list(row) for row in areas]


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


def extremes(areas: Sequence[Axes], which: str) -> tuple[float, float]:
    """The least and the greatest of all that is drawn there."""
    found = [v for a in areas for v in getattr(a.dataLim, f"interval{which}") if math.isfinite(v)]
    return min(found, default=0.0), max(found, default=0.0)


def logarithmic(areas: Sequence[Axes], which: str = "y") -> None:
    """A logarithmic axis; linear below 1 if anything is: an empty queue is zero and belongs in the picture.

    Axes that share this one, or are to have the same, come together, after they are drawn.
    """
    least, most = extremes(areas, which)
    top = max(10.0, most * ROOM)
    low = least / ROOM if least >= 1 else 0.0
    words = FuncFormatter(lambda value, _at: amounts.exactly(value))
    decades = range(int(math.log10(top)) + 1)
    for area in areas:
        axis = area.yaxis if which == "y" else area.xaxis
        if low:
            getattr(area, f"set_{which}scale")("log")
            subs = (1, 2, 5) if top / low < FEW else (1,)
            axis.set_major_locator(LogLocator(base=10, subs=subs, numticks=20))
            axis.set_minor_locator(LogLocator(base=10, subs=(2, 5), numticks=20))
        else:
            getattr(area, f"set_{which}scale")("symlog", linthresh=1, linscale=0.35)
            axis.set_ticks([0, *(10**n for n in decades)])
            axis.set_ticks([m * 10**n for n in decades for m in (2, 5)], minor=True)
        getattr(area, f"set_{which}lim")(low, top)
        axis.set_major_formatter(words)
        axis.set_minor_formatter(NullFormatter())
