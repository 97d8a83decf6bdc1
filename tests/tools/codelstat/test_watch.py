#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
"""`codelstat watch`: plain frames against the list's numbers, and a real terminal."""

from __future__ import annotations

import math
import re
import signal
import subprocess
import time
from typing import Any

import short
from cases import RECORDING, case, check, codelstat, main
from screen import ENTER, LEAVE, Screen, visible

WATCH = ("watch", "r1", "--handle", "10:", "--replay", RECORDING)
LEVELS = ("p50_ns", "p90_ns", "p99_ns", "max_ns")
SHADES = "█▓▒░"
LABEL, FOOT = 8, 2  # columns left of the chart, lines below it


def frames(*words: str, locale: str = "C.UTF-8", columns: int = 80, lines: int = 24) -> list[str]:
    size = {"LC_ALL": locale, "COLUMNS": str(columns), "LINES": str(lines)}
    shown = codelstat(*WATCH, "--speed", "0", *words, **size).stdout.splitlines()
    check("whole frames", len(shown) % lines, 0)
    return ["\n".join(shown[n : n + lines]) for n in range(0, len(shown), lines)]


def listed() -> list[dict[str, Any]]:
    """The list of each interval."""
    words = ("list", "r1", "--handle", "10:", "--replay", RECORDING, "--speed", "0", "--json")
    return [short.loads(n)["qdiscs"][0] for n in codelstat(*words).stdout.splitlines()]


def chart(frame: str) -> list[str]:
    """The chart's rows, the lowest first."""
    return frame.splitlines()[-FOOT - 1 : 3 : -1]


def scale(qdiscs: list[dict[str, Any]], rows: int) -> tuple[float, float]:
    """Where it begins, as a power of ten, and rows to each."""
    changes = [q["change"] for q in qdiscs if "max_ns" in q["change"]]
    target = qdiscs[0]["options"]["target_ns"]
    low = min([c["p50_ns"] for c in changes] + [target])
    high = max([c["max_ns"] for c in changes] + [target])
    first = math.floor(math.log10(max(low, target / 50)))
    return first, rows / max(2, math.ceil(math.log10(high)) - first)


@case("each percentile ends in the row of its delay")
def heights() -> None:
    frame, qdiscs = frames()[-1], listed()
    rows = chart(frame)
    first, dense = scale(qdiscs, len(rows))
    edge = rows[0].rindex("│")
    for age, qdisc in enumerate(reversed(qdiscs)):
        column = "".join(row[edge - 1 - age] for row in rows).rstrip(" ╌")
        expected, height = "", 0
        for level, shade in zip(LEVELS, SHADES):
            row = int((math.log10(qdisc["change"][level]) - first) * dense)
            top = max(height, min(max(row, 0), len(rows) - 1) + 1)
            expected, height = expected + shade * (top - height), top
        check(f"{age} intervals ago", column, expected)


@case("the histogram's rows have the shares of the list's buckets")
def histogram() -> None:
    frame, qdiscs = frames()[-1], listed()
    rows = chart(frame)
    first, dense = scale(qdiscs, len(rows))
    shown = [int(m[1]) if (m := re.search(r"(\d+)%$", row)) else 0 for row in rows]
    assert 97 <= sum(shown) <= 103, f"{shown}"
    buckets = qdiscs[-1]["change"]["buckets"]
    total = sum(n for _from, _to, n in buckets)
    for height in range(1, len(rows)):
        edge = 10 ** (first + height / dense)
        surely = sum(n for _from, to, n in buckets if to <= edge)
        perhaps = sum(n for start, _to, n in buckets if start < edge)
        below = sum(shown[:height])
        assert 100 * surely / total - 4 <= below <= 100 * perhaps / total + 4, f"row {height}"


