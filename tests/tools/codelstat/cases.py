# SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
"""What the tests of codelstat share: the program, a recording, and the functions of tests/ktap."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOP = HERE.parents[2]
sys.path.append(str(TOP / "tests" / "ktap"))

from ktap import Skip, case, check, main  # noqa: E402, F401

CODELSTAT = os.environ.get("CODELSTAT", str(TOP / "tc" / "codelstat" / "codelstat"))
RECORDING = str(HERE / "shaped.rec")  # record.sh made it


def codelstat(*words: str, status: int = 0, **variables: str) -> subprocess.CompletedProcess[str]:
    """Runs it to its end, which must be this status, with these variables in its environment."""
    done = subprocess.run(
        [CODELSTAT, *words],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        env=os.environ | variables,
        timeout=60,
    )
    check(f"status of codelstat {' '.join(words)} ({done.stderr.strip()})", done.returncode, status)
    return done
