# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The course of a link: a file with the rates that it has, one after the other."""

from __future__ import annotations

import re
from pathlib import Path

from .kinds import Bad
from .units import RATE, show

LINE = re.compile(r"([0-9]+(?:\.[0-9]{1,9})?)\s+([0-9]+)", re.ASCII)
LEAST, MOST = 1000, 10**10  # bit/s
STEPS = 16384  # of the guest's device, lab/slow
SECOND = 10**9

Course = list[list[int]]  # ns, and bit/s from then on


def step(text: str, before: int | None) -> list[int]:
    """A line, after one with an earlier time."""
    match = LINE.fullmatch(text)
    if not match:
        raise Bad(f'{show(text)} is no time and rate (seconds and bit/s: "0.02 3633600")')
    whole, _dot, part = match[1].partition(".")
    time, rate = int(whole) * SECOND + int(part.ljust(9, "0")), int(match[2])
    if before is None and time:
        raise Bad(f"{match[1]}: the first time is 0")
    if before is not None and time <= before:
        raise Bad(f"{match[1]} is not after the time before it")
    if not LEAST <= rate <= MOST:
        raise Bad(f"{match[2]} is no rate from {RATE.format(LEAST)} to {RATE.format(MOST)}")
    return [time, rate]


def read(file: Path) -> Course:
    """Empty lines, and those that begin with #, are left out."""
    found: Course = []
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not in UTF-8"
        raise Bad(f"{file}: {why}") from error
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        try:
            found.append(step(text, found[-1][0] if found else None))
        except Bad as error:
            raise Bad(f"{file}:{number}: {error}") from error
    if not 0 < len(found) <= STEPS:
        raise Bad(f"{file}: {len(found)} rates: at least 1, at most {STEPS}")
    return found


def mean(course: Course) -> int:
    """The rate of a link that carries as much until the last change."""
    end = course[-1][0]
    if not end:
        return course[0][1]
    bits = sum(rate * (after[0] - time) for (time, rate), after in zip(course, course[1:]))
    return max(LEAST, bits // end)
