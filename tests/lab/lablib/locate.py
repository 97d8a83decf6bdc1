# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""In which line of a TOML file each key and each element of an array stands.

tomllib does not tell. The text is one that tomllib has accepted, so nothing is checked here.
"""

from __future__ import annotations

import bisect
import re
import tomllib
from typing import Union

Path = tuple[Union[str, int], ...]

BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
SPACE = re.compile(r"[ \t]*")
BARE = re.compile(r"[A-Za-z0-9_-]+")
# Strings of several lines may end with up to two quotes of their own
STRING = re.compile(
    r'"""(?:\\.|[^\\])*?""""{0,2}' r"|'''.*?''''{0,2}" r'|"(?:\\.|[^"\\\n])*"' r"|'[^'\n]*'",
    re.S,
)
SCALAR = re.compile(r"[^,\]}\n#]*")


class Scanner:
    """One walk over the text, which fills `lines`."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.ends = [m.start() for m in re.finditer("\n", text)]
        self.lines: dict[Path, int] = {(): 1}
        self.arrays: dict[Path, int] = {}  # arrays of tables, and their last index

    def skip(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self.text, self.at)
        assert match, f"line {self.line()} is no TOML"
        self.at = match.end()
        return match[0]

    def line(self) -> int:
        return bisect.bisect_left(self.ends, self.at) + 1

    def note(self, path: Path, line: int) -> None:
        self.lines.setdefault(path, line)

    def sees(self, text: str) -> bool:
        """Whether `text` comes next; if so it is behind us now."""
        if not self.text.startswith(text, self.at):
            return False
        self.at += len(text)
        return True

    def key(self) -> list[str]:
        """A key, with dots or without."""
        parts = []
        while True:
            self.skip(SPACE)
            quoted = self.text[self.at] in "\"'"
            part = self.skip(STRING if quoted else BARE)
            parts.append(tomllib.loads(f"k = {part}")["k"] if quoted else part)
            self.skip(SPACE)
            if not self.sees("."):
                return parts

    def named(self, table: Path, key: list[str], line: int) -> Path:
        """The path of a key in a table; the tables on the way stand there too."""
        for part in key:
            table = (*table, part)
            self.note(table, line)
        return table

    def header(self) -> Path:
        """[a.b] or [[a.b]]: the table that is meant by it."""
        line = self.line()
        array = self.sees("[[") or not self.sees("[")
        *before, last = self.key()
        self.at += 2 if array else 1
        path: Path = ()
        for part in before:
            path = self.named(path, [part], line)
            if path in self.arrays:
                path = (*path, self.arrays[path])
        path = self.named(path, [last], line)
        if array:
            self.arrays[path] = self.arrays.get(path, -1) + 1
            path = (*path, self.arrays[path])
            self.note(path, line)
        else:
            self.lines[path] = line  # more precise than a table further down
        return path

    def pair(self, table: Path) -> None:
        line = self.line()
        path = self.named(table, self.key(), line)
        self.sees("=")
        self.skip(SPACE)
        self.value(path)

    def value(self, path: Path) -> None:
        if self.text[self.at] in "\"'":
            self.skip(STRING)
        elif self.sees("["):
            self.array(path)
        elif self.sees("{"):
            self.table(path)
        else:
            self.skip(SCALAR)

    def array(self, path: Path) -> None:
        index = 0
        while self.skip(BLANK) is not None and not self.sees("]"):
            self.note((*path, index), self.line())
            self.value((*path, index))
            index += 1
            self.skip(BLANK)
            self.sees(",")

    def table(self, path: Path) -> None:
        while self.skip(BLANK) is not None and not self.sees("}"):
            self.pair(path)
            self.skip(BLANK)
            self.sees(",")

    def scan(self) -> dict[Path, int]:
        table: Path = ()
        while self.skip(BLANK) is not None and self.at < len(self.text):
            if self.text[self.at] == "[":
                table = self.header()
            else:
                self.pair(table)
        return self.lines


def lines(text: str) -> dict[Path, int]:
    """The line of each key and element, by path; () is the file itself."""
    return Scanner(text.replace("\r\n", "\n")).scan()
