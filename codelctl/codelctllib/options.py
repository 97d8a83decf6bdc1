# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The command line.

The modules of doctor, prove, compare, enable and disable are imported where they are used: most of the time
of a short command is that of its imports.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import shlex
import signal
import sys
from pathlib import Path
from typing import Any, NoReturn

from . import config, link, observe, state, tuning, values
from .errors import Failure, Refusal
from .framing import CELLS, LINKS

DESCRIPTION = "Set up a link: a shaper and an AQM qdisc for each direction."
HELP = {
    "up": ("RATE", "rate of egress, for example 19mbit: a little less than the link's; off: none"),
    "down": ("RATE", "rate of ingress, or off"),
    "link": ("LINK", f"the link's framing: {', '.join(LINKS)} (default ethernet)"),
    "overhead": ("BYTES", "bytes that the link adds to an IP packet, in place of those of --link"),
    "mpu": ("BYTES", "least bytes of a packet on the link"),
    "cells": ("CELLS", f"{', '.join(CELLS)}"),
    "vlan": ("N", "N VLAN tags, 4 bytes each, are added on the link (default 0)"),
    "kind": ("KIND", f"{', '.join(values.KINDS)} (default fq_codel_oot)"),
    "offloads": ("WHEN", "auto, off or keep: whether packets may be merged (default auto)"),
    "target": ("TIME", "CoDel's target, for example 5ms"),
    "interval": ("TIME", "CoDel's interval, for example 100ms"),
    "ceiling": (
        "TIME",
        "delay at which packets of senders that do not slow down are dropped, or off",
    ),
    "diffserv": ("MODE", f"of cake: {', '.join(tuning.DIFFSERV)}"),
    "isolation": ("MODE", f"of cake: {', '.join(tuning.ISOLATION)}"),
    "queues": (
        "MODE",
        "auto or one: whether each transmit queue of a fast link has a qdisc (default auto)",
    ),
}
FLAGS = {
    "ecn": "mark ECN-capable packets instead of dropping them, or do not",
    "nat": "cake tells the hosts behind this router's NAT apart, or does not",
}
FOLLOW = "follow the rate of the link, which need not be known: --up and --down are bounds, if they are given; or do not"
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# Beside the installed library, or in the tree
HEADERS = ("codel_version.h", "../qdisc/codel_version.h")


def version() -> str:
    """The project's, from the header of the modules."""
    top = Path(__file__).resolve().parents[1]
    text = "".join((top / name).read_text() for name in HEADERS if (top / name).exists())
    match = re.search(r'CODEL_VERSION "(.+)"', text)
    return match[1] if match else "unknown"


class Parser(argparse.ArgumentParser):
    """Options are written in full; errors are one sentence."""

    def __init__(self, **keywords: Any) -> None:
        super().__init__(**keywords, allow_abbrev=False)

    def error(self, message: str) -> NoReturn:
        raise Refusal(f"{message}: see `{self.prog} --help`")


