# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The values of a scenario with their places in the file, and its errors with their places."""

from __future__ import annotations

import copy
import difflib
import re
import tomllib
from pathlib import Path as File
from typing import Any, Collection, Iterator, Mapping

from . import locate
from .kinds import Bad
from .locate import Path

Origins = Mapping[Path, str]

LINE = re.compile(r"\(at line (\d+), column \d+\)")  # as in the messages of tomllib


class Wrong(Exception):
    """The scenario is not as it should be: a line for each error."""


class Errors:
    """The errors, each once."""

    def __init__(self) -> None:
        self.lines: dict[str, int] = {}  # and the line of the file that each is about
        self.warnings: list[str] = []  # about values that are valid but probably wrong
        self.count = 0  # of errors, repeated ones included

    def add(self, origin: str, path: Path, message: str) -> None:
        self.count += 1
        line = origin.rpartition(":")[2]
        self.lines[placed(origin, path, message)] = int(line) if line.isdecimal() else 0

    def warn(self, origin: str, path: Path, message: str) -> None:
        text = placed(origin, path, f"warning: {message}")
        if text not in self.warnings:
            self.warnings.append(text)

    def check(self) -> None:
        if self.lines:
            raise Wrong("\n".join(sorted(self.lines, key=lambda text: self.lines[text])))


def placed(origin: str, path: Path, message: str) -> str:
    return f"{origin}: {dotted(path)}: {message}" if path else f"{origin}: {message}"


def dotted(path: Path) -> str:
    """link.dsl.up.rates[1]"""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return text.removeprefix(".")


def suggestion(name: str, known: Collection[str]) -> str:
    """A suggestion for a misspelt word."""
    near = difflib.get_close_matches(name, known, 1)
    if near:
        return f"did you mean {near[0]}?"
    return f"there are {', '.join(known)}" if known else "there is none"


class Tree:
    """Nested tables."""

    def __init__(
        self, values: dict[str, Any], origins: dict[Path, str], folder: File = File()
    ) -> None:
        self.values = values
        self.origins = origins
        self.folder = folder  # of the files that the values name

    def copy(self) -> Tree:
        return Tree(copy.deepcopy(self.values), dict(self.origins), self.folder)

    def origin(self, path: Path) -> str:
        """The place of this value, or of the table that contains it."""
        while path and path not in self.origins:
            path = path[:-1]
        return self.origins[path]

    def below(self, path: Path) -> Origins:
        """Where a value and all that is in it stand, relative to it."""
        length = len(path)
        found = {p[length:]: o for p, o in self.origins.items() if p[:length] == path}
        return found or {(): self.origin(path)}

    def get(self, path: Path) -> Any:
        """A value, or None."""
        value: Any = self.values
        for part in path:
            if not isinstance(value, dict) or part not in value:
                return None
            value = value[part]
        return value

    def drop(self, path: Path) -> None:
        table = self.get(path[:-1])
        if isinstance(table, dict):
            table.pop(path[-1], None)
        self.origins = {p: o for p, o in self.origins.items() if p[: len(path)] != path}

    def put(self, path: Path, value: Any, origins: Origins) -> None:
        """Sets a value; `origins` are those of the value's own parts."""
        self.drop(path)
        table: Any = self.values
        for number, part in enumerate(path[:-1], 1):
            table = table.setdefault(part, {})
            if not isinstance(table, dict):
                raise Bad(f"{dotted(path[:number])} is no table")
        table[path[-1]] = copy.deepcopy(value)
        self.origins.update({(*path, *inside): o for inside, o in origins.items()})


def settings(table: Mapping[str, Any], at: Path = (), to: Path = ()) -> Iterator[tuple[Any, ...]]:
    """Each value of a table of paths: its path, itself, and where in the table it is.

    "link.dsl.rate" = 1 and link.dsl.rate = 1 are the same here.
    """
    for key, value in table.items():
        path = (*to, *key.split("."))
        if isinstance(value, dict) and value:
            yield from settings(value, (*at, key), path)
        else:
            yield path, value, (*at, key)


def load(file: File) -> Tree:
    try:
        text = file.read_text(encoding="utf-8")
        values = tomllib.loads(text)
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not in UTF-8"
        raise Wrong(f"{file}: {why}") from error
    except tomllib.TOMLDecodeError as error:
        line = LINE.search(str(error))
        raise Wrong(f"{file}{f':{line[1]}' if line else ''}: no TOML: {error}") from error
    origins = {p: f"{file}:{line}" for p, line in locate.lines(text).items()}
    return Tree(values, origins, file.parent)
