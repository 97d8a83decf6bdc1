# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""What bash completes after codelctl."""

from __future__ import annotations

from cases import TOP, case, check
import completion
from codelctllib import tuning, values
from codelctllib.framing import CELLS, LINKS


def completed(*words: str) -> set[str]:
    return completion.completed(TOP / "codelctl/completion.bash", "codelctl", *words)


@case("completion: the options of setup and enable are all settings, of one direction, too")
def options() -> None:
    flags = filter(values.is_flag, values.DEFAULTS)
    every = {f"--{name}" for name in values.DEFAULTS} | {f"--no-{name}" for name in flags}
    check("enable", completed("enable", "eth0", "--"), every)
    check("setup", completed("setup", "eth0", "--"), {*every, "--dry-run"})


@case("completion: the values of options, of one direction, too")
def choices() -> None:
    for option, allowed in (
        ("link", LINKS),
        ("kind", values.KINDS),
        ("cells", CELLS),
        ("offloads", values.OFFLOADS),
        ("diffserv", tuning.DIFFSERV),
        ("up-diffserv", tuning.DIFFSERV),
        ("down-isolation", tuning.ISOLATION),
        ("up", ("off",)),
        ("down-ceiling", ("off",)),
        ("up-target", ()),
        ("down-interval", ()),
    ):
        check(option, completed("setup", "eth0", f"--{option}", ""), set(allowed))
