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
    name: str,
    kernel_release: str,
    made: Path,
    left_out: Sequence[str] = DOCUMENTATION,
    only: Sequence[str] = (),
) -> None:
    """Unpacks the source, or these paths of it, into `made`/linux, without those that match a pattern of `left_out`."""
    wanted = package(kernel_release)
    arguments = ["--variant=extract", f"--include={wanted}"]
    top = root.bootstrap(f"fetching {wanted}", name, made, arguments)
    (archive,) = top.glob("usr/src/linux-source-*.tar.*")
    (made / "linux").mkdir()
    argv = ["tar", "-xf", str(archive), "-C", str(made / "linux"), "--strip-components=1"]
    argv += ["--anchored", *(f"--exclude={wanted}/{pattern}" for pattern in left_out)]
    argv += [f"{wanted}/{path}" for path in only]
    what = f"{name}: unpacking {wanted}"
    progress.step(what, made / "log", lambda log: process.run(argv, log))
    shutil.rmtree(top)
