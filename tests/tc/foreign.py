#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
"""Programs of others that parse tc's output, fetched once into the project's cache.

foreign.py flent         flent's module, from PyPI
foreign.py tc-testing    the kernel's tests of tc, from Debian's linux-source

Prints the folder that it is in. Status 4, and the reason, if it cannot be had.
"""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Callable, Sequence

TESTS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / "vm"))
sys.dont_write_bytecode = True

from vmlib import cache, process  # noqa: E402

FLENT = "flent==2.3.0"
TC_TESTING = "tools/testing/selftests/tc-testing/tc-tests/qdiscs"
SKIP = 4


class Missing(Exception):
    """It cannot be had, for this reason."""


def fetch(argv: Sequence[str], folder: Path) -> None:
    """Runs a command that places a file into `folder`."""
    process.say(f"fetching: {' '.join(argv)} (once)")
    try:
        done = subprocess.run(
            argv, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True
        )
    except FileNotFoundError as error:
        raise Missing(f"{argv[0]} is not installed") from error
    if done.returncode:
        process.say(done.stderr)
        raise Missing(f"{argv[0]} cannot fetch {argv[-1]}")


def build_flent(made: Path) -> None:
    fetch(["pip3", "--quiet", "download", "--no-deps", "--only-binary=:all:", FLENT], made)
    for wheel in made.glob("*.whl"):
        zipfile.ZipFile(wheel).extractall(made)


def flent() -> Path:
    return cache.entry("foreign", FLENT.replace("==", "-"), build_flent)


def source_package() -> str:
    """The newest linux-source package that apt lists."""
    try:
        shown = process.output(["apt-cache", "depends", "linux-source"]).decode()
    except process.Failure as error:
        raise Missing("there is no apt-cache, which knows linux-source") from error
    match = re.search(r"Depends: (linux-source-\S+)", shown)
    if not match:
        raise Missing("apt knows no linux-source")
    return match[1]


def tc_testing() -> Path:
    package = source_package()

    def build(made: Path) -> None:
        fetch(["apt-get", "-qq", "download", package], made)
        deb = next(made.glob(f"{package}_*.deb"))
        inner = f"./usr/src/{package}.tar.xz"
        names = [f"{package}/{TC_TESTING}/{kind}.json" for kind in ("codel", "fq_codel")]
        command = (
            'dpkg-deb --fsys-tarfile "$1" | tar -xO "$2" | tar -xJ --strip-components=7 "$3" "$4"'
        )
        fetch(["sh", "-c", command, "sh", str(deb), inner, *names], made)
        deb.unlink()
        if len(list(made.glob("*.json"))) != len(names):
            raise Missing(f"{package} has no {' or no '.join(names)}")

    return cache.entry("foreign", f"tc-testing-{package}", build)


WHAT: dict[str, Callable[[], Path]] = {"flent": flent, "tc-testing": tc_testing}


def main(argv: list[str]) -> int:
    if len(argv) != 1 or argv[0] not in WHAT:
        print(f"usage: foreign.py {' | '.join(WHAT)}", file=sys.stderr)
        return 2
    try:
        print(WHAT[argv[0]]())
    except Missing as reason:
        print(reason, file=sys.stderr)
        return SKIP
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
