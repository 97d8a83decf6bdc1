# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Figure 7 again, with a buffer of 10 packets: small buffers are no cure."""

from __future__ import annotations

from . import overtime
from .papers import CODEL
from .results import Results
from .tables import Table

NAME = "fig7_small"
TITLE = "The same link with a buffer of 10 packets"
SOURCE = CODEL.at("text on figure 7")
CLAIM = """With room for only 10 packets, tail drop, RED and CoDel alike carry about 75% less than with 830, and
tail drop\u2019s worst delay is 120 ms. A small buffer buys its delay with throughput, which a managed one need
not."""
CAPTION = overtime.CAPTION
WHY = """The paper\u2019s senders were those of a simulator; here they use CUBIC with SACK."""

PUBLISHED = {"maximum delay": "tail drop 120", "carried": "75% less than with 830 packets"}


def table(results: Results) -> list[Table]:
    return overtime.table(results, PUBLISHED)


picture = overtime.picture
describe = overtime.describe
headlines = overtime.headlines
