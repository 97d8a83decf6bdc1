# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""A freshly installed host: a root folder made by mmdebstrap, with the processors and the kernel of this machine."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import sys
from pathlib import Path
from typing import IO, Iterator, Sequence

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "vm"))
sys.dont_write_bytecode = True

from vmlib import cache, root, sandbox, tree  # noqa: E402

PACKAGES = ("ca-certificates", "git", "make")
CLONE = "root/codel"
# A login's; what a user has set in this shell is not the new host's
ENVIRONMENT = {
    "HOME": "/root",
    "PATH": sandbox.ENVIRONMENT["PATH"],
    "TERM": "dumb",
    "LANG": "C.UTF-8",
}


def _build(release: str, packages: Sequence[str], made: Path) -> None:
    arguments = ["--variant=minbase", f"--include={','.join(packages)}"]
    root.bootstrap("installing a host (once, half a minute)", release, made, arguments)


def _installed(release: str, packages: Sequence[str]) -> Path:
    """The root of the host, which must be copied before it is used."""
    name = cache.digest(item.encode() for item in packages)
    return (
        cache.entry("host-root", f"{release}-{name}", lambda made: _build(release, packages, made))
        / "root"
    )


def _clone(to: Path) -> None:
    argv = [
        "git",
        "-c",
        "safe.directory=*",
        "clone",
        "-q",
        "--no-hardlinks",
        str(tree.TOP),
        str(to),
    ]
    subprocess.run(argv, check=True, stdin=subprocess.DEVNULL)


@contextlib.contextmanager
def fresh(release: str, packages: Sequence[str] = PACKAGES) -> Iterator[Path]:
    """The root of a host with these packages and a clone of this tree's HEAD, gone afterwards."""
    source = _installed(release, packages)
    with cache.scratch() as work:
        made = work / "root"
        subprocess.run(["cp", "-a", "--reflink=auto", str(source), str(made)], check=True)
        _clone(made / CLONE)
        shutil.copyfile("/etc/resolv.conf", made / "etc/resolv.conf")
        yield made


def run(made: Path, command: Sequence[str], log: IO[bytes] | None = None) -> int:
    """Runs a command in the clone, with its output to `log` or to that of this process; returns its status."""
    return sandbox.host(made, command, f"/{CLONE}", ENVIRONMENT, log)