def parser() -> argparse.ArgumentParser:
    top = Parser(prog="codelctl", description=DESCRIPTION)
    top.add_argument("--version", action="version", version=f"codelctl {version()}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)

    device = Parser(add_help=False)
    device.add_argument("device", metavar="DEV")
    settings = Parser(add_help=False, parents=[device])
    of_both = settings.add_argument_group(
        "parameters of both directions, or of one: --up-target, --no-down-ecn"
    )
    for name, (metavar, text) in HELP.items():
        place = of_both if name in tuning.SETTINGS else settings
        place.add_argument(f"--{name}", metavar=metavar, help=text)
    settings.add_argument("--follow", action=argparse.BooleanOptionalAction, help=FOLLOW)
    for name, text in FLAGS.items():
        of_both.add_argument(f"--{name}", action=argparse.BooleanOptionalAction, help=text)
    for name, (_, parameter) in tuning.OF_DIRECTION.items():
        is_flag = parameter in FLAGS
        action = argparse.BooleanOptionalAction if is_flag else "store"
        of_both.add_argument(f"--{name}", action=action, help=argparse.SUPPRESS)
    phases = Parser(add_help=False, parents=[device])
    phases.add_argument("--seconds", metavar="N", default="10", help="of each phase (default 10)")
    phases.add_argument("--json", action="store_true", help="print every sample, as JSON")
    phases.add_argument("--picture", metavar="FILE", help="draw the pings and their parts as SVG")

    def command(name: str, text: str, *parents: Parser) -> argparse.ArgumentParser:
        return commands.add_parser(name, help=text, parents=parents)

    setup = command("setup", "set up a link, or change its setup live", settings)
    command("enable", "repeat the setup whenever the device appears", settings)
    command("disable", "undo, and do not repeat the setup any more", device)
    undo = command("undo", "restore the state before the first setup", device)
    for dry in (setup, undo):
        dry.add_argument("--dry-run", action="store_true", help="print the commands only")
    show = command("show", "list the links that are set up")
    show.add_argument("device", metavar="DEV", nargs="?")
    show.add_argument("--json", action="store_true", help="print a list of JSON objects")
    proof = command("prove", "measure the delay, idle and under load", phases)
    proof.add_argument("--server", metavar="HOST", help="a host that runs `iperf3 --server`")
    compare = command("compare", "measure the delay with several kinds of qdiscs", phases)
    compare.add_argument(
        "kinds", metavar="KIND", nargs="+", help="none: the shapers let everything pass"
    )
    compare.add_argument("--server", metavar="HOST", required=True, help="as of prove")
    doctor = command("doctor", "print what is wrong, with the commands that help")
    doctor.add_argument(
        "device", metavar="DEV", nargs="?", help="also watch the traffic of this device"
    )
    doctor.add_argument("--server", metavar="HOST", help="of the pings (default: the gateway)")
    doctor.add_argument("--seconds", metavar="N", default="10", help="to watch (default 10)")
    doctor.add_argument("--json", action="store_true", help="print a list of JSON objects")
    return top


def _given(arguments: argparse.Namespace) -> dict[str, str]:
    """The settings of the command line, validated as far as they are given."""
    flags = {True: "on", False: "off"}
    every = {n: getattr(arguments, n.replace("-", "_")) for n in values.DEFAULTS}
    found = {name: flags.get(value, value) for name, value in every.items() if value is not None}
    values.validate(found)
    return found


def _change(arguments: argparse.Namespace) -> None:
    if arguments.command == "undo":
        link.undo(arguments.device, arguments.dry_run)
    else:
        device = arguments.device
        if given := _given(arguments):
            settings = link.changed(device, given)
        else:
            settings = config.load(device) or link.settings_of(device)
        link.setup(device, settings, arguments.dry_run)


def _words() -> str:
    return shlex.join(["codelctl", *sys.argv[1:]])


def _measure(arguments: argparse.Namespace) -> None:
    from . import prove, report

    seconds = values.number("--seconds", arguments.seconds, 2, 600)
    device, server = arguments.device, arguments.server
    if server is not None:
        values.host(server)
    kinds = arguments.kinds if arguments.command == "compare" else []
    for kind in kinds:
        values.choice("KIND", kind, ("none", *values.KINDS))
    # Otherwise, nothing is changed
    if kinds or (found := link.settings_of(device)) and (server or values.follows(found)):
        link.require_root()
        lock = state.locked(_words())
    else:
        lock = contextlib.nullcontext()
    with lock:
        if kinds:
            found = prove.compare(device, kinds, server, seconds)
        else:
            found = prove.prove(device, server, seconds)
    report.give(found, arguments.json, arguments.picture)


def _run(arguments: argparse.Namespace) -> int:
    if arguments.command == "doctor":
        from . import checkup

        link.require_root()
        seconds = values.number("--seconds", arguments.seconds, 2, 600)
        if arguments.server is not None:
            values.host(arguments.server)
        if arguments.device is not None:
            arguments.device = observe.name_of(values.device(arguments.device))
        return checkup.run(arguments.json, arguments.device, arguments.server, seconds)
    device = arguments.device
    if device is not None:
        arguments.device = device = observe.name_of(values.device(device))
    if arguments.command == "show":
        from . import listing

        return listing.show(device, arguments.json)
    if arguments.command in ("prove", "compare"):
        _measure(arguments)
        return 0
    if arguments.command in ("setup", "enable", "undo"):
        observe.refuse_ifb(device, arguments.command)
    given = _given(arguments) if arguments.command in ("setup", "enable") else {}
    if getattr(arguments, "dry_run", False):
        _change(arguments)
        return 0
    link.require_root()
    if arguments.command in ("enable", "disable"):
        from . import service

        # The unit that these start takes the lock
        if arguments.command == "enable":
            service.enable(device, given)
        else:
            service.disable(device)
    else:
        with state.locked(_words(), ends_measurement=arguments.command == "undo"):
            _change(arguments)
    return 0


def _handle(received: list[int]) -> None:
    """What was begun is led back after a signal, as after a failure; another signal must not interrupt that."""

    def interrupted(number: int, _frame: object) -> NoReturn:
        for other in SIGNALS:
            signal.signal(other, signal.SIG_IGN)
        received.append(number)
        raise Failure(f"interrupted by {signal.Signals(number).name}")

    for number in SIGNALS:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, interrupted)


def main() -> int:
    # A device's name may have any bytes
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="surrogateescape")  # type: ignore[union-attr]
    received: list[int] = []
    _handle(received)
    try:
        status = _run(parser().parse_args())
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        # The reader has seen enough. Python would write the rest at its end
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    except (Refusal, Failure) as error:
        print(f"codelctl: {error}", file=sys.stderr)
        return 128 + received[0] if received else 2 if isinstance(error, Refusal) else 1
