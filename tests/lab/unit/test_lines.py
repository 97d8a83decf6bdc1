# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""In which line of a TOML file a key stands."""

from __future__ import annotations

import random
import tomllib
from typing import Any, Iterator

from lablib import locate
from lablib.locate import Path

from .cases import case, same

# Each value is the number of its line, or has it as its first part
NASTY = '''# a comment with [table] and a = 1
one = 1
"two" = 2 # x = 3
'th.ree' = 3
  indented  =  5
dotted.key = 6
dotted . "quoted # key".'x' = 7
text = """8
fake = 1
[fake] \\""" # no end
"""
after = 12
literal = \'\'\'13 ' ''
[fake]\'\'\'
quotes = """15"""""
single = 'C:\\16'
escaped = "17 \\" # \\\\"
array = [ 18, # ] comment
  19,

  "21 ]",
  [ 22,
    23 ],
  { a = 24, b.c = 24, "d" = [24, 24] },
  \'\'\'25
  ]\'\'\' , 26
]
inline = { x = 28, y = { z = 28 }, list = [
  29 ] }
date = 1979-05-27 07:32:00 # 30
float = -31.5e-3
empty = [] 
none = {}
"\\u00e9 \\t" = 34

[table]
a = 37
  [ table . "sub.x" ] # comment
  b = 39
[table.other.deep]
c = 41
[[list]]
d = 43
[list.inner]
e = 45
[[list.more]]
f = 47
[[list.more]]
g = 49
[[list]]
[list.inner]
h = 52
[table.other]
i = 54'''
EXPECTED: dict[Path, int] = {
    ("one",): 2,
    ("two",): 3,
    ("th.ree",): 4,
    ("indented",): 5,
    ("dotted",): 6,
    ("dotted", "key"): 6,
    ("dotted", "quoted # key", "x"): 7,
    ("text",): 8,
    ("after",): 12,
    ("literal",): 13,
    ("quotes",): 15,
    ("single",): 16,
    ("escaped",): 17,
    ("array",): 18,
    ("array", 0): 18,
    ("array", 1): 19,
    ("array", 2): 21,
    ("array", 3): 22,
    ("array", 3, 1): 23,
    ("array", 4, "b", "c"): 24,
    ("array", 4, "d", 1): 24,
    ("array", 5): 25,
    ("array", 6): 25,  # where the string before it began
    ("inline", "y", "z"): 28,
    ("inline", "list", 0): 29,
    ("date",): 30,
    ("float",): 31,
    ("empty",): 32,
    ("none",): 33,
    ("é \t",): 34,
    ("table",): 36,
    ("table", "a"): 37,
    ("table", "sub.x"): 38,
    ("table", "sub.x", "b"): 39,
    ("table", "other"): 53,
    ("table", "other", "deep"): 40,
    ("table", "other", "deep", "c"): 41,
    ("list",): 42,
    ("list", 0): 42,
    ("list", 0, "inner", "e"): 45,
    ("list", 0, "more", 1, "g"): 49,
    ("list", 1): 50,
    ("list", 1, "inner"): 51,
    ("list", 1, "inner", "h"): 52,
    ("table", "other", "i"): 54,
}


def paths(value: Any, at: Path = ()) -> Iterator[Path]:
    """Of all keys and elements of the result of tomllib."""
    yield at
    items: Any = value.items() if isinstance(value, dict) else ()
    items = enumerate(value) if isinstance(value, list) else items
    for key, inner in items:
        yield from paths(inner, (*at, key))


@case("lines: a file with all that TOML has")
def nasty() -> None:
    for text in (NASTY, NASTY.replace("\n", "\r\n")):
        found = locate.lines(text)
        for path, line in EXPECTED.items():
            same(f"{path}", found.get(path), line)
        same("paths", set(found), set(paths(tomllib.loads(text))))


DEPTH = 3


class Writer:
    """Writes random TOML, and records the line of each value."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.text = ""
        self.lines: dict[Path, int] = {}  # of tables and statements
        self.inner: dict[Path, int] = {}  # of values inside a statement

    def put(self, *choices: str) -> None:
        self.text += self.rng.choice(choices)

    def note(self, path: Path, depth: int = DEPTH) -> None:
        found = self.lines if depth == DEPTH else self.inner
        found[path] = self.text.count("\n") + 1

    def key(self, number: int) -> str:
        name, text = self.rng.choice(
            [("k%d", "k%d"), ("k.%d", '"k.%d"'), ("#%d", "'#%d'"), ('"%d', '"\\"%d"')]
        )
        self.put(text % number)
        return name % number

    def scalar(self) -> None:
        self.put(
            "1", "-2.5e3", "true", "1979-05-27 07:32:00", '"a \\" # ]"', "'\\'", '""', "''",
            '"""\n[x]\n""\\"""""', "'''\nk0 = 1 '''", '"""a""""', "''''b'''",
        )  # fmt: skip

    def value(self, path: Path, depth: int) -> None:
        kind = self.rng.randrange(4) if depth else 0
        if kind == 1:
            self.array(path, depth)
        elif kind == 2:
            self.inline(path, depth)
        else:
            self.scalar()

    def array(self, path: Path, depth: int) -> None:
        self.put("[", "[\n", "[ # ]\n", "[\n\n# [1]\n")
        for index in range(self.rng.randrange(4)):
            self.note((*path, index), depth - 1)
            self.value((*path, index), depth - 1)
            self.put(",", " , ", ",\n", "\n,", ", # x, ]\n")
        self.put("]", "\n]", "#]\n]")

    def inline(self, path: Path, depth: int) -> None:
        self.put("{", "{ ")
        for index in range(self.rng.randrange(3)):
            if index:
                self.put(", ", " , ", ",")
            self.pair(path, index, depth - 1)
        self.put("}", " }")

    def pair(self, table: Path, number: int, depth: int) -> None:
        path = (*table, self.key(number))
        self.note(path, depth)
        if not self.rng.randrange(4):
            self.put(".", " . ")
            path = (*path, self.key(number))
            self.note(path, depth)
        self.put("=", " = ")
        self.value(path, depth)

    def document(self) -> str:
        for number in range(self.rng.randrange(5)):
            self.pair((), number, DEPTH)
            self.put("\n", " # c = 1\n", "\n\n", "\n# [t0]\n")
        for table in range(self.rng.randrange(4)):
            self.note((f"t{table}",))
            self.put(f"[t{table}]\n", f"  [ t{table} ] # [x]\n")
            for number in range(self.rng.randrange(4)):
                self.pair((f"t{table}",), number, DEPTH)
                self.put("\n", "\t# '''\n", "\n\n")
        return self.text


@case("lines: 3,000 files written at random")
def fuzz() -> None:
    for seed in range(3000):
        writer = Writer(seed)
        text = writer.document()
        found = locate.lines(text)
        assert set(paths(tomllib.loads(text))) == set(found), f"seed {seed}:\n{text}"
        for path, line in writer.lines.items():
            assert found[path] == line, f"seed {seed}: {path}: {found[path]}, not {line}\n{text}"
        for path, line in writer.inner.items():
            assert found[path[:1]] <= found[path] <= line, f"seed {seed}: {path}\n{text}"
