# SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
"""Tests as functions: @case gives the title, main() runs them and prints KTAP."""

from __future__ import annotations

import os
import subprocess
import sys
import traceback
from pathlib import Path
from typing import Callable

HERE = Path(__file__).resolve().parent
TOP = HERE.parents[1]
CODELSTAT = os.environ.get("CODELSTAT", str(TOP / "tc" / "codelstat" / "codelstat"))
RECORDING = str(HERE / "shaped.rec")  # record.sh made it

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


def codelstat(*words: str, status: int = 0) -> subprocess.CompletedProcess[str]:
    """Runs it to its end, which must be this status."""
    done = subprocess.run(
        [CODELSTAT, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60
    )
    check(f"status of codelstat {' '.join(words)} ({done.stderr.strip()})", done.returncode, status)
    return done


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


def main() -> None:
    print(f"TAP version 13\n1..{len(_cases)}", flush=True)
    good = [_run(n, title, test) for n, (title, test) in enumerate(_cases, 1)]
    sys.exit(0 if all(good) else 1)
