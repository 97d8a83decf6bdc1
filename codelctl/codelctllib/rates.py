# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Rates, in bit/s, as tc writes them."""

from __future__ import annotations

import re
from decimal import Decimal

from .errors import Refusal

UNITS = {"bit": 1, "kbit": 10**3, "mbit": 10**6, "gbit": 10**9}
# Below the minimum, one full packet takes longer than two of CoDel's intervals
LEAST = 64 * 10**3
GREATEST = 100 * 10**9
WRITTEN = re.compile(r"(\d+(?:\.\d+)?)(bit|kbit|mbit|gbit)", re.I)


def parse(option: str, written: str) -> int:
    match = WRITTEN.fullmatch(written)
    if not match:
        raise Refusal(
            f"{option}: '{written}' is not a rate: write a number with bit, kbit, mbit or gbit, "
            "for example 19mbit, or off"
        )
    rate = int(Decimal(match[1]) * UNITS[match[2].lower()])
    if not LEAST <= rate <= GREATEST:
        raise Refusal(f"{option}: {written} is outside {text(LEAST)} to {text(GREATEST)}")
    return rate


def rounded_down(rate: float) -> str:
    """With two digits, as a person would write it: 5.1mbit, 17mbit."""
    unit, factor = max(((u, f) for u, f in UNITS.items() if f <= rate), key=lambda item: item[1])
    number = Decimal(int(rate)) / factor
    digits = max(0, 1 - number.adjusted())
    step = Decimal(1).scaleb(number.adjusted() - 1)
    return f"{number // step * step:.{digits}f}{unit}"


def text(rate: int) -> str:
    """The rate in the largest unit of which it is a multiple."""
    for unit, factor in sorted(UNITS.items(), key=lambda item: -item[1]):
        if rate % factor == 0:
            return f"{rate // factor}{unit}"
    raise AssertionError(rate)
