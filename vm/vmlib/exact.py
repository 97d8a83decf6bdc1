# SPDX-License-Identifier: GPL-2.0
"""What is preloaded into QEMU so that virtual time is the same in every run: host/exact.c."""

from __future__ import annotations

from pathlib import Path

from . import cache, process

SOURCE = Path(__file__).resolve().parents[1] / "host" / "exact.c"
LIBRARY = "exact.so"
FLAGS = ("-O2", "-shared", "-fPIC")


def _build(made: Path) -> None:
    log = made / "log"
    with log.open("wb") as stream:
        argv = ["gcc", *FLAGS, "-o", str(made / LIBRARY), str(SOURCE), "-ldl"]
        status = process.run(argv, stream)
    if status:
        raise process.Failure(f"{log.read_text()}\nbuilding {SOURCE.name} failed")


def library() -> Path:
    name = cache.digest([SOURCE.read_bytes(), *(flag.encode() for flag in FLAGS)])
    return cache.entry("host", name, _build) / LIBRARY
