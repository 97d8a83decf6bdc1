# SPDX-License-Identifier: GPL-2.0
"""Runs commands in a release's root, away from the host.

The root is read-only; folders given by the caller are seen inside under fixed
names, so that what is built there does not depend on where the tree lies.
All mounts and processes are in namespaces that end with the command.
"""

from __future__ import annotations

import shlex
import subprocess
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


def _check() -> None:
    """A Failure where mounts cannot be made private: with its remedy, as a container's or a chroot's user needs it."""
    table = Path("/proc/self/mountinfo")
    places = [line.split()[4] for line in table.read_text().splitlines()] if table.exists() else []
    if not places:
        raise process.Failure("/proc is not mounted: run 'mount -t proc proc /proc'")
    if "/" not in places:
        raise process.Failure(
            "this chroot's root is no mount point: before chroot, run 'mount --bind ROOT ROOT' outside of it"
        )
    done = subprocess.run([*UNSHARE, "true"], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if done.returncode:
        why = done.stderr.decode(errors="replace").strip()
        raise process.Failure(
            f"root with CAP_SYS_ADMIN is required (docker run --privileged): {why}"
        )


def unshare() -> tuple[str, ...]:
    """What a command begins with that mounts things for itself alone."""
    _check()
    return UNSHARE


def _mounts(root: Path, writable: bool) -> list[str]:
    at = shlex.quote(str(root))
    return [
        "set -e",
        "mount --make-rprivate /",
        f"mount --bind {at} {at}",
        f"mount -o remount,bind,{'rw' if writable else 'ro'} {at}",
        f"mount -t proc proc {at}/proc",
        f"mount --rbind /dev {at}/dev",
    ]


def _enter(root: Path, cwd: str, argv: Sequence[str]) -> str:
    inner = f"cd {shlex.quote(cwd)} && exec {shlex.join(argv)}"
    return f"exec chroot {shlex.quote(str(root))} /bin/sh -c {shlex.quote(inner)}"


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
    at = shlex.quote(str(root))
    lines = [*_mounts(root, writable), f"mount -t tmpfs tmpfs {at}/tmp"]
    for inside, outside in (folders or {}).items():
        lines.append(f"mount --bind {shlex.quote(str(outside))} {at}{inside}")
    script = "\n".join([*lines, _enter(root, cwd, argv)])
    return process.run([*unshare(), "sh", "-c", script], log, {**ENVIRONMENT, **(env or {})})


def host(
    root: Path, argv: Sequence[str], cwd: str, env: Mapping[str, str], log: IO[bytes] | None = None
) -> int:
    """Runs `argv` in `root` as on a host of its own; its output goes to `log`, or to that of this process."""
    lines = [*_mounts(root, writable=True), f"mount -t sysfs sysfs {shlex.quote(str(root))}/sys"]
    script = "\n".join([*lines, _enter(root, cwd, argv)])
    argv = [*unshare(), "sh", "-c", script]
    child = process.start(argv, env=dict(env), stdout=log, stderr=log)
    try:
        return child.wait()
    finally:
        process.stop(child)
