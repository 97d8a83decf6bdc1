# SPDX-License-Identifier: GPL-2.0
"""Writes the kernel's initramfs format, the same bytes for the same contents.

Archives may follow each other in one file: later entries add to or replace
earlier ones.  Names are resolved against a merged /usr, as Debian's is.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import IO

MERGED = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
TIME = 1767225600  # 2026-01-01, when the machine's clock starts


def merged(name: str) -> str:
    """The name where the file really lives: bin, lib and so on are links."""
    name = name.strip("/")
    return f"usr/{name}" if name.split("/")[0] in MERGED else name


class Archive:
    """Files, folders and links for one archive; call `finish` at the end."""

    def __init__(self, stream: IO[bytes]) -> None:
        self.stream = stream
        self.serial = 0
        self.folders: set[str] = set()

    def _put(self, name: str, mode: int, data: bytes = b"") -> None:
        self.serial += 1
        encoded = os.fsencode(name) + b"\0"
        fields = (self.serial, mode, 0, 0, 1, TIME, len(data), 0, 0, 0, 0)
        head = b"070701" + b"".join(b"%08x" % f for f in fields)
        head += b"%08x%08x" % (len(encoded), 0) + encoded
        self.stream.write(head + b"\0" * (-len(head) % 4))
        self.stream.write(data)
        self.stream.write(b"\0" * (-len(data) % 4))

    def folder(self, name: str, mode: int = 0o755) -> None:
        name = merged(name)
        if not name or name in self.folders:
            return
        self.folder(os.path.dirname(name))
        self.folders.add(name)
        self._put(name, stat.S_IFDIR | mode)

    def file(self, name: str, data: bytes, mode: int = 0o644) -> None:
        name = merged(name)
        self.folder(os.path.dirname(name))
        self._put(name, stat.S_IFREG | mode, data)

    def link(self, name: str, target: str) -> None:
        # The links of a merged /usr themselves stay where they are.
        name = name.strip("/")
        name = name if name in MERGED else merged(name)
        self.folder(os.path.dirname(name))
        self._put(name, stat.S_IFLNK | 0o777, os.fsencode(target))

    def add(self, path: Path, name: str) -> None:
        """Copies one file, folder (without its contents) or link."""
        info = path.lstat()
        if stat.S_ISLNK(info.st_mode):
            self.link(name, os.readlink(path))
        elif stat.S_ISDIR(info.st_mode):
            self.folder(name, stat.S_IMODE(info.st_mode))
        elif stat.S_ISREG(info.st_mode):
            self.file(name, path.read_bytes(), stat.S_IMODE(info.st_mode))

    def add_tree(self, top: Path, name: str) -> None:
        """Copies a folder with all that is in it."""
        for folder, folders, files in os.walk(top):
            folders.sort()
            inside = os.path.join(name, os.path.relpath(folder, top))
            for item in sorted(
                files + [f for f in folders if os.path.islink(os.path.join(folder, f))]
            ):
                self.add(Path(folder, item), os.path.normpath(os.path.join(inside, item)))
            for item in folders:
                if not os.path.islink(os.path.join(folder, item)):
                    self.add(Path(folder, item), os.path.normpath(os.path.join(inside, item)))

    def finish(self) -> None:
        self._put("TRAILER!!!", 0)
        # Whole pages, so that the next archive starts on a boundary.
        self.stream.write(b"\0" * (-self.stream.tell() % 4096))
