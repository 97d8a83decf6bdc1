# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""One run in the virtual machine.

The guest's archive contains the laboratory's modules and programs and the run document; the out-of-tree qdiscs
only if the document names one. So a result changes only with what it is made from.
"""

from __future__ import annotations

import functools
import io
import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Sequence

LAB = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(LAB.parent / "vm"))

from vmlib import cache, cpio, exact, process  # noqa: E402
from vmlib import machine as vm  # noqa: E402
from vmlib import releases, timeline, tree  # noqa: E402

from . import uncompiled  # noqa: E402

GUEST = LAB / "guest"
# Where the guest has it. Another path is another archive, and so another course of events in all kept results
INSIDE = "root/tests/lab/guest"
MODULES = (LAB / "meter", LAB / "slow")
# What turns the guest's answer into a result
REDUCTION = ("records.py", "measure.py")
BOOT = ("machine.py", "uncompiled.py")
QUESTION = "/root/run.json"
RESULT = "/root/result.json"
METER = "/sys/kernel/debug/lab_meter"
MEMORY = 1024  # MB beside the meter's records
MEGABYTE = 1 << 20
RECORD = 16  # bytes
REFUSED = 3  # as guest/main.py has it: what the guest said is all that there is to say


@dataclass(frozen=True)
class Raw:
    """What the guest left."""

    result: dict[str, Any]
    records: bytes
    flows: bytes
    status: str


def _guest_files() -> list[Path]:
    return sorted(p for p in GUEST.rglob("*.py") if "__pycache__" not in p.parts)


def _archive(where: releases.Release, program: str, question: Any, get: Sequence[str]) -> bytes:
    """What the guest has of the laboratory; `get` are the files that it leaves, beside the answer."""
    stream = io.BytesIO()
    archive = cpio.Archive(stream)
    for path in _guest_files():
        archive.file(f"{INSIDE}/{path.relative_to(GUEST)}", path.read_bytes())
    asked = json.dumps(question, sort_keys=True)
    modules = [path for folder in MODULES for path in tree.module(where, folder)]
    for path in (*modules, *uncompiled.modules(where, asked)):
        archive.file(f"root/{path.name}", path.read_bytes())
    archive.file(QUESTION[1:], asked.encode())
    command = ["python3", "-B", f"/{INSIDE}/{program}"]
    lists = {"command": [*command, QUESTION, RESULT], "get": [RESULT, *get]}
    for name, strings in lists.items():
        archive.file(f".vm/{name}", b"".join(os.fsencode(s) + b"\0" for s in strings))
    archive.finish()
    return stream.getvalue()


def _modules(where: releases.Release, out_of_tree: bool) -> Path:
    """What modprobe needs, with the out-of-tree qdiscs or without."""
    return tree.qdiscs(where) if out_of_tree else tree.tables(where)


@functools.cache
def recipe(release: str, out_of_tree: bool = True) -> str:
    """A name for all that a result depends on, the run document aside."""
    where = releases.get(release)
    parts = [where.key.encode(), (Path(vm.__file__)).read_bytes(), exact.SOURCE.read_bytes()]
    parts.append(timeline.word().encode())
    parts.append(_modules(where, out_of_tree).read_bytes())
    for folder in MODULES:
        parts += [path.read_bytes() for path in tree.module(where, folder)]
    parts += [path.read_bytes() for path in _guest_files()]
    parts += [(LAB / "lablib" / name).read_bytes() for name in (*REDUCTION, *BOOT)]
    return cache.digest(parts)


def _said(fd: int) -> str:
    os.lseek(fd, 0, os.SEEK_SET)
    with os.fdopen(fd, "rb") as stream:
        return stream.read().decode(errors="replace")


def _boot(
    where: releases.Release, archives: Sequence[Path | bytes], memory: int, timeout: float
) -> dict[str, bytes]:
    """Waits for the end; returns the files by name. A failure has what the guest said.

    The guest's standard output, on which it notes how far it is, is this process's own.
    """
    words = os.memfd_create("words")
    result = vm.run(
        where.kernel,
        [*where.archives, *archives],
        timeout,
        memory=memory,
        descriptors=(1, words),
    )
    said = _said(words)
    if result.timed_out:
        raise process.Failure(f"stopped after {timeout:g} s of wall time\n{said}")
    if why := vm.complaint(result):
        raise process.Failure(f"{result.log or result.console}\n{said}\n{why}")
    if result.status == REFUSED:
        raise process.Failure(said)
    if result.status:
        raise process.Failure(f"{said}\nthe guest's program ended with status {result.status}")
    if result.missing:
        raise process.Failure(f"{said}\nmissing: {result.missing}")
    return {Path(name).name: data for name, data in result.files.items()}


def run(document: dict[str, Any], release: str, out_of_tree: bool, timeout: float) -> Raw:
    where = releases.get(release)
    records = document["records"]
    metered = [f"{METER}/{name}" for name in ("records", "flows", "status")] if records else []
    memory = MEMORY + 2 * records * RECORD // MEGABYTE
    archives = [_modules(where, out_of_tree), _archive(where, "main.py", document, metered)]
    files = _boot(where, archives, memory, timeout)
    return Raw(
        json.loads(files["result.json"]),
        files.get("records", b""),
        files.get("flows", b""),
        files.get("status", b"").decode(),
    )


def complaints(words: Sequence[str], release: str, timeout: float) -> list[str | None]:
    """tc's message for each qdisc's words; None where it accepts them."""
    where = releases.get(release)
    archives = [tree.qdiscs(where), _archive(where, "words.py", list(words), ())]
    files = _boot(where, archives, MEMORY, timeout)
    return json.loads(files["result.json"])  # type: ignore[no-any-return]
