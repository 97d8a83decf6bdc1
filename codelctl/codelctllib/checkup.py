# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""codelctl doctor: collect the facts, print the findings."""

from __future__ import annotations

import json
from dataclasses import asdict

from . import cake, doctor, facts, link, observe, plan, service, shaper, values
from .errors import Failure, Refusal
from .marks import Json, Port
from .observe import Owned


def _gone(item: Owned) -> facts.Link:
    return facts.Link(item.was, item.known.settings if item.known else {}, present=False)


def _cakes(found: Json | None) -> list[cake.Cake]:
    return cake.read(found["ifname"]) if found else []


def _splits(port: Port) -> bool:
    return bool(port.queue and port.queue.get("options", {}).get("split_gso"))


def _far(now: plan.Observed) -> dict[str, str]:
    """The state of the queue elsewhere, by direction."""
    found = {}
    for name, port in (("egress", now.device), ("ingress", now.ifb)):
        if port.link and port.shaper and shaper.is_followed(port.shaper):
            far = (facts.leaf(port.link["ifname"]) or {}).get("far") or {}
            found[name] = str(far.get("state", "unknown"))
    return found


def _link(item: Owned, forwards: bool) -> facts.Link:
    now = observe.observed(item.name)
    settings = link.settings(now, item.known)
    request = values.parse(settings) if settings else None
    redirects = link.has_redirect(now)
    bypassed = redirects and (now.device.before or observe.bypassed([now.name]))
    return facts.Link(
        device=now.name,
        settings=settings,
        present=True,
        in_force=link.in_force(now, item.known),
        outdated_mtu=link.outdated_mtu(now, item.known),
        differs=plan.differences(request, now) if request else [],
        enabled=service.is_enabled(now.name) or not service.has_systemd(),
        splits=[n for n, p in (("up", now.device), ("down", now.ifb)) if _splits(p)],
        up=request and request.up,
        down=request and request.down,
        speed=facts.speed(now.name),
        bql=facts.bql(now.name),
        bypassed=now.ifb_name if bypassed else None,
        behind=now.device.behind if redirects else [],
        now=now.device,
        features=now.features,
        flowtables=facts.flowtables(now.name),
        xdp="xdp" in (now.device.link or {}),
        neighbours=facts.neighbours(now.name, forwards),
        cakes=[one for port in (now.device, now.ifb) for one in _cakes(port.link)],
        far=_far(now),
    )


def _queue(device: str, shaped: bool) -> facts.Link:
    """A device whose qdiscs the user has configured."""
    shown = observe.link(device) or {}
    return facts.Link(
        device=device,
        settings={},
        present=True,
        shaped=shaped,
        speed=facts.speed(device),
        bql=facts.bql(device),
        features=observe.features(device),
        flowtables=facts.flowtables(device),
        xdp="xdp" in shown,
        cakes=cake.read(device),
    )


def findings() -> list[doctor.Finding]:
    machine = facts.machine()
    found = [*doctor.servers(machine), *doctor.of_machine(machine)]
    owned = observe.owned()
    for item in owned:
        try:
            facts_of_link = _link(item, machine.forwards) if item.link else _gone(item)
            found += doctor.of_link(facts_of_link)
        except (Failure, Refusal) as error:  # tc prints no JSON for a kind that it does not have
            found.append(doctor.Finding("link-unreadable", item.name, str(error), None))
    made = {made["ifname"] for item in owned for made in (item.link, item.ifb) if made}
    for device, shaped in facts.configured().items():
        if device not in made:
            found += doctor.of_queue(_queue(device, shaped))
    return found


def _watched(device: str, server: str | None, seconds: int) -> list[doctor.Finding]:
    from . import prove

    phase = prove.watch(device, server, seconds)
    return list(doctor.of_delay(facts.Link(device, link.settings_of(device), present=True), phase))


def run(as_json: bool, device: str | None, server: str | None, seconds: int) -> int:
    """Status 1 if there is a problem. With a device, its traffic is watched for some seconds."""
    found = findings()
    if device:
        found += _watched(device, server, seconds)
    problems = [finding for finding in found if finding.level == "problem"]
    if as_json:
        print(json.dumps([asdict(finding) for finding in found], indent=1))
    else:
        for finding in found:
            fix = f": `{finding.fix}`" if finding.fix else ""
            print(f"{finding.subject}: {finding.text}{fix}")
        if not problems:
            print("no findings")
    return 1 if problems else 0
