# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""KTAP from scripts that do not number their cases."""

from __future__ import annotations

from typing import Iterable


class Results:
    """Numbers the lines of several scripts."""

    def __init__(self) -> None:
        self.count = 0
        self.failed = False

    def add(self, lines: Iterable[str]) -> None:
        for line in lines:
            if line.startswith(("ok - ", "not ok - ")):
                self.count += 1
                self.failed |= line.startswith("not")
                line = line.replace("ok -", f"ok {self.count} -", 1)
            print(line, flush=True)
