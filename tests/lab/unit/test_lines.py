# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""In which line of a TOML file a key stands."""

from __future__ import annotations

import re
import tomllib
from functools import reduce
from itertools import count
from operator import getitem
from typing import Any, Iterator

from hypothesis import given, settings
from hypothesis import strategies as st

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


# Each key, and many a value, has a number of its own in place of @: behind S, if it stands in a statement's first
# line, else behind V. Where it is found in the text, there it stands.
KEYS = ("%s@", '"%s.@"', "'#%s@'", '"\\"%s@"')
SCALARS = st.sampled_from(
    (
        *("1", "-2.5e3", "true", "1979-05-27 07:32:00", '"V@ \\" # ]"', "'V@\\'", '""', "''"),
        *('"""V@\n[x]\n""\\"""""', "'''V@\nk0 = 1 '''", '"""V@"""""', "''''V@'''"),
    )
)


def one_of(*texts: str) -> st.SearchStrategy[str]:
    return st.sampled_from(texts)


def row(*parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.tuples(*parts).map("".join)


def several(part: st.SearchStrategy[str], most: int) -> st.SearchStrategy[str]:
    return st.lists(part, max_size=most).map("".join)


def pair(kind: str, value: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    key = one_of(*(k % kind for k in KEYS))
    return row(key, one_of("") | row(one_of(".", " . "), key), one_of("=", " = "), value)


def nested(value: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    item = row(value, one_of(",", " , ", ",\n", "\n,", ", # x, ]\n"))
    begin, end = one_of("[", "[\n", "[ # ]\n", "[\n\n# [1]\n"), one_of("]", "\n]", "#]\n]")
    inner = pair("V", value)
    rest = several(row(one_of(", ", " , ", ","), inner), 1)
    table = row(one_of("{", "{ "), one_of("") | row(inner, rest), one_of("}", " }"))
    return row(begin, several(item, 3), end) | table


STATEMENT = row(
    pair("S", st.recursive(SCALARS, nested, max_leaves=9)),
    one_of("\n", " # c = 1\n", "\n\n", "\n# [t0]\n", "\t# '''\n"),
)
TABLE = row(one_of("[S@]\n", "  [ S@ ] # [x]\n"), several(STATEMENT, 3))


@case("lines: 1,000 files by hypothesis")
@settings(max_examples=1000, derandomize=True, database=None, deadline=None)
@given(row(several(STATEMENT, 4), several(TABLE, 3)))
def fuzz(draft: str) -> None:
    numbers = count(1000)
    text = re.sub("@", lambda _: str(next(numbers)), draft)
    known, found = tomllib.loads(text), locate.lines(text)
    assert set(paths(known)) == set(found)
    for path in found:
        name = path[-1] if path else ""
        if isinstance(name, int):
            name = reduce(getitem, path, known)  # type: ignore[arg-type]
        number = re.search(r"[SV]\d{4}", name) if isinstance(name, str) else None
        if number:
            line = text[: text.index(number[0])].count("\n") + 1
            least = line if number[0][0] == "S" else found[path[:1]]
            assert least <= found[path] <= line, f"{path}: {found[path]}, not {line}\n{text}"
