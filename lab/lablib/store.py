# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Finished runs, under names that change with all that they depend on."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import time
from pathlib import Path
from typing import Any

from .plan import Run

KEEP_DAYS = 60


def key(run: Run, recipe: str) -> str:
    """The name of a run's outcome. What the run is called and labelled does not matter."""
    return digest([run.document, run.release, recipe])


def verdict_key(words: str, recipe: str) -> str:
    """The name of tc's verdict on the words of a qdisc; the recipe is of a release."""
    return digest(["words", words, recipe])


def digest(parts: list[Any]) -> str:
    text = json.dumps(parts, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def write(path: Path, text: str) -> None:
    """The whole file or none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fd, name = tempfile.mkstemp(prefix=".", suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(fd, "w", encoding="utf-8") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(fd)
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


class Store:
    """A folder with a file for each."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, name: str) -> Path:
        return self.folder / f"{name}.json"

    def get(self, name: str) -> dict[str, Any] | None:
        path = self.path(name)
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):
            return None
        os.utime(path)
        return found if isinstance(found, dict) else None

    def put(self, name: str, outcome: dict[str, Any]) -> None:
        write(self.path(name), json.dumps(outcome, sort_keys=True))

    def forget(self, name: str) -> None:
        self.path(name).unlink(missing_ok=True)

    def prune(self) -> None:
        """Remove results unused for long, and the remains of a killed writer."""
        oldest = time.time() - KEEP_DAYS * 86400
        for path in [*self.folder.glob("*.json"), *self.folder.glob(".*.tmp")]:
            if path.stat().st_mtime < oldest:
                path.unlink(missing_ok=True)
