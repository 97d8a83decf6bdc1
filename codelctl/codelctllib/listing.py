# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""codelctl show: the links that are set up and their condition, as text or JSON."""

from __future__ import annotations

import json

from . import link, observe, plan, values
from .errors import Failure, Refusal
from .marks import Json
from .observe import Owned
from .plan import Observed
from .state import State

# Condition as in JSON, and in words
IN_FORCE, DIFFERS, GONE, UNREADABLE = "in-force", "differs", "device-gone", "unreadable"
WORDS = {
    IN_FORCE: "in force",
    DIFFERS: "differs from the setup",
    GONE: "the device is gone",
}


def _condition(now: Observed, known: State | None) -> Json:
    given = link.settings(now, known)
    redirects = link.has_redirect(now)
    is_in_force = link.in_force(now, known)
    return {
        "settings": given,
        "condition": IN_FORCE if is_in_force else DIFFERS,
        "differs": plan.differences(values.parse(given), now) if given else [],
        "ifb": now.ifb_name if now.ifb.link else None,
        "mtu": now.mtu,
        "mtu_at_setup": link.outdated_mtu(now, known) or now.mtu,
        "bypassed": redirects and bool(now.device.before),
        "behind": now.device.behind if redirects else [],
    }


def _described(item: Owned) -> tuple[Json, bool]:
    """An object of `show --json`, and whether there is a redirect to watch."""
    found: Json = {
        "device": item.name,
        "settings": item.known.settings if item.known else {},
        "condition": GONE,
        "differs": [],
        "ifb": item.ifb and item.ifb["ifname"],
        "mtu": None,
        "mtu_at_setup": item.known and item.known.mtu,
        "bypassed": False,
        "behind": [],
        "error": None,
    }
    if not item.link:
        return found, False
    try:
        now = observe.observed(item.name)
        return {**found, **_condition(now, item.known)}, link.has_redirect(now)
    except (Failure, Refusal) as error:
        return {**found, "condition": UNREADABLE, "error": str(error)}, False


def _text(found: Json) -> str:
    if found["error"]:
        return str(found["error"])
    words = WORDS[found["condition"]]
    if found["condition"] == IN_FORCE and found["mtu_at_setup"] != found["mtu"]:
        words += f" for an MTU of {found['mtu_at_setup']}, which is {found['mtu']} now"
    if found["bypassed"]:
        words += f"; no packet of ingress reaches {found['ifb']}"
    for preference in found["behind"]:
        words += f"; the filter with preference {preference} on ingress sees no packet"
    given = found["settings"]
    return f"{values.text(given)}: {words}" if given else words


def show(only: str | None, as_json: bool) -> int:
    """Returns the status: a link that cannot be read does not hide the others."""
    items = observe.meant(only) if only else observe.owned()
    if only and not items:
        raise Refusal(f"{only}: codelctl has not set up this link")
    described = [_described(item) for item in items]
    links = [found for found, _ in described]
    bypassed = observe.bypassed([found["device"] for found, redirects in described if redirects])
    for found in links:
        found["bypassed"] |= found["device"] in bypassed
    if as_json:
        print(json.dumps(links, indent=1))
    else:
        for found in links:
            print(f"{found['device']}: {_text(found)}")
    return 1 if any(found["error"] for found in links) else 0
