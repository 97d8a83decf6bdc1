# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""RED for a link, as ns-2 configures it by itself (Floyd's "auto" settings), in tc's words.

Two things of ns-2 Linux does not have: the probability rises from max_p to 1 between max and twice max
("gentle") where Linux drops everything above max, and smaller packets are dropped less often.
tc's `adaptive` is another algorithm (Adaptive RED), which ns-2's settings leave off.
"""

from __future__ import annotations

import math
from bisect import bisect_right
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
    """The longest burst for which tc takes this weight, and the weight that it takes.

    None is shorter than tc-red(8) has it: a third of min + min + max.
    """
    fits = math.ceil((2 + MAX_OVER_MIN) * low / (3 * packet))
    longer = range(fits + 1, 1 << KERNEL_BITS)
    # tc takes a smaller weight for a longer burst
    fits += bisect_right(longer, wlog, key=lambda b: wlog_of(b, low, packet) or KERNEL_BITS)
    taken = wlog_of(fits, low, packet)
    assert taken, f"tc refuses red with burst {fits} min {low} avpkt {packet}"
    return fits, taken


def configure(rate: int, mtu: int, packets: int) -> Red:
    """For a rate in bit/s and a limit in packets."""
    packet = mtu + 14
    per_second = rate / (8 * packet)
    low = max(LEAST_MIN, TARGET_DELAY * per_second / 2) * packet
    high = MAX_OVER_MIN * low
    weight = 1 - math.exp(-1 / per_second)
    most = KERNEL_BITS - 1 - round(high).bit_length()
    burst, wlog = burst_for(min(round(-math.log2(weight)), most), round(low), packet)
    if wlog > most:
        raise ValueError("the rate is too high for the kernel's RED with the usual thresholds")
    return Red(packets * packet, round(low), round(high), packet, burst, wlog, rate)
