# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Downloads whose slowest link is ahead of the router, at the provider."""

from __future__ import annotations

from functools import partial

from . import checks, dots, far, measures
from .papers import HERE
from .results import Results
from .tables import Measure

NAME = "follow_down"
TITLE = "A queue at the provider"
SOURCE = HERE
CLAIM = """Downloads wait at the provider, before the router has them. A shaper in the router brings the queue there if it is given
a rate below that of the link. With the bottleneck upstream, CoDel in the router signals packets by the time that they waited at the
provider, which the echoes of time stamps show, and no rate is set."""
CAPTION = dots.CAPTION
WHY = """The senders share one queue, as with CoDel at the link, and what CoDel drops has crossed the link already."""
QUEUE = far.UP
OURS = "upstream"


def late(_results: Results) -> Measure:
    return measures.delay(QUEUE, "p95")


CHECK = (
    checks.Check(
        "what the link carries, of that with a queue for each flow at the link itself",
        "%",
        partial(far.share_of_link, OURS, QUEUE),
        low=90,
    ),
    checks.Check("95th percentile delay at the provider", "ms", checks.of(OURS, late), high=110),
)

headlines = partial(far.headlines, QUEUE)
table = partial(far.by_link, QUEUE)
picture = partial(dots.picture, headlines=headlines)
describe = partial(dots.describe, headlines=headlines)
