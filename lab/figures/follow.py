# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Uploads whose slowest link is behind a modem, and a rate that nobody set."""

from __future__ import annotations

from functools import partial

from . import checks, dots, far, measures
from .papers import HERE
from .results import Results
from .tables import Measure

NAME = "follow"
TITLE = "A queue in the modem"
SOURCE = HERE
CLAIM = """Uploads wait in the modem, where no qdisc of the router is. A shaper in the router brings the queue there if it is
given a rate, which has to be known, and right at each moment. With the bottleneck downstream, the router bounds the
bytes beyond it by what acknowledgments say, and no rate is set."""
CAPTION = dots.CAPTION
WHY = """While the link stands still, no acknowledgment comes, and nothing more is sent. A shaper goes on sending at its rate."""
QUEUE = far.UP
OURS = "downstream"


def late(_results: Results) -> Measure:
    return measures.delay(QUEUE, "p95")


CHECK = (
    checks.Check(
        "what the link carries, of that with a queue for each flow at the link itself",
        "%",
        partial(far.share_of_link, OURS, QUEUE),
        low=90,
    ),
    checks.Check("95th percentile delay in the modem", "ms", checks.of(OURS, late), high=40),
)

headlines = partial(far.headlines, QUEUE)
table = partial(far.by_link, QUEUE)
picture = partial(dots.picture, headlines=headlines)
describe = partial(dots.describe, headlines=headlines)
