# SPDX-License-Identifier: GPL-2.0
"""The command line."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import Callable

from . import debug, foreign, smp, timeline, tree
from .releases import DEFAULT, RELEASES, VARIANTS

USAGE_ERROR = 2
TIMEOUT = 600.0


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> None:  # type: ignore[override]
        print(f"tests/vm/run: {message}\n{self.format_usage()}", end="", file=sys.stderr)
        sys.exit(USAGE_ERROR)


def _file(text: str) -> Path:
    if not Path(text).is_file():
        raise argparse.ArgumentTypeError(f"'{text}' is not a file")
    return Path(text)


def _module(text: str) -> Path:
    path = Path(text)
    if not any((path / name).is_file() for name in ("Kbuild", "Makefile")):
        raise argparse.ArgumentTypeError(f"'{text}' has no Kbuild file")
    return path


def _tests(text: str) -> Path:
    path = Path(text).resolve()
    if not path.exists() or not any(path.is_relative_to(tree.TOP / top) for top in tree.PLACED):
        raise argparse.ArgumentTypeError(
            f"'{text}' is not in {' or '.join(tree.PLACED)} of {tree.TOP}"
        )
    return path.relative_to(tree.TOP)


def _package(text: str) -> str:
    if not re.fullmatch(r"[a-z0-9][a-z0-9.+-]+", text):
        raise argparse.ArgumentTypeError(f"'{text}' is not the name of a package")
    return text


def _guest_path(text: str) -> str:
    if not text.strip("/"):
        raise argparse.ArgumentTypeError(f"'{text}' is not a file")
    return text if text.startswith("/") else f"/root/{text}"


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0
    if not 0 < value < 1e6:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of seconds above 0")
    return value


def _described(target: foreign.Target) -> str:
    return f"{target.architecture} ({target.release}'s kernel)"


def _checked(check: Callable[[str], int]) -> Callable[[str], int]:
    def parse_one(text: str) -> int:
        try:
            return check(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from error

    return parse_one


def parse(argv: list[str]) -> argparse.Namespace:
    parser = _Parser(
        prog="tests/vm/run",
        allow_abbrev=False,
        usage="%(prog)s [options] -- COMMAND [ARG...]",
        description="Runs COMMAND as root in a virtual machine with this tree installed.",
        epilog="Status: COMMAND's; 124 after --timeout; 125 when the machine failed; "
        "2 for a wrong option.",
    )
    add = parser.add_argument
    add("--release", choices=RELEASES + VARIANTS, help=f"default {DEFAULT}")
    add("--suite", dest="release", choices=RELEASES, help=argparse.SUPPRESS)  # the former name
    add("--arch", choices=tuple(foreign.MACHINES),
        help="a machine of another architecture: " + ", ".join(map(_described, foreign.MACHINES.values())))  # fmt: skip
    add("--put", metavar="FILE", type=_file, action="append", default=[],
        help="place FILE in /root; repeatable")  # fmt: skip
    add("--module", metavar="DIR", type=_module, action="append", default=[],
        help="build the kernel module in DIR, place its .ko files in /root; repeatable")  # fmt: skip
    add("--tests", metavar="PATH", type=_tests, action="append", default=[],
        help="of tests/, place only this part in /root; or a part of lab/ or bench/; repeatable")  # fmt: skip
    add("--with", metavar="PACKAGE", dest="packages", type=_package, action="append", default=[],
        help="unpack this package of Debian's, and what it depends on, too; repeatable")  # fmt: skip
    add("--qdiscs", action="store_true",
        help="of what `make install` installs, only what serves qdiscs: modules, plugins of tc")  # fmt: skip
    add("--get", metavar="GUESTPATH", type=_guest_path, action="append", default=[],
        help="bring a file back into out/; repeatable")  # fmt: skip
    add("--timeline", metavar="N", type=_checked(timeline.check),
        help=f"another course of events, default ${timeline.VARIABLE} or 0")  # fmt: skip
    add("--realtime", action="store_true", help="no virtual time")
    add("--smp", metavar="N", type=_checked(smp.check),
        help=f"{smp.FEWEST} to {smp.MOST} processors, in real time: no virtual time, no run like another")  # fmt: skip
    add("--debug", nargs="?", const=debug.CHECKS[0], choices=debug.CHECKS,
        help="a kernel with KASAN, lockdep, kmemleak, slab poisoning; --debug=kcsan: with KCSAN alone")  # fmt: skip
    add("--timeout", metavar="SECONDS", type=_seconds,
        help=f"wall time, default {TIMEOUT:g}, with --smp {smp.TIMEOUT:g}")  # fmt: skip
    if "--" not in argv:
        if {"-h", "--help"} & set(argv):
            parser.parse_args(argv)
        parser.error("'--' and a COMMAND must follow the options")
    cut = argv.index("--")
    options = parser.parse_args(argv[:cut])
    options.command = argv[cut + 1 :]
    if not options.command:
        parser.error("no COMMAND after '--'")
    if options.smp and options.timeline is not None:
        parser.error("--timeline needs virtual time, which --smp does not have")
    if options.arch:
        for name in ("release", "smp", "debug", "packages"):
            if getattr(options, name):
                parser.error(
                    "--arch has one kernel, and neither --release, --smp, --debug nor --with"
                )
    options.release = options.release or DEFAULT
    options.timeout = options.timeout or (smp.TIMEOUT if options.smp else TIMEOUT)
    return options
