# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""A scenario's file with the grid and the settings of the command line, and the points of its [vary].

What is later in this order wins: the file, the grid, --set, [vary], a qdisc's own settings.
"""

from __future__ import annotations

import itertools
import tomllib
from dataclasses import dataclass
from pathlib import Path as File
from typing import Any, Iterator, Sequence

from . import schema
from .kinds import NAME, Bad
from .locate import Path
from .tree import Errors, Origins, Tree, load, settings, suggestion
from .units import show

DEFAULT_GRID = "default"
COMMAND_LINE = "--set"
LABEL = "label"
VARY = ("vary",)


@dataclass(frozen=True)
class Setting:
    """A value for a path, and where its parts were written."""

    path: Path
    value: Any
    origins: Origins


@dataclass(frozen=True)
class Choice:
    """One value of an axis of [vary], or an element of it: several settings."""

    label: Any
    settings: list[Setting]


@dataclass(frozen=True)
class Point:
    """One combination of [vary]: its labels by axis, and its scenario."""

    labels: dict[str, Any]
    tree: Tree


@dataclass(frozen=True)
class Scenario:
    """A file as it is to be run. `tree` is without [vary] and [grid]."""

    grid: str
    tree: Tree
    axes: dict[str, list[Choice]]

    def points(self, errors: Errors) -> Iterator[Point]:
        for choices in itertools.product(*self.axes.values()):
            tree = self.tree.copy()
            for setting in (s for choice in choices for s in choice.settings):
                apply(tree, setting, errors)
            yield Point({k: c.label for k, c in zip(self.axes, choices)}, tree)


def apply(tree: Tree, setting: Setting, errors: Errors, more: Sequence[str] = ()) -> None:
    """Sets one path, unless it names something that is not there."""
    try:
        meant(tree, setting.path, more)
        tree.put(setting.path, setting.value, setting.origins)
    except Bad as error:
        errors.add(setting.origins[()], setting.path, str(error))


def meant(tree: Tree, path: Path, more: Sequence[str]) -> None:
    """A mistyped name would make a new link or item."""
    first = path[0]
    known = [*schema.TOP, "qdiscs", "link", "host", "traffic", *more]
    if first not in known:
        raise Bad(f"no such key ({suggestion(str(first), known)})")
    if first in ("link", "traffic") and len(path) > 1:
        there = tree.get(path[:1]) or {}
        if isinstance(there, dict) and path[1] not in there:
            raise Bad(f"there is no {first} {path[1]} ({suggestion(str(path[1]), there)})")


def within(tree: Tree, at: Path, skip: Sequence[str] = ()) -> list[Setting]:
    """The settings of a table of paths in the tree, or in a list in it."""
    table: Any = tree.values
    for part in at:
        table = table[part]
    return [
        Setting(path, value, tree.below((*at, *inside)))
        for path, value, inside in settings(table)
        if inside[0] not in skip
    ]


# ---- the command line ------------------------------------------------------------------------------


def parse_set(text: str) -> Setting:
    """PATH=VALUE; a value that is no TOML is a text."""
    written, equals, value = text.partition("=")
    path: Path = tuple(part.strip(" \"'") for part in written.split("."))
    if not equals or not all(path):
        raise Bad(f"{show(text)} is no PATH=VALUE (link.dsl.up.rate=3mbit)")
    return Setting(path, toml_value(value), {(): COMMAND_LINE})


def toml_value(text: str) -> Any:
    try:
        parsed = tomllib.loads(f"v = {text}")
    except tomllib.TOMLDecodeError:
        return text
    plain = len(parsed) == 1 and isinstance(parsed["v"], (int, float, str, list, dict))
    return parsed["v"] if plain else text


def read_sets(texts: Sequence[str], errors: Errors) -> list[Setting]:
    found = []
    for text in texts:
        try:
            found.append(parse_set(text))
        except Bad as error:
            errors.add(COMMAND_LINE, (), str(error))
    return found


def apply_sets(tree: Tree, sets: Sequence[Setting], errors: Errors) -> None:
    for setting in sets:
        apply(tree, setting, errors, VARY)


def decided_twice(sets: Sequence[Setting], axes: dict[str, list[Choice]], errors: Errors) -> None:
    """Keys that both --set and [vary] set: the value of [vary] would be used."""
    varied = {s.path: name for name, axis in axes.items() for c in axis for s in c.settings}
    for setting in sets:
        path = setting.path
        for other, name in varied.items():
            if path[: len(other)] == other or other[: len(path)] == path:
                message = f"[vary] decides this: use --set 'vary.{name}=[...]'"
                errors.add(COMMAND_LINE, path, message)
                break


# ---- grids -----------------------------------------------------------------------------------------


def grids(tree: Tree) -> dict[str, Any]:
    found = tree.values.get("grid", {})
    return found if isinstance(found, dict) else {}


def merge(tree: Tree, at: Path, to: Path = ()) -> None:
    """Puts each value of a grid in the place of the scenario's own; vary and qdiscs as a whole."""
    for key, value in (tree.get(at) or {}).items():
        path = (*to, key)
        if isinstance(value, dict) and value and path not in (("vary",), ("qdiscs",)):
            merge(tree, (*at, key), path)
        else:
            tree.put(path, value, tree.below((*at, key)))


