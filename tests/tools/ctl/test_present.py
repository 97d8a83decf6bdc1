# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The settings of a link, read from its qdiscs: a setup with them changes nothing."""

from __future__ import annotations

from dataclasses import replace

import shown
import test_plan
from cases import case, check
from codelctllib import plan, present, values
from codelctllib.marks import Port
from codelctllib.plan import Former


@case("present: for each link and kind, a setup with what is read has no commands")
def again() -> None:
    for kind in values.KINDS:
        for link in test_plan.SHOWN:
            for rates in ({"up": "19mbit", "down": "95mbit"}, {"up": "8mbit"}, {"down": "1mbit"},
                          {"follow": "on"}, {"follow": "on", "down": "9mbit"}):  # fmt: skip
                if "follow" in rates and kind not in values.SPLITTING:
                    continue
                now = test_plan.after({**rates, "kind": kind, "link": link})
                found = present.settings(now)
                names = [n for n in ("follow", "up", "down") if n in found]
                check("rates", names, list(rates))
                check("kind", found["kind"], kind)
                check(f"{found}", plan.commands(values.parse(found), now, Former()), [])


@case("present: a setup of an earlier version has the same settings, and is not in force")
def earlier() -> None:
    given = {"up": "19mbit", "down": "95mbit", "link": "docsis"}
    now = test_plan.after(given, former=True)
    found = present.settings(now)
    check("settings", found, present.settings(test_plan.after(given)))
    check("kind", found["kind"], "fq_codel_oot")
    verbs = [c[2] for c in plan.commands(values.parse(found), now, Former())]
    check("commands", verbs, ["replace", "replace"])


@case("present: queues: a setup with what is read has no commands, with one qdisc and with several")
def queues() -> None:
    now = test_plan.spread()
    found = present.settings(now)
    check("rates", [found["up"], found["down"]], ["200mbit", "1gbit"])
    check("several", [n for n in found if "queues" in n], [])
    check("commands", plan.commands(values.parse(found), now, Former()), [])
    slow = test_plan.own("eth0", "fq_codel_oot", {"atm": "noatm"}, 125_000_000, False)
    assert slow.link
    now = replace(shown.FRESH, device=replace(slow, link={**slow.link, "queues": 3}))
    found = present.settings(now)
    check("one", found.get("up-queues"), "one")
    check("commands", plan.commands(values.parse(found), now, Former()), [])


@case("present: the words")
def words() -> None:
    now = test_plan.after({"up": "19mbit", "down": "95mbit", "link": "pppoe-adsl"})
    expected = "up 19mbit, down 95mbit, link raw, overhead 40, mpu 0, cells atm, kind fq_codel_oot"
    check("settings", values.text(present.settings(now)), f"{expected}, offloads keep")


@case("present: a direction that is not complete has no settings")
def half() -> None:
    now = test_plan.after({"up": "19mbit", "down": "95mbit", "kind": "fq_codel"})
    check("no setup", present.settings(shown.FRESH), {})
    port = replace(now.ifb, classes=[])
    check("no class", "down" in present.settings(replace(now, ifb=port)), False)
    check(
        "no direction",
        present.settings(replace(now, ifb=port, device=Port(shown.link("eth0")))),
        {},
    )
