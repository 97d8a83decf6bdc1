#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
"""What a recording takes of memory: in proportion to its bytes, and bounded."""

from __future__ import annotations

import os
import struct
import subprocess
import tempfile
from pathlib import Path

from cases import CODELSTAT, RECORDING, case, check, main

RECORD_HEADER = 16
QDISCS, FLOWS = 1 << 17, 1 << 20  # CS_QDISCS_MAX, CS_FLOWS_MAX
NEWQDISC, NEWTCLASS = 36, 40
MIB = 1 << 20


def attribute(kind: int, payload: bytes) -> bytes:
    return struct.pack("=HH", 4 + len(payload), kind) + payload + bytes(-len(payload) % 4)


def message(kind: int, handle: int, attributes: bytes) -> bytes:
    body = struct.pack("=BxHiIII", 0, 0, 1, handle, handle, 0) + attributes
    return struct.pack("=IHHII", 16 + len(body), kind, 0, 0, 0) + body


def smallest_qdisc(number: int) -> bytes:
    """Nothing but its kind: the message of 48 bytes that takes the most memory."""
    return message(NEWQDISC, number, attribute(1, b"codel\0"))


def smallest_flow(number: int) -> bytes:
    """A class of fq_codel, with as much of its statistics as it takes to be one."""
    stats = attribute(7, attribute(4, struct.pack("=I", 1)))
    return message(NEWTCLASS, number, attribute(1, b"fq_codel\0") + stats)


class Recording:
    """Snapshots with this body each."""

    def __init__(self, body: bytes, snapshots: int = 2) -> None:
        with tempfile.NamedTemporaryFile(delete=False, suffix=".rec") as file:
            file.write(Path(RECORDING).read_bytes()[:RECORD_HEADER])
            for number in range(snapshots):
                file.write(struct.pack("=QQII", number * 10**9, number * 10**9, len(body), 0))
                file.write(body)
        self.path = file.name

    def __enter__(self) -> str:
        return self.path

    def __exit__(self, *_: object) -> None:
        os.unlink(self.path)


def replay(memory: int, path: str, *words: str) -> tuple[int, str]:
    """Status and what it says on standard error, with so many bytes of memory."""
    argv = ["prlimit", f"--as={memory}", CODELSTAT, *words, "--replay", path, "--speed", "0"]
    done = subprocess.run(argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    return done.returncode, done.stderr


@case("too many qdiscs or flows are refused before they take memory")
def too_many() -> None:
    for make, most in ((smallest_qdisc, QDISCS), (smallest_flow, FLOWS)):
        # 19 MB of the first, or one too many of the second
        body = b"".join(map(make, range(max(most + 1, 19_000_000 // 48))))
        with Recording(body, 1) as path:
            done = replay(64 * MIB + 6 * len(body), path)
        expected = f"codelstat: {path}: snapshot 1 has more than {QDISCS} qdiscs or {FLOWS} flows\n"
        check("it says", done, (3, expected))


@case("as many qdiscs as are allowed, in 192 MiB")
def most_qdiscs() -> None:
    with Recording(b"".join(map(smallest_qdisc, range(QDISCS)))) as path:
        check("it says", replay(192 * MIB, path, "--csv"), (0, ""))


@case("qdiscs as the kernel shows them, in six times the bytes of a snapshot")
def whole() -> None:
    data = Path(RECORDING).read_bytes()
    (length,) = struct.unpack_from("=I", data, RECORD_HEADER + 16)
    body = data[RECORD_HEADER + 24 : RECORD_HEADER + 24 + length] * 4096
    with Recording(body) as path:
        check("it says", replay(16 * MIB + 6 * len(body), path, "--csv"), (0, ""))


if __name__ == "__main__":
    main()
