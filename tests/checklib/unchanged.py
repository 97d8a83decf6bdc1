# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Notes in the cache of parts that passed on this machine, by their inputs and the timeline.

Inputs are the packages of this machine and of the releases' images, and the tree's files but those that belong to other
parts alone. A part that passed with these inputs is passed over by a later call: so `make check-all` continues after an interrupt.
"""

from __future__ import annotations

import functools
import hashlib
import json
import re
import subprocess
import time
from pathlib import Path
from typing import Sequence

from vmlib import cache, releases, timeline, tree

PROSE = re.compile(r"(man|doc|lab/report)/|[^/]+\.md$")
READS_PROSE = re.compile(
    r"lab-page|test_manuals|test_bpftrace|vm/test_r|deb-install|tree-kernels|specification|newcomer|^series"
)
OF_SERIES = ("upstream/", "tests/upstream/")  # what only the part `series` reads, and lint
# What only the part of this name reads, and what only the parts of this folder do
OWN = re.compile(
    r"(lab)/(?!slow/)"
    r"|tests/(?:algorithm/|kernel/|tools/)?(test_\w+\.sh|vm/test_\w+\.sh|(?:codelstat|far|flows|lab|shaper|unit)(?=/)|check)"
)
# Of what nothing is built from, what the laboratory reads. A test of it that uses more names it with --tests
READ_BY_LAB = ("lab/", "vm/", "tests/lab/", "tests/vm/run", "tests/ktap/")
RUNS_LAB = ("vm/test_readme.sh", "newcomer-commands")  # `make demo`
MORE_TESTS = re.compile(r"--tests (tests/\S+)")


@functools.cache
def _more_tests(label: str) -> tuple[str, ...]:
    script = tree.TOP / "tests" / label
    return tuple(MORE_TESTS.findall(script.read_text())) if script.is_file() else ()


def is_input(name: str, label: str) -> bool:
    """Whether a file of the tree can change the verdict of this part, which uses the images."""
    if PROSE.match(name) and not READS_PROSE.search(label):
        return False
    if name.startswith(OF_SERIES):
        return label in ("series", "lint")
    owned = OWN.match(name)
    part = label.split()[-1].partition(":")[0]  # without the release and the cases
    if label.startswith("lab"):
        mine = name.startswith(READ_BY_LAB)
        return mine or not name.startswith(tree.NOT_BUILT) or tree.belongs(name, _more_tests(label))
    owner = owned and owned[owned.lastindex or 0]
    folder = "lab" if part in RUNS_LAB else part.partition("/")[0]
    return not owned or owner in (part, folder)


@functools.cache
def _files() -> dict[str, bytes]:
    """The tree's files, and a hash of each with its mode."""
    return {
        n: hashlib.sha256(b"".join(tree.contents(tree.TOP, [n]))).digest() for n in tree.files()
    }


@functools.cache
def _image(machine: str) -> bytes:
    where = releases.machine_of(machine)
    return where.key.encode() + where.packages


@functools.cache
def _host() -> bytes:
    try:
        return subprocess.run(["dpkg-query", "-W"], capture_output=True).stdout
    except FileNotFoundError:
        return b""  # not Debian


def inputs(label: str, images: Sequence[str] | None) -> str:
    """A name for all that a part's verdict depends on, the timeline aside; `images` are releases or architectures.

    None: the part uses no image and is short, so any file counts as an input.
    """
    files = _files()
    names = [n for n in files if images is None or is_input(n, label)]
    parts = [part for n in names for part in (n.encode(), files[n])]
    digest = cache.digest([*parts, _host(), *map(_image, images or ())])
    return f"{label.replace('/', '-').replace(' ', '-')}-{digest}"


def note(label: str, images: Sequence[str] | None) -> Path:
    """Where a part that passes leaves its note."""
    course = timeline.number() if images is not None else 0
    return cache.home() / "passed" / f"{inputs(label, images)}@{course}"


def in_any_timeline(path: Path) -> bool:
    """Whether there is a note of these inputs, whatever the timeline."""
    return any(path.parent.glob(f"{path.name.partition('@')[0]}@*"))


def write(path: Path, passed: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    when = time.strftime("%Y-%m-%d %H:%M", time.gmtime())
    path.write_text(json.dumps({"passed": passed, "when": when}))


def read(path: Path) -> str | None:
    """When the part passed and with how many results, in words."""
    try:
        found = json.loads(path.read_text())
        return f"{found['passed']} passed on {found['when']} UTC"
    except (OSError, ValueError, KeyError, TypeError):
        return None
