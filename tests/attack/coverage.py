# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Which lines of the kernel part an attack reaches: gcov, on the debug kernel."""

from __future__ import annotations

import json
import re
import shutil
import sys
import tarfile
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "vm"))

from vmlib import releases, sandbox, tree  # noqa: E402

KERNEL_PART = re.compile(r"(Kbuild|codel\w*\.h|sch_\w+\.c|(qdisc|fq|uapi)/.*)")
INSIDE = "/mnt"  # where tree.module() compiles
COUNTED = "gcov.tar"  # of guestlib/profiled.py

Lines = dict[str, dict[int, int]]  # by file and line: how often it was reached


def folder(to: Path) -> Path:
    """The kernel part, to be compiled for gcov."""
    tree.copy(tree.TOP, [name for name in tree.files() if KERNEL_PART.fullmatch(name)], to)
    with (to / "Kbuild").open("a") as file:
        file.write("GCOV_PROFILE := y\n")
    return to


def _read(where: releases.Release, objects: Path) -> Lines:
    """What gcov says about the objects in a folder, which have their counts beside them."""
    reached: Lines = defaultdict(dict)
    argv = ["sh", "-ec", "gcov --json-format --stdout $(find . -name '*.gcda')"]
    with (objects / "gcov.json").open("w+b") as out:
        if sandbox.run(where.root, argv, out, {INSIDE: objects}, INSIDE):
            raise RuntimeError(f"gcov: {(objects / 'gcov.json').read_text()[-500:]}")
        out.seek(0)
        found = [json.loads(line) for line in out if line.startswith(b"{")]
    for file in (file for one in found for file in one["files"]):
        name = str(Path(file["file"])).removeprefix(f"{INSIDE}/")
        if KERNEL_PART.fullmatch(name):
            for line in file["lines"]:
                number = line["line_number"]
                reached[name][number] = max(reached[name].get(number, 0), line["count"])
    return reached


def lines(release: str, module: Path, work: Path) -> Lines:
    """How often each line was reached by the last attack, which has left its counts in out/."""
    where = releases.get(release, "kasan")
    built = tree.module(where, module)[0].parent
    shutil.copytree(built, work)
    with tarfile.open(tree.TOP / "out" / COUNTED) as archive:
        archive.extractall(work)
    return _read(where, work)


def report(found: Lines) -> None:
    """A line for each file, and the lines that were not reached."""
    for name, counts in sorted(found.items()):
        missed = [number for number, count in sorted(counts.items()) if not count]
        print(f"# {name}: {len(counts) - len(missed)} of {len(counts)} lines")
        text = (tree.TOP / name).read_text().splitlines()
        for number in missed:
            print(f"#   {number:4}  {text[number - 1].strip()}")
