# SPDX-License-Identifier: GPL-2.0
"""The source of a release's kernel, out of Debian's package linux-source-VERSION."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Sequence

from . import process, progress, root

DOCUMENTATION = ("Documentation/*/*",)


def package(kernel_release: str) -> str:
    match = re.match(r"\d+\.\d+", kernel_release)
    assert match
    return f"linux-source-{match[0]}"


def fetch(
    name: str, kernel_release: str, made: Path, left_out: Sequence[str] = DOCUMENTATION
) -> None:
    """Unpacks the source into `made`/linux, without the paths that match a pattern of `left_out`."""
    wanted = package(kernel_release)
    log, work = made / "log", made / "work"
    work.mkdir()
    arguments = ["--variant=extract", f"--include={wanted}"]
    argv = root.debootstrap(name, work / "root", work, arguments)
    with log.open("wb") as stream:
        fetched = progress.ticking(
            f"{name}: fetching {wanted}", log, lambda: process.run(argv, stream)
        )
    progress.check(f"{name}: fetching {wanted}", fetched, log)
    (archive,) = work.glob("root/usr/src/linux-source-*.tar.*")
    (made / "linux").mkdir()
    argv = ["tar", "-xf", str(archive), "-C", str(made / "linux"), "--strip-components=1"]
    argv += ["--anchored", *(f"--exclude={wanted}/{pattern}" for pattern in left_out)]
    with log.open("wb") as stream:
        unpacked = progress.ticking(
            f"{name}: unpacking {wanted}", log, lambda: process.run(argv, stream)
        )
    progress.check(f"{name}: unpacking {wanted}", unpacked, log)
    shutil.rmtree(work)
