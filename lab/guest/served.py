# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The module that serves a qdisc, as the kernel reports it.

A qdisc holds a reference on the module that registered its kind, so adding the qdisc raises that module's count. A
qdisc that is built in raises no count. The kernel marks each module that was built outside its tree with the taint O.
The name of the kind proves nothing: an out-of-tree module may have registered an in-tree name.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable, Iterable

MODULES = Path("/sys/module")
OUT_OF_TREE = "_oot"  # how the kinds end that only an out-of-tree module may serve
Served = dict[str, Any]  # {"module": name or None, "origin": one of these}
ORIGINS = ("built-in", "in-tree", "out-of-tree")


class Unknown(Exception):
    """Several modules gained references."""


def references() -> dict[str, int]:
    """The reference count of every loaded module."""
    return {file.parent.name: int(file.read_text()) for file in MODULES.glob("*/refcnt")}


def gained(before: dict[str, int], after: dict[str, int]) -> list[str]:
    return sorted(name for name, count in after.items() if count > before.get(name, 0))


def origin(module: str) -> str:
    taint = (MODULES / module / "taint").read_text()
    return "out-of-tree" if "O" in taint else "in-tree"


def by(add: Callable[[], None]) -> Served:
    """Add a qdisc; return the module that serves it."""
    before = references()
    add()
    modules = gained(before, references())
    if len(modules) > 1:
        raise Unknown(f"{' and '.join(modules)} gained references")
    if not modules:
        return {"module": None, "origin": "built-in"}
    return {"module": modules[0], "origin": origin(modules[0])}


def objection(kind: str, served: Served) -> str | None:
    """A sentence if a plain kind is served by an out-of-tree module, or the other way round."""
    wanted = kind.endswith(OUT_OF_TREE)
    if wanted == (served["origin"] == "out-of-tree"):
        return None
    module = f"the {served['origin']} module {served['module']}"
    by_whom = module if served["module"] else "a qdisc that is built in"
    return (
        f"{kind} is served by {by_whom}, not by an {'out-of-tree' if wanted else 'in-tree'} qdisc"
    )


def in_tree(release: str, kinds: Iterable[str]) -> list[str]:
    """The in-tree modules of those kinds that are not built in."""
    folder = Path(f"/lib/modules/{release}/kernel/net/sched")
    return [name for kind in kinds for name in [f"sch_{kind}"] if any(folder.glob(f"{name}.ko*"))]
