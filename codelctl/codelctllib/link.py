# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Set up a link, and undo it."""

from __future__ import annotations

import os
import shlex
import sys
from dataclasses import replace

from . import config, marks, observe, offloads, plan, present, run, state, tuning, values
from .errors import Failure, Refusal
from .marks import Json
from .observe import Owned
from .plan import Former, Observed
from .state import State
from .values import Request


def require_root() -> None:
    if os.geteuid() != 0:
        raise Refusal(f"root is required: run `sudo codelctl {shlex.join(sys.argv[1:])}`")


def settings(now: Observed, known: State | None) -> dict[str, str]:
    """The setup of a link; empty if there is none."""
    return known.settings if known else present.settings(now)


def settings_of(device: str) -> dict[str, str]:
    """The same of a device, which may be absent."""
    found = observe.link(device)
    if not found:
        return {}
    now = observe.observed(device)
    return settings(now, _known(now))


def _known(now: Observed) -> State | None:
    assert now.device.link
    return state.of(now.device.link)


def _state(now: Observed, given: dict[str, str], former: Former) -> State:
    identity = (now.device.link or {}).get("identity")
    return State(now.name, now.ifindex, given, former, now.mtu, identity)


def changed(device: str, given: dict[str, str]) -> dict[str, str]:
    """The present setup of a device, or else the saved one, with other settings; what is not given stays."""
    return values.merged(settings_of(device) or config.load(device), given)


def say_changes(device: str, old: dict[str, str], new: dict[str, str], prefix: str = "") -> None:
    """Before they happen."""
    if old and (texts := values.changes(old, new)):
        print(f"{prefix}{device}: {', '.join(texts)}", flush=True)


def in_place_of(device: str) -> dict[str, str]:
    now = observe.observed(device)
    return _in_place(now, _known(now))


def _gone(now: Observed) -> set[str]:
    """The directions of which nothing is left: others may have replaced the root."""
    is_there = {"up": now.device.shaper, "down": now.has_ingress}
    return {name for name, there in is_there.items() if not there}


def _in_place(now: Observed, known: State | None) -> dict[str, str]:
    """The setup without directions of which nothing is left. Empty without any, and for a link that is followed in one
    direction alone."""
    gone, given = _gone(now), settings(now, known)
    if values.follows(given):
        return {} if gone else given
    dropped = gone | tuning.of_directions(gone)
    found = {name: text for name, text in given.items() if name not in dropped}
    return found if found.keys() & set(tuning.DIRECTIONS) else {}


def _request_in_place(now: Observed, known: State | None) -> Request | None:
    """The same, with HTB where an earlier version has set the link up, and the parameters of the qdiscs."""
    given = settings(now, known)
    if not values.follows(given):
        given = _in_place(now, known)
    if not given:
        return None
    roots = [port.shaper for port in (now.device, now.ifb)]
    was_htb = any(r and r["kind"] == "htb" for r in roots)
    request = values.parse(given, former=was_htb).without(_gone(now))
    return plan.tuned(request, now) if request.directions else None


def _back(device: str, had: Request | None, former: Former) -> str:
    """After a failure: lead back to what was in place; returns how the link was left."""
    try:
        if not observe.link(device):
            for item in observe.meant(device):
                if not item.link:
                    _undo_absent(item)
            return "the device is gone"
        now = observe.observed(device)
        if had:
            run.all_of(plan.commands(had, now, former))
        else:
            run.all_of(plan.undo_commands(now, former))
        state.back(now.ifindex)
    except (Failure, Refusal) as error:
        return f"the link could not be led back: {error}"
    return "the link is as it was"


def _hint(message: str) -> str:
    """What helps against failures that users meet."""
    # A module of an earlier version refuses a rate with the last of these
    if any(text in message for text in ("Unknown qdisc", "kind is unknown", "TCA_CODEL_EXT")):
        return ": `codelctl doctor` names the cause"
    if "ethtool -K" in message:
        return ": `--offloads keep` leaves them alone"
    return ""


def _print(commands: list[plan.Command]) -> None:
    for command in commands:
        print(shlex.join(command))


def _change_offloads(request: Request, now: Observed, known: Former, former: Former) -> Former:
    """As far as the device allows: a macvlan has those of the device below it. Returns what undo restores."""
    todo = plan.offload_commands(request, now, former)
    if not todo:
        return former
    stubborn = former.stubborn
    try:
        run.all_of(todo)
    except run.CommandFailed as error:
        if not request.optional_offloads or not observe.link(now.name):
            raise
        print(f"{now.name}: offloads stay as they are: {error.reason}", file=sys.stderr)
        stubborn = offloads.merging(observe.features(now.name))
    after = observe.features(now.name)
    features = offloads.switched_off(known.features, now.features, after)
    return replace(former, features=features, stubborn=stubborn)


def _carry_out(request: Request, now: Observed, before: State | None, after: State) -> None:
    """Set the link up; `after` is what is remembered of it then. It is saved before anything is changed."""
    if after != before:
        state.save(after)
    known = before.former if before else Former()
    former = _change_offloads(request, now, known, after.former)
    if former != after.former:
        state.save(replace(after, former=former))
    todo = plan.commands(request, now, former)
    run.all_of(command for command in todo if command[0] != "ethtool")