def choose(tree: Tree, name: str, errors: Errors) -> None:
    """Applies a grid to the tree."""
    at = ("grid", name)
    grid = tree.get(at)
    if not isinstance(grid, dict):
        errors.add(tree.origin(at), at, f"{show(grid)} is no table")
        return
    paths = grid.pop("set", {})
    try:
        merge(tree, at)
    except Bad as error:
        errors.add(tree.origin(at), at, str(error))
    if not isinstance(paths, dict):
        errors.add(tree.origin((*at, "set")), (*at, "set"), f"{show(paths)} is no table of paths")
        return
    grid["set"] = paths
    for setting in within(tree, (*at, "set")):
        apply(tree, setting, errors)


# ---- vary ------------------------------------------------------------------------------------------


def choice(tree: Tree, at: Path, name: str, index: int, value: Any) -> Choice:
    """One element of an axis: a value for the path that is the axis's name, or a table."""
    if not isinstance(value, dict):
        path = tuple(name.split("."))
        return Choice(value, [Setting(path, value, tree.below((*at, index)))])
    label = value.get(LABEL, index)
    if isinstance(label, bool) or not isinstance(label, (str, int, float)):
        raise Bad(f"{show(label)} is no label (a text or a number)", (index,))
    return Choice(label, within(tree, (*at, index), (LABEL,)))


def axis(tree: Tree, at: Path, name: str, values: Any) -> list[Choice]:
    if not isinstance(values, list) or not values:
        raise Bad(f"{show(values)} is no list of values")
    tables = [isinstance(value, dict) for value in values]
    if any(tables) and not all(tables):
        raise Bad("either all of these are tables or none is")
    if any(tables) and not NAME.fullmatch(name):
        raise Bad(f"{show(name)}: a list of tables has a name of its own, without dots")
    found = [choice(tree, at, name, index, value) for index, value in enumerate(values)]
    for index, one in enumerate(found):
        if one.label in [other.label for other in found[:index]]:
            raise Bad(f"{show(one.label)} is there twice", (index,))
    return found


def axes(tree: Tree, errors: Errors) -> dict[str, list[Choice]]:
    """The axes of [vary] in the order of the file."""
    found = {}
    vary = tree.values.get("vary", {})
    if not isinstance(vary, dict):
        errors.add(tree.origin(("vary",)), ("vary",), f"{show(vary)} is no table")
        return {}
    for path, values, inside in settings(vary):
        name, at = ".".join(path), ("vary", *inside)
        try:
            found[name] = axis(tree, at, name, values)
        except Bad as error:
            errors.add(tree.origin((*at, *error.inside)), (*at, *error.inside), str(error))
    return found


# ---- all -------------------------------------------------------------------------------------------


def resolve(original: Tree, grid: str, sets: Sequence[str], errors: Errors) -> Scenario:
    tree = original.copy()
    if grid != DEFAULT_GRID:
        choose(tree, grid, errors)
    given = read_sets(sets, errors)
    apply_sets(tree, given, errors)
    found = axes(tree, errors)
    decided_twice(given, found, errors)
    tree.drop(("vary",))
    tree.drop(("grid",))
    return Scenario(grid, tree, found)


def read(file: File, grid: str, errors: Errors) -> Tree:
    """The file; the grid must be one that it has."""
    tree = load(file)
    known = grids(tree)
    if "grid" in tree.values and tree.values["grid"] is not known:
        errors.add(tree.origin(("grid",)), ("grid",), f"{show(tree.values['grid'])} is no table")
    if DEFAULT_GRID in known:
        at = ("grid", DEFAULT_GRID)
        errors.add(tree.origin(at), at, "this is the name of the scenario without any grid")
    if grid != DEFAULT_GRID and grid not in known:
        errors.add(str(file), (), f"there is no [grid.{grid}] ({suggestion(grid, known)})")
        errors.check()
    return tree
