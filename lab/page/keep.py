# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Keeps a report in the tree: page, figures and JSON, if they are not too much for it."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

MOST = 7_000_000  # bytes
LARGEST = 5  # files that a refusal names


class TooMuch(Exception):
    """More than a tree should carry."""


def check(files: list[Path]) -> None:
    sizes = {f.name: f.stat().st_size for f in files}
    total = sum(sizes.values())
    if total <= MOST:
        return
    largest = sorted(sizes, key=lambda n: (-sizes[n], n))[:LARGEST]
    named = ", ".join(f"{n} {sizes[n] / 1e6:.1f} MB" for n in largest)
    raise TooMuch(f"{total / 1e6:.1f} MB, more than {MOST / 1e6:g} MB: {named}")


def keep(files: list[Path], target: Path) -> None:
    """All of them or, after an error, the former files."""
    check(files)
    made = Path(tempfile.mkdtemp(prefix=".report-", dir=target.parent))
    try:
        for file in files:
            shutil.copyfile(file, made / file.name)
        made.chmod(0o755)
        if target.exists():
            shutil.rmtree(target)
        os.rename(made, target)
    finally:
        shutil.rmtree(made, ignore_errors=True)
