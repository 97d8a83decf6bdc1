# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""KTAP from scripts that do not number their cases."""

from __future__ import annotations

from typing import Callable, Iterable

from vmlib import process


class Results:
    """Numbers the lines of several scripts."""

    def __init__(self) -> None:
        self.count = 0
        self.failed = False

    def add(self, lines: Iterable[str]) -> None:
        for line in lines:
            if line.startswith(("ok - ", "not ok - ")):
                self.count += 1
                self.failed |= line.startswith("not")
                line = line.replace("ok -", f"ok {self.count} -", 1)
            print(line, flush=True)

    def add_unless(self, why: str | None, name: str) -> None:
        """One case, which fails for this reason."""
        if why:
            process.say(f"{name}: {why}")
        self.add([f"{'not ' if why else ''}ok - {name}"])


def report(cases: Callable[[Results], None]) -> int:
    """Run the cases; returns the exit status."""
    process.catch_signals()
    results = Results()
    print("TAP version 13", flush=True)
    try:
        cases(results)
    except process.Failure as error:
        results.add_unless(str(error), "the test runs to its end")
    except process.Interrupted as error:
        return 128 + error.signum
    print(f"1..{results.count}")
    return int(results.failed)
