# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""What the tests of scenarios share: plans of a text, and the functions of tests/ktap."""

from __future__ import annotations

import contextlib
import sys
import tempfile
from pathlib import Path
from typing import Iterator

from lablib import plan, tree

TOP = Path(__file__).resolve().parents[3]
LAB = TOP / "lab"
sys.path.append(str(TOP / "tests" / "ktap"))

from ktap import case, main  # noqa: E402, F401


def same(what: str, value: object, expected: object) -> None:
    assert value == expected, f"{what}:\n{value}\nis not\n{expected}"


@contextlib.contextmanager
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="lab-test-") as name:
        yield Path(name)


def planned(text: str, **options: object) -> plan.Plan:
    """The plan of a scenario's text, which is called s.toml in messages."""
    with folder() as where:
        file = where / "s.toml"
        file.write_text(text, encoding="utf-8")
        try:
            return plan.make(file, plan.Options(**options))  # type: ignore[arg-type]
        except tree.Wrong as error:
            raise tree.Wrong(str(error).replace(f"{where}/", "")) from None


def wrong(text: str, **options: object) -> list[str]:
    """The messages about a scenario."""
    try:
        planned(text, **options)
    except tree.Wrong as error:
        return str(error).splitlines()
    return []
