#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""In the machine: a request that changes or reads what packets change waits for the lock of the root qdisc.

One processor holds the lock, one makes the request, one looks on. A round finds a missing lock when two processors meet;
here they always do.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator

ROOT = Path("/sys/module/hold/parameters/root")
DEVICE = "d0"
REQUESTER, WITNESS = 0, 1  # processors; the third one holds the lock
# A request that waits is watched for this many times what it takes when the lock is free
PATIENCE = 20
LEAST, MOST = 0.5, 20.0  # seconds; hold.c gives the lock back after 60
ENDS = 30  # seconds in which a request without a lock has ended, on a busy host, too

PLACES = {
    "as root": ([], "root"),
    "below htb": (
        ["qdisc add dev d0 root handle 1: htb default 1", "class add dev d0 parent 1: classid 1:1 htb rate 100mbit"],
        "parent 1:1",
    ),
}  # fmt: skip
CHANGE = "qdisc change dev d0 {parent} handle 10: {kind}"
READ = ("-s qdisc show dev d0", "qdisc show dev d0")
REQUESTS = {
    "codel_oot": (
        *(f"{CHANGE} {option}" for option in ("target 7ms", "limit 20", "reset_stats", "rate 1mbit")),
        *READ,
    ),
    "fq_codel_oot": (
        *(f"{CHANGE} {option}" for option in ("target 7ms", "limit 20", "reset_stats", "rate 1mbit", "flows 32")),
        *READ,
        "-s class show dev d0",
    ),
}  # fmt: skip
WITHOUT_LOCK = "link show dev d0"


@dataclass
class Request:
    argv: list[str]

    def start(self) -> subprocess.Popen[bytes]:
        argv = ["taskset", "-c", str(REQUESTER), *self.argv]
        return subprocess.Popen(argv, stdout=subprocess.DEVNULL)

    def duration(self) -> float:
        """Seconds, while nobody holds the lock."""
        start = time.monotonic()
        if self.start().wait():
            raise RuntimeError(f"refused: {' '.join(self.argv)}")
        return time.monotonic() - start


@contextlib.contextmanager
def lock_held() -> Iterator[None]:
    """By the last processor. The end fails if the lock was free before it."""
    ROOT.write_text(DEVICE)
    yield
    ROOT.write_text("\n")


def ended(child: subprocess.Popen[bytes], seconds: float) -> bool:
    try:
        child.wait(seconds)
    except subprocess.TimeoutExpired:
        return False
    return True


def waits(request: Request) -> bool:
    patience = min(max(LEAST, PATIENCE * request.duration()), MOST)
    with lock_held():
        child = request.start()
        waited = not ended(child, patience)
    return child.wait() == 0 and waited


def does_not_wait() -> bool:
    with lock_held():
        return ended(Request(["ip", *WITHOUT_LOCK.split()]).start(), ENDS)


def tc(line: str) -> None:
    subprocess.run(["tc", *line.split()], check=True)


def build(place: str, kind: str) -> str:
    """A qdisc of this kind at this place; how to name its parent."""
    subprocess.run(["tc", "qdisc", "del", "dev", DEVICE, "root"], stderr=subprocess.DEVNULL)
    lines, parent = PLACES[place]
    for line in (*lines, f"qdisc add dev {DEVICE} {parent} handle 10: {kind}"):
        tc(line)
    return parent


def cases() -> list[tuple[str, str, str]]:
    return [(place, kind, line) for place in PLACES for kind in REQUESTS for line in REQUESTS[kind]]


def main() -> int:
    subprocess.run(["modprobe", "-a", "dummy", "sch_codel_oot", "sch_fq_codel_oot"], check=True)
    subprocess.run(["insmod", "hold.ko"], check=True)
    subprocess.run(["ip", "link", "add", DEVICE, "type", "dummy"], check=True)
    # A packet would keep the processor that sends it waiting for the lock, and that may be the witness
    Path(f"/proc/sys/net/ipv6/conf/{DEVICE}/disable_ipv6").write_text("1")
    subprocess.run(["ip", "link", "set", DEVICE, "up"], check=True)
    os.sched_setaffinity(0, {WITNESS})
    print(f"TAP version 13\n1..{len(cases()) + 1}")
    build("as root", "codel_oot")
    good = [does_not_wait()]
    print(f"{'ok' if good[0] else 'not ok'} 1 ip {WITHOUT_LOCK} does not wait", flush=True)
    for number, (place, kind, line) in enumerate(cases(), 2):
        words = line.format(parent=build(place, kind), kind=kind).split()
        good.append(waits(Request(["tc", *words])))
        word = "ok" if good[-1] else "not ok"
        print(f"{word} {number} {kind} {place}: tc {' '.join(words)} waits", flush=True)
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
