#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""In the machine with the debug kernel: a request whose first, second, ... allocation fails.

Qdiscs are created, changed, replaced, given filters, dumped and deleted, with packets in them. Whatever fails, a
request that is refused has changed nothing, and one that succeeds has the result that it has with enough memory. The
kernel's fault injection counts the allocations of this process (fail-nth).
"""

from __future__ import annotations

import errno
import os
import socket
import struct
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

sys.path.insert(0, "/root/tests/kernel")

from netlink import HANDLE, NLM_F_CREATE, TCA_OPTIONS, Netlink, attribute  # noqa: E402
from trafficlib import accounting  # noqa: E402
from trafficlib.accounting import TCMSG  # noqa: E402

RTM_DELQDISC, RTM_NEWTFILTER, RTM_DELTFILTER, RTM_GETTFILTER = 37, 44, 45, 46
MATCHALL_CLASSID = 1
ALL_PROTOCOLS = (1 << 16) | socket.htons(3)  # preference 1
SETTINGS = {"ignore-gfp-wait": "N", "verbose": "0"}
MOST = 1000  # allocations of one request
# For each of them: this process itself has an allocation now and then, and the count moves
ATTEMPTS = 3
DEVICE = "d0"
PORT, FLOWS = 9, 20
# Two bytes a second: what is sent stays, on as many flows as fit
SLOW = "64N=nest:6=hex:" + struct.pack("=Q", 2).hex()
LIMIT, ONE, MANY = "2=u32:100", "5=u32:1", "5=u32:65536"

Action = Callable[[Netlink], str]  # the name of the error, "" for none
State = list[tuple[object, ...]]


@dataclass(frozen=True)
class Attack:
    """A request, and what is there before it."""

    name: str
    before: tuple[str, ...]
    act: Action


def sh(command: str) -> None:
    subprocess.run(command, shell=True, check=True)


def arm() -> None:
    """Allocations that may sleep, of any size, can fail; and quietly."""
    for point in ("failslab", "fail_page_alloc"):
        for name, value in SETTINGS.items():
            (Path("/sys/kernel/debug") / point / name).write_text(value)
    Path("/sys/kernel/debug/fail_page_alloc/min-order").write_text("0")


def qdisc(kind: str, verb: str, *specs: str) -> Action:
    return lambda link: str(link.request(kind, verb, list(specs))["errno"] or "")


def delete(link: Netlink) -> str:
    body = TCMSG.pack(0, link.index, HANDLE, accounting.TC_H_ROOT, 0)
    return link.ask(RTM_DELQDISC, 0, body)[0]


def classify(message: int, flags: int) -> Action:
    """A filter for all packets, into the second class."""
    options = attribute(MATCHALL_CLASSID, struct.pack("=L", HANDLE | 2))
    payload = attribute(1, b"matchall\0") + attribute(2, options)
    return lambda link: link.ask(
        message, flags, TCMSG.pack(0, link.index, 1, HANDLE, ALL_PROTOCOLS) + payload
    )[0]


def dump(kind: int) -> Action:
    """As many messages as the first time, or an error.

    "short" is the core's: it ends a dump, and reports nothing, if there is no memory for the first message of a buffer.
    """
    first: list[int] = []

    def act(link: Netlink) -> str:
        there = len(list(accounting.dump(kind, link.index)))
        first.append(there)
        return "" if there == first[0] else "short"

    return act


def qdisc_2(words: str) -> str:
    """Another handle than the request's: the core refuses another kind with the same one."""
    return words.replace("1:", "2:")


CODEL = f"tc qdisc add dev {DEVICE} root handle 1: codel_oot rate 16bit"
FQ = f"tc qdisc add dev {DEVICE} root handle 1: fq_codel_oot rate 16bit flows 1024"
IN_TREE = (
    f"tc qdisc add dev {DEVICE} root handle 2: tbf rate 8bit burst 200 limit 1mb",
    f"tc qdisc add dev {DEVICE} parent 2:1 handle 1: fq_codel",
)
FILTER = f"tc filter add dev {DEVICE} parent 1: pref 1 handle 1 matchall classid 1:2"
# An allocation of the core fails, or one of the qdisc: both have to occur
EXPECTED = {"ENOBUFS", "ENOMEM"}

