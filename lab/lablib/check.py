# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Reads a scenario's tables by the schema, into the units of runs. All errors are collected."""

from __future__ import annotations

from typing import Any

from . import course, schema
from .kinds import NAME, Bad
from .locate import Path
from .schema import Key, Keys
from .tree import Errors, Tree, suggestion
from .units import show

DIRECTIONS = ("up", "down")


class Absent(Exception):
    """A value that is needed has an error of its own."""


class Table(dict[str, Any]):
    """Values that were read; those that could not be are absent."""

    def __missing__(self, key: str) -> Any:
        raise Absent(key)


class Reader:
    """Reads one tree."""

    def __init__(self, tree: Tree, errors: Errors) -> None:
        self.tree = tree
        self.errors = errors

    def wrong(self, path: Path, message: str) -> None:
        self.errors.add(self.tree.origin(path), path, message)

    def warn(self, path: Path, message: str) -> None:
        self.errors.warn(self.tree.origin(path), path, message)

    def subtable(self, path: Path) -> dict[str, Any]:
        """A table of the tree; an empty one if there is none."""
        value = self.tree.get(path)
        if value is None or isinstance(value, dict):
            return value or {}
        self.wrong(path, f"{show(value)} is no table")
        return {}

    def unknown(self, path: Path, name: str, known: list[str]) -> None:
        having = [k for k, (_help, keys) in schema.TRAFFIC.items() if name in keys]
        if path[:1] == ("traffic",) and having:
            hint = f"traffic of kind {', '.join(having)} has it"
        else:
            hint = suggestion(name, known)
        self.wrong((*path, name), f"no such key ({hint})")

    def given(self, path: Path, keys: Keys, tables: tuple[str, ...] = ()) -> Table:
        """The values of a table, without defaults."""
        found = Table()
        for name, value in self.subtable(path).items():
            if name in keys:
                self.read((*path, name), keys[name], value, found)
            elif name not in tables:
                self.unknown(path, name, [*keys, *tables])
        return found

    def read(self, path: Path, key: Key, value: Any, found: Table) -> None:
        try:
            found[key.name] = key.kind.read(value)
        except Bad as error:
            self.wrong((*path, *error.inside), str(error))

    def whole(self, path: Path, keys: Keys, tables: tuple[str, ...] = ()) -> Table:
        """The same with defaults; required keys are present."""
        found = self.given(path, keys, tables)
        there = self.subtable(path)
        for name, key in keys.items():
            if name not in there and key.default is schema.REQUIRED:
                self.wrong(path, f"{name} is missing")
            elif name not in there:
                found[name] = default(key)
        return found

    def names(self, path: Path, what: str) -> list[str]:
        """The keys of a table that holds things of one kind."""
        found = list(self.subtable(path))
        for name in (n for n in found if not NAME.fullmatch(n)):
            message = f"{show(name)} is no name of a {what} (letters, digits, - and _)"
            self.wrong((*path, name), message)
        return found

    # ---- the scenario's tables

    def qdisc(self, name: str) -> Table:
        path = ("qdiscs", name)
        if isinstance(self.tree.get(path), dict):
            return self.whole(path, schema.QDISC)
        found = Table(set={})
        self.read(path, schema.QDISC["qdisc"], self.tree.get(path), found)
        return found

    def link(self, name: str) -> Table:
        path = ("link", name)
        both = self.given(path, {**schema.LINK, **schema.WAY}, DIRECTIONS)
        found = Table(name=name, mtu=both.get("mtu", default(schema.LINK["mtu"])))
        for direction in DIRECTIONS:
            own = self.given((*path, direction), schema.WAY)
            found[direction] = self.way(path, direction, both, own)
        return found

    def way(self, path: Path, direction: str, both: Table, own: Table) -> Table:
        """A direction's own keys, then those of the link, then the defaults."""
        found = Table()
        for name, key in schema.WAY.items():
            if name in self.subtable((*path, direction)):
                found.update({k: own[k] for k in own if k == name})
            elif name in self.subtable(path):
                found.update({k: both[k] for k in both if k == name})
            else:
                found[name] = default(key)
        if found.get("course"):
            own_key = "course" in self.subtable((*path, direction))
            self.course((*path, direction) if own_key else path, found)
        return found

    def course(self, path: Path, way: Table) -> None:
        """Read the file of a course in place of its name. The link's rate is the mean of the course."""
        for name in (n for n in ("rate", "rates") if way.get(n)):
            self.wrong((*path, "course"), f"the file has the rates: leave out {name}")
        if way.get("shaper", "wire") != "wire":
            self.wrong((*path, "course"), f'only shaper = "wire" has one, not {way["shaper"]}')
        try:
            way["course"] = course.read(self.tree.folder / way["course"])
            way["rate"] = course.mean(way["course"])
        except Bad as error:
            self.wrong((*path, "course"), str(error))
            del way["course"]

    def item(self, name: str) -> Table:
        path = ("traffic", name)
        kind = self.subtable(path).get("kind")
        if not isinstance(kind, str) or kind not in schema.TRAFFIC:
            every = {k: v for _help, keys in schema.TRAFFIC.values() for k, v in keys.items()}
            self.whole(path, schema.ITEM, tuple(every))
            return Table(name=name)
        keys = {**schema.ITEM, **schema.TRAFFIC[kind][1]}
        return Table(self.whole(path, keys), name=name)

    def scenario(self) -> Table:
        found = self.whole((), schema.TOP, tuple(schema.TABLES))
        found["qdiscs"] = {n: self.qdisc(n) for n in self.names(("qdiscs",), "qdisc")}
        found["links"] = [self.link(n) for n in self.names(("link",), "link")]
        found["hosts"] = {n: self.whole(("host", n), schema.HOST) for n in self.subtable(("host",))}
        found["traffic"] = [self.item(n) for n in self.names(("traffic",), "item of traffic")]
        return found


def default(key: Key) -> Any:
    """A key's default, read as if it were given; titles may be empty."""
    return key.kind.read(key.default) if key.default else key.default


def absent(item: Table) -> bool:
    """Whether an item of traffic is left out."""
    none = any(item.get(name) == 0 for name in schema.QUANTITIES)
    return none or not item.get("enabled", True)
