#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The cases of a subject, in the virtual machine: KTAP on standard output.

    guest.py SUBJECT [twice | CASE...]

A SUBJECT is a module of this folder; `twice` is the case that the host compares.
"""

from __future__ import annotations

import importlib
import sys
import traceback
from pathlib import Path
from typing import Callable

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.dont_write_bytecode = True

import bench  # noqa: E402


def passes(case: Callable[[], None]) -> bool:
    try:
        case()
        return True
    except bench.Failed as error:
        print(f"# FAIL: {error}")
    except Exception:
        print("# " + traceback.format_exc().replace("\n", "\n# "))
    return False


def chosen(subject: str, names: tuple[str, ...]) -> list[Callable[[], None]]:
    module = importlib.import_module(subject)
    if names == ("twice",):
        return [module.TWICE]
    cases = {case.__name__: case for case in module.CASES}
    if unknown := set(names) - set(cases):
        sys.exit(f"{subject}: no case {min(unknown)}; the cases are {', '.join(cases)}")
    return [case for name, case in cases.items() if not names or name in names]


def main(subject: str, *names: str) -> int:
    cases = chosen(subject, names)
    bench.network.command("insmod", f"{bench.network.MODULES}/slow_link.ko")
    print("TAP version 13")
    print(f"1..{len(cases)}", flush=True)
    failed = 0
    for number, case in enumerate(cases, 1):
        good = passes(case)
        failed += not good
        print(f"{'' if good else 'not '}ok {number} {case.__doc__}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
