# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""KTAP from scripts that do not number their cases.

The number of cases is known before they run, from the sources of the scripts: a script that ends early has lost cases.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Callable, Iterable

from vmlib import process


CASE = re.compile(r'^\s*ok "', re.M)


def cases_in(*scripts: Path) -> int:
    """How many cases the scripts have: the calls of ok in cases.sh."""
    return sum(len(CASE.findall(path.read_text())) for path in scripts)


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


def report(planned: int, cases: Callable[[Results], None]) -> int:
    """Run the cases, of which there are `planned`; returns the exit status."""
    process.catch_signals()
    results = Results()
    print(f"TAP version 13\n1..{planned}", flush=True)
    try:
        cases(results)
    except process.Failure as error:
        results.add_unless(str(error), "the test runs to its end")
    except process.Interrupted as error:
        return 128 + error.signum
    if results.count != planned:
        process.say(f"{planned} cases were planned, and {results.count} have a result")
    return int(results.failed or results.count != planned)
