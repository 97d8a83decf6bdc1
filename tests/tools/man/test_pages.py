#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# check: all
"""The manual pages refer to pages that exist, and show commands that can be pasted."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[3]
sys.path.append(str(TOP / "tests" / "ktap"))
sys.dont_write_bytecode = True

from ktap import Skip, case, check, main  # noqa: E402

PAGES = sorted((TOP / "man").iterdir())
# Pages whose names are other projects'; every other reference leads to a page of this tree
FOREIGN = re.compile(
    r"ip-netns|tc|tc-(cake|htb|stab|tbf)|perf|trace-cmd|bpftrace|dkms|modprobe(\.d)?|nft"
)
# Where these commands are run
EXAMPLES_RUN = ("tests/kernel/test_manuals.sh", "tests/kernel/test_bpftrace.sh")


def mandoc(*words: str) -> str:
    try:
        done = subprocess.run(
            ["mandoc", *words], stdin=subprocess.DEVNULL, capture_output=True, text=True
        )
    except FileNotFoundError as error:
        raise Skip("mandoc is not installed") from error
    return done.stdout + done.stderr


def section(page: Path) -> str:
    """The source of EXAMPLES."""
    found = re.search(r"^\.Sh EXAMPLES\n(.*?)(?=^\.Sh |\Z)", page.read_text(), re.M | re.S)
    return found[1] if found else ""


def examples(page: Path) -> list[str]:
    """The lines that a reader pastes."""
    lines = re.findall(r"^\.Dl (.*)$", section(page), re.M)
    for block in re.findall(r"^\.Bd -literal.*?\n(.*?)^\.Ed$", section(page), re.M | re.S):
        lines += block.splitlines()
    return [line.replace(r"\(aq", "'").replace(r"\-", "-") for line in lines]


@case("pages of this tree that a page refers to exist")
def references() -> None:
    there = {page.name for page in PAGES} | {"fq_codel_oot.7"}
    for page in PAGES:
        for name, number in re.findall(r"^\.Xr (\S+) (\d)", page.read_text(), re.M):
            if not FOREIGN.fullmatch(name):
                assert f"{name}.{number}" in there, f"{page.name} refers to {name}({number})"


@case("a page has the name and the section of its file, and one of section 8 is of a command")
def sections() -> None:
    for page in PAGES:
        name, number = page.stem, page.suffix[1:]
        found = re.findall(r"^\.Dt (\S+) (\d)$", page.read_text(), re.M)
        check(page.name, found, [(name.upper(), number)])
        is_command = (TOP / name).is_dir() or (TOP / "tc" / name).is_dir() or name[:3] == "tc-"
        check(f"{page.name} is of a command", is_command, number == "8")


@case("examples are displayed as they are typed")
def displayed() -> None:
    for page in PAGES:
        shown = re.sub(".\b", "", mandoc("-Tutf8", "-Owidth=200", str(page)))
        shown = {line.strip() for line in shown.splitlines()}
        found = examples(page)
        assert found, f"{page.name} has no examples"
        for line in found:
            assert line.strip() in shown, f"{page.name}: {line!r} is displayed otherwise"


@case("the examples of each page are run by a test")
def run_somewhere() -> None:
    tests = "".join((TOP / name).read_text() for name in EXAMPLES_RUN)
    for page in PAGES:
        assert f"examples_of {page.name}" in tests, f"no test runs the examples of {page.name}"


if __name__ == "__main__":
    main()
