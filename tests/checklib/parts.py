# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The parts of tests/check, and which of them belong to `make check`.

A part is a program on this machine, or a selftest in a machine of one release. A line in its own file states what of it
belongs to `make check`; all else is left to `make check-all`:

    # check: all        the whole part
    # check: NAME...    these cases of a selftest, these targets of a Makefile or a program
    # check: 1/4        every fourth case of a selftest
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from vmlib import releases

TESTS = Path(__file__).resolve().parents[1]
TOP = TESTS.parent
SELFTESTS = TESTS / "kernel"
RELEASE = releases.DEFAULT  # its in-tree fq_codel has the defects that tests must see
LINE = re.compile(r"^# check: (.+)$", re.M)
REDUCED_GRID = "[grid.check]"  # of an experiment that has a form for tests


def in_check(file: Path) -> list[str]:
    """What of this file belongs to `make check`."""
    match = LINE.search(file.read_text())
    return match[1].split() if match else []


@dataclass(frozen=True)
class Program:
    """A part that is a program on this machine. `file` has its line."""

    argv: list[str]
    file: Path
    target: str = "all"

    @property
    def in_check(self) -> bool:
        return self.target in in_check(self.file)


def _make(folder: str, target: str, file: str = "") -> Program:
    argv = ["make", "--no-print-directory", "-C", folder, target]
    return Program(argv, TOP / (file or f"{folder}/Makefile"), target)


def _script(name: str, *arguments: str, file: str = "", target: str = "all") -> Program:
    return Program([name, *arguments], TOP / (file or name), target)


def _attack(name: str, *arguments: str, target: str = "") -> Program:
    return _script("tests/attack/run", name, *arguments, target=target or name)


# These need no image of a release
HOST = {
    "unit": _make("tests/algorithm/unit", "unit"),
    "unit-mutants": _make("tests/algorithm/unit", "mutants"),
    "shaper": _make("tests/algorithm/shaper", "unit"),
    "shaper-mutants": _make("tests/algorithm/shaper", "mutants"),
    "far": _make("tests/algorithm/far", "unit"),
    "far-mutants": _make("tests/algorithm/far", "mutants"),
    "flows": _make("tests/algorithm/flows", "unit"),
    "flows-mutants": _make("tests/algorithm/flows", "mutants"),
    "tc": _make("tc", "check", "tests/tools/tc/Makefile"),
    "tc-foreign": _make("tc", "check-foreign", "tests/tools/tc/Makefile"),
    "codelstat": _make("tests/tools/codelstat", "check"),
    "codelstat-prometheus": _make("tests/tools/codelstat", "check-prometheus"),
    "codelctl": _script("tests/tools/ctl/test_unit.py"),
    "messages": _script("tests/tools/ctl/test_messages.sh"),
    "check": _script("tests/checklib/test_verdicts.py"),
    "deb": _script("tests/packages/deb/test_source.py"),
    "man": _script("tests/tools/man/test_pages.py"),
    "packaging": _script("tests/packages/foreign/test_foreign.py"),
    "mutants": _script("tests/test_mutants.sh"),
    "specification": _script("tests/tools/ynl/test_spec.py"),
    "tree": _script("tests/packages/tree/test_into_tree.py"),
    "series-list": _script("tests/upstream/test_series.py"),
    "lab": _script("tests/lab/test_scenario.py"),
    "lab-targets": _script("tests/lab/test_targets.py"),
}
FOLDERS = ("lab", "tools/tc", "bench", "vm")
# Selftests of programs, and those that need more packages than a machine of another architecture has
OF_TOOLS = re.compile(r"test_(?:codelctl|bpftrace|manuals|others)")
TRAFFIC = ("datagrams", "bulk", "connections", "web", "tools")


def with_images() -> dict[str, Program]:
    """Programs on this machine that need the images: most start machines.

    Of the laboratory, each experiment in its reduced form is a part (lab/fig7), and each subject of its
    traffic (lab/traffic-web).
    """
    found = {
        "lint": _script("scripts/lint"),
        "proof": _script("proof/run", "--short", "--ktap"),
        "proof-long": _script("proof/run", "--long", "--ktap", file="Makefile"),
        "proof-mutants": _script("proof/mutants"),
        "deb-install": _script("tests/packages/deb/install"),
        "newcomer-install": _script("tests/packages/host/newcomer", "install"),
        "newcomer-commands": _script("tests/packages/host/newcomer", "commands"),
        "lab-page": _script("tests/lab/test_page.py"),
        "tree-kernels": _script("tests/packages/tree/kernels"),
        "series": _script("tests/upstream/check"),
        "parallel": _script("tests/parallel/run"),
        "parallel-locks": _script("tests/parallel/locks"),
        "parallel-rounds": _script("tests/parallel/rounds"),
        "parallel-debug": _script("tests/parallel/rounds", "--debug", "kasan"),
        "parallel-mutants": _script("tests/parallel/mutants"),
        "attack-requests": _attack("requests"),
        "attack-churn": _attack("churn"),
        "attack-day": _attack("day"),
        "attack-long": _script("tests/attack/long"),
        "attack-debug": _attack("requests", "--debug", "--count", "20000", target="debug"),
        "attack-no-leaks": _attack("requests", "--no-leaks", "--count", "1000000", target="debug"),
        "attack-mutants": _script("tests/attack/mutants"),
        "debug": _script("tests/vm/debug/check"),
        "lab/mutants": _script("tests/lab/mutants"),
    }
    for path in (p for f in FOLDERS for p in sorted(TESTS.glob(f"{f}/test_*.sh"))):
        name = f"{path.parent.name}/{path.name}"
        found[name] = _script(str(path.relative_to(TOP)))
    for path in sorted(TOP.glob("lab/experiments/*.toml")):
        if REDUCED_GRID in path.read_text():
            file = str(path.relative_to(TOP))
            found[f"lab/{path.stem}"] = _script("lab/check", path.stem, file=file)
    for subject in TRAFFIC:
        found[f"lab/traffic-{subject}"] = _script("tests/lab/traffictest/run", subject)
    return found


def images(name: str) -> tuple[str, ...]:
    """The machines whose contents are inputs of a part of with_images()."""
    return releases.ARCHITECTURES if name == "vm/test_arch.sh" else releases.RELEASES


def selftests() -> list[str]:
    return sorted(p.name for p in SELFTESTS.glob("test_*.sh"))


def of_all(machine: str) -> list[str]:
    """The selftests of a release, or of another architecture: there those of the kernel part."""
    if machine not in releases.ARCHITECTURES:
        return selftests()
    return [name for name in selftests() if not OF_TOOLS.match(name)]


def of_check(name: str) -> str | None:
    """What of a selftest belongs to `make check`: NAME or NAME:CASE,...; None: nothing."""
    cases = in_check(SELFTESTS / name)
    if cases == ["all"]:
        return name
    return f"{name}:{','.join(cases)}" if cases else None
