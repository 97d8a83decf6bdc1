#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Attach a program to a device's ingress by tcx, and keep it until this process ends.

usage: tcx.py [--count] DEV

The program returns TCX_PASS: packets go on to the network stack, past the filters of clsact. "attached" on standard
output says that it is in place. With --count: print the number of such programs, of all processes. Status 3: the kernel has no tcx (it is there since 6.6).
"""

from __future__ import annotations

import ctypes
import errno
import os
import signal
import socket
import struct
import sys

SYS_BPF = 321  # x86-64
PROG_LOAD, PROG_QUERY, LINK_CREATE = 5, 16, 28
SCHED_CLS, TCX_INGRESS = 3, 46
TCX_PASS = 0
# r0 = TCX_PASS; exit
PROGRAM = struct.pack("<BBhi", 0xB7, 0, 0, TCX_PASS) + struct.pack("<BBhi", 0x95, 0, 0, 0)


def bpf(command: int, attributes: bytes | ctypes.Array[ctypes.c_char]) -> int:
    libc = ctypes.CDLL(None, use_errno=True)
    found = int(libc.syscall(SYS_BPF, command, attributes, len(attributes)))
    if found < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return found


def attach(device: str) -> int:
    code, licence = ctypes.create_string_buffer(PROGRAM, len(PROGRAM)), b"GPL\0"
    text = ctypes.create_string_buffer(licence)
    load = struct.pack(
        "<IIQQ", SCHED_CLS, len(PROGRAM) // 8, ctypes.addressof(code), ctypes.addressof(text)
    )
    program = bpf(PROG_LOAD, load.ljust(120, b"\0"))
    link = struct.pack("<IIII", program, socket.if_nametoindex(device), TCX_INGRESS, 0)
    return bpf(LINK_CREATE, link.ljust(64, b"\0"))


def count(device: str) -> int:
    query = struct.pack("<IIII", socket.if_nametoindex(device), TCX_INGRESS, 0, 0).ljust(64, b"\0")
    filled = ctypes.create_string_buffer(query, len(query))
    try:
        bpf(PROG_QUERY, filled)
    except OSError as error:
        if error.errno == errno.EINVAL:  # there is no tcx, and so no program
            return 0
        raise
    return int(struct.unpack_from("<I", filled, 24)[0])


def main() -> int:
    try:
        if sys.argv[1] == "--count":
            print(count(sys.argv[2]))
            return 0
        attach(sys.argv[1])
    except OSError as error:
        print(error, file=sys.stderr)
        return 3 if error.errno == errno.EINVAL else 1
    print("attached", flush=True)
    signal.pause()
    return 0


if __name__ == "__main__":
    sys.exit(main())
