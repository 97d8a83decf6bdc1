#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""bpf.py NUMBER DIR COMMAND...: COMMAND, where DIR/program is a pinned classifier that returns NUMBER.

Status 4: there is no BPF.
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct
import sys

SYS_BPF = {"x86_64": 321, "aarch64": 280, "riscv64": 280, "s390x": 351, "i686": 357}
CLONE_NEWNS = 0x20000
MS_REC = 0x4000
MS_PRIVATE = 0x40000
BPF_PROG_LOAD = 5
BPF_OBJ_PIN = 6
BPF_PROG_TYPE_SCHED_CLS = 3


def libc(function: str, *args: object) -> int:
    result = int(getattr(ctypes.CDLL(None, use_errno=True), function)(*args))
    if result < 0:
        raise OSError(ctypes.get_errno(), f"{function}: {os.strerror(ctypes.get_errno())}")
    return result


def bpf(command: int, attr: bytes) -> int:
    return libc("syscall", SYS_BPF[platform.machine()], command, attr, len(attr))


def bpf_program(number: int, path: str) -> None:
    mov_r0_exit = struct.pack("=BBhi", 0xB7, 0, 0, number) + struct.pack("=BBhi", 0x95, 0, 0, 0)
    code = ctypes.create_string_buffer(mov_r0_exit)
    terms = ctypes.create_string_buffer(b"GPL")
    name = ctypes.create_string_buffer(path.encode())
    load = struct.pack(
        "=IIQQ", BPF_PROG_TYPE_SCHED_CLS, 2, ctypes.addressof(code), ctypes.addressof(terms)
    )
    program = bpf(BPF_PROG_LOAD, load + bytes(24))
    bpf(BPF_OBJ_PIN, struct.pack("=QI", ctypes.addressof(name), program))


def with_bpf(number: str, where: str, *command: str) -> None:
    """The file system ends with the mount namespace, and so with the command."""
    try:
        libc("unshare", CLONE_NEWNS)
        libc("mount", None, b"/", None, MS_REC | MS_PRIVATE, None)
        libc("mount", b"bpf", where.encode(), b"bpf", 0, None)
        bpf_program(int(number), f"{where}/program")
    except (OSError, KeyError) as error:
        print(error, file=sys.stderr)
        sys.exit(4)
    os.execvp(command[0], command)


with_bpf(*sys.argv[1:])
