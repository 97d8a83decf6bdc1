# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""What bash completes, for the tests of both programs."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from ktap import check

COMPLETE = """
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
"_$1"
printf '%s\\n' "${COMPREPLY[@]}"
"""


def completed(script: Path, command: str, *words: str, path: str = "") -> set[str]:
    """What the command's completion, in a script, offers for the last word. `path` goes before the others in PATH."""
    done = subprocess.run(
        ["bash", "-uc", COMPLETE, "bash", str(script), command, *words],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env={**os.environ, "PATH": ":".join(filter(None, (path, os.environ["PATH"])))},
    )
    check(f"status and errors of {words}", (done.returncode, done.stderr), (0, ""))
    return set(done.stdout.split())
