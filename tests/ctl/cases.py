# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Tests as functions: @case says what holds, main() runs them and prints KTAP."""

from __future__ import annotations

import sys
import traceback
from pathlib import Path
from typing import Callable

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "codelctl"))

from codelctllib.errors import Refusal  # noqa: E402

Test = Callable[[], None]
_cases: list[tuple[str, Test]] = []


def case(title: str) -> Callable[[Test], Test]:
    def add(test: Test) -> Test:
        _cases.append((title, test))
        return test

    return add


def check(what: str, value: object, expected: object) -> None:
    assert value == expected, f"{what}: {value!r} is not {expected!r}"


def refused(what: str, test: Callable[[], object], *words: str) -> None:
    """The call is refused, with a message that contains these words."""
    try:
        found = test()
    except Refusal as error:
        missing = [word for word in words if word not in str(error)]
        assert not missing, f"{what}: {str(error)!r} does not contain {missing}"
        return
    raise AssertionError(f"{what}: was accepted: {found!r}")


def _run(number: int, title: str, test: Test) -> bool:
    try:
        test()
    except Exception:  # pylint: disable=broad-except # a failed case, whatever it is
        for line in traceback.format_exc().splitlines():
            print(f"# {line}")
        print(f"not ok {number} {title}", flush=True)
        return False
    print(f"ok {number} {title}", flush=True)
    return True


def main() -> None:
    print(f"TAP version 13\n1..{len(_cases)}", flush=True)
    good = [_run(n, title, test) for n, (title, test) in enumerate(_cases, 1)]
    sys.exit(0 if all(good) else 1)
