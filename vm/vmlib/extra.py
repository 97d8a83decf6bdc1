# SPDX-License-Identifier: GPL-2.0
"""Packages that the image has not, for the runs that ask for them: an archive of their own.

They are unpacked, not installed: no script of theirs is run.
"""

from __future__ import annotations

import shutil
from fnmatch import fnmatch
from pathlib import Path

from . import cache, cpio, releases, root

NOT_NEEDED = ("/etc/*", "/dev/*", "/usr/lib/*/gconv/*", "/usr/include/*", "/usr/share/gdb/*")


def _wanted(name: str) -> bool:
    return not any(fnmatch(name, pattern) for pattern in (*root.LEFT_OUT, *NOT_NEEDED))


def _files(top: Path) -> list[str]:
    """What is of use; a file that the image has, too, takes its place, and is the same or newer."""
    found = (str(path.relative_to(top)) for path in top.rglob("*"))
    return sorted(name for name in found if _wanted(f"/{cpio.merged(name)}"))


def _build(where: releases.Release, package: str, made: Path) -> None:
    arguments = ["--variant=extract", f"--include={package}"]
    top = root.bootstrap(f"fetching {package} (once)", where.name, made, arguments)
    with (made / "extra.cpio").open("wb") as stream:
        archive = cpio.Archive(stream)
        for name in _files(top):
            archive.add(top / name, name)
        archive.finish()
    shutil.rmtree(top)


def get(where: releases.Release, package: str) -> Path:
    """The archive."""
    recipe = cache.digest([where.path.name.encode(), Path(__file__).read_bytes()])
    name = f"{where.name}-{package}-{recipe}"
    return cache.entry("extra", name, lambda made: _build(where, package, made)) / "extra.cpio"


def memory(archives: list[Path]) -> int:
    """MB that a machine needs for them: while it unpacks them it has them twice."""
    return sum(2 * path.stat().st_size >> 20 for path in archives)
