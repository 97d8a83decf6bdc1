#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Whether tests/check notices what a test, or its machine, does not say.

A table of outputs, each with the status that came with it and the numbers of
passed, failed and skipped results that must be counted.
"""

from __future__ import annotations

import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "vm")]
sys.dont_write_bytecode = True

from checklib.guest import Boot  # noqa: E402
from checklib.ktap import Document, Verdict  # noqa: E402

OUTPUTS = [
    ("all pass", "1..2\nok 1 a\nok 2 b", 0, (2, 0, 0)),
    ("one fails", "1..2\nok 1 a\nnot ok 2 b", 1, (1, 1, 0)),
    ("a failure, status 0", "1..1\nnot ok 1 a", 0, (0, 1, 0)),
    ("one is skipped", "1..2\nok 1 a\nok 2 b # SKIP why", 0, (1, 0, 1)),
    ("a skip in lower case", "1..1\nok 1 a # skip why", 4, (0, 0, 1)),
    ("a failure with a skip", "1..1\nnot ok 1 a # SKIP why", 1, (0, 1, 0)),
    ("an expected failure", "1..1\nnot ok 1 a # XFAIL why", 0, (0, 0, 1)),
    ("all is skipped", "1..0 # SKIP why", 4, (0, 0, 1)),
    ("nothing is planned", "1..0", 0, (0, 1, 0)),
    ("no plan", "ok 1 a", 0, (1, 1, 0)),
    ("no output", "", 0, (0, 1, 0)),
    ("too few", "1..2\nok 1 a", 0, (1, 1, 0)),
    ("too many", "1..1\nok 1 a\nok 2 b", 0, (2, 1, 0)),
    ("a number is left out", "1..2\nok 1 a\nok 3 c", 0, (1, 1, 0)),
    ("an unexplained status", "1..1\nok 1 a", 1, (1, 1, 0)),
    ("status 4 in spite of a pass", "1..1\nok 1 a", 4, (1, 1, 0)),
    ("killed", "1..2\nok 1 a", 137, (1, 1, 0)),
    ("nested results", "1..1\n  1..2\n  ok 1 x\n  not ok 2 y\nok 1 a", 0, (1, 0, 0)),
    ("plan at the end", "ok 1 a\n1..1", 0, (1, 0, 0)),
    ("words like results", "1..1\nokay\nnot okay\nok 1 a", 0, (1, 0, 0)),
]

# The test that ran when the kernel complained, by the kernel's clock
BOOTS = [
    ("in the first", "1.5", "a"),
    ("in the second", "2.5", "b"),
    ("after the end", "9.0", "b"),
]
BOOT = """@@ begin a 1.0
@@ end a 0 2.0
@@ begin b 2.1
@@ end b 0 3.0
[    {}00000] WARNING: CPU: 0"""


def counted(output: str, status: int) -> tuple[int, ...]:
    document = Document()
    for line in output.splitlines():
        document.feed(line)
    document.finish(status)
    return tuple(document.count(verdict) for verdict in Verdict)


def culprit(when: str) -> str | None:
    boot = Boot()
    for line in BOOT.format(when).splitlines():
        boot.feed(line)
    test = boot.culprit()
    return test.name if test else None


def main() -> int:
    results = [(name, counted(out, st), want) for name, out, st, want in OUTPUTS]
    blamed = [(f"blamed: {name}", culprit(at), want) for name, at, want in BOOTS]
    print(f"TAP version 13\n1..{len(results) + len(blamed)}")
    failed = 0
    for number, (name, got, want) in enumerate([*results, *blamed], 1):
        if got != want:
            failed += 1
            print(f"# {got}, not {want}")
        print(f"{'ok' if got == want else 'not ok'} {number} {name}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
