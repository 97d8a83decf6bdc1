# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""All results, and their figures."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import ModuleType

import figures
from figures import beside, intree, plain, plot, results
from figures.results import Results
from figures.tables import Listing, Table
from figures.verdict import Target


@dataclass(frozen=True)
class Chapter:
    """An experiment, and its results if it was run."""

    module: ModuleType
    results: Results | None
    targets: list[Target]
    tables: list[Table]
    pairs: Listing | None = None
    picture: str = ""
    shows: str = ""
    size: tuple[int, int] = (0, 0)

    @property
    def name(self) -> str:
        return str(self.module.NAME)

    @property
    def dark(self) -> str:
        """The picture for dark screens."""
        return plot.dark(Path(self.picture)).name


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
    tests: list[intree.Test]

    @property
    def chapters(self) -> list[Chapter]:
        return [c for chapters in self.parts.values() for c in chapters]

    @property
    def targets(self) -> list[tuple[str, Target]]:
        """With the chapter of each; the last compare with the in-tree qdiscs."""
        found = [(c.name, t) for c in self.chapters for t in c.targets]
        return [*found, *((intree.NAME, t) for t in intree.targets(self.tests))]


def chapter(module: ModuleType, found: Results | None, out: Path) -> Chapter:
    if found is None or not found.runs:
        return Chapter(module, None, figures.targets(module, found) if found else [], [])
    found = figures.shown(module, found)
    tables = [t for t in module.table(found) if t.rows]
    headlines = module.headlines(found) if hasattr(module, "headlines") else []
    pairs = beside.listing(found, headlines)
    made = Chapter(
        module, found, figures.targets(module, found), tables, pairs if pairs.rows else None
    )
    if not hasattr(module, "picture"):
        return made
    picture = f"{module.NAME}.png"
    plot.save(partial(module.picture, found), out / picture)
    shows, size = module.describe(found), plot.size(out / picture)
    return replace(made, picture=picture, shows=shows, size=size)


def read(out: Path) -> Book:
    """Read the folder's JSON files; draw the figures."""
    loaded = [results.load(p) for p in sorted(out.glob("*.json"))]
    found = {r.name: r for r in loaded}
    parts = {
        title: [chapter(m, found.get(figures.document(m)), out) for m in modules]
        for title, modules in figures.PARTS.items()
    }
    known = {figures.document(m) for m in figures.EXPERIMENTS}
    others = [r for r in loaded if r.name not in known and r.runs]
    return Book(parts, [Extra(r, plain.table(r)) for r in others], loaded, intree.tests(found))
