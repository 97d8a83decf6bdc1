# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The kinds of values of a scenario: their names and parsers.

A kind's `read` gives the value as runs use it (ns, bit/s, bytes), or raises Bad, which says
what was wrong and what would be right.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import Any, Callable, Sequence

from .units import RATE, SIZE, TIME, Unit, show

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,31}", re.ASCII)
CODEPOINTS = {"ect0": 2, "ect1": 1}
BDP = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*bdp", re.ASCII)


class Bad(ValueError):
    """A value is not of its kind; `inside` is where in it, if it is a list."""

    def __init__(self, message: str, inside: tuple[int, ...] = ()) -> None:
        super().__init__(message)
        self.inside = inside


@dataclass(frozen=True)
class Kind:
    """A kind of value: its name in the reference, and its parser."""

    word: str
    read: Callable[[Any], Any]


@dataclass(frozen=True)
class Buffer:
    """The length of a queue: packets, or bandwidth-delay products of the path."""

    packets: int | None = None
    bdp: Decimal | None = None


def within(value: Any, low: Any, high: Any, written: Callable[[Any], str] = str) -> Any:
    if low is not None and value < low:
        raise Bad(f"{written(value)} is too little: at least {written(low)}")
    if high is not None and value > high:
        raise Bad(f"{written(value)} is too much: at most {written(high)}")
    return value


def quantity(unit: Unit, low: str, high: str) -> Kind:
    """A plain 0 is the same in all units."""
    bounds = unit.parse(low), unit.parse(high)

    def read(value: Any) -> int:
        plain = isinstance(value, int) and not isinstance(value, bool)
        try:
            amount = 0 if plain and value == 0 else unit.parse(value)
        except ValueError as error:
            raise Bad(str(error)) from error
        return within(amount, *bounds, unit.format)  # type: ignore[no-any-return]

    return Kind(unit.name, read)


def time(low: str = "0s", high: str = "1000min") -> Kind:
    return quantity(TIME, low, high)


def rate(low: str = "1kbit", high: str = "10gbit") -> Kind:
    return quantity(RATE, low, high)


def integer(low: int | None = None, high: int | None = None) -> Kind:
    def read(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int):
            raise Bad(f"{show(value)} is no whole number")
        return within(value, low, high)  # type: ignore[no-any-return]

    return Kind("whole number", read)


def number(low: float | None = None, high: float | None = None, above: float | None = None) -> Kind:
    def read(value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, float)) or value != value:
            raise Bad(f"{show(value)} is no number")
        if above is not None and value <= above:
            raise Bad(f"{value:g} is too little: more than {above:g}")
        return within(value, low, high, lambda n: f"{n:g}")  # type: ignore[no-any-return]

    return Kind("number", read)


def size(low: str = "1B", high: str = "1000GB") -> Kind:
    """With a unit, or a whole number of bytes."""
    plain, united = integer(0), quantity(SIZE, low, high)

    def read(value: Any) -> int:
        if isinstance(value, int) and not isinstance(value, bool):
            value = f"{plain.read(value)}B"
        return united.read(value)  # type: ignore[no-any-return]

    return Kind("size", read)


@partial(Kind, "true or false")
def flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise Bad(f"{show(value)} is neither true nor false")
    return value


@partial(Kind, f"true or false | {' | '.join(CODEPOINTS)}")
def codepoint(value: Any) -> int:
    """The ECN field of a datagram's IP header."""
    if isinstance(value, bool):
        return CODEPOINTS["ect0"] if value else 0
    if not isinstance(value, str) or value not in CODEPOINTS:
        raise Bad(f"{show(value)} is none of true, false, {', '.join(CODEPOINTS)}")
    return CODEPOINTS[value]


@partial(Kind, "text")
def text(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise Bad(f"{show(value)} is no text")
    return value.strip()


def name(what: str) -> Kind:
    def read(value: Any) -> str:
        if not isinstance(value, str) or not NAME.fullmatch(value):
            raise Bad(
                f"{show(value)} is no name of a {what} "
                "(1 to 32 letters, digits, - and _; the first a letter or digit)"
            )
        return value

    return Kind("name", read)


def choice(*options: str) -> Kind:
    def read(value: Any) -> str:
        if value not in options:
            raise Bad(f"{show(value)} is none of {', '.join(options)}")
        return value  # type: ignore[no-any-return]

    return Kind(" | ".join(options), read)


def several(kind: Kind, least: int, most: int = 1000, distinct: bool = True) -> Kind:
    """A list."""

    def read(value: Any) -> list[Any]:
        if not isinstance(value, list):
            raise Bad(f"{show(value)} is no list")
        if not least <= len(value) <= most:
            raise Bad(f"a list of {len(value)}: at least {least}, at most {most}")
        found: list[Any] = []
        for index, element in enumerate(value):
            item = each(kind, element, index)
            if distinct and item in found:
                raise Bad(f"{show(element)} is there twice", (index,))
            found.append(item)
        return found

    return Kind(f"list of {kind.word}s", read)


def each(kind: Kind, element: Any, index: int) -> Any:
    try:
        return kind.read(element)
    except Bad as error:
        raise Bad(str(error), (index, *error.inside)) from error


def pair(value: Any, kinds: Sequence[Kind], what: str) -> list[Any]:
    if not isinstance(value, list) or len(value) != 2:
        raise Bad(f"{show(value)} is no {what}")
    return [each(kind, element, index) for index, (kind, element) in enumerate(zip(kinds, value))]


@partial(Kind, "time, or two: between them")
def spell(value: Any) -> list[int]:
    """A time, or two: uniform between them."""
    if isinstance(value, str):
        return [time().read(value)] * 2
    least, most = pair(value, [time(), time()], 'pair of times (["5s", "15s"])')
    if least > most:
        raise Bad(f"{show(value)}: the first is more than the second")
    return [least, most]


def changes(what: str, kind: Kind, example: str) -> Kind:
    """A list: when a quantity becomes which."""

    def change(value: Any) -> list[int]:
        return pair(value, [time("1ns"), kind], f'time and {what} (["20s", "{example}"])')

    def read(value: Any) -> list[list[int]]:
        if not isinstance(value, list):
            raise Bad(f"{show(value)} is no list of times and {what}s")
        found: list[list[int]] = []
        for index, element in enumerate(value):
            item = each(Kind("", change), element, index)
            if found and item[0] <= found[-1][0]:
                raise Bad(f"{show(element)} is not after the change before it", (index,))
            found.append(item)
        return found

    return Kind(f"list of [time, {what}]", read)


schedule = changes("rate", rate(), "1mbit")
delays = changes("delay", time("1us", "100s"), "90ms")


@partial(Kind, 'packets, or "8 bdp"')
def buffer(value: Any) -> Buffer:
    if isinstance(value, int) and not isinstance(value, bool):
        return Buffer(packets=within(value, 1, 10**7))
    match = BDP.fullmatch(value.strip()) if isinstance(value, str) else None
    if not match:
        raise Bad(f'{show(value)} is no buffer (a whole number of packets, or "8 bdp")')
    return Buffer(bdp=Decimal(match[1]))


@partial(Kind, "table of paths and values")
def settings(value: Any) -> dict[str, Any]:
    """Paths and values, which are read where they go."""
    if not isinstance(value, dict):
        raise Bad(f'{show(value)} is no table ({{"link.dsl.up.rate" = "3mbit"}})')
    return value
