# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""One process in several network namespaces, one after the other."""

from __future__ import annotations

import contextlib
import ctypes
import os
from typing import Iterator

CLONE_NEWNET = 0x40000000
LIBC = ctypes.CDLL(None, use_errno=True)


def enter(fd: int) -> None:
    # os.setns() came with Python 3.12
    if LIBC.setns(fd, CLONE_NEWNET):
        raise OSError(ctypes.get_errno(), "setns")


@contextlib.contextmanager
def inside(name: str) -> Iterator[None]:
    """In the namespace that `ip netns` calls so: sockets stay in that in which they were made."""
    home = os.open("/proc/self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
    there = os.open(f"/run/netns/{name}", os.O_RDONLY | os.O_CLOEXEC)
    try:
        enter(there)
        yield
    finally:
        enter(home)
        os.close(there)
        os.close(home)
