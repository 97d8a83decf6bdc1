# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""What all kinds of traffic share: one item of the run document, and the experiment around it."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .loop import Loop
    from .sockets import Network

SILENCE = 20_000_000_000  # ns that a path may take, with its queues, before it is taken for broken
Spec = dict[str, Any]  # of one item, all keys resolved


class TrafficError(Exception):
    """What went wrong, and with which item."""


class Lab:
    """The experiment that the items are part of."""

    def __init__(self, loop: Loop, network: Network, document: dict[str, Any]) -> None:
        self.loop = loop
        self.network = network
        self.seed: int = document["seed"]
        self.duration: int = document["duration"]
        self.warmup: int = document["warmup"]
        self.mtu: int = min(link["mtu"] for link in document["links"])


class Item:
    """One item. It starts by itself, with timers of the loop that its constructor sets."""

    def __init__(self, lab: Lab, spec: Spec) -> None:
        self.lab = lab
        self.loop = lab.loop
        self.network = lab.network
        self.spec = spec
        self.name: str = spec["name"]
        self.sender: str = spec["from"]
        self.receiver: str = spec["to"]
        self.port: int = spec["port"]
        self.start: int = spec["start"]
        self.stop: int = min(spec["stop"], lab.duration)

    def random(self, what: str) -> random.Random:
        """Numbers for one purpose, which no other purpose and no other item changes."""
        return random.Random(f"{self.lab.seed}/{self.name}/{what}")

    def error(self, text: str) -> TrafficError:
        return TrafficError(f"traffic {self.name}: {text}")

    def result(self) -> dict[str, Any]:
        """At the end of the experiment: what the run's document has of this item."""
        return {"name": self.name, "kind": self.spec["kind"], **self.measured()}

    def measured(self) -> dict[str, Any]:
        raise NotImplementedError

    def silent(self, sent: list[int]) -> None:
        """Nothing has arrived of what was sent at these times."""
        if sent and self.lab.duration - sent[0] > SILENCE:
            raise self.error(f"nothing of what {self.sender} sends arrives at {self.receiver}")

    def end(self) -> None:
        """Of what is not the loop's; also after an error, and before it started."""
