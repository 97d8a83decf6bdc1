#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# check: all
"""scripts/into-tree adds files and lines to a kernel's tree once, and refuses other trees without a change.

The tree here has only the files that lines are added to; tests/packages/tree/kernels builds whole ones.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator

TOP = Path(__file__).resolve().parents[3]
sys.path.append(str(TOP / "tests" / "ktap"))
sys.dont_write_bytecode = True

from ktap import case, check, main  # noqa: E402

KERNEL = {
    "Makefile": "# SPDX\nVERSION = 6\nPATCHLEVEL = 12\nSUBLEVEL = 3\n",
    "net/sched/Kconfig": "config NET_SCH_FQ_CODEL\n\ttristate\n\nconfig NET_SCH_CAKE\n\ttristate\n",
    "net/sched/Makefile": "obj-y\t:= a.o\nobj-$(CONFIG_NET_SCH_FQ_CODEL)\t+= sch_fq_codel.o\n",
    "include/uapi/linux/pkt_sched.h": "\n",
    "tools/testing/selftests/Makefile": "TARGETS += clone3\nTARGETS += core\n",
}
MODULES = "net/sched/codel_oot"
SELFTESTS = "tools/testing/selftests/codel"
State = dict[str, tuple[int, int, bytes]]


@contextmanager
def kernel(**changed: str | None) -> Iterator[Path]:
    """A tree, with other contents for some files, or (None) without them."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in {**KERNEL, **changed}.items():
            if text is not None:
                path = Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
        yield Path(folder)


def state(top: Path) -> State:
    """Mode, time of change and contents of each file."""
    found = {str(p.relative_to(top)): p for p in top.rglob("*") if p.is_file()}
    return {n: (p.stat().st_mode, p.stat().st_mtime_ns, p.read_bytes()) for n, p in found.items()}


def into_tree(top: Path) -> tuple[int, str]:
    argv = [str(TOP / "scripts/into-tree"), str(top)]
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    return done.returncode, (done.stdout + done.stderr).replace(str(top), "TREE")


def refused(said: str, **changed: str | None) -> None:
    with kernel(**changed) as top:
        before = state(top)
        check("status and message", into_tree(top), (1, f"scripts/into-tree: {said}\n"))
        check("the tree afterwards", state(top), before)


@case("files and lines are added, where they belong")
def added() -> None:
    with kernel() as top:
        check("status and message", into_tree(top), (0, ""))
        text = {name: (top / name).read_text() for name in KERNEL}
        for name in ("Makefile", "include/uapi/linux/pkt_sched.h"):
            check(name, text[name], KERNEL[name])
        found = text["net/sched/Kconfig"].splitlines()
        assert found.index(f'source "{MODULES}/Kconfig"') == found.index("config NET_SCH_CAKE") - 2
        check(
            "last line of Makefile", text["net/sched/Makefile"].split()[-2:], ["+=", "codel_oot/"]
        )
        targets = re.findall(r"TARGETS \+= (\w+)", text["tools/testing/selftests/Makefile"])
        check("targets", targets, ["clone3", "codel", "core"])
        config = (top / SELFTESTS / "config").read_text().splitlines()
        check("options in order", config, sorted(config))
        for option in re.findall(r"^config (\w+)", (top / MODULES / "Kconfig").read_text(), re.M):
            assert f"CONFIG_{option}=m" in config, f"the selftests do not require {option}"


@case("each header that a module includes is there")
def headers() -> None:
    with kernel() as top:
        into_tree(top)
        sources = [p for p in (top / MODULES).rglob("*") if p.suffix in (".c", ".h")]
        assert len(sources) > 15, sources
        for path in sources:
            text = path.read_text()
            for name in re.findall(r'^#include "(.*)"', text, re.M):
                assert (path.parent / name).is_file(), f"{path} includes {name}"
            for name in re.findall(r"^#include <linux/(codel_.*)>", text, re.M):
                assert (top / "include/uapi/linux" / name).is_file(), f"{path} includes {name}"


@case("each file that a selftest reads is there")
def selftests() -> None:
    with kernel() as top:
        into_tree(top)
        folder = top / SELFTESTS
        tests = sorted(folder.glob("test_*.sh"))
        assert len(tests) > 20, tests
        for path in folder.glob("*.sh"):
            used = re.findall(r'^\. "\$(?:LIB_DIR|\(dirname "\$0"\))/(.*)"', path.read_text(), re.M)
            used += re.findall(r"\$LIB_DIR/(\w+\.\w+)", path.read_text())
            for name in used:
                assert (folder / name).is_file(), f"{path.name} uses {name}"
        for path in (p for p in folder.rglob("*") if p.is_file() and p.name != "config"):
            bits = (TOP / "tests" / "kernel" / path.relative_to(folder)).stat().st_mode
            check(
                f"{path.name} is a program", bool(path.stat().st_mode & 0o111), bool(bits & 0o111)
            )


@case("a second run changes nothing")
def again() -> None:
    with kernel() as top:
        into_tree(top)
        before = state(top)
        check("status and message", into_tree(top), (0, ""))
        check("the tree afterwards", state(top), before)


@case("other folders and older kernels are refused")
def refusals() -> None:
    no_tree = "TREE is not the source tree of a Linux kernel"
    refused(f"{no_tree}: it has no Makefile", Makefile=None)
    refused(f"{no_tree}: Makefile has no version", Makefile="all:\n")
    refused(f"{no_tree}: it has no net/sched/Kconfig", **{"net/sched/Kconfig": None})
    for old in ("5.15", "6.0"):
        major, minor = old.split(".")
        refused(
            f"TREE is Linux {old}: the modules require 6.1 or newer",
            Makefile=f"VERSION = {major}\nPATCHLEVEL = {minor}\n",
        )


@case("a tree without the place for a line is refused")
def no_place() -> None:
    name = "tools/testing/selftests/Makefile"
    said = f"TREE/{name} has no line 'TARGETS += core', beside which a line is to be added"
    refused(said, **{name: "TARGETS += clone3\n"})


if __name__ == "__main__":
    main()
