# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Classes as `tc -json class show` prints them. iproute2 before 6.2 prints HTB's as text in spite of -json.

In text, a rate is cut to its unit: 1234567 bit/s are 1234Kbit. `rate_step` is that unit, in bytes/s.
"""

from __future__ import annotations

import json
import re

from .marks import Json

CLASS = re.compile(r"^class htb (\S+) ", re.M)
RATE = {"bit": 1, "Kbit": 10**3, "Mbit": 10**6, "Gbit": 10**9, "Tbit": 10**12}
SIZE = {"b": 1, "Kb": 1024, "Mb": 1024**2}


def _rate(line: str, name: str) -> tuple[int, int]:
    """The rate and its unit, in bytes/s."""
    match = re.search(rf" {name} (\d+)({'|'.join(RATE)})\b", line)
    unit = RATE[match[2]] if match else 1
    return (int(match[1]) * unit // 8 if match else 0), -(-unit // 8)


def _size(line: str, name: str) -> int:
    match = re.search(rf" {name} ([\d.]+)({'|'.join(SIZE)})\b", line)
    return int(float(match[1]) * SIZE[match[2]]) if match else 0


def _number(line: str, name: str) -> int:
    match = re.search(rf" {name} (\d+)\b", line)
    return int(match[1]) if match else 0


def _parse_line(line: str) -> Json:
    rate, step = _rate(line, "rate")
    match = CLASS.match(line)
    return {
        "class": "htb",
        "handle": match[1] if match else "",
        "rate": rate,
        "ceil": _rate(line, "ceil")[0],
        "burst": _size(line, "burst"),
        "cburst": _size(line, "cburst"),
        "quantum": _number(line, "quantum"),
        "rate_step": step,
    }


def parse(shown: str) -> list[Json]:
    if shown.lstrip().startswith("["):
        found: list[Json] = json.loads(shown)
        return found
    # Other qdiscs list their classes, too: mq its queues, fq_codel its flows
    return [_parse_line(line) for line in shown.splitlines() if CLASS.match(line)]
