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
from pathlib import Path
from typing import Iterator

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "ktap")]

import ktap  # noqa: E402
from roundlib import place  # noqa: E402

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
        *(f"{CHANGE} {option}" for option in ("target 7ms", "limit 20", "rate 1mbit")),
        *READ,
    ),
    "fq_codel_oot": (
        *(f"{CHANGE} {option}" for option in ("target 7ms", "limit 20", "rate 1mbit")),
        *READ,
        "-s class show dev d0",
        "filter add dev d0 parent 10: matchall classid 10:1",
    ),
}  # fmt: skip
WITHOUT_LOCK = "link show dev d0"


def start(argv: list[str]) -> subprocess.Popen[bytes]:
    argv = ["taskset", "-c", str(REQUESTER), *argv]
    return subprocess.Popen(argv, stdout=subprocess.DEVNULL)


def duration(argv: list[str]) -> float:
    """Seconds that a request takes while the lock is free."""
    begin = time.monotonic()
    assert start(argv).wait() == 0, "the request is refused"
    return time.monotonic() - begin


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


def waits(argv: list[str]) -> None:
    patience = min(max(LEAST, PATIENCE * duration(argv)), MOST)
    with lock_held():
        child = start(argv)
        early = ended(child, patience)
    assert child.wait() == 0, "the request is refused"
    assert not early, "it has not waited"


def does_not_wait(argv: list[str]) -> None:
    with lock_held():
        early = ended(start(argv), ENDS)
    assert early, "it has waited"


def build(where: str, kind: str) -> str:
    """A qdisc of this kind at this place; how to name its parent."""
    place.run("tc", "qdisc", "del", "dev", DEVICE, "root", check=False)
    lines, parent = PLACES[where]
    for line in (*lines, f"qdisc add dev {DEVICE} {parent} handle 10: {kind}"):
        place.run("tc", *line.split())
    return parent


def try_request(where: str, kind: str, line: str) -> None:
    parent = build(where, kind)
    waits(["tc", *line.format(parent=parent, kind=kind).split()])


def set_up() -> None:
    place.run("modprobe", "-a", "dummy", "sch_codel_oot", "sch_fq_codel_oot")
    place.run("insmod", "hold.ko")
    place.run("ip", "link", "add", DEVICE, "type", "dummy")
    # A packet would keep the processor that sends it waiting for the lock, and that may be the witness
    Path(f"/proc/sys/net/ipv6/conf/{DEVICE}/disable_ipv6").write_text("1")
    place.run("ip", "link", "set", DEVICE, "up")
    os.sched_setaffinity(0, {WITNESS})
    build("as root", "codel_oot")


def main() -> None:
    set_up()
    ktap.case(f"ip {WITHOUT_LOCK} does not wait")(
        lambda: does_not_wait(["ip", *WITHOUT_LOCK.split()])
    )
    for where, (_, parent) in PLACES.items():
        for kind, lines in REQUESTS.items():
            for line in lines:
                title = f"{kind} {where}: tc {line.format(parent=parent, kind=kind)} waits"
                ktap.case(title)(lambda w=where, k=kind, t=line: try_request(w, k, t))  # type: ignore[misc]
    ktap.main()


if __name__ == "__main__":
    main()
