# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The parts of tests/check: programs, and the selftests of each release.

A selftest depends on the release when it reaches code that differs between kernels: modules, netlink,
qdisc operations, packets' headers, tracing. A selftest whose verdict depends only on the code of this tree
(codel.h, the flow scheduler, codelstat) runs on one release in `make check`, and says so in its header:

    # release: any
    # release: any, except CASE...

The CASEs, functions of the test, run on every release. `make check-all` runs all cases everywhere.
"""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
RELEASE = (
    "trixie"  # on which everything runs: its in-tree fq_codel has the defects that tests must see
)
ANY_RELEASE = re.compile(r"^# release: any(?:, except (.+))?$", re.M)
MAKE = ["make", "--no-print-directory", "-C"]

# Programs on this machine; these need no image of a release
HOST = {
    "unit": [*MAKE, "tests/unit", "unit"],
    "unit-mutants": [*MAKE, "tests/unit", "mutants"],
    "flows": [*MAKE, "tests/flows", "unit"],
    "flows-mutants": [*MAKE, "tests/flows", "mutants"],
    "tc": [*MAKE, "tc", "check"],
    "codelstat": [*MAKE, "tests/codelstat", "check"],
    "codelctl": ["tests/ctl/test_unit.py"],
    "messages": ["tests/ctl/test_messages.sh"],
    "check": ["tests/checklib/test_verdicts.py"],
    "deb": ["tests/deb/test_source.py"],
    "man": ["tests/man/test_pages.py"],
    "packaging": ["tests/packaging/test_foreign.py"],
    "tree": ["tests/tree/test_into_tree.py"],
    "lab": ["tests/lab/test_scenario.py"],
    "lab-targets": ["tests/lab/test_targets.py"],
}
FOLDERS = ("lab", "tc", "bench", "demo", "vm")


def with_images() -> dict[str, list[str]]:
    """Programs on this machine that need the images: most start machines.

    Of the laboratory, each experiment in its reduced form is a part (lab/fig7), and each subject of its
    traffic (lab/traffic-web).
    """
    found = {
        "lint": ["scripts/lint"],
        "deb-install": ["tests/deb/install"],
        "lab-page": ["tests/lab/test_page.py"],
        "tree-kernels": ["tests/tree/kernels"],
    }
    for path in (p for f in FOLDERS for p in sorted(TESTS.glob(f"{f}/test_*.sh"))):
        name = f"{path.parent.name}/{path.name}"
        found[name] = [f"tests/{name}"]
    for path in sorted(TESTS.glob("lab/experiments/*.toml")):
        found[f"lab/{path.stem}"] = ["tests/lab/check", path.stem]
    for subject in ("datagrams", "bulk", "connections", "web", "tools"):
        found[f"lab/traffic-{subject}"] = ["tests/lab/traffictest/run", subject]
    return found


def selftests() -> list[str]:
    return sorted(p.name for p in TESTS.glob("test_*.sh"))


def only_if_changed(label: str) -> bool:
    """Long parts that depend on few of the files that a change touches."""
    return label.startswith(("lab/", "lab-page", "vm/", "deb-install"))


def only_in_full(label: str) -> bool:
    """Parts of `make check-all` alone: those that take minutes and depend on few files."""
    return label == "tree-kernels"


def on_every_release(name: str) -> list[str] | None:
    """The cases of a selftest that depend on the release; None: all of them."""
    match = ANY_RELEASE.search((TESTS / name).read_text())
    return (match[1] or "").split() if match else None


def reduced(name: str) -> str | None:
    """The cases of a selftest that run on a release other than RELEASE: NAME or NAME:CASE,...; None: none."""
    cases = on_every_release(name)
    if cases is None:
        return name
    return f"{name}:{','.join(cases)}" if cases else None
