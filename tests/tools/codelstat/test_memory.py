#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
"""The memory of a recording: proportional to its bytes, and bounded. The size of the program."""

from __future__ import annotations

import struct
import subprocess
from pathlib import Path

from cases import CODELSTAT, RECORDING, case, check, main
from recordings import RECORD_HEAD, RECORD_HEADER, flow, qdisc, recording

QDISCS, FLOWS = 1 << 17, 1 << 20  # CS_QDISCS_MAX, CS_FLOWS_MAX
MIB = 1 << 20
DATA = 16384  # bytes of the program file that are initial values of variables


def smallest_qdisc(number: int) -> bytes:
    """48 bytes, which take the most memory for their size."""
    return qdisc(1, number)


def smallest_flow(number: int) -> bytes:
    return flow(1, number)


def replay(memory: int, path: str, *words: str) -> tuple[int, str]:
    """Status and standard error with a limit on memory."""
    argv = ["prlimit", f"--as={memory}", CODELSTAT, *words, "--replay", path, "--speed", "0"]
    done = subprocess.run(argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    return done.returncode, done.stderr


@case("too many qdiscs or flows are refused before they take memory")
def too_many() -> None:
    for make, most in ((smallest_qdisc, QDISCS), (smallest_flow, FLOWS)):
        # 19 MB of the first, or one too many of the second
        body = b"".join(map(make, range(max(most + 1, 19_000_000 // 48))))
        with recording(body, 1) as path:
            done = replay(64 * MIB + 6 * len(body), path)
        expected = f"codelstat: {path}: snapshot 1 has more than {QDISCS} qdiscs or {FLOWS} flows\n"
        check("it says", done, (3, expected))


@case("as many qdiscs as are allowed, in 236 MiB")
def most_qdiscs() -> None:
    with recording(b"".join(map(smallest_qdisc, range(QDISCS)))) as path:
        check("it says", replay(236 * MIB, path, "--csv"), (0, ""))


@case("qdiscs as the kernel shows them, in six times the bytes of a snapshot")
def whole() -> None:
    data = Path(RECORDING).read_bytes()
    (length,) = struct.unpack_from("=I", data, RECORD_HEADER + 16)
    body = data[RECORD_HEADER + RECORD_HEAD :][:length] * 4096
    with recording(body) as path:
        check("it says", replay(16 * MIB + 6 * len(body), path, "--csv"), (0, ""))


@case(f"initial values of variables take less than {DATA} bytes of the program file")
def initial_values() -> None:
    done = subprocess.run(["size", CODELSTAT], capture_output=True, text=True, check=True)
    names, numbers = (line.split() for line in done.stdout.splitlines())
    data = int(numbers[names.index("data")])
    print(f"# data: {data} bytes")
    assert data < DATA, f"data: {data} bytes"


if __name__ == "__main__":
    main()
