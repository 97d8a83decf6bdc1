#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
"""Programs of others that tests use, fetched once into the project's cache.

foreign.py flent         flent's module, from PyPI
foreign.py tc-testing    the kernel's tests of tc, from Debian's linux-source
foreign.py checkpatch    checkpatch.pl and its lists, from the same

Prints the folder that it is in. Status 4, and the reason, if it cannot be had.
"""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Callable, Sequence

TOP = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TOP / "vm"))
sys.dont_write_bytecode = True

from vmlib import cache, process  # noqa: E402

FLENT = "flent==2.3.0"
TC_TESTING = "tools/testing/selftests/tc-testing/tc-tests/qdiscs"
CHECKPATCH = ("checkpatch.pl", "spelling.txt", "const_structs.checkpatch")
EXTRACT = (
    "deb=$1 archive=$2; shift 2; "
    'dpkg-deb --fsys-tarfile "$deb" | tar -xO "$archive" | tar -xJ "$@"'
)
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


def linux_source(kind: str, prefix: str, folder: str, names: Sequence[str]) -> Path:
    """The cache's entry of this kind, `prefix` and the package, with these files of a folder of the kernel."""
    package = source_package()

    def build(made: Path) -> None:
        fetch(["apt-get", "-qq", "download", package], made)
        deb = next(made.glob(f"{package}_*.deb"))
        paths = [f"{package}/{folder}/{name}" for name in names]
        strip = f"--strip-components={paths[0].count('/')}"
        archive = f"./usr/src/{package}.tar.xz"
        fetch(["sh", "-c", EXTRACT, "sh", str(deb), archive, strip, *paths], made)
        deb.unlink()
        if not all((made / name).is_file() for name in names):
            raise Missing(f"{package} has no {' or no '.join(paths)}")

    return cache.entry(kind, prefix + package, build)


def tc_testing() -> Path:
    return linux_source("foreign", "tc-testing-", TC_TESTING, ["codel.json", "fq_codel.json"])


def checkpatch() -> Path:
    return linux_source("checkpatch", "", "scripts", CHECKPATCH)


WHAT: dict[str, Callable[[], Path]] = {
    "flent": flent,
    "tc-testing": tc_testing,
    "checkpatch": checkpatch,
}


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
