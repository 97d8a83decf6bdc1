# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The kinds of traffic by name."""

from __future__ import annotations

from .bulk import Bulk
from .datagrams import Cbr, OnOff
from .item import Item
from .requests import Requests
from .tools import Ping, Probe
from .web import Uploads, Web

KINDS: dict[str, type[Item]] = {
    "bulk": Bulk,
    "web": Web,
    "uploads": Uploads,
    "cbr": Cbr,
    "onoff": OnOff,
    "requests": Requests,
    "ping": Ping,
    "probe": Probe,
}
