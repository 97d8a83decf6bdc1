# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The runs of a scenario, in an order that is always the same: points, qdiscs, seeds."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path as File
from typing import Any, Iterator, Sequence

from . import document, scenario
from .check import DIRECTIONS, Reader, Table
from .cross import SUBJECT, check, written
from .locate import Path
from .scenario import DEFAULT_GRID, Point, Scenario, Setting
from .tree import Errors, Tree, settings, suggestion


Place = tuple[str, Path]  # the file and line, and the key there

OUT_OF_TREE = "_oot"  # how the names of out-of-tree kinds and modules end


@dataclass(frozen=True)
class Run:
    """One boot of the machine."""

    scenario: str
    qdisc: str | None
    seed: int
    point: dict[str, Any]
    release: str
    document: dict[str, Any]
    written: dict[str, Place]  # where the words of each qdisc in the document were written

    @property
    def out_of_tree(self) -> bool:
        """Whether the document names an out-of-tree qdisc or module."""
        return OUT_OF_TREE in json.dumps(self.document)

    @property
    def title(self) -> str:
        labels = [f"{k}={v}" for k, v in self.point.items()]
        subject = [self.qdisc] if self.qdisc else []
        return " ".join([self.scenario, *subject, *labels, f"seed={self.seed}"])


@dataclass(frozen=True)
class Plan:
    """The runs of a scenario, and the head of its results."""

    name: str
    title: str
    grid: str
    scenario: dict[str, Any]
    runs: list[Run]
    warnings: list[str]


@dataclass(frozen=True)
class Options:
    """Options of the command line about scenarios."""

    grid: str = DEFAULT_GRID
    sets: Sequence[str] = ()
    seeds: Sequence[int] = ()
    only: Sequence[str] = ()


def written_at(
    tree: Tree, found: Table, subject: document.Subject, made: document.Document
) -> dict[str, Place]:
    """Origin and path of the words of each qdisc in a run's document."""
    places = {}
    for link, guests in zip(found["links"], made["links"]):
        for direction in (d for d in DIRECTIONS if guests[d]["qdisc"]):
            path = written(tree, ("link", link["name"], direction, "qdisc"))
            if subject and link[direction]["qdisc"] == SUBJECT:
                path = ("qdiscs", subject[0])
            places[guests[direction]["qdisc"]] = tree.origin(path), path
    return places


def read(tree: Tree, errors: Errors) -> Table:
    reader = Reader(tree, errors)
    found = reader.scenario()
    check(reader, found)
    return found


class Planner:
    """Makes runs of one scenario's points."""

    def __init__(self, name: str, errors: Errors) -> None:
        self.name = name
        self.errors = errors

    def runs(self, where: Scenario) -> Iterator[Run]:
        for point in where.points(self.errors):
            yield from self.point(point)

    def point(self, point: Point) -> Iterator[Run]:
        before = self.errors.count
        found = read(point.tree, self.errors)
        if self.errors.count > before:
            return
        if not found["qdiscs"]:
            yield from self.seeds(point, found, None)
        for name, qdisc in found["qdiscs"].items():
            mine = self.changed(point, name, qdisc["set"]) if qdisc["set"] else found
            if mine is not None:
                yield from self.seeds(point, mine, (name, qdisc["qdisc"]))

    def changed(self, point: Point, name: str, own: dict[str, Any]) -> Table | None:
        """The point with a qdisc's own settings."""
        tree = point.tree.copy()
        before = self.errors.count
        for path, value, inside in settings(own):
            at = point.tree.below(("qdiscs", name, "set", *inside))
            scenario.apply(tree, Setting(path, value, at), self.errors)
        found = read(tree, self.errors)
        return found if self.errors.count == before else None

    def seeds(self, point: Point, found: Table, subject: document.Subject) -> Iterator[Run]:
        for seed in found["seeds"]:
            try:
                made = document.build(found, subject, seed)
            except document.Unfit as error:
                path = written(point.tree, error.path)
                self.errors.add(point.tree.origin(path), path, str(error))
                return
            name = subject[0] if subject else None
            places = written_at(point.tree, found, subject, made)
            yield Run(self.name, name, seed, point.labels, found["release"], made, places)


def narrow(tree: Tree, options: Options, errors: Errors) -> None:
    """--seeds and --only, as if they were in the file."""
    if options.seeds:
        tree.put(("seeds",), list(options.seeds), {(): "--seeds"})
    qdiscs = tree.get(("qdiscs",)) or {}
    if options.only and isinstance(qdiscs, dict):
        unknown = [name for name in options.only if name not in qdiscs]
        for name in unknown:
            errors.add("--only", (), f"{name} is none of [qdiscs] ({suggestion(name, qdiscs)})")
        for name in [n for n in qdiscs if n not in options.only and not unknown]:
            tree.drop(("qdiscs", name))


def make(file: File, options: Options, name: str | None = None) -> Plan:
    """Raises tree.Wrong with all that is wrong, in the grids that are not chosen too."""
    errors = Errors()
    tree = scenario.read(file, options.grid, errors)
    planner = Planner(name or file.stem, errors)
    where = scenario.resolve(tree, options.grid, options.sets, errors)
    narrow(where.tree, options, errors)
    runs = list(planner.runs(where))
    warnings = list(errors.warnings)  # not those of grids that are not chosen
    for other in [DEFAULT_GRID, *scenario.grids(tree)]:
        if other != options.grid:
            list(planner.runs(scenario.resolve(tree, other, (), errors)))
    errors.check()
    title = where.tree.values.get("title", planner.name)
    return Plan(planner.name, title, options.grid, where.tree.values, runs, warnings)