ATTACKS = [
    Attack("create codel_oot", (), qdisc("codel_oot", "create", LIMIT)),
    Attack("create fq_codel_oot", (), qdisc("fq_codel_oot", "create", LIMIT)),
    Attack("create with one flow", (), qdisc("fq_codel_oot", "create", ONE)),
    Attack("create with 65536 flows", (), qdisc("fq_codel_oot", "create", MANY)),
    Attack("change codel_oot", (CODEL,), qdisc("codel_oot", "change", LIMIT)),
    Attack("change fq_codel_oot", (FQ,), qdisc("fq_codel_oot", "change", LIMIT)),
    Attack("replace codel_oot", (qdisc_2(CODEL),), qdisc("fq_codel_oot", "replace", SLOW)),
    Attack("replace fq_codel_oot", (qdisc_2(FQ),), qdisc("codel_oot", "replace", SLOW)),
    Attack("add a filter", (FQ,), classify(RTM_NEWTFILTER, NLM_F_CREATE)),
    Attack("delete a filter", (FQ, FILTER), classify(RTM_DELTFILTER, 0)),
    Attack("dump qdiscs", (CODEL,), dump(accounting.RTM_GETQDISC)),
    Attack("dump classes", (FQ,), dump(accounting.RTM_GETTCLASS)),
    Attack("dump classes, in-tree", IN_TREE, dump(accounting.RTM_GETTCLASS)),
    Attack("delete", (FQ, FILTER), delete),
]


def send() -> None:
    """Packets of some flows, which the qdisc keeps if it has a rate."""
    for port in range(FLOWS):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            sock.bind(("", 5000 + port))
            sock.sendto(bytes(100), ("192.0.2.2", PORT))


def state(link: Netlink) -> State:
    """Filters, and qdiscs under test with their options, packets and bytes. The core chooses what else is there."""
    found: State = []
    for message in accounting.qdiscs(link.index):
        _, _, handle, parent, _ = TCMSG.unpack_from(message)
        tb = accounting.attributes(message[TCMSG.size :])
        kind, queued = accounting.queued(tb)
        if kind.endswith("_oot"):
            found.append((kind, handle, parent, queued, tb.get(TCA_OPTIONS)))
    found += [(message,) for message in accounting.dump(RTM_GETTFILTER, link.index)]
    return found


def prepare(attack: Attack, link: Netlink) -> State:
    subprocess.run(f"tc qdisc del dev {DEVICE} root 2>/dev/null", shell=True, check=False)
    for command in attack.before:
        sh(command)
    send()
    return state(link)


def failing(act: Action, link: Netlink, nth: int) -> tuple[str, bool]:
    """The kernel's answer, and whether there were that many allocations."""
    fail = os.open("/proc/thread-self/fail-nth", os.O_RDWR)
    os.pwrite(fail, str(nth).encode(), 0)
    try:
        error = act(link)
    except OSError as lost:  # the request, or the answer, had no memory
        error = "no answer: " + errno.errorcode.get(lost.errno or 0, str(lost))
    left = int(os.pread(fail, 16, 0))
    os.pwrite(fail, b"0", 0)
    os.close(fail)
    return error, left == 0


def once(attack: Attack, link: Netlink, nth: int, before: State, after: State) -> tuple[str, bool]:
    """As failing(). Ends the run if what is there afterwards is neither of the two."""
    assert prepare(attack, link) == before
    # An answer that was lost may come later, so the request has a socket of its own
    error, failed = failing(attack.act, Netlink(DEVICE), nth)
    now = state(link)
    allowed = [after] if not error else [before, after] if " " in error else [before]
    assert now in allowed, f"{attack.name}, allocation {nth}: {error}: {before}, {now}"
    assert failed or not error, f"{attack.name}: {error} though nothing failed"
    return error, failed


def exhaust(attack: Attack) -> Counter[str]:
    """How often each error came."""
    link = Netlink(DEVICE)
    before = prepare(attack, link)
    assert not attack.act(link), f"{attack.name} fails with enough memory"
    after = state(link)
    errors: Counter[str] = Counter()
    for nth in range(1, MOST):
        found = [once(attack, link, nth, before, after) for _ in range(ATTEMPTS)]
        failed = [error or "none" for error, failed in found if failed]
        if not failed:
            return errors
        errors.update(failed)
    raise AssertionError(f"{attack.name}: no end")


def main() -> None:
    sh("modprobe sch_codel_oot && modprobe sch_fq_codel_oot")
    # Nothing is sent but what send() sends
    sh("sysctl -qw net.ipv6.conf.default.disable_ipv6=1")
    sh(f"ip link add {DEVICE} type dummy && ip addr add 192.0.2.1/24 dev {DEVICE}")
    sh(f"ip link set {DEVICE} up")
    arm()
    found: Counter[str] = Counter()
    for attack in ATTACKS:
        errors = exhaust(attack)
        assert errors, f"{attack.name}: nothing failed"
        found += errors
        print(f"{attack.name}: {errors.total()} allocations failed: {dict(errors)}", flush=True)
    assert EXPECTED <= set(found), f"of {EXPECTED}, only {set(found)}"


if __name__ == "__main__":
    main()
