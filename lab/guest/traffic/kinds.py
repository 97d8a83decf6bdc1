# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The kinds of traffic by name."""

from __future__ import annotations

from typing import Callable

from .bulk import Bulk
from .datagrams import Cbr, Frames, OnOff
from .echo import Echo
from .item import Item, Lab, Spec
from .requests import Requests
from .tools import Ping, Probe
from .web import Uploads, Web


def probe(lab: Lab, spec: Spec) -> Item:
    return Echo(lab, spec) if spec["arrivals"] == "poisson" else Probe(lab, spec)


KINDS: dict[str, Callable[[Lab, Spec], Item]] = {
    "bulk": Bulk,
    "web": Web,
    "uploads": Uploads,
    "cbr": Cbr,
    "onoff": OnOff,
    "frames": Frames,
    "requests": Requests,
    "ping": Ping,
    "probe": probe,
}
