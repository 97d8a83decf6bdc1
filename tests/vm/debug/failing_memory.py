#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""In the machine with the debug kernel: a request whose first, second, ... allocation fails.

Whatever fails, the request is refused and the device has the qdisc that it had, or it succeeds. The
kernel's fault injection counts the allocations of this process (fail-nth).
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, "/root/tests/kernel")

from netlink import Netlink  # noqa: E402

LIMIT, FQ_FLOWS = "2=u32:100", "5=u32:%d"
QDISC, OURS = "ENOBUFS", "ENOMEM"  # an allocation of the core failed; one of the qdisc did
REQUESTS = [
    ("codel_oot", [LIMIT], {QDISC}),
    ("fq_codel_oot", [LIMIT], {QDISC, OURS}),
    ("fq_codel_oot", [FQ_FLOWS % 1], {QDISC, OURS}),
    ("fq_codel_oot", [FQ_FLOWS % 65536], {QDISC, OURS}),
]
SETTINGS = {"ignore-gfp-wait": "N", "verbose": "0"}


def sh(command: str) -> None:
    subprocess.run(command, shell=True, check=True)


def arm() -> None:
    """Allocations that may sleep, of any size, can fail; and quietly."""
    for point in ("failslab", "fail_page_alloc"):
        for name, value in SETTINGS.items():
            (Path("/sys/kernel/debug") / point / name).write_text(value)
    Path("/sys/kernel/debug/fail_page_alloc/min-order").write_text("0")


def attempt(link: Netlink, kind: str, specs: list[str], nth: int) -> tuple[object, bool]:
    """The kernel's answer, and whether there were that many allocations."""
    fail = os.open("/proc/thread-self/fail-nth", os.O_RDWR)
    os.pwrite(fail, str(nth).encode(), 0)
    try:
        error = link.request(kind, "create", specs)["errno"]
    except OSError:  # the request, or the answer, had no memory
        error = "lost" if link.dump()[0] != kind else 0
    left = int(os.pread(fail, 16, 0))
    os.pwrite(fail, b"0", 0)
    os.close(fail)
    return error, left == 0


def exhaust(link: Netlink, kind: str, specs: list[str]) -> list[object]:
    """Returns the refusals that failing allocations led to."""
    before = link.dump()
    refusals: list[object] = []
    for nth in range(1, 1000):
        error, failed = attempt(link, kind, specs, nth)
        if error:
            refusals.append(error)
            assert failed, f"{kind} {specs}: {error} though nothing failed"
            assert link.dump() == before, f"{kind} {specs}: {error}, and the qdisc is another"
            continue
        assert link.dump()[0] == kind
        sh("tc qdisc del dev d0 root")
        if not failed:
            return refusals
    raise AssertionError(f"{kind} {specs}: no end")


def main() -> None:
    sh("modprobe sch_codel && modprobe sch_fq_codel")
    sh("ip link add d0 type dummy && ip link set d0 up")
    arm()
    link = Netlink("d0")
    for kind, specs, expected in REQUESTS:
        refusals = exhaust(link, kind, specs)
        print(kind, *specs, "refused:", *refusals)
        assert expected <= set(refusals)


main()