@case("the line of the target is in its row, as are the delays of the axis")
def axis() -> None:
    frame, qdiscs = frames()[0], listed()
    rows = chart(frame)
    first, dense = scale(qdiscs[:1], len(rows))
    units = {"us": 1e3, "ms": 1e6, "s": 1e9}
    seen = 0
    for height, row in enumerate(rows):
        label = re.match(r" *([\d.]+)(us|ms|s)([┤╪])", row)
        if not label:
            continue
        ns = float(label[1]) * units[label[2]]
        check(label[0], int((math.log10(ns) - first) * dense + 1e-9), height)
        check(label[0], "╌" in row, label[3] == "╪")
        seen += 1
    assert seen >= 3, "no axis"


@case("frames have the size that there is, and say when it is too small")
def sizes() -> None:
    for columns, lines in ((80, 24), (60, 10), (132, 43), (200, 60), (77, 11)):
        for locale in ("C", "C.UTF-8"):
            for frame in frames(locale=locale, columns=columns, lines=lines):
                widest = max(len(line) for line in frame.splitlines())
                assert widest <= columns, f"{columns}x{lines}: {widest}"
    assert "a chart needs 60 columns" in codelstat(*WATCH, "--once", COLUMNS="59").stdout


@case("without UTF-8 all is ASCII, and what is no terminal gets no sequences")
def plain() -> None:
    shown = "".join(frames(locale="C"))
    assert shown.isascii() and "#" in shown and "\033" not in shown
    assert "\033" not in "".join(frames())


@case("--once and --count")
def counts() -> None:
    check("once", len(frames("--once")), 1)
    check("count", len(frames("--count", "2")), 2)
    total = frames("--once")[0].splitlines()[1]
    assert "/s" not in total, total


@case("which qdisc is meant must be clear")
def which() -> None:
    watch = ("watch", "--replay", RECORDING)
    error = codelstat(*watch, "r1", status=2).stderr
    assert "fq_codel_oot 10: parent 1:1" in error and "codel_oot 20: parent 1:2" in error, error
    codelstat(*watch, "r1", "--parent", "1:2", "--once")
    for words, status in {
        ("r1", "--parent", "1:9"): 1,
        ("r1", "--handle", "30:"): 1,
        ("nodev0",): 1,
        ("idle0",): 1,
        (): 2,
        ("r1", "--parent", "1"): 2,
        ("r1", "--parent", "1:10000"): 2,
        ("r1", "r2"): 2,
    }.items():
        assert codelstat(*watch, *words, status=status).stderr, words


@case("a terminal gets frames in place, and all of it back, however it ends")
def terminal() -> None:
    deadly = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGSEGV)
    for signum in deadly:
        with Screen(*WATCH, "--speed", "1") as screen:
            screen.wait_for(b"max")
            check("echo is off", screen.echo(), False)
            status = screen.end(signum)
            check(f"{signum!r}: echo", screen.echo(), True)
        graceful = signum in (signal.SIGINT, signal.SIGTERM)
        check(f"{signum!r}: status", status, 0 if graceful else -signum)
        check(f"{signum!r}: enters once", screen.seen.count(ENTER), 1)
        check(f"{signum!r}: leaves once", screen.seen.count(LEAVE), 1)
        inside = screen.seen.split(ENTER)[1].split(LEAVE)[0]
        frames_in_place = inside.split(b"\033[H")[2:]
        for frame in frames_in_place if graceful else frames_in_place[:-1]:
            lines = visible(frame).split("\r\n")
            check("lines", len(lines), 24)
            assert max(map(len, lines)) <= 80, lines


@case("q quits, and gives the terminal back without the line of keys")
def quits() -> None:
    for words in (WATCH, ("top", *WATCH[1:]), ("list", *WATCH[1:])):
        with Screen(*words, "--speed", "0.05") as screen:  # 10 s for each
            screen.type("xq" if words == WATCH else "q")  # even before the first frame
            check("status", screen.end(), 0)
            check("echo", screen.echo(), True)
        check("enters and leaves", [screen.seen.count(s) for s in (ENTER, LEAVE)], [1, 1])
        assert "q quit  p pause" in screen.frames()[-1], screen.frames()
        left = screen.seen.split(LEAVE)[1]
        assert b"10:" in left and b"q quit" not in left, left


