# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Set up a link, undo it, show it."""

from __future__ import annotations

import os
import shlex
import sys

from . import observe, plan, run, state, values
from .errors import Failure, Refusal
from .former import Former, restore_root
from .state import State


def require_root() -> None:
    if os.geteuid() != 0:
        raise Refusal(f"root is required: run `sudo codelctl {shlex.join(sys.argv[1:])}`")


def _known(device: str, now: plan.Observed) -> State | None:
    """The state of this very device: one that went away took its qdiscs along."""
    found = state.load(device)
    assert now.device.link
    return found if found and found.ifindex == now.device.link["ifindex"] else None


def _former(device: str, now: plan.Observed) -> Former:
    """The state to which undo returns, if that is possible."""
    found = observe.former(device)
    restore_root(device, found, observe.default_qdisc())
    name = plan.ifb_name(device)
    # An ifb stays when its device goes away
    if now.ifb.link and not state.load(device):
        raise Refusal(
            f"{device}: a device {name} exists already: remove it with `ip link del {name}`"
        )
    return found


def _back(device: str, before: State | None, former: Former) -> str:
    """After a failure: lead back; returns how the link was left."""
    try:
        if not observe.link(device):
            _forget_absent(device)
            return "the device is gone"
        now = observe.observed(device)
        if before:
            run.all_of(plan.commands(device, values.parse(before.settings), now, former))
            state.save(before)
        else:
            run.all_of(plan.undo_commands(device, now, former))
            state.forget(device)
    except (Failure, Refusal) as error:
        return f"the link could not be led back: {error}"
    return "the link is as it was"


def _hint(message: str) -> str:
    """What helps against failures that users meet."""
    if "Unknown qdisc" in message or "kind is unknown" in message:
        return ": `codelctl doctor` names the cause"
    if "ethtool -K" in message:
        return ": `--offloads keep` leaves them alone"
    return ""


def _print(commands: list[plan.Command]) -> None:
    for command in commands:
        print(shlex.join(command))


def setup(device: str, settings: dict[str, str], dry_run: bool) -> None:
    now = observe.observed(device)
    before = _known(device, now)
    former = before.former if before else _former(device, now)
    request = values.parse(settings)
    todo = plan.commands(device, request, now, former)
    if dry_run:
        _print(todo)
        return
    assert now.device.link
    after = State(device, now.device.link["ifindex"], settings, former)
    try:
        state.save(after)
        run.all_of(todo)
    except Failure as error:
        left = _back(device, before, former)
        raise Failure(f"{device}: {error}; {left}{_hint(str(error))}") from error
    if not request.keep_offloads and not observe.has_ethtool():
        print(f"{device}: offloads are as before: ethtool is missing: `apt install ethtool`")
    changed = "set up" if todo else "nothing to change"
    print(f"{device}: {changed}: {values.text(settings)}")


def _check_restored(device: str, former: Former) -> None:
    if former.root and observe.qdiscs(device) != former.qdiscs:
        raise Failure(f"{device}: the qdiscs differ from those before the setup: `tc qdisc show`")


def undo(device: str, dry_run: bool) -> None:
    before = state.load(device)
    if not before:
        print(f"{device}: nothing to undo")
        return
    if not observe.link(device):
        _undo_absent(device, dry_run)
        return
    now = observe.observed(device)
    known = _known(device, now)
    former = known.former if known else observe.former(device)
    todo = plan.undo_commands(device, now, former)
    if dry_run:
        _print(todo)
        return
    try:
        run.all_of(todo)
    except Failure:
        if observe.link(device):
            raise
        _undo_absent(device, dry_run)
        return
    state.forget(device)
    _check_restored(device, former)
    print(f"{device}: restored")


def _absent_commands(device: str) -> list[plan.Command]:
    """A device that went away took its qdiscs along; the ifb is left."""
    name = plan.ifb_name(device)
    return [["ip", "link", "del", name]] if observe.link(name) else []


def _forget_absent(device: str) -> None:
    run.all_of(_absent_commands(device))
    state.forget(device)


def _undo_absent(device: str, dry_run: bool) -> None:
    if dry_run:
        _print(_absent_commands(device))
        return
    _forget_absent(device)
    print(f"{device}: the device is gone; its state is removed")


def show(only: str | None) -> None:
    names = [only] if only else state.devices()
    for device in names:
        found = state.load(device)
        if not found:
            raise Refusal(f"{device}: codelctl has not set up this link")
        print(f"{device}: {values.text(found.settings)}: {_condition(found)}")


def _condition(found: State) -> str:
    if not observe.link(found.device):
        return "the device is gone"
    now = observe.observed(found.device)
    return "in force" if in_force(found, now) else "differs from the setup"


def in_force(found: State, now: plan.Observed) -> bool:
    """Whether the qdiscs of the device equal the setup."""
    known = _known(found.device, now)
    return bool(known) and not plan.commands(
        found.device, values.parse(found.settings), now, found.former
    )
