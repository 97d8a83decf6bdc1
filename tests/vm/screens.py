#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""The screens that documents show and a virtual machine prints: README's table of `make demo`, and tc -s in doc/statistics.md.

    tests/vm/screens.py            compare, as KTAP: with the document, and with a run of now
    tests/vm/screens.py --record   run each in twenty timelines, and add them to screens.json

Another tree is another timeline, too: the recorded ones of earlier trees stay, as long as their words do. Delete
screens.json if a change was to move the numbers.

A screen has the words of all recorded ones, in their order, and each number is where the timelines had it: from the least to the
greatest, and beyond these by as much again as they differ, at least by a share of the greatest and by 2. tc writes 32Kb for 32768b.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator

HERE = Path(__file__).resolve().parent
TOP = HERE.parents[1]
sys.path[:0] = [str(TOP / "vm"), str(TOP / "tests" / "ktap")]
sys.dont_write_bytecode = True

import ktap  # noqa: E402
from vmlib import process, timeline  # noqa: E402

RECORDED = HERE / "screens.json"
TIMELINES = range(20)
NUMBER = re.compile(r"(\d+(?:\.\d+)?)([KM]?b\b)?")
FACTOR = {"": 1, "b": 1, "Kb": 1024, "Mb": 1024**2}
LEAST = 2.0  # beside the spread


@dataclass(frozen=True)
class Screen:
    """Where a document shows it, the command of the document, to the letter, and the least margin as a share of a number."""

    title: str
    document: str
    begin: str
    command: str
    share: float

    def shown(self) -> list[str]:
        """The lines of the document's block."""
        text = (TOP / self.document).read_text()
        blocks = re.findall(r"^```\n(.*?)^```$", text, re.M | re.S)
        found = [block for block in blocks if block.startswith(self.begin)]
        if len(found) != 1:
            raise process.Failure(
                f"{self.document} has {len(found)} blocks that begin with {self.begin!r}"
            )
        return found[0].splitlines()

    def printed(self) -> list[str]:
        """By a run of now: as many lines as the document shows, which has no blanks at their ends."""
        done = subprocess.run(self.command.split(), cwd=TOP, stdout=subprocess.PIPE, check=True)
        lines = [line.rstrip() for line in done.stdout.decode().splitlines()]
        return lines[: len(self.shown())]


SCREENS = (
    # None of the twenty is beyond what the other nineteen allow. The least utilisation of fq_codel_oot was 96.2%, so that
    # one below 86.3% fails
    Screen("the table of make demo", "README.md", "Four uploads", "make -s demo", 0.10),
    Screen(
        "the statistics of tc",
        "doc/statistics.md",
        "qdisc fq_codel_oot 10:",
        "tests/vm/run --qdiscs --tests tests/kernel/lib.sh --put doc/tc_stats.sh -- ./tc_stats.sh",
        0.15,  # a bucket of the histogram is 12.5% wide
    ),
)


def words(line: str) -> list[str]:
    return NUMBER.sub("0", line).split()


def same_words(lines: list[str], others: list[str]) -> bool:
    return list(map(words, lines)) == list(map(words, others))


def numbers(line: str) -> list[float]:
    return [float(digits) * FACTOR[unit] for digits, unit in NUMBER.findall(line)]


def span(values: list[float], share: float) -> tuple[float, float]:
    """Where a number may be."""
    low, high = min(values), max(values)
    margin = max(high - low, share * abs(high), LEAST)
    return low - margin, high + margin


def faults(lines: list[str], recorded: list[list[str]], share: float) -> Iterator[str]:
    """Lines with other words than the recorded ones, or with a number that is elsewhere."""
    if not recorded:
        yield f"{RECORDED.name} has none: tests/vm/screens.py --record"
    for others in recorded:
        if not same_words(lines, others):
            yield from (f"-{line}" for line in others)
            yield from (f"+{line}" for line in lines)
            yield "the words differ"
            return
    for number, line in enumerate(lines):
        columns = zip(*(numbers(others[number]) for others in recorded))
        for value, values in zip(numbers(line), columns):
            low, high = span(list(values), share)
            if not low <= value <= high:
                yield f"{value:g} is not in {low:g} to {high:g}: {line.strip()}"


def check(lines: list[str], recorded: list[list[str]], share: float) -> None:
    found = list(faults(lines, recorded, share))
    print("\n".join(f"# {line}" for line in [*lines, *found]))
    assert not found, found[-1]


def compare(recorded: dict[str, list[list[str]]]) -> None:
    for screen in SCREENS:
        known = recorded.get(screen.title, [])
        ktap.case(f"{screen.title}: in {screen.document}")(
            lambda s=screen, k=known: check(s.shown(), k, s.share)
        )
        ktap.case(f"{screen.title}: of now")(
            lambda s=screen, k=known: check(s.printed(), k, s.share)
        )
    ktap.main()


def record(known: dict[str, list[list[str]]]) -> None:
    found: dict[str, list[list[str]]] = {screen.title: [] for screen in SCREENS}
    for number in TIMELINES:
        os.environ[timeline.VARIABLE] = str(number)
        for screen in SCREENS:
            process.say(f"timeline {number}: {screen.title}")
            found[screen.title].append(screen.printed())
    for title, screens in found.items():
        screens[:0] = [s for s in known.get(title, []) if same_words(s, screens[0])]
    RECORDED.write_text(json.dumps(found, indent=1) + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="tests/vm/screens.py",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--record", action="store_true", help=f"write {RECORDED.name}")
    known = json.loads(RECORDED.read_text()) if RECORDED.exists() else {}
    (record if parser.parse_args().record else compare)(known)
    return 0


if __name__ == "__main__":
    process.catch_signals()
    try:
        sys.exit(main())
    except (process.Failure, subprocess.CalledProcessError) as error:
        process.say(f"tests/vm/screens.py: {error}")
        sys.exit(1)
