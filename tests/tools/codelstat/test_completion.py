#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
"""What bash completes after codelstat."""

from __future__ import annotations

from pathlib import Path

from cases import CODELSTAT, TOP, case, check, main
import completion

SCRIPT = TOP / "packaging/bash-completion/codelstat"


def completed(*words: str) -> set[str]:
    return completion.completed(
        SCRIPT, "codelstat", *words, path=str(Path(CODELSTAT).resolve().parent)
    )


@case("commands and devices come first")
def commands() -> None:
    expected = {"list", "top", "watch", "export", "record", "replay", "lo"}
    assert expected <= completed(""), f"{expected - completed('')} are missing"
    check("after re", completed("re"), {"record", "replay"})


@case("after a command, its options and the devices")
def options() -> None:
    check("after export --l", completed("export", "--l"), {"--listen"})
    check("after top --l", completed("top", "--l"), {"--lines"})
    check("after --j, of list", completed("--j"), {"--json"})
    check("after top l", completed("top", "l"), {"lo"})


@case("the keys of --sort")
def sorts() -> None:
    check(
        "after --sort", completed("top", "--sort", ""), {"share", "rate", "backlog", "p99", "drops"}
    )
    check("after -s", completed("top", "eth0", "-s", "b"), {"backlog"})


@case("commands after options")
def after_options() -> None:
    assert {"top", "watch"} <= completed("-i", "2", "")
    check("of the command", completed("-i", "2", "top", "--so"), {"--sort"})


@case("files where a file is expected")
def files() -> None:
    path = str(SCRIPT.parent)
    check("after --replay", completed("top", "--replay", f"{path}/co"), {f"{path}/codelstat"})
    check("after record", completed("record", f"{path}/co"), {f"{path}/codelstat"})


if __name__ == "__main__":
    main()
