#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""In the machine: churn.py SEED COUNT. Life cycles of qdiscs under traffic, and the memory before and after.

The kernel is warm after a tenth of the cycles: what it keeps for later is there then.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from guestlib import machine, memory  # noqa: E402

WARM = 10  # part of the cycles


def cycles(seed: int, count: int) -> list[str]:
    """Returns faults."""
    argv = [machine.SENDER, "churn", str(seed), str(count)]
    done = subprocess.run(argv, stdout=subprocess.PIPE, text=True)
    for line in done.stdout.splitlines():
        print(f"# {line}", flush=True)
    faults = [line for line in done.stdout.splitlines() if line.startswith("fault:")]
    return faults + ([f"status {done.returncode}"] if done.returncode else [])


def main(argv: list[str]) -> int:
    seed, count = map(int, argv)
    lines = machine.prepare()
    faults = cycles(seed, max(count // WARM, 1))
    before = memory.read()
    faults += cycles(seed + 1, count)
    after = memory.read()
    memory.show(before, after)
    results = [
        machine.result("all that has to succeed does", faults),
        machine.result(
            "the kernel has as much memory as before", memory.grown(before, after, count)
        ),
        machine.result("the modules unload", machine.unload()),
        machine.result("the kernel has nothing to say", machine.log()[lines:]),
    ]
    return not all(results)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
