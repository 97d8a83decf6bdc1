# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Does anything to a qdisc that can be done to it, in any order, and looks at its ledger each time.

    fuzz.py DEV PARENT KIND SEED STEPS

KIND is added below PARENT ("root" or a class), and then packets, changes, filters, waiting, resets and
a device that goes down take turns. After every step all that was handed to the device must be in the
ledger, and the ledger must add up. Prints what did not, with the steps that led there; status 1 then.
"""

from __future__ import annotations

import errno
import random
import subprocess
import time
from typing import Callable

from . import ledger, probe

HANDLE = "10:"
DS_FIELD, ECT_0 = 15, 2
TOLD = 12  # steps that are printed before a fault


class Fuzz:
    def __init__(self, dev: str, parent: str, kind: str, seed: int) -> None:
        self.dev, self.kind = dev, kind
        self.parent = ["root"] if parent == "root" else ["parent", parent]
        self.random = random.Random(seed)
        self.flows = kind.startswith("fq_codel")
        self.given = 0  # packets since the counters began
        self.up = True
        self.filters = False

    def tc(self, *words: str) -> str:
        subprocess.run(["tc", *words], check=True, capture_output=True, text=True)
        return "tc " + " ".join(words)

    def qdisc(self, verb: str, *words: str) -> str:
        where = ["qdisc", verb, "dev", self.dev, *self.parent, "handle", HANDLE]
        return self.tc(*where, self.kind, *words)

    # ---- steps

    def send(self) -> str:
        count = self.random.choice((1, 2, 10, 60))
        size = self.random.choice((60, 300, 1514))
        flows = self.random.choice((1, 3, 40))
        prio = self.random.choice((0, 0, 0x100000 | self.random.randint(1, 6)))
        ect = self.random.choice((0, ECT_0))
        sock = probe.opened(self.dev, prio)
        for number in range(count):
            data = bytearray(probe.frame(size, number % flows))
            data[DS_FIELD] |= ect
            try:
                sock.send(data)
            except OSError as error:
                if error.errno != errno.ENOBUFS:  # that one is a drop
                    continue
            self.given += 1
        return f"send {count} of {size} bytes, {flows} flows, prio {prio:x}, ECN {ect}"

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
                "flows": pick(("1", "7", "64", "3000")),
                "quantum": pick(("256", "1514", "100000")),
                "memory_limit": pick(("1", "5000", "32Mb")),
                "drop_batch": pick(("1", "64")),
            }
        words = []
        for name in self.random.sample(sorted(options), self.random.randint(1, 3)):
            words += [word for word in (name, options[name]) if word]
        if "ecn" in words and "noecn" in words:
            words.remove("noecn")
        return self.qdisc("change", *words)

    def reset_stats(self) -> str:
        what = self.qdisc("change", "reset_stats")
        self.given = self.own().queued[0]
        return what

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
        where = ["filter", "add", "dev", self.dev, "parent", HANDLE, "protocol", "ip", "matchall"]
        if self.filters:
            where = ["filter", "del", "dev", self.dev, "parent", HANDLE]
        else:
            where += self.random.choice(
                (
                    ["classid", f"{HANDLE}3"],
                    ["classid", f"{HANDLE}ffff"],
                    ["action", "drop"],
                    ["action", "mirred", "egress", "redirect", "dev", "lo"],
                    ["action", "ok"],
                )
            )
        self.filters = not self.filters
        return self.tc(*where)

    def step(self) -> str:
        steps: list[Callable[[], str]] = [self.send] * 6 + [self.change] * 4 + [self.wait] * 3
        steps += [
            self.reset_stats,
            self.link if self.up else self.send,
            *[self.filter] * self.flows,
        ]
        if not self.up:
            steps += [self.link] * 6
        return self.random.choice(steps)()

    # ---- what must hold

    def own(self) -> ledger.Ledger:
        return next(one for one in ledger.read() if one.handle == 0x100000)

    def faults(self) -> list[str]:
        found = ledger.faults()
        own = self.own()
        seen = own.received[0] + own.bypassed[0]
        if seen != self.given:
            found.append(f"was given {self.given} packets, and says {seen}")
        return found


def main(dev: str, parent: str, kind: str, seed: int, steps: int) -> int:
    fuzz = Fuzz(dev, parent, kind, seed)
    log = [fuzz.qdisc("add")]
    for number in range(steps):
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


def command(words: list[str]) -> int:
    dev, parent, kind, seed, steps = words
    return main(dev, parent, kind, int(seed), int(steps))
