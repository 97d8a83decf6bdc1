#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Prints how many pages are accessed, by the bits of the page table, after switches between two processes.

An access sets the bit only if the TLB does not have the translation: the numbers depend on the size of the TLB.
"""

import mmap
import os
import re
from pathlib import Path

PAGES = 3000
SWITCHES = range(100, 2000, 100)  # 20 to 400 ms of wall time, in which QEMU may resize its TLB

memory = mmap.mmap(-1, PAGES * mmap.PAGESIZE)
memory.madvise(mmap.MADV_NOHUGEPAGE)


def touch() -> None:
    for start in range(0, len(memory), mmap.PAGESIZE):
        memory[start] = 1


def switch() -> None:
    os.write(ping[1], b".")
    os.read(pong[0], 1)


ping, pong = os.pipe(), os.pipe()
if not os.fork():
    os.close(ping[1])
    while os.read(ping[0], 1):
        os.write(pong[1], b".")
    os._exit(0)

for count in SWITCHES:
    for _ in range(8):  # the TLB doubles its size at a switch if it is nearly full
        touch()
        switch()
    for _ in range(count):
        switch()
    touch()
    Path("/proc/self/clear_refs").write_text("1")  # does not flush the TLB
    touch()
    accessed = re.search(r"^Referenced: *(\d+)", Path("/proc/self/smaps_rollup").read_text(), re.M)
    print(count, accessed and accessed[1])
