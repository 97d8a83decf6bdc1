# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The command line."""

from __future__ import annotations

import argparse
from pathlib import Path

from .kinds import NAME
from .scenario import DEFAULT_GRID

EXAMPLES = """examples:
  lab/run lab/scenarios/home.toml
  lab/run --set link.dsl.up.rate=3mbit --only pfifo,fq_codel_oot lab/scenarios/home.toml
  lab/run --plan --grid full lab/experiments/fig5.toml
"""


def numbers(text: str) -> list[int]:
    try:
        found = [int(part) for part in text.split(",")]
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r}: whole numbers, as 1,2,3") from error
    if min(found) < 0 or len(set(found)) < len(found):
        raise argparse.ArgumentTypeError(f"{text!r}: each number once, 0 or more")
    return found


def names(text: str) -> list[str]:
    return [part.strip() for part in text.split(",")]


def workers(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r}: a whole number, 1 or more")
    return int(text)


def name(text: str) -> str:
    if not NAME.fullmatch(text):
        raise argparse.ArgumentTypeError(f"{text!r}: letters, digits, - and _")
    return text


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="lab/run",
        description="Runs scenarios in virtual machines with virtual time, and shows what every "
        "packet waited. Results go to out/lab/NAME.json. Runs that were done before are not done "
        "again, so what was interrupted goes on where it was.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = made.add_argument
    add("scenarios", metavar="SCENARIO.toml", nargs="*", type=Path)
    add("--set", metavar="PATH=VALUE", action="append", default=[], dest="sets")
    add("--grid", metavar="NAME", default=DEFAULT_GRID, help="another size of the experiment")
    add("--seeds", metavar="1,2,3", type=numbers, default=[], help="in place of the scenario's")
    add("--only", metavar="QDISC,...", type=names, default=[], help="these of [qdiscs] alone")
    add("--name", type=name, help="of the results, for a single scenario; default: the file's")
    add("--json", metavar="PATH", type=Path, help="the results' file, for a single scenario")
    add("--picture", metavar="PATH", type=Path, help="of delays over time, for a single scenario")
    add("--jobs", metavar="N", type=workers, default=2, help="at a time; default %(default)s")
    add("--fresh", action="store_true", help="runs what was done before as well")
    add("--plan", action="store_true", help="prints the runs and how long they take, and ends")
    add("--keys", action="store_true", help="prints all that a scenario may say, and ends")
    return made


def parse(argv: list[str]) -> argparse.Namespace:
    made = parser()
    opts = made.parse_args(argv)
    if not opts.scenarios and not opts.keys:
        made.error("no SCENARIO.toml is given")
    if len(opts.scenarios) > 1 and (opts.name or opts.json or opts.picture):
        made.error("--name, --json and --picture are for a single scenario")
    stems = [path.stem for path in opts.scenarios]
    if twice := [stem for stem in stems if stems.count(stem) > 1]:
        made.error(f"two scenarios are called {twice[0]}")
    return opts
