# SPDX-License-Identifier: GPL-2.0
"""The source of a release's kernel, out of Debian's package linux-source-VERSION."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Sequence

from . import cache, process, progress, root

DOCUMENTATION = ("Documentation/*/*",)
_FOLDERS = ("block", "crypto", "drivers", "fs", "mm", "samples", "sound")
# What no module of net/sched is built from; the specifications of netlink stay
NOT_OF_NET_SCHED = (
    "Documentation/[!n]*/*",
    "Documentation/nvme/*",
    "arch/[a-tv-w]*/*.[chS]",
    "arch/[a-tv-w]*/*.dts*",
    *(f"{folder}/*.[chS]" for folder in _FOLDERS),
)


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


def net_sched(name: str, kernel_release: str, packages: str) -> Path:
    """The tree that the modules of net/sched are built from, in the cache; `packages` names the release's root."""
    recipe = cache.digest(part.encode() for part in (packages, *NOT_OF_NET_SCHED))

    def build(made: Path) -> None:
        fetch(name, kernel_release, made, NOT_OF_NET_SCHED)

    return cache.entry("source", f"{name}-{recipe}", build) / "linux"
