# SPDX-License-Identifier: GPL-2.0
"""The kernel image without its compression: the guest need not unpack it."""

from __future__ import annotations

import gzip
import lzma
import subprocess
import zlib
from pathlib import Path
from typing import Callable

from . import process

ELF = b"\x7fELF"
SIGNED = b"~Module signature appended~\n"


def _zstd(data: bytes) -> bytes:
    # The payload's length is not known, so zstd meets rubbish after its end.
    done = subprocess.run(
        ["zstd", "-dcq"], input=data, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    return done.stdout


def _lz4(data: bytes) -> bytes:
    done = subprocess.run(
        ["lz4", "-dcq"], input=data, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    return done.stdout


def _xz(data: bytes) -> bytes:
    return lzma.LZMADecompressor().decompress(data)


def _gzip(data: bytes) -> bytes:
    return zlib.decompressobj(31).decompress(data)


PACKERS: tuple[tuple[bytes, Callable[[bytes], bytes]], ...] = (
    (b"\xfd7zXZ\x00", _xz),
    (b"\x28\xb5\x2f\xfd", _zstd),
    (b"\x02\x21\x4c\x18", _lz4),
    (b"\x1f\x8b\x08", _gzip),
)


def unpacked(vmlinuz: Path) -> bytes:
    """The ELF image inside a bzImage."""
    data = vmlinuz.read_bytes()
    for magic, unpack in PACKERS:
        at = data.find(magic)
        while at >= 0:
            try:
                image = unpack(data[at:])
            except (lzma.LZMAError, zlib.error, EOFError):
                image = b""
            if image.startswith(ELF):
                return image
            at = data.find(magic, at + 1)
    raise process.Failure(f"{vmlinuz.name}: no kernel found inside")


def module(path: Path) -> bytes:
    """A module as the guest loads it: not compressed, and without a signature,
    whose check costs more than the rest of the loading."""
    data = path.read_bytes()
    if path.suffix == ".xz":
        data = lzma.decompress(data)
    elif path.suffix == ".zst":
        data = _zstd(data)
    elif path.suffix == ".gz":
        data = gzip.decompress(data)
    if data.endswith(SIGNED):
        end = len(data) - len(SIGNED)
        length = int.from_bytes(data[end - 4 : end], "big")
        data = data[: end - 12 - length]
    return data
