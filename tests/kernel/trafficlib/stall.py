# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""How long the processor is away.

run.py stall SECONDS prints the longest time that this process was kept from running, us.
"""

from __future__ import annotations

import time


def main(words: list[str]) -> None:
    (seconds,) = words
    longest = 0
    last = time.monotonic_ns()
    end = last + int(float(seconds) * 1e9)
    while last < end:
        now = time.monotonic_ns()
        longest = max(longest, now - last)
        last = now
    print(longest // 1000)
