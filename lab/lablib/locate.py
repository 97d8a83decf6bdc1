# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The line of each key and each element of an array in a TOML file, which tomllib does not report.

tomllib reads the text line by line: a statement ends with the first line up to which tomllib accepts it, and
so does an element of an array if the brackets that are open are put behind it.
"""

from __future__ import annotations

import tomllib
from typing import Any, Union

Path = tuple[Union[str, int], ...]

# A line ends in the statement's array, or in one that is up to two arrays or inline tables deeper.
CLOSED = ("", "]", "]]", "]}", "]]]", "]]}", "]}]", "]}}")


def header(value: Any, arrays: dict[Path, int]) -> Path:
    """The table that [a.b] or [[a.b]] begins; `arrays` has the last index of each array of tables."""
    path: Path = ()
    while value:
        if isinstance(value, list):
            arrays[path] = arrays.get(path, -1) + 1
            value = value[0]
        else:
            ((key, value),) = value.items()
            path = (*path, key)
        if path in arrays and isinstance(value, dict):
            path = (*path, arrays[path])
    return path


def note(found: dict[Path, int], path: Path, value: Any, line: int) -> None:
    """Everything in a value that is not in `found` begins in this line."""
    for end in range(len(path) + 1):
        found.setdefault(path[:end], line)
    items = value.items() if isinstance(value, dict) else ()
    for key, inner in enumerate(value) if isinstance(value, list) else items:
        note(found, (*path, key), inner, line)


def lines(text: str) -> dict[Path, int]:
    """The line of each key and element, by path; () is the file itself."""
    found: dict[Path, int] = {(): 1}
    arrays: dict[Path, int] = {}
    table: Path = ()
    statement, begin = "", 1
    for number, line in enumerate(text.split("\n"), 1):
        statement += f"{line}\n"
        for end in CLOSED:
            try:
                value = tomllib.loads(statement + end)
            except tomllib.TOMLDecodeError:
                continue
            if statement.lstrip().startswith("["):
                table, value = header(value, arrays), {}
                found.pop(table, None)  # more precise than a table further down
            note(found, table, value, begin)
            statement, begin = "" if not end else statement, number + 1
            break
    return found
