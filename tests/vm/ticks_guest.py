#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Sleeps often and for short, and prints a hash of when it woke, in ns."""

import hashlib
import time

SLEEPS = 4000
SHORT = (100e-6, 130e-6, 160e-6, 190e-6, 220e-6, 250e-6, 280e-6)  # s

woke = hashlib.sha256()
for number in range(SLEEPS):
    time.sleep(SHORT[number % len(SHORT)])
    woke.update(b"%d " % time.monotonic_ns())
print(woke.hexdigest(), time.monotonic_ns())
