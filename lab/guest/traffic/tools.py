# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""ping and probe (irtt): the standard tools, from the item's start to its stop.

ping sends a little late each time (0.5 ms of 200), so that its last ones come after the stop.
irtt sends within 1 ms of the right time, and its clocks are read by its processes: one-way delays are 20 us more
than the network's. Before its first probe come two packets of 54 and 62 bytes, one there and one back, which are sent
again after 1, 2, 4 and 8 s; after its last one a packet of 40 bytes.

What has not been answered when the last answer comes may be on its way still: it is not reported.
"""

from __future__ import annotations

import json
import re
import signal
import time
from typing import Any

from .item import Item, Lab, Spec
from .programs import Program, run

REPLY = re.compile(r"^\[(\d+)\.(\d{6})\] .* icmp_seq=(\d+) ttl=\d+ time=([0-9.]+) ms", re.M)
NO_ANSWER = 1  # ping's status
IP_UDP = 28
LEAST_PROBE = 60  # bytes of IP: with irtt's header and two time stamps
LISTENS = 5.0  # seconds in which irtt's server has to


def _exact(node: str) -> list[str]:
    """ping shows three digits, unless it is new enough (2023) and told otherwise."""
    usage = Program(node, ["ping", "-h"])
    try:
        usage.wait()
        return ["-3"] if " -3 " in usage.errors() else []
    finally:
        usage.kill()


class Ping(Item):
    def __init__(self, lab: Lab, spec: Spec) -> None:
        super().__init__(lab, spec)
        self.program: Program | None = None
        self.interval: int = spec["interval"]
        self.count = (self.stop - self.start) // self.interval
        self.exact = _exact(self.sender)
        # With -I it does not tell that there is no way
        run(self.sender, ["ip", "route", "get", self.network.addresses[self.receiver]])
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
        status = self.program.wait()
        replies = self.replies(self.program.output())
        if status > NO_ANSWER or (not replies and self.program.errors()):
            raise self.error(self.program.complaint())
        if not replies:
            self.silent([self.start])
            return {"samples": {"at": [], "rtt": []}}
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


class Probe(Item):
    def __init__(self, lab: Lab, spec: Spec) -> None:
        super().__init__(lab, spec)
        if spec["size"] < LEAST_PROBE:
            raise self.error(f"size {spec['size']} is less than {LEAST_PROBE}")
        self.client: Program | None = None
        address = f"{self.network.addresses[self.receiver]}:{self.port}"
        self.server = Program(self.receiver, ["irtt", "server", "-b", address, "-i", "0"])
        self.wait_for_server()
        if self.start < self.stop:
            self.loop.at(self.start, self.begin, address)

    def wait_for_server(self) -> None:
        end = time.monotonic() + LISTENS
        while not run(self.receiver, ["ss", "-Hlun", f"sport = :{self.port}"]):
            if time.monotonic() > end or not self.server.running():
                raise self.error(f"does not listen: {self.server.complaint()}")
            time.sleep(0.005)

    def begin(self, address: str) -> None:
        argv = ["irtt", "client", "-Q", "-o", "-", "--stats=none", "--clock=wall"]
        argv += ["-i", f"{self.spec['interval']}ns", "-d", f"{self.stop - self.start}ns"]
        argv += ["-l", str(self.spec["size"] - IP_UDP), f"--dscp={self.spec['dscp'] << 2}"]
        argv += ["--wait=1s", f"--local={self.network.addresses[self.sender]}", address]
        self.client = Program(self.sender, argv)

    def measured(self) -> dict[str, Any]:
        found: dict[str, list[int | None]] = {"at": [], "rtt": [], "up": [], "down": []}
        if self.client is None:
            return {"samples": found}
        if self.client.wait():
            raise self.error(self.client.complaint())
        trips = json.loads(self.client.output())["round_trips"]
        while trips and not trips[-1]["delay"]:
            trips.pop()
        for trip in trips:
            delay = trip["delay"]
            sent = trip["timestamps"]["client"]["send"]["wall"]
            found["at"].append(sent - self.loop.real_origin)
            found["rtt"].append(delay.get("rtt"))
            found["up"].append(delay.get("send"))
            found["down"].append(delay.get("receive"))
        return {"samples": found}

    def end(self) -> None:
        self.server.kill()
        if self.client:
            self.client.kill()
