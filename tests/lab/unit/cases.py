# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Tests as functions: @case gives the title, main() runs them and prints KTAP."""

from __future__ import annotations

import contextlib
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Callable, Iterator

from lablib import plan, tree

LAB = Path(__file__).resolve().parents[1]
Test = Callable[[], None]
_cases: list[tuple[str, Test]] = []


def case(title: str) -> Callable[[Test], Test]:
    def add(test: Test) -> Test:
        _cases.append((title, test))
        return test

    return add


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


def _run(number: int, title: str, test: Test) -> bool:
    try:
        test()
    except Exception:  # pylint: disable=broad-except # any exception fails the case
        for line in traceback.format_exc().splitlines():
            print(f"# {line}")
        print(f"not ok {number} {title}", flush=True)
        return False
    print(f"ok {number} {title}", flush=True)
    return True


def main() -> int:
    print(f"TAP version 13\n1..{len(_cases)}", flush=True)
    good = [_run(n, title, test) for n, (title, test) in enumerate(_cases, 1)]
    return 0 if all(good) else 1
