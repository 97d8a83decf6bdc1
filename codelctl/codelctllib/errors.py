# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The two ways in which codelctl ends without success."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Iterator


class Refusal(Exception):
    """A value or a link is not acceptable; nothing was changed. Status 2."""


class Failure(Exception):
    """A command failed. The message states how the link was left. Status 1."""


@contextlib.contextmanager
def writing(path: Path, left: str = "") -> Iterator[None]:
    """A file or folder that cannot be written is a failure; `left` is how that leaves the link."""
    try:
        yield
    except OSError as error:
        raise Failure(f"{path}: {error.strerror}{left}") from error
