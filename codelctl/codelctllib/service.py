# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""enable and disable: a unit of systemd that repeats the setup whenever the device appears.

The unit is bound to the device, so no manager of the link (networkd, NetworkManager, ifupdown) needs a
hook: qdiscs stay while a device goes down and up.
"""

from __future__ import annotations

from pathlib import Path

from . import config, link, observe, run, values
from .errors import Failure, Refusal

RUNNING = Path("/run/systemd/system")
# Longer than the unit may take to stop, 90 s: systemctl waits for it
SYSTEMCTL_SECONDS = 120


def unit(device: str) -> str:
    return run.output(["systemd-escape", "--template=codelctl@.service", device]).strip()


def _systemctl(*words: str) -> None:
    run.output(["systemctl", *words], SYSTEMCTL_SECONDS)


def has_systemd() -> bool:
    return RUNNING.is_dir() and config.has_units()


def is_enabled(device: str) -> bool:
    return config.path(device).exists()


def _require_systemd() -> None:
    if not RUNNING.is_dir():
        raise Refusal("systemd is not running: run `codelctl setup` from your own boot scripts")
    if not config.has_units():
        raise Refusal(
            "units of systemd work in another network namespace: run `codelctl setup` from your own scripts"
        )


def enable(device: str, given: dict[str, str]) -> None:
    """Save the settings, those in force where none are given, and start the unit."""
    _require_systemd()
    settings = link.changed(device, given)
    values.parse(settings)
    before = config.load(device)
    link.say_changes(device, link.settings_of(device) or before, settings)
    config.save(device, settings)
    name = unit(device)
    # A device that is absent starts the unit when it appears
    is_there = bool(observe.link(device))
    try:
        _systemctl("enable", name)
        if is_there:
            _systemctl("reload-or-restart", name)
    except Failure:
        _withdraw(device, name, before)
        raise
    when = "" if is_there else ", for when the device appears: it is not there now"
    print(f"{device}: enabled{when}: {values.text(settings)}")


def _withdraw(device: str, name: str, before: dict[str, str]) -> None:
    """After a failure: lead back to the saved settings before, or to none."""
    if before:
        config.save(device, before)
    else:
        run.run(["systemctl", "disable", name])
        config.forget(device)


def disable(device: str) -> None:
    """Stop the unit, which restores the link, and remove the settings."""
    _require_systemd()
    if not config.path(device).exists():
        raise Refusal(f"{device}: codelctl is not enabled for this device")
    _systemctl("disable", "--now", unit(device))
    config.forget(device)
    print(f"{device}: disabled")
