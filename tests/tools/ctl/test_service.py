# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""enable and disable, with a systemctl that records its calls."""

from __future__ import annotations

import contextlib
import io
import tempfile
from pathlib import Path
from typing import Iterator, Sequence
from unittest import mock

from cases import case, check, refused
from codelctllib import config, link, observe, run, service
from codelctllib.errors import Failure

UNIT = "codelctl@eth0.service"
SETTINGS = {"up": "19mbit", "link": "docsis"}
PRESENT = {"up": "8mbit"}


class Systemd:
    """What systemctl was asked for; `fails` is the verb that it refuses."""

    def __init__(self, fails: str = "") -> None:
        self.calls: list[str] = []
        self.fails = fails

    def __call__(self, argv: Sequence[str], _seconds: int = 30) -> str:
        if argv[0] == "systemd-escape":
            return f"{UNIT}\n"
        self.calls.append(" ".join(argv[1:]))
        if argv[1] == self.fails:
            raise Failure(f"{argv[1]} failed")
        return ""


@contextlib.contextmanager
def machine(
    systemd: Systemd, present: dict[str, str] | None = None, device: bool = True
) -> Iterator[None]:
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        for target, name, value in (
            (config, "FOLDER", Path(folder) / "etc"),
            (service, "RUNNING", Path(folder)),
            (run, "output", systemd),
            (run, "run", systemd),
            (observe, "link", lambda _device: {} if not device else {"ifindex": 7}),
            (link, "settings_of", lambda _device: present or {}),
        ):
            stack.enter_context(mock.patch.object(target, name, value))
        stack.enter_context(contextlib.redirect_stdout(io.StringIO()))
        yield


@case("enable: the settings are saved, and the unit is enabled and started")
def enable() -> None:
    systemd = Systemd()
    with machine(systemd):
        service.enable("eth0", SETTINGS)
        check("calls", systemd.calls, [f"enable {UNIT}", f"reload-or-restart {UNIT}"])
        check("file", config.load("eth0"), SETTINGS)
        service.disable("eth0")
        check("calls", systemd.calls[2:], [f"disable --now {UNIT}"])
        check("no file", config.load("eth0"), {})


@case("enable: without settings, those in force are saved; a device that is absent may come")
def present() -> None:
    systemd = Systemd()
    with machine(systemd, PRESENT, device=False):
        service.enable("eth0", {})
        check("file", config.load("eth0"), PRESENT)
        check("calls", systemd.calls, [f"enable {UNIT}"])
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            service.enable("eth0", {})
        assert "it is not there now" in said.getvalue(), said.getvalue()
        service.enable("eth0", {"down": "1mbit"})
        check("what is not given", config.load("eth0"), {**PRESENT, "down": "1mbit"})
    with machine(systemd):
        service.enable("eth0", SETTINGS)
        service.enable("eth0", {"up": "1mbit"})
        check("what was saved", config.load("eth0"), {**SETTINGS, "up": "1mbit"})


@case("enable: a failure leaves the former settings, or none")
def failure() -> None:
    with machine(Systemd()):
        service.enable("eth0", SETTINGS)
        systemd = Systemd("reload-or-restart")
        with mock.patch.object(run, "output", systemd):
            try:
                service.enable("eth0", {"up": "1mbit"})
            except Failure:
                check("file", config.load("eth0"), SETTINGS)
    systemd = Systemd("reload-or-restart")
    with machine(systemd):
        try:
            service.enable("eth0", SETTINGS)
        except Failure:
            check("no file", config.load("eth0"), {})
            check("calls", systemd.calls[-1], f"disable {UNIT}")
            return
    raise AssertionError("the failure was not reported")


@case("setup: the message of a failure leads to doctor, or to the option that helps")
def hints() -> None:
    for message, words in (
        ('Unknown qdisc "fq_codel_oot", hence option "rate" is unparsable', "`codelctl doctor`"),
        ("Error: Specified qdisc kind is unknown", "`codelctl doctor`"),
        (
            "Error: TCA_CODEL_EXT: a nest of attributes of codel_uapi.h is expected",
            "`codelctl doctor`",
        ),
        ("`ethtool -K eth0 gro off` failed: no", "`--offloads keep`"),
        ("File exists", ""),
    ):
        hint = link._hint(message)
        check(message, bool(hint), bool(words))
        assert words in hint, hint


@case("enable: nothing is known about the link, or systemd is not running")
def refusals() -> None:
    with machine(Systemd()):
        refused("no settings", lambda: service.enable("eth0", {}), "up", "down")
        refused("not enabled", lambda: service.disable("eth0"), "eth0", "not enabled")
        with mock.patch.object(service, "RUNNING", Path("/nonexistent")):
            refused("no systemd", lambda: service.enable("eth0", SETTINGS), "systemd")
