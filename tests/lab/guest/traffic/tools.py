# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""ping: the standard tool, from the item's start to its stop.

It sends a little late each time (0.5 ms of 200), so that its last ones come after the stop.
What has not been answered when the last answer comes may be on its way still: it is not reported.
"""

from __future__ import annotations

import re
import signal
from typing import Any

from .item import Item, Lab, Spec
from .programs import Program

REPLY = re.compile(r"^\[(\d+)\.(\d{6})\] .* icmp_seq=(\d+) ttl=\d+ time=([0-9.]+) ms", re.M)


def _exact(node: str) -> list[str]:
    """ping shows three digits, unless it is new enough (2023) and told otherwise."""
    usage = Program(node, ["ping", "-h"])
    try:
        usage.wait()
        return ["-3"] if " -3 " in usage.complaint() else []
    finally:
        usage.kill()


class Ping(Item):
    def __init__(self, lab: Lab, spec: Spec) -> None:
        super().__init__(lab, spec)
        self.program: Program | None = None
        self.interval: int = spec["interval"]
        self.count = (self.stop - self.start) // self.interval
        self.exact = _exact(self.sender)
        if self.count > 0:
            self.loop.at(self.start, self.begin)

    def begin(self) -> None:
        argv = ["ping", "-n", "-D", *self.exact, "-i", f"{self.interval / 1e9:.6f}"]
        argv += ["-c", str(self.count), "-s", str(self.spec["size"])]
        argv += ["-I", self.network.addresses[self.sender], self.network.addresses[self.receiver]]
        self.program = Program(self.sender, argv)

    def measured(self) -> dict[str, Any]:
        if self.program is None:
            return {"samples": {"at": [], "rtt": []}}
        self.program.tell(signal.SIGINT)
        self.program.wait()
        replies = self.replies(self.program.output())
        if not replies:
            raise self.error(f"no answer at all: {self.program.complaint()}")
        return {"samples": self.samples(replies)}

    def replies(self, text: str) -> dict[int, tuple[int, int]]:
        """By sequence number, which ping counts with 16 bits: time of sending and round trip."""
        found: dict[int, tuple[int, int]] = {}
        last = 0
        for seconds, micro, low, ms in REPLY.findall(text):
            arrived = int(seconds) * 1_000_000_000 + int(micro) * 1000 - self.loop.real_origin
            rtt = round(float(ms) * 1e6)
            last += (int(low) - last + 0x8000) % 0x10000 - 0x8000
            found[last] = arrived - rtt, rtt
        return found

    def samples(self, replies: dict[int, tuple[int, int]]) -> dict[str, list[int | None]]:
        at: list[int | None] = []
        rtts: list[int | None] = []
        sent = min(replies.values())[0] - min(replies) * self.interval
        for seq in range(1, max(replies) + 1):
            sent, rtt = replies.get(seq, (sent + self.interval, None))
            at.append(sent)
            rtts.append(rtt)
        return {"at": at, "rtt": rtts}

    def end(self) -> None:
        if self.program:
            self.program.kill()
