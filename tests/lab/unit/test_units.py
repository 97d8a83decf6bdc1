# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Rates, times and sizes."""

from __future__ import annotations

import random
from decimal import Decimal

from lablib import kinds
from lablib.kinds import Bad, Kind
from lablib.units import RATE, SIZE, TIME, Unit

from .cases import case, same

READ: list[tuple[Unit, object, int]] = [
    (RATE, "5mbit", 5_000_000),
    (RATE, "5 Mbit", 5_000_000),
    (RATE, "1.5mbit", 1_500_000),
    (RATE, "64kbit", 64_000),
    (RATE, "300bit", 300),
    (RATE, "10gbit", 10_000_000_000),
    (TIME, "0s", 0),
    (TIME, "1.5us", 1_500),
    (TIME, "7ns", 7),
    (TIME, "22.7ms", 22_700_000),
    (TIME, "2min", 120_000_000_000),
    (TIME, "0.3ns", 0),
    (TIME, "0.7ns", 1),
    (SIZE, "12kB", 12_000),
    (SIZE, "1MB", 1_000_000),
    (SIZE, "2KiB", 2_048),
    (SIZE, "1MiB", 1_048_576),
    (SIZE, "100B", 100),
]
NO_RATE = "is no rate (a number and bit, kbit, mbit or gbit)"
NO_TIME = "is no time (a number and ns, us, ms, s or min)"
NO_SIZE = "is no size (a number and B, kB, MB, GB, KiB, MiB or GiB)"
REFUSED: list[tuple[Unit, object, str]] = [
    (RATE, "5mbt", f'"5mbt" {NO_RATE}'),
    (RATE, "5", f'"5" {NO_RATE}'),
    (RATE, 5, f"5 {NO_RATE}"),
    (RATE, "-5mbit", f'"-5mbit" {NO_RATE}'),
    (RATE, "5mbit x", f'"5mbit x" {NO_RATE}'),
    (RATE, "mbit", f'"mbit" {NO_RATE}'),
    (RATE, "", f'"" {NO_RATE}'),
    (RATE, None, f"null {NO_RATE}"),
    (TIME, "5 sec", f'"5 sec" {NO_TIME}'),
    (TIME, "1e3s", f'"1e3s" {NO_TIME}'),
    (TIME, "5S", f'"5S" {NO_TIME}'),
    (TIME, True, f"true {NO_TIME}"),
    (SIZE, "12KB", f'"12KB" {NO_SIZE}'),
    (SIZE, "٣B", f'"٣B" {NO_SIZE}'),
]
WRITTEN: list[tuple[Unit, int, str]] = [
    (RATE, 1_500_000, "1.5mbit"),
    (RATE, 2_512_000, "2512kbit"),
    (RATE, 739_584, "739584bit"),
    (RATE, 10**9, "1gbit"),
    (TIME, 0, "0s"),
    (TIME, 90 * 10**9, "90s"),
    (TIME, 100_000, "100us"),
    (TIME, 120 * 10**9, "2min"),
    (SIZE, 1_000_000, "1MB"),
    (SIZE, 4096, "4KiB"),
]
KINDS: list[tuple[Kind, object, str]] = [
    (kinds.rate(), "1bit", "1bit is too little: at least 1kbit"),
    (kinds.rate(), "11gbit", "11gbit is too much: at most 10gbit"),
    (kinds.rate(), 0, "0bit is too little: at least 1kbit"),
    (kinds.time("1ms"), "10us", "10us is too little: at least 1ms"),
    (kinds.integer(1, 5), 6, "6 is too much: at most 5"),
    (kinds.integer(), 1.0, "1.0 is no whole number"),
    (kinds.integer(), True, "true is no whole number"),
    (kinds.number(above=1), 1, "1 is too little: more than 1"),
    (kinds.number(0), float("nan"), "NaN is no number"),
    (kinds.number(0, 9), float("inf"), "inf is too much: at most 9"),
    (kinds.number(0), "1", '"1" is no number'),
    (kinds.flag, 1, "1 is neither true nor false"),
    (kinds.codepoint, 1, "1 is none of true, false, ect0, ect1"),
    (kinds.codepoint, "ce", '"ce" is none of true, false, ect0, ect1'),
    (kinds.text, " ", '" " is no text'),
    (kinds.choice("a", "b"), "c", '"c" is none of a, b'),
    (kinds.choice("a", "b"), ["a"], '["a"] is none of a, b'),
    (kinds.size(), -1, "-1 is too little: at least 0"),
    (kinds.size("60B"), 59, "59B is too little: at least 60B"),
    (kinds.several(kinds.integer(), 1), [], "a list of 0: at least 1, at most 1000"),
    (kinds.several(kinds.integer(), 1), [1, 2, 1], "1 is there twice"),
    (kinds.several(kinds.integer(), 1), 1, "1 is no list"),
    (kinds.spell, ["5s", "1s"], '["5s", "1s"]: the first is more than the second'),
    (kinds.spell, ["5s"], '["5s"] is no pair of times (["5s", "15s"])'),
    (kinds.schedule, [["5s"]], '["5s"] is no time and rate (["20s", "1mbit"])'),
    (
        kinds.schedule,
        [["5s", "1mbit"], ["5s", "2mbit"]],
        '["5s", "2mbit"] is not after the change before it',
    ),
    (kinds.schedule, 5, "5 is no list of times and rates"),
    (kinds.delays, [["5s"]], '["5s"] is no time and delay (["20s", "90ms"])'),
    (kinds.rate("0bit"), False, f"false {NO_RATE}"),
    (kinds.settings, 5, '5 is no table ({"link.dsl.up.rate" = "3mbit"})'),
    (kinds.buffer, 10**7 + 1, "10000001 is too much: at most 10000000"),
    (kinds.buffer, "8bdps", '"8bdps" is no buffer (a whole number of packets, or "8 bdp")'),
    (kinds.buffer, 0, "0 is too little: at least 1"),
    (kinds.buffer, True, 'true is no buffer (a whole number of packets, or "8 bdp")'),
]
VALUES: list[tuple[Kind, object, object]] = [
    (kinds.codepoint, False, 0),
    (kinds.codepoint, True, 2),
    (kinds.codepoint, "ect0", 2),
    (kinds.codepoint, "ect1", 1),
    (kinds.spell, ["5s", "15s"], [5 * 10**9, 15 * 10**9]),
    (kinds.spell, ["5s", "5s"], [5 * 10**9, 5 * 10**9]),
    (kinds.spell, "5s", [5 * 10**9, 5 * 10**9]),
    (
        kinds.schedule,
        [["1s", "1mbit"], ["2s", "2mbit"]],
        [[10**9, 10**6], [2 * 10**9, 2 * 10**6]],
    ),
    (kinds.rate("0bit"), 0, 0),
    (kinds.size(), 7, 7),
    (kinds.buffer, 10**7, kinds.Buffer(packets=10**7)),
    (kinds.buffer, "0.5 bdp", kinds.Buffer(bdp=Decimal("0.5"))),
    (kinds.number(above=1), 1.2, 1.2),
    (kinds.integer(1, 5), 5, 5),
    (kinds.text, " two words ", "two words"),
]


