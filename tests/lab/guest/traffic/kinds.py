# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The kinds of traffic by name."""

from __future__ import annotations

from .bulk import Bulk
from .datagrams import Cbr
from .item import Item
from .tools import Ping

KINDS: dict[str, type[Item]] = {
    "bulk": Bulk,
    "cbr": Cbr,
    "ping": Ping,
}
