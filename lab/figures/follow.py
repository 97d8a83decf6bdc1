# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Uploads whose slowest link is behind a modem. The operator has set no rate."""

from __future__ import annotations

from functools import partial

from . import dots, far
from .papers import HERE

NAME = "follow"
TITLE = "A queue in the modem"
SOURCE = HERE
CLAIM = """Uploads wait in the modem, where no qdisc of the router is. A shaper in the router brings the queue there if it is
given a rate, which has to be known, and right at each moment. With the bottleneck downstream, the router bounds the
bytes beyond it by what acknowledgments say, and no rate is set."""
CAPTION = dots.CAPTION
WHY = """While the link stands still, no acknowledgment comes, and nothing more is sent. A shaper goes on sending at its rate."""
CHECK = far.verdicts("downstream", "in the modem", 40)

headlines = far.headlines
table = far.by_link
picture = partial(dots.picture, headlines=headlines)
describe = partial(dots.describe, headlines=headlines)