def refusal(read: object, value: object) -> str:
    try:
        found = read(value)  # type: ignore[operator]
    except ValueError as error:
        return str(error)
    return f"read as {found}"


@case("units: what is written is read")
def reads() -> None:
    for unit, text, amount in READ:
        same(f"{text}", unit.parse(text), amount)


@case("units: what is no quantity is refused, with what would be one")
def refuses() -> None:
    for unit, text, message in REFUSED:
        same(f"{text}", refusal(unit.parse, text), message)


@case("units: amounts are written in the shortest way")
def writes() -> None:
    for unit, amount, text in WRITTEN:
        same(f"{amount}", unit.format(amount), text)


@case("units: whatever is written is read as the same")
def round_trip() -> None:
    rng = random.Random(1)
    for unit in (RATE, TIME, SIZE):
        for _ in range(2000):
            amount = rng.randrange(1 << rng.randrange(1, 62)) * 10 ** rng.randrange(3)
            same(unit.format(amount), unit.parse(unit.format(amount)), amount)


@case("kinds: a value that is not of its kind, or not in its range, is refused")
def ranges() -> None:
    for kind, value, message in KINDS:
        same(f"{value}", refusal(kind.read, value), message)


@case("kinds: values are read in the units of runs")
def values() -> None:
    for kind, value, expected in VALUES:
        same(f"{value}", kind.read(value), expected)


@case("kinds: an error in a list says where in it")
def inside() -> None:
    try:
        kinds.schedule.read([["1s", "1mbit"], ["2s", "x"]])
    except Bad as error:
        same("place", error.inside, (1, 1))
    else:
        raise AssertionError("x is a rate")
