# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""In-tree qdiscs that Debian's kernels are configured without, compiled from the source of the same kernel."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "vm"))

from vmlib import cache, process, releases, source, tree  # noqa: E402

KINDS = ("dualpi2",)
KBUILD = "obj-m := sch_{kind}.o\n"
# It is in-tree by its source, which is what the laboratory asks for. Only a build of the whole tree adds this by itself
IN_TREE = '\nMODULE_INFO(intree, "Y");\n'


def _fetch(where: releases.Release, kind: str, made: Path) -> None:
    name = f"sch_{kind}.c"
    path = f"net/sched/{name}"
    try:
        source.fetch(where.name, where.kernel_release, made, only=[path])
    except process.Failure as error:
        raise process.Failure(f"{error}\n{kind}: is it in Linux {where.kernel_release}?") from error
    (made / name).write_text((made / "linux" / path).read_text() + IN_TREE)
    shutil.rmtree(made / "linux")
    (made / "Kbuild").write_text(KBUILD.format(kind=kind))


def _compiled(where: releases.Release, kind: str) -> bool:
    folder = where.root / "lib/modules" / where.kernel_release / "kernel/net/sched"
    return any(folder.glob(f"sch_{kind}.ko*"))


def modules(where: releases.Release, text: str) -> list[Path]:
    """Of the kinds that a text names."""
    found: list[Path] = []
    for kind in KINDS:
        if re.search(rf"\b{kind}\b", text) and not _compiled(where, kind):
            name = f"{where.kernel_release}-{kind}"
            folder = cache.entry("uncompiled", name, lambda made: _fetch(where, kind, made))
            found += tree.module(where, folder)
    return found
