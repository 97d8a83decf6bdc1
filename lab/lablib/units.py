# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Rates, times and sizes as people write them, and back."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

NUMBER = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]*)", re.ASCII)


def show(value: Any) -> str:
    """A value as it stands in a message."""
    return json.dumps(value, ensure_ascii=False, default=str)


@dataclass(frozen=True)
class Unit:
    """A quantity: its name, and the units that may follow its number."""

    name: str
    factors: dict[str, int]
    any_case: bool = False

    @property
    def help(self) -> str:
        *most, last = self.factors
        return f"a number and {', '.join(most)} or {last}"

    def parse(self, value: Any) -> int:
        """A whole number of the smallest unit, the nearest one."""
        match = NUMBER.fullmatch(value.strip()) if isinstance(value, str) else None
        word = match[2].lower() if match and self.any_case else match[2] if match else ""
        if match is None or word not in self.factors:
            raise ValueError(f"{show(value)} is no {self.name} ({self.help})")
        return int((Decimal(match[1]) * self.factors[word]).to_integral_value())

    def format(self, amount: int) -> str:
        """The shortest way to write exactly this amount."""
        written = [
            f"{(Decimal(amount) / factor).normalize():f}{word}"
            for word, factor in self.factors.items()
            if amount % factor == 0 or amount > factor
        ]
        return min(reversed(written), key=len)


# Rates in tc's units, upper or lower case
RATE = Unit("rate", {"bit": 1, "kbit": 10**3, "mbit": 10**6, "gbit": 10**9}, any_case=True)
TIME = Unit("time", {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "min": 60 * 10**9})
SIZE = Unit(
    "size",
    {
        "B": 1,
        "kB": 10**3,
        "MB": 10**6,
        "GB": 10**9,
        "KiB": 2**10,
        "MiB": 2**20,
        "GiB": 2**30,
    },
)
