# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Random operations on a qdisc, with a check of its packet accounting after each.

    run.py fuzz DEV PARENT KIND SEED STEPS

KIND is added below PARENT ("root" or a class), and then packets, changes, filters, waiting and a
device that goes down take turns. With PARENT "default", KIND is the root qdisc of DEV already and has
handle 0: the core allows no changes. After every step

- every packet handed to the device must be accounted for;
- each parent must have the sums of its children, and a strict parent must have found no mistake.

Now and then the queue drains, and then as many flows as half of the free queues have a queue each.
Prints what does not hold, with the steps that led there; status 1 then.
"""

from __future__ import annotations

import errno
import random
import socket
import struct
import subprocess
import time
from functools import cache
from typing import Callable

from . import accounting, probe

DS_FIELD, PROTOCOL, IP_CHECKSUM, TCP_OFFSET = 15, 23, 24, 46
ECT_0, TCP = 2, 6
ACK = bytes((5 << 4, 16))
SOL_PACKET, PACKET_VNET_HDR = 263, 15
# A header of virtio_net: no checksum yet, TCP over IPv4, 54 bytes of headers; and without any of it
TCP_HEADERS, GSO_SIZE = 54, 1448
GSO = struct.pack("=BBHHHH", 1, 1, TCP_HEADERS, GSO_SIZE, 34, 16)
NO_GSO = bytes(len(GSO))
CLASSES = 1024  # named one after the other, at most
EMPTY = 600  # seconds in which any queue drains
TOLD = 12  # steps that are printed before a fault


@cache
def opened(dev: str) -> socket.socket:
    sock = probe.opened(dev, 0)
    sock.setsockopt(SOL_PACKET, PACKET_VNET_HDR, 1)
    return sock


class Fuzz:
    def __init__(self, dev: str, parent: str, kind: str, seed: int) -> None:
        self.dev, self.kind = dev, kind
        self.place = parent
        self.handle = "0:" if parent == "default" else "10:"
        self.parent = ["root"] if parent == "root" else ["parent", parent]
        self.random = random.Random(seed)
        self.flows = kind.startswith("fq_codel")
        self.below_tbf = b"tbf" in accounting.kinds()
        self.queues = 1024  # flows of the qdisc
        self.given = 0  # packets
        self.up = True
        self.filters = False
        self.found: list[str] = []

    def tc(self, *words: str) -> str:
        subprocess.run(["tc", *words], check=True, capture_output=True, text=True)
        return "tc " + " ".join(words)

    def qdisc(self, verb: str, *words: str) -> str:
        where = ["qdisc", verb, "dev", self.dev, *self.parent, "handle", self.handle]
        return self.tc(*where, self.kind, *words)

    # ---- steps

    def frame(self, flow: int) -> bytes:
        """Of any size: an acknowledgement, a datagram, or a packet that is still to be segmented. The
        core counts segments of what goes past a queue, so there the last is left out."""
        kind = self.random.choice(("ack", "udp", "udp", "udp", "gso"))
        if kind == "udp" or kind == "gso" and self.place in ("root", "default"):
            return NO_GSO + probe.frame(self.random.choice((60, 300, 1514)), flow)
        size = self.random.choice((3000, 20000, 60000)) if kind == "gso" else 60
        data = bytearray(probe.frame(size, flow))
        data[PROTOCOL] = TCP
        data[TCP_OFFSET : TCP_OFFSET + len(ACK)] = ACK
        data[IP_CHECKSUM : IP_CHECKSUM + 2] = bytes(2)
        struct.pack_into("!H", data, IP_CHECKSUM, probe.checksum(bytes(data[14:34])))
        return (GSO if kind == "gso" else NO_GSO) + bytes(data)

    def give(self, data: bytes, prio: int) -> None:
        sock = opened(self.dev)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_PRIORITY, prio)
        try:
            sock.send(data)
        except OSError as error:
            if error.errno != errno.ENOBUFS:  # that one is a drop
                return
        self.given += 1
        if self.below_tbf and data.startswith(GSO):  # tbf has made segments of it
            self.given += (len(data) - len(GSO) - TCP_HEADERS - 1) // GSO_SIZE

    def class_of(self, number: int) -> int:
        return probe.handle(self.handle) | number

    def send(self) -> str:
        count = self.random.choice((1, 2, 10, 60))
        flows = self.random.choice((1, 3, 40))
        prio = self.random.choice((0, 6, self.class_of(self.random.randint(1, 6))))
        ect = self.random.choice((0, ECT_0))
        for number in range(count):
            data = bytearray(self.frame(number % flows))
            data[len(NO_GSO) + DS_FIELD] |= ect
            self.give(bytes(data), prio)
        return f"send {count}, {flows} flows, prio {prio:x}, ECN {ect}"

    def name_classes(self) -> str:
        """A packet for each class, or the same number of packets."""
        count = min(self.queues, CLASSES)
        for number in range(count):
            self.give(NO_GSO + probe.frame(60, 0), self.class_of(number + 1))
        return f"send a packet to each of {count} classes"

    def isolate(self) -> str:
        """Each new flow gets an idle queue. A filter may have reserved one, and a few are protected for
        recurring flows."""
        if self.place != "default":
            self.change_to({"limit": "1000", "memory_limit": "32Mb"})
        waited = self.until_empty()
        if self.filters or self.own().queued[0]:
            return waited
        before = self.own().collisions
        count = min((self.queues - 1 - max(self.queues // 32, 1)) // 2, 20)
        for number in range(count):
            self.give(NO_GSO + probe.frame(300, self.random.randrange(1000, 60000)), 0)
        collisions = self.own().collisions - before
        if collisions:
            self.found.append(f"{collisions} of {count} flows collide in {self.queues} queues")
        return f"{waited}, send {count} flows"

    def change(self) -> str:
        pick = self.random.choice
        options = {
            "limit": pick(("1", "5", "50", "1000")),
            "target": pick(("1us", "5ms", "1s")),
            "interval": pick(("1us", "1ms", "100ms")),
            "ecn": "",
            "noecn": "",
            "ce_threshold": pick(("1us", "10ms", "off")),
        }
        if self.flows:
            options |= {
                "quantum": pick(("256", "1514", "100000")),
                "memory_limit": pick(("1", "5000", "32Mb")),
                "drop_batch": pick(("1", "64")),
            }
        names = self.random.sample(sorted(options), self.random.randint(1, 3))
        if "ecn" in names and "noecn" in names:
            names.remove("noecn")
        return self.change_to({name: options[name] for name in names})

    def change_to(self, options: dict[str, str]) -> str:
        return self.qdisc("change", *(word for pair in options.items() for word in pair if word))

    def drain(self) -> str:
        """CoDel drops all packets but the last, which may be longer than an MTU."""
        what = self.change_to({"limit": "1000", "target": "1us", "interval": "1us", "noecn": ""})
        count = self.random.randint(2, 30)
        for number in range(count):
            self.give(self.frame(number % 2), 0)
        return f"{what}; send {count}, {self.until_empty()}"

    def until_empty(self) -> str:
        """Virtual time costs: the machine's timer wakes it 18 times a second."""
        seconds = 0
        while self.own().queued[0] and seconds < EMPTY:
            time.sleep(5)
            seconds += 5
        time.sleep(1)  # the last packet
        return f"wait {seconds + 1}"

    def wait(self) -> str:
        seconds = self.random.choice((0.001, 0.05, 2))
        time.sleep(seconds)
        return f"wait {seconds}"

    def link(self) -> str:
        self.up = not self.up
        state = "up" if self.up else "down"
        subprocess.run(["ip", "link", "set", self.dev, state], check=True)
        return f"link {state}"

    def filter(self) -> str:
        where = [
            "filter",
            "add",
            "dev",
            self.dev,
            "parent",
            self.handle,
            "protocol",
            "ip",
            "matchall",
        ]
        if self.filters:
            where = ["filter", "del", "dev", self.dev, "parent", self.handle]
        else:
            where += self.random.choice(
                (
                    ["classid", f"{self.handle}3"],
                    ["classid", f"{self.handle}ffff"],
                    ["action", "drop"],
                    ["action", "mirred", "egress", "redirect", "dev", "lo"],
                    ["action", "ok"],
                )
            )
        self.filters = not self.filters
        return self.tc(*where)

    def step(self) -> str:
        steps: list[Callable[[], str]] = [self.send] * 6 + [self.wait] * 3
        steps += [
            self.link if self.up else self.send,
            *[self.filter] * self.flows,
            *[self.name_classes, self.isolate] * (self.flows and self.up),
        ]
        if self.place != "default":
            steps += [self.change] * 4 + [self.drain]
        if not self.up:
            steps += [self.link] * 6
        return self.random.choice(steps)()

    # ---- invariants

    def own(self) -> accounting.Accounting:
        return next(one for one in accounting.read() if one.handle == probe.handle(self.handle))

    def faults(self) -> list[str]:
        found = self.found + accounting.faults(tree=True)
        own = self.own()
        seen = own.received[0] + own.bypassed[0]
        if seen != self.given:
            found.append(f"was given {self.given} packets, and says {seen}")
        return found


def main(words: list[str]) -> int:
    dev, parent, kind, seed, steps = words
    fuzz = Fuzz(dev, parent, kind, int(seed))
    log = [] if parent == "default" else [fuzz.qdisc("add")]
    for number in range(int(steps)):
        log.append(fuzz.step())
        found = fuzz.faults()
        if found:
            print(f"seed {seed}, step {number}:", "; ".join(found))
            print("\n".join(log[-TOLD:]))
            return 1
    total = fuzz.own()
    print(
        f"received {total.received[0]}, sent {total.sent[0]}, past the queue {total.bypassed[0]},"
    )
    print("dropped:", ", ".join(f"{k} {v[0]}" for k, v in total.dropped.items() if v[0]))
    return 0
