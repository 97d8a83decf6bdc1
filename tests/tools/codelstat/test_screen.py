#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
"""What a terminal shows in the end, by an emulator of one: every column of every line."""

from __future__ import annotations

import re
import subprocess

import pyte

from cases import RECORDING, case, check, codelstat, main
from screen import ENTER, LEAVE, Screen

REPLAY = ("--replay", RECORDING, "--handle", "10:")
COMMANDS = {
    "list": ("list", *REPLAY, "--speed", "0"),
    "top": ("top", *REPLAY, "--speed", "0", "r1"),
    "watch": ("watch", *REPLAY, "--speed", "0", "r1"),
}
FIRST_LINE = {"list": r"^(?=\d{4}-)", "top": r"^(?=r1  )", "watch": r"^(?=r1  )"}
SIZES = ((80, 24), (60, 12), (61, 40), (132, 43), (79, 7))


class Xterm(pyte.Screen):
    """Behind a full line the cursor stays in the last column, as in xterm and the console: to erase
    from there on erases the last character. pyte has it one column further."""

    def _stay(self) -> None:
        self.cursor.x = min(self.cursor.x, self.columns - 1)

    def erase_in_line(self, how: int = 0, private: bool = False) -> None:
        self._stay()
        super().erase_in_line(how, private)

    def erase_in_display(self, how: int = 0, *args: object, **named: object) -> None:
        self._stay()
        super().erase_in_display(how, *args, **named)


def displayed(columns: int, lines: int, data: bytes) -> list[str]:
    screen = Xterm(columns, lines)
    pyte.ByteStream(screen).feed(data)
    return list(screen.display)


def live(command: str, columns: int, lines: int, stdin: int | None = subprocess.DEVNULL) -> bytes:
    """All that is written until the terminal is given back, on a screen that was full before."""
    with Screen(*COMMANDS[command], columns=columns, lines=lines, stdin=stdin) as screen:
        check("status", screen.end(), 0)
    inside = screen.seen.split(ENTER)[1].split(LEAVE)[0]
    rest = b"\r\n".join([b"x" * columns] * lines)
    return rest + inside.replace(b"\033[2J", b"")


def plain(command: str, columns: int, lines: int) -> list[str]:
    """The last refresh where there is no terminal, cut to its size."""
    words = (*COMMANDS[command], "--count", "1000")
    text = codelstat(*words, LC_ALL="C.UTF-8", COLUMNS=str(columns), LINES=str(lines)).stdout
    shown = re.split(FIRST_LINE[command], text, flags=re.M)[-1].splitlines()
    return [line if len(line) <= columns else f"{line[:columns - 1]}…" for line in shown]


@case("a terminal shows each line to its last column, and nothing of what was there before")
def _() -> None:
    full = 0
    for command in COMMANDS:
        for columns, lines in SIZES:
            if command == "watch" and lines < 10:
                continue
            shown = displayed(columns, lines, live(command, columns, lines))
            wanted = plain(command, columns, lines)
            print(f"# {command} {columns}x{lines}")
            for number, line in enumerate(shown):
                expected = wanted[number] if number < len(wanted) else ""
                check(
                    f"{command} {columns}x{lines}, line {number}", line.rstrip(), expected.rstrip()
                )
                full += line[-1] != " "
    assert full > 10, f"only {full} lines reach the last column"


@case("the line of keys, too")
def _() -> None:
    *above, keys = [n for n in displayed(60, 24, live("top", 60, 24, None)) if n.strip()]
    assert keys.startswith("q quit  p pause  sorted by") and keys[-1] == "…", keys
    assert len(above) == 5 and not any("x" * 60 in n for n in above), above


@case("the emulator cuts as xterm does")
def _() -> None:
    check("a full line", displayed(4, 2, b"abcd\033[K"), ["abc ", "    "])
    check("all below", displayed(4, 2, b"abcd\033[J"), ["abc ", "    "])
    check("one that is not full", displayed(4, 2, b"abc\033[K"), ["abc ", "    "])


if __name__ == "__main__":
    main()