def setup(device: str, given: dict[str, str], dry_run: bool) -> None:
    now = observe.observed(device)
    device = now.name
    before = _known(now)
    request = values.parse(given)
    former = plan.former(now, before.former if before else None, request)
    plan.refuse(request, now)
    todo = plan.commands(request, now, former)
    say_changes(device, settings(now, before), given, "# " if dry_run else "")
    if dry_run:
        _print(todo)
        return
    if not before and former.lost:
        what = " and the ".join(former.lost)
        text = f"the memory of its first setup is lost: undo will not restore the {what} of then"
        print(f"{device}: {text}", file=sys.stderr, flush=True)
    had = _request_in_place(now, before)
    state.keep(now.ifindex)
    try:
        _carry_out(request, now, before, _state(now, given, former))
    except Failure as error:
        left = _back(device, had, former)
        raise Failure(f"{device}: {error}; {left}{_hint(str(error))}") from error
    state.done(now.ifindex)
    _forget_former(device, now.ifindex)
    if not request.keep_offloads and not observe.has_ethtool():
        print(f"{device}: offloads are as before: ethtool is missing: `apt install ethtool`")
    changed = "set up" if todo else "nothing to change"
    print(f"{device}: {changed}: {values.text(given)}")


def _remove_unfinished(shown: list[Json]) -> None:
    for ifb in marks.unfinished(shown):
        run.all_of(plan.no_ifb(ifb))


def _forget_former(device: str, ifindex: int) -> None:
    """Forget a device that had this name and is gone."""
    shown = observe.links()
    _remove_unfinished(shown)
    there = {ln["ifindex"] for ln in shown}
    for other in set(state.ifindexes()) - there - {ifindex}:
        known = state.load(other)
        if known and known.device == device:
            state.forget(other)


def require(device: str, given: dict[str, str]) -> None:
    """Refuse settings that would take something from others."""
    plan.refuse(values.parse(given), observe.observed(device))


def apply(device: str, given: dict[str, str]) -> None:
    """Lead directions that are in place to other settings for a while: the settings that are remembered remain."""
    now = observe.observed(device)
    known = _known(now)
    request = values.parse(given)
    former = plan.former(now, known.former if known else None, request)
    plan.refuse(request, now)
    before = known or _state(now, settings(now, None), Former())
    _carry_out(request, now, known, replace(before, former=former))


def undo(device: str, dry_run: bool) -> None:
    found = observe.undone(device)
    for item in found:
        if item.link:
            _undo_present(item, dry_run)
        elif dry_run:
            _print(plan.no_ifb(item.ifb))
        else:
            _undo_absent(item)
    if not found:
        texts = [
            f": {name} was {device} when it was set up: `{shlex.join(['codelctl', 'undo', name])}`"
            for name in observe.renamed(device)
        ]
        print(f"{device}: nothing to undo{''.join(texts[:1])}")
    if not dry_run:
        _remove_unfinished(observe.links())


def _undo_present(item: Owned, dry_run: bool) -> None:
    now = observe.observed(item.name)
    plan.refuse_undo(now)
    former = item.known.former if item.known else plan.unknown(now)
    todo = plan.undo_commands(now, former)
    if dry_run:
        _print(todo)
        return
    try:
        run.all_of(todo)
    except Failure:
        if observe.link(item.name):
            raise
        _undo_absent(item)
        return
    try:
        state.forget(item.ifindex)
    except Failure as error:
        raise Failure(f"{item.name}: restored, but {error}") from error
    texts = " and ".join(former.lost)
    unknown = f": its {texts} before the setup are not known" if texts else ""
    print(f"{item.name}: restored{unknown}")


def _undo_absent(item: Owned) -> None:
    """A device that went away took its qdiscs along; the ifb is left."""
    run.all_of(plan.no_ifb(item.ifb and observe.link(item.ifb["ifname"])))
    if item.known:
        state.forget(item.ifindex)
    print(f"{item.was}: the device is gone; its state is removed")


def has_redirect(now: Observed) -> bool:
    return now.device.redirects_to == now.ifb_name


def _equals_setup(now: Observed, known: State | None) -> bool:
    given = settings(now, known)
    former = known.former if known else Former()
    return bool(given) and not plan.commands(values.parse(given), now, former)


def _at_setup(now: Observed, known: State | None) -> Observed:
    """The link, as if its MTU had not changed since."""
    mtu = known.mtu if known else (now.ifb.link or {}).get("mtu")
    return plan.with_mtu(now, mtu or now.mtu)


def in_force(now: Observed, known: State | None) -> bool:
    """Whether the qdiscs of the device equal the setup, for the MTU of then or of now."""
    return _equals_setup(_at_setup(now, known), known) or _equals_setup(now, known)


def outdated_mtu(now: Observed, known: State | None) -> int | None:
    """The MTU at the setup, if the setup is in force for that alone."""
    then = _at_setup(now, known)
    if then.mtu == now.mtu or _equals_setup(now, known) or not _equals_setup(then, known):
        return None
    return then.mtu
