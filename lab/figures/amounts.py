# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Numbers and quantities as a reader wants to see them."""

from __future__ import annotations

import math
import re
import statistics
from typing import Sequence

QUANTITY = re.compile(r"([\d.]+)\s*([A-Za-z]*)")
FACTORS = {"": 1, "bit": 1, "kbit": 1e3, "mbit": 1e6, "gbit": 1e9, "us": 1e-6, "ms": 1e-3, "s": 1}
NAMES = {"bit": "bit/s", "kbit": "kbit/s", "mbit": "Mbit/s", "gbit": "Gbit/s"}
LARGER = {"bit": "kbit", "kbit": "mbit", "mbit": "gbit", "us": "ms", "ms": "s"}
FIXED = "\u00a0"  # between a number and its unit, which stay on one line
THIN = "\u202f"
NONE = "\u2013"  # where there is no value
NEVER = "never"  # the time of an event that did not happen
MINUS = "\u2212"


def quantity(text: str) -> float | None:
    """What a label like 3mbit or 20ms amounts to."""
    match = QUANTITY.fullmatch(text)
    if not match or match[2].lower() not in FACTORS:
        return None
    return float(match[1]) * FACTORS[match[2].lower()]


def pretty(text: str) -> str:
    """3mbit as 3 Mbit/s, 1500kbit as 1.5 Mbit/s, 20ms as 20 ms; other labels as they are."""
    match = QUANTITY.fullmatch(text)
    if not match or match[2].lower() not in FACTORS:
        return text
    number, unit = float(match[1]), match[2].lower()
    while number >= 1000 and unit in LARGER:
        number, unit = number / 1000, LARGER[unit]
    return exactly(number, NAMES.get(unit, unit))


def digits(value: float) -> int:
    """Places after the point, so that about three digits say something."""
    size = abs(value)
    for limit, places in ((99.95, 0), (9.995, 1), (0.9995, 2), (0.0005, 3)):
        if size >= limit:
            return places
    return 0


def text(value: float | None) -> str:
    if value is None or math.isnan(value):
        return NONE
    if math.isinf(value):
        return NEVER
    if 0 < abs(value) < 0.0005:
        return f"{value:.1g}".replace("-", MINUS)
    return f"{value:,.{digits(value)}f}".replace(",", THIN).replace("-", MINUS)


def amount(value: float | None, unit: str) -> str:
    return text(value) if value is None or not unit else f"{text(value)}{FIXED}{unit}"


def exactly(value: float, unit: str = "") -> str:
    """What was not measured but set: as it was written."""
    number = f"{value:g}" if value < 10000 else f"{value:,.0f}".replace(",", THIN)
    return f"{number}{FIXED}{unit}".strip().replace("-", MINUS)


def median(values: Sequence[float]) -> float:
    """The middle value; of an even number, half way between the middle two."""
    return float(statistics.median(values))


def spread(values: Sequence[float]) -> str:
    """The least and the greatest, if they differ in what is shown of them."""
    low, high = text(min(values)), text(max(values))
    return f"{low}\u2013{high}" if low != high else ""
