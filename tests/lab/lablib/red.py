# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""RED for a link, as ns-2 configures it by itself, in tc's words."""

from __future__ import annotations

import math
from dataclasses import dataclass

LEAST_MIN = 5  # packets
TARGET_DELAY = 0.005  # s: the queue that is aimed at lies midway between min and max
MAX_OVER_MIN = 3
MAX_P = 0.1
KERNEL_BITS = 32  # fls(max) + Wlog must stay below: red_check_params() in include/net/red.h


@dataclass(frozen=True)
class Red:
    """Thresholds in bytes."""

    limit: int
    low: int
    high: int
    packet: int
    burst: int
    wlog: int
    rate: int

    @property
    def words(self) -> str:
        return (
            f"red limit {self.limit} min {self.low} max {self.high} avpkt {self.packet} "
            f"burst {self.burst} probability {MAX_P} bandwidth {self.rate}bit"
        )


def wlog_of(burst: int, low: int, packet: int) -> int | None:
    """The weight 2^-n that tc makes of a burst; None: it refuses."""
    room = burst + 1 - low / packet
    if room < 1:
        return None
    for wlog in range(1, 32):
        weight = 2.0**-wlog
        if room <= (1 - (1 - weight) ** burst) / weight:
            return wlog
    return None


def burst_for(wlog: int, low: int, packet: int) -> tuple[int, int]:
    """A burst for which tc takes a weight, the longest; and the weight that it takes."""
    least = max(1, math.ceil(low / packet))
    # tc takes a smaller weight for a longer burst: the first burst that is too long for this one
    fits, over = least, least + 1
    while (wlog_of(over, low, packet) or 99) <= wlog:
        fits, over = over, over * 2
    while over - fits > 1:
        middle = (fits + over) // 2
        if (wlog_of(middle, low, packet) or 99) <= wlog:
            fits = middle
        else:
            over = middle
    return fits, wlog_of(fits, low, packet) or 1


def configure(rate: int, mtu: int, packets: int) -> Red:
    """For a rate in bit/s; the queue holds so many packets."""
    packet = mtu + 14
    per_second = rate / (8 * packet)
    low = max(LEAST_MIN, TARGET_DELAY * per_second / 2) * packet
    high = MAX_OVER_MIN * low
    weight = 1 - math.exp(-1 / per_second)
    wlog = max(1, round(-math.log2(weight)))
    wlog = min(wlog, KERNEL_BITS - 1 - round(high).bit_length())
    burst, wlog = burst_for(wlog, round(low), packet)
    return Red(packets * packet, round(low), round(high), packet, burst, wlog, rate)
