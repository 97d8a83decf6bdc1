# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Parts that passed on this machine and whose inputs have not changed since: parts.only_if_changed().

Inputs are the packages of this machine and of the releases' images, and the tree's files. For the laboratory these are
without the tests that it does not use: a test of it that uses more of tests/ names it with --tests. For the virtual
machine's runner and the packages they are all files but UNRELATED. A part that passes leaves a note in the cache.
"""

from __future__ import annotations

import functools
import json
import re
import subprocess
import time
from pathlib import Path

from vmlib import cache, releases, tree

USED_TESTS = ("tests/lab/", "tests/vm/", "tests/slow/", "tests/ktap/")
MORE_TESTS = re.compile(r"--tests (tests/\S+)")
PROSE = ("man/", "doc/", "tests/lab/report/")
READS_PROSE = ("lab-page",)
UNRELATED = re.compile(r"tests/(test_|lab/|check|codelstat/|unit/|flows/|bench/|tc/)")


def is_input(name: str, label: str) -> bool:
    """Whether a file of the tree can change the verdict of this part."""
    if not label.startswith("lab"):
        return not UNRELATED.match(name)
    if label not in READS_PROSE and (name.startswith(PROSE) or name.endswith(".md")):
        return False
    used = name.startswith(USED_TESTS) or tree.belongs(name, _more_tests(label))
    return used or not name.startswith(tree.NOT_BUILT)


@functools.cache
def _more_tests(label: str) -> tuple[str, ...]:
    script = tree.TOP / "tests" / label
    return tuple(MORE_TESTS.findall(script.read_text())) if script.is_file() else ()


def _packages() -> list[bytes]:
    parts = []
    for name in releases.RELEASES:
        where = releases.get(name)
        parts += [where.key.encode(), (where.root.parent / "manifest").read_bytes()]
    try:
        parts.append(subprocess.run(["dpkg-query", "-W"], capture_output=True).stdout)
    except FileNotFoundError:
        pass  # not Debian
    return parts


def note(label: str) -> Path:
    """Where a part that passes leaves its note, as long as its inputs are these."""
    names = [n for n in tree.files() if is_input(n, label)]
    digest = cache.digest([*tree.contents(tree.TOP, names), *_packages()])
    return cache.home() / "passed" / f"{label.replace('/', '-')}-{digest}"


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
