# SPDX-License-Identifier: GPL-2.0
"""Runs commands in a release's root, away from the host.

The root is read-only; folders given by the caller are seen inside under fixed
names, so that what is built there does not depend on where the tree lies.
All mounts and processes are in namespaces that end with the command.
"""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import IO, Mapping, Sequence

from . import process

UNSHARE = ("unshare", "--mount", "--pid", "--fork", "--kill-child=KILL")
ENVIRONMENT = {
    "HOME": "/tmp",
    "LANG": "C.UTF-8",
    "LC_ALL": "C.UTF-8",
    "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
    "PYTHONHASHSEED": "0",
    "SOURCE_DATE_EPOCH": "1767225600",
    "KBUILD_BUILD_TIMESTAMP": "2026-01-01",
    "KBUILD_BUILD_USER": "root",
    "KBUILD_BUILD_HOST": "codel",
    "TZ": "UTC",
}


def _script(
    root: Path,
    folders: Mapping[str, Path],
    cwd: str,
    writable: bool,
    argv: Sequence[str],
) -> str:
    at = shlex.quote(str(root))
    lines = [
        "set -e",
        "mount --make-rprivate /",
        f"mount --bind {at} {at}",
        f"mount -o remount,bind,{'rw' if writable else 'ro'} {at}",
        f"mount -t proc proc {at}/proc",
        f"mount --rbind /dev {at}/dev",
        f"mount -t tmpfs tmpfs {at}/tmp",
    ]
    for inside, outside in folders.items():
        lines.append(f"mount --bind {shlex.quote(str(outside))} {at}{inside}")
    inner = f"cd {shlex.quote(cwd)} && exec {shlex.join(argv)}"
    lines.append(f"exec chroot {at} /bin/sh -c {shlex.quote(inner)}")
    return "\n".join(lines)


def run(
    root: Path,
    argv: Sequence[str],
    log: IO[bytes],
    folders: Mapping[str, Path] | None = None,
    cwd: str = "/",
    env: Mapping[str, str] | None = None,
    writable: bool = False,
) -> int:
    """Runs `argv` in `root`; `folders` maps names that exist there to host folders."""
    script = _script(root, folders or {}, cwd, writable, argv)
    return process.run([*UNSHARE, "sh", "-c", script], log, {**ENVIRONMENT, **(env or {})})
