# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Tests as functions: @case gives the title, main() runs them and prints KTAP."""

from __future__ import annotations

import sys
import traceback
from typing import Callable, NoReturn

Test = Callable[[], None]
_cases: list[tuple[str, Test]] = []


class Skip(Exception):
    """The case cannot be run here, for this reason."""


def case(title: str) -> Callable[[Test], Test]:
    def add(test: Test) -> Test:
        _cases.append((title, test))
        return test

    return add


def check(what: str, value: object, expected: object) -> None:
    assert value == expected, f"{what}: {value!r} is not {expected!r}"


def _run(number: int, title: str, test: Test) -> bool:
    try:
        test()
    except Skip as reason:
        print(f"ok {number} {title} # SKIP {reason}", flush=True)
        return True
    except Exception:  # pylint: disable=broad-except # any exception fails the case
        for line in traceback.format_exc().splitlines():
            print(f"# {line}")
        print(f"not ok {number} {title}", flush=True)
        return False
    print(f"ok {number} {title}", flush=True)
    return True


def main() -> NoReturn:
    print(f"TAP version 13\n1..{len(_cases)}", flush=True)
    good = [_run(n, title, test) for n, (title, test) in enumerate(_cases, 1)]
    sys.exit(0 if all(good) else 1)
