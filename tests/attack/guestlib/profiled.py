#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""profiled.py COMMAND [ARG...]: runs COMMAND with the modules of /root, which are compiled for gcov, in place of those
that are installed. What they have counted is in /root/gcov.tar afterwards."""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

MODULES = ("sch_codel_oot", "sch_fq_codel_oot")
COUNTED = Path("/sys/kernel/debug/gcov/mnt")  # under the folder in which they were compiled
ROOT = Path("/root")


def install() -> None:
    for module in MODULES:
        where = subprocess.check_output(["modinfo", "-n", module], text=True).strip()
        shutil.copyfile(ROOT / f"{module}.ko", where)


def collect() -> None:
    """Files of debugfs have no length, and tarfile would take them for empty."""
    with tarfile.open(ROOT / "gcov.tar", "w") as archive:
        for path in sorted(COUNTED.rglob("*.gcda")):
            data = path.read_bytes()
            entry = tarfile.TarInfo(str(path.relative_to(COUNTED)))
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))


def main(argv: list[str]) -> int:
    install()
    status = subprocess.run(argv).returncode
    collect()
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
