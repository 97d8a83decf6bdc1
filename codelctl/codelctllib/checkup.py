# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""codelctl doctor: collect the facts, print the findings."""

from __future__ import annotations

import json
from dataclasses import asdict

from . import doctor, facts, link, observe, plan, state, values
from .errors import Failure


def _link(device: str, forwards: bool) -> facts.Link:
    found = state.load(device)
    assert found
    request = values.parse(found.settings)
    if not observe.link(device):
        return facts.Link(device, found.settings, present=False)
    now = observe.observed(device)
    leaves = {"egress": device, "ingress": plan.ifb_name(device)}
    shown = {
        name: qdisc
        for name, where in leaves.items()
        if (now.ifb.link if name == "ingress" else True) and (qdisc := facts.leaf(where))
    }
    return facts.Link(
        device=device,
        settings=found.settings,
        present=True,
        in_force=link.in_force(found, now),
        up=request.up,
        down=request.down,
        speed=facts.speed(device),
        bql=facts.bql(device),
        now=now.device,
        features=now.features,
        flowtables=facts.flowtables(device),
        xdp="xdp" in (now.device.link or {}),
        neighbours=facts.neighbours(device, forwards),
        leaves=shown,
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
    )


def findings() -> list[doctor.Finding]:
    machine = facts.machine()
    found = [*doctor.servers(machine), *doctor.of_machine(machine)]
    for device in state.devices():
        try:
            found += doctor.of_link(_link(device, machine.forwards))
        except Failure as error:  # tc prints no JSON for a kind that it does not have
            found.append(doctor.Finding("link-unreadable", device, str(error), None))
    made = {name for device in state.devices() for name in (device, plan.ifb_name(device))}
    for device, shaped in facts.configured().items():
        if device not in made:
            found += doctor.of_queue(_queue(device, shaped))
    return found


def run(as_json: bool) -> int:
    """Status 1 if there is a problem."""
    found = findings()
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
