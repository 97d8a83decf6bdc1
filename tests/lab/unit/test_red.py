# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""RED as ns-2 configures it."""

from __future__ import annotations

import math

from lablib import red
from lablib.red import Red

from .cases import case, same

# Wlog of iproute2 6.1 for bursts with min 32000 and avpkt 1000; None: an error
WEIGHTS = {31: None, 32: 1, 33: 2, 34: 2, 35: 3, 38: 3, 39: 4, 46: 4, 57: 5, 75: 6, 101: 7, 190: 10}
# rate, MTU, and the values of iproute2 6.1 for the words of red.py: min, max, Wlog
TAKEN = [
    (128_000, 1500, 7570, 22710, 3),
    (512_000, 500, 2570, 7710, 7),
    (1_500_000, 1500, 7570, 22710, 7),
    (10_000_000, 1500, 7570, 22710, 10),
    (45_000_000, 1500, 14062, 42187, 12),
    (100_000_000, 1500, 31250, 93750, 13),
    (200_000_000, 500, 62500, 187500, 13),
    (1_000_000_000, 1500, 312500, 937500, 11),
]


def weight(rate: int, mtu: int) -> float:
    """ns-2's, as a logarithm."""
    return -math.log2(1 - math.exp(-8 * (mtu + 14) / rate))


@case("red: bursts become weights as in tc")
def weights() -> None:
    for burst, wlog in WEIGHTS.items():
        same(f"burst {burst}", red.wlog_of(burst, 32000, 1000), wlog)


@case("red: thresholds are ns-2's, and the weight what tc takes")
def taken() -> None:
    for rate, mtu, low, high, wlog in TAKEN:
        made = red.configure(rate, mtu, 100)
        same(f"{rate} {mtu}", (made.low, made.high, made.wlog), (low, high, wlog))
        same("limit", made.limit, 100 * (mtu + 14))


def acceptable(made: Red) -> bool:
    """Conditions of tc and of the kernel."""
    return (
        made.burst * 3 * made.packet >= 2 * made.low + made.high
        and made.wlog == red.wlog_of(made.burst, made.low, made.packet)
        and made.high.bit_length() + made.wlog < 32
    )


@case("red: tc and the kernel take the words for any rate up to 1 Gbit/s and any MTU")
def accepted() -> None:
    for mtu in (128, 500, 576, 1500, 9000):
        for step in range(400):
            rate = round(1000 * 10 ** (step * 6 / 399))
            made = red.configure(rate, mtu, 1000)
            assert acceptable(made), made


@case("red: the weight is the nearest to ns-2's that can be had")
def nearest() -> None:
    for mtu in (500, 1500):
        for step in range(400):
            rate = round(1000 * 10 ** (step * 6 / 399))
            made = red.configure(rate, mtu, 1000)
            least = red.wlog_of(
                math.ceil((2 * made.low + made.high) / (3 * made.packet)), made.low, made.packet
            )
            most = 31 - made.high.bit_length()
            wanted = min(max(weight(rate, mtu), least or 0), most)
            assert (red.wlog_of(made.burst + 1, made.low, made.packet) or 32) > made.wlog, made
            assert abs(made.wlog - wanted) <= 0.51, f"{rate} {mtu}: {made.wlog}, not {wanted}"


@case("red: in tc's words")
def words() -> None:
    same(
        "words",
        red.configure(10_000_000, 1500, 100).words,
        "red limit 151400 min 7570 max 22710 avpkt 1514 burst 92 probability 0.1 bandwidth 10000000bit",
    )