@case("p and space pause, and go on; the sizes of the screen are followed meanwhile")
def pauses() -> None:
    for words in (WATCH, ("top", *WATCH[1:]), ("list", *WATCH[1:])):
        for key in "p ":
            with Screen(*words, "--speed", "5") as screen:  # 0.1 s for each
                screen.wait_for(b"q quit")
                screen.type(key)
                screen.wait_for(b"PAUSED")
                screen.until_asleep()
                before = len(screen.frames())
                assert not screen.read(0.5), screen.seen[-2000:]
                screen.resize(100, 30)
                screen.wait_until(lambda: len(screen.frames()) > before)
                assert "PAUSED" in screen.frames()[-1]
                screen.type(key)
                check("status", screen.end(), 0)
            assert "PAUSED" not in screen.frames()[-1]
            paused = [frame for frame in screen.frames() if "PAUSED" in frame]
            check("one state of the queue", len({frame.split("bit", 1)[0] for frame in paused}), 1)
            assert len(screen.frames()) - len(paused) >= 4, "not all of the recording"


@case("a pause ends with a signal, and survives a stop")
def paused_signals() -> None:
    with Screen(*WATCH, "--speed", "5") as screen:
        screen.wait_for(b"q quit")
        screen.type("p")
        screen.wait_for(b"PAUSED")
        screen.stop()
        time.sleep(1.1)  # the loop sleeps by the second
        number = screen.seen.count(b"PAUSED")
        screen.process.send_signal(signal.SIGCONT)
        screen.wait_for(b"PAUSED", number + 1)
        check("status", screen.end(signal.SIGTERM), 0)
        check("echo", screen.echo(), True)


@case("no keys where standard input is not the terminal")
def no_keys() -> None:
    with Screen(*WATCH, "--speed", "0", stdin=subprocess.DEVNULL) as screen:
        check("status", screen.end(), 0)
    assert b"q quit" not in screen.seen
    check("lines", {len(frame.split("\r\n")) for frame in screen.frames()}, {24})


@case("it can be stopped and continued")
def stopped() -> None:
    with Screen(*WATCH, "--speed", "0.5") as screen:
        screen.wait_for(b"max")
        screen.stop()
        assert screen.seen.endswith(LEAVE), screen.seen[-40:]
        check("echo while it is stopped", screen.echo(), True)
        screen.process.send_signal(signal.SIGCONT)
        screen.wait_for(ENTER, 2)
        check("status", screen.end(signal.SIGTERM), 0)


@case("it follows the size of the terminal at once, not with the next interval")
def resized() -> None:
    with Screen(*WATCH, "--speed", "0.1") as screen:
        screen.wait_for(b"max")
        screen.until_asleep()
        began = time.monotonic()
        screen.resize(100, 30)
        screen.wait_until(lambda: widest(screen) == (100, 30))
        took = time.monotonic() - began
        assert took < 2, f"it took {took:.1f} s"  # an interval is 5 s
        check("status", screen.end(signal.SIGTERM), 0)


def widest(screen: Screen) -> tuple[int, int]:
    """Of the last whole frame: the axis of time is as wide as the chart and some words."""
    lines = visible(screen.seen.split(b"\033[H")[-1]).split("\r\n")
    axis_of_time = next((n for n in lines if " now " in n), "")
    bars = {80: 20, 100: 25}
    inside = axis_of_time.find("┴")
    columns = next((c for c, b in bars.items() if inside == c - b - 1), 0)
    return columns, len(lines)


@case("colour where it is wanted, a plain list of frames where there is no terminal to speak of")
def colours() -> None:
    for variables, coloured, live in (
        ({}, True, True),
        ({"NO_COLOR": "1"}, False, True),
        ({"NO_COLOR": ""}, True, True),
        ({"TERM": "dumb"}, False, False),
        ({"TERM": ""}, False, False),
    ):
        with Screen(*WATCH, "--speed", "0", **variables) as screen:
            check("status", screen.end(), 0)
        check(f"{variables}: colour", b"\033[3" in screen.seen, coloured)
        check(f"{variables}: in place", ENTER in screen.seen, live)


if __name__ == "__main__":
    main()
