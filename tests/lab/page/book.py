# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""All results that are there, and what the figures make of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType

import figures
from figures import kernels_own, plain, plot, results
from figures.kernels_own import Pair
from figures.results import Results
from figures.tables import Table
from figures.verdict import Target


@dataclass(frozen=True)
class Chapter:
    """An experiment with its results; without, if it was not run."""

    module: ModuleType
    results: Results | None
    targets: list[Target]
    tables: list[Table]
    pairs: list[Pair]
    picture: str = ""
    shows: str = ""
    size: tuple[int, int] = (0, 0)

    @property
    def name(self) -> str:
        return str(self.module.NAME)


@dataclass(frozen=True)
class Extra:
    """A scenario that is none of the experiments."""

    results: Results
    tables: list[Table]


@dataclass(frozen=True)
class Book:
    parts: dict[str, list[Chapter]]
    extras: list[Extra]
    documents: list[Results]

    @property
    def chapters(self) -> list[Chapter]:
        return [c for chapters in self.parts.values() for c in chapters]

    @property
    def pairs(self) -> list[Pair]:
        return [p for c in self.chapters for p in c.pairs]

    @property
    def targets(self) -> list[tuple[str, Target]]:
        """With the chapter that each is of; the last compares with the kernel's own."""
        found = [(c.name, t) for c in self.chapters for t in c.targets]
        return [*found, (kernels_own.NAME, kernels_own.target(self.pairs))]


def chapter(module: ModuleType, found: Results | None, out: Path) -> Chapter:
    if found is None or not found.runs:
        return Chapter(module, None, figures.targets(module, found) if found else [], [], [])
    found = figures.shown(module, found)
    tables = [t for t in module.table(found) if t.rows]
    pairs = kernels_own.pairs(module.NAME, tables)
    made = Chapter(module, found, figures.targets(module, found), tables, pairs)
    if not hasattr(module, "draw"):
        return made
    picture = f"{module.NAME}.png"
    module.draw(found, out / picture)
    shows, size = module.describe(found), plot.size(out / picture)
    return replace(made, picture=picture, shows=shows, size=size)


def read(out: Path) -> Book:
    """Of the folder's JSON files; draws what there is to draw."""
    loaded = [results.load(p) for p in sorted(out.glob("*.json"))]
    found = {r.name: r for r in loaded}
    parts = {
        title: [chapter(m, found.get(m.READS), out) for m in modules]
        for title, modules in figures.PARTS.items()
    }
    known = {m.READS for m in figures.EXPERIMENTS}
    others = [r for r in loaded if r.name not in known and r.runs]
    return Book(parts, [Extra(r, plain.table(r)) for r in others], loaded)
