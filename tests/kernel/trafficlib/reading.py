# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The cost of reading statistics.

    run.py reading DEV classes|qdiscs

dumps them three times and prints how many there are, the time that the kernel took for the fastest
of the dumps, in ns, and how many bytes that were. What happens in between, here, does not count.
"""

from __future__ import annotations

import socket
import struct
import time

from . import accounting

RTM = {"classes": accounting.RTM_GETTCLASS, "qdiscs": accounting.RTM_GETQDISC}
BUFFER = 32768  # buffer of tc and codelstat, and the most that the kernel fills at once


def dump(kind: int, index: int) -> tuple[int, int, int]:
    """Time in the kernel, messages, bytes."""
    buffer = bytearray(BUFFER)
    request = accounting.request(kind, index)
    messages = total = 0
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as sock:
        since = time.perf_counter_ns()
        sock.send(request)
        spent = time.perf_counter_ns() - since
        while True:
            since = time.perf_counter_ns()
            size = sock.recv_into(buffer)
            spent += time.perf_counter_ns() - since
            total += size
            at = 0
            while at < size:
                length, kind = struct.unpack_from("=IH", buffer, at)
                if kind == accounting.NLMSG_DONE:
                    return spent, messages, total
                messages += 1
                at += (length + 3) & ~3


def main(words: list[str]) -> None:
    dev, what = words
    index = socket.if_nametoindex(dev)
    spent, messages, total = min(dump(RTM[what], index) for _ in range(3))
    print(messages, spent, total)
