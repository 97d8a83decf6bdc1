# SPDX-License-Identifier: GPL-2.0
"""The cache: finished things under names that change with their recipe.

An entry is built in a scratch folder and renamed into place when it is whole,
so what has a name is complete.  Scratch folders hold a lock as long as their
owner lives; what an owner left behind that could not clean up (SIGKILL, power)
goes at the next run.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import tempfile
from pathlib import Path
from typing import Callable, Iterable, Iterator

from . import process

KEEP_TREES = 24


def home() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(os.environ.get("CODEL_CACHE") or Path(base) / "codel-oot").absolute()


def digest(parts: Iterable[bytes]) -> str:
    """A name for contents; each part's length counts, so that parts cannot blend."""
    state = hashlib.sha256()
    for part in parts:
        state.update(b"%d:" % len(part))
        state.update(part)
    return state.hexdigest()[:16]


def _lock(path: Path, flags: int) -> int:
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(fd, flags)
    except BaseException:
        os.close(fd)
        raise
    return fd


def _sweep(folder: Path) -> None:
    """Removes what dead owners left."""
    for lock in folder.glob("*.lock"):
        try:
            fd = _lock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            continue
        shutil.rmtree(lock.with_suffix(""), ignore_errors=True)
        lock.unlink(missing_ok=True)
        os.close(fd)


@contextlib.contextmanager
def scratch() -> Iterator[Path]:
    """A folder for one owner, gone afterwards."""
    folder = home() / "tmp"
    folder.mkdir(parents=True, exist_ok=True)
    guard = _lock(home() / "tmp.lock", fcntl.LOCK_EX)
    try:
        _sweep(folder)
        path = Path(tempfile.mkdtemp(prefix="run-", dir=folder))
        lock = path.with_suffix(".lock")
        fd = _lock(lock, fcntl.LOCK_EX)
    finally:
        os.close(guard)
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)
        lock.unlink(missing_ok=True)
        os.close(fd)


@contextlib.contextmanager
def _turn(name: str) -> Iterator[None]:
    """One at a time builds the entry `name`."""
    folder = home() / "lock"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    try:
        fd = _lock(path, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        process.say(f"waiting for another run to finish {name}")
        fd = _lock(path, fcntl.LOCK_EX)
    try:
        yield
    finally:
        os.close(fd)


def entry(kind: str, name: str, build: Callable[[Path], None]) -> Path:
    """The folder of a finished entry; `build` fills it if there is none yet."""
    path = home() / kind / name
    if path.is_dir():
        os.utime(path)
        return path
    with _turn(f"{kind}-{name}"):
        if path.is_dir():
            return path
        with scratch() as work:
            made = work / "entry"
            made.mkdir()
            build(made)
            path.parent.mkdir(parents=True, exist_ok=True)
            made.rename(path)
    return path


def prune(kind: str) -> None:
    """Forgets the entries that were not used for longest."""
    entries = sorted((home() / kind).iterdir(), key=lambda p: p.stat().st_mtime, reverse=True)
    for path in entries[KEEP_TREES:]:
        shutil.rmtree(path, ignore_errors=True)
