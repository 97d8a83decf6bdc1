# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""One run in the virtual machine.

The guest's archive has the installed tree, the laboratory's modules and programs, and the run document: nothing
else, so that a result changes only with what it is made from.
"""

from __future__ import annotations

import functools
import io
import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LAB = Path(__file__).resolve().parents[1]
TESTS = LAB.parent
sys.path.insert(0, str(TESTS / "vm"))

from vmlib import cache, cpio, exact, process  # noqa: E402
from vmlib import machine as vm  # noqa: E402
from vmlib import suite as suites  # noqa: E402
from vmlib import tree  # noqa: E402

GUEST = LAB / "guest"
MODULES = (LAB / "meter", TESTS / "slow")
# What turns the guest's answer into a result
REDUCTION = ("records.py", "measure.py")
RESULT = "/root/result.json"
METER = "/sys/kernel/debug/lab_meter"
MEMORY = 1024  # MB beside the meter's records
MEGABYTE = 1 << 20
RECORD = 16  # bytes


@dataclass(frozen=True)
class Raw:
    """What the guest left."""

    result: dict[str, Any]
    records: bytes
    flows: bytes
    status: str


def _guest_files() -> list[Path]:
    return sorted(p for p in GUEST.rglob("*.py") if "__pycache__" not in p.parts)


def _archive(where: suites.Suite, document: dict[str, Any]) -> bytes:
    stream = io.BytesIO()
    archive = cpio.Archive(stream)
    for path in _guest_files():
        archive.file(f"root/{path.relative_to(TESTS.parent)}", path.read_bytes())
    for folder in MODULES:
        for path in tree.module(where, folder):
            archive.file(f"root/{path.name}", path.read_bytes())
    archive.file("root/run.json", json.dumps(document, sort_keys=True).encode())
    command = ["python3", "-B", f"/root/{GUEST.relative_to(TESTS.parent)}/main.py"]
    metered = [f"{METER}/{name}" for name in ("records", "flows", "status")]
    lists = {
        "command": [*command, "/root/run.json", RESULT],
        "get": [RESULT, *(metered if document["records"] else [])],
    }
    for name, strings in lists.items():
        archive.file(f".vm/{name}", b"".join(os.fsencode(s) + b"\0" for s in strings))
    archive.finish()
    return stream.getvalue()


@functools.cache
def recipe(suite: str) -> str:
    """A name for all that a result depends on, the run document aside."""
    where = suites.get(suite)
    parts = [where.key.encode(), (Path(vm.__file__)).read_bytes(), exact.SOURCE.read_bytes()]
    parts.append(tree.get(where).read_bytes())
    for folder in MODULES:
        parts += [path.read_bytes() for path in tree.module(where, folder)]
    parts += [path.read_bytes() for path in _guest_files()]
    parts += [(LAB / "lablib" / name).read_bytes() for name in (*REDUCTION, "machine.py")]
    return cache.digest(parts)


def _said(fd: int) -> str:
    os.lseek(fd, 0, os.SEEK_SET)
    with os.fdopen(fd, "rb") as stream:
        return stream.read().decode(errors="replace")


def run(document: dict[str, Any], suite: str, timeout: float) -> Raw:
    """Boots, and waits for the end; a failure has what the guest said."""
    where = suites.get(suite)
    words = os.memfd_create("words")
    result = vm.run(
        where.kernel,
        [*where.archives, tree.get(where), _archive(where, document)],
        timeout,
        memory=MEMORY + 2 * document["records"] * RECORD // MEGABYTE,
        descriptors=(words, words),
    )
    said = _said(words)
    if result.timed_out:
        raise process.Failure(f"stopped after {timeout:g} s of wall time\n{said}")
    if why := vm.complaint(result):
        raise process.Failure(f"{result.log or result.console}\n{said}\n{why}")
    if result.status:
        raise process.Failure(f"{said}\nthe guest's program ended with status {result.status}")
    files = {Path(name).name: data for name, data in result.files.items()}
    if result.missing:
        raise process.Failure(f"{said}\nmissing: {result.missing}")
    return Raw(
        json.loads(files["result.json"]),
        files.get("records", b""),
        files.get("flows", b""),
        files.get("status", b"").decode(),
    )
