# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Where the experiments come from."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Paper:
    """`place` is what of it is meant; without `link` it has no address of its own."""

    words: str
    link: str = ""
    place: str = ""

    def at(self, place: str) -> Paper:
        return replace(self, place=place)


CODEL = Paper(
    "K. Nichols and V. Jacobson, \u201cControlling Queue Delay\u201d, ACM Queue 10(5), 2012",
    "https://queue.acm.org/detail.cfm?id=2209336",
)
CS244 = Paper("Anubhai and Vasekar, an independent evaluation of CoDel, Stanford CS244, 2012")
GO = Paper("bohde/codel, CoDel for requests in Go", "https://github.com/bohde/codel")
RATE = Paper("\u201cThe X-Files\u201d: golang.org/x/time/rate and failing fast under a rate limit")
FLENT = Paper("RRUL, the real-time response under load test of flent", "https://flent.org")
L4S = Paper("the L4S team, \u201cOverload results caused by non-responsive UDP traffic\u201d")
HERE = Paper("this project\u2019s own question")
