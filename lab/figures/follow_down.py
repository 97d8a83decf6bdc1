# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Downloads whose slowest link is ahead of the router, at the provider."""

from __future__ import annotations

from functools import partial

from . import dots, far
from .papers import HERE

NAME = "follow_down"
TITLE = "A queue at the provider"
SOURCE = HERE
CLAIM = """Downloads wait at the provider, before the router has them. A shaper in the router brings the queue there if it is given
a rate below that of the link. With the bottleneck upstream, CoDel in the router signals packets by the time that they waited at the
provider, which the echoes of time stamps show, and no rate is set."""
CAPTION = dots.CAPTION
WHY = """The senders share one queue, as with CoDel at the link, and what CoDel drops has crossed the link already."""
CHECK = far.verdicts("upstream", "at the provider", 110)

headlines = far.headlines
table = far.by_link
picture = partial(dots.picture, headlines=headlines)
describe = partial(dots.describe, headlines=headlines)
