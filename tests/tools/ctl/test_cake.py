# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""What doctor says about a cake."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from cases import case, check
from codelctllib import doctor
from codelctllib.cake import Cake
from codelctllib.facts import Link

TINS = [
    {"sent_packets": 10, "peak_delay_us": 12345, "avg_delay_us": 1500, "drops": 3, "ecn_mark": 1},
    {"sent_packets": 0, "peak_delay_us": 99999, "avg_delay_us": 0, "drops": 0, "ecn_mark": 0},
    {"sent_packets": 90, "peak_delay_us": 900, "avg_delay_us": 40, "drops": 4, "ecn_mark": 6},
]
CAKE = Cake(
    "eth0",
    "root",
    {"bandwidth": 1_000_000, "overhead": 18, "atm": "ptm"},
    {"packets": 100, "memory_used": 10, "memory_limit": 100},
    TINS,
)
SHAPES = "shapes to 8mbit of the device's 1gbit, overhead 18, ptm cells"
DELAY = "delay of tin 0 1.5 ms on average, 12.3 ms at its peak"
LOSSES = "7 drops and 7 marks beside 100 packets"

# What differs, and the text
TEXTS: list[tuple[dict[str, Any], str]] = [
    ({}, f"{SHAPES}; {DELAY}; {LOSSES}"),
    (
        {"options": {"bandwidth": "unlimited", "overhead": 18}},
        f"does not shape: no bandwidth is set; {DELAY}; {LOSSES}",
    ),
    (
        {"options": {"bandwidth": 125_000, "overhead": 0, "raw": True, "atm": "noatm"}},
        f"shapes to 1mbit of the device's 1gbit, no overhead is set; {DELAY}; {LOSSES}",
    ),
    (
        {"options": {"bandwidth": 125_000, "overhead": -4, "wash": True}},
        f"shapes to 1mbit of the device's 1gbit, overhead -4; {DELAY}; {LOSSES}; "
        "wash clears the DSCP of packets",
    ),
    (
        {"tins": TINS[2:], "statistics": {"packets": 90, "memory_used": 95, "memory_limit": 100}},
        f"{SHAPES}; delay 0.0 ms on average, 0.9 ms at its peak; 4 drops and 6 marks beside "
        "90 packets; 95 of 100 bytes of memory were in use: it drops at the limit",
    ),
    ({"tins": []}, f"{SHAPES}; no packet was sent; 0 drops and 0 marks beside 100 packets"),
]


@case("cake: its rate beside the device's, its overhead, delay, drops and marks")
def texts() -> None:
    link = Link("eth0", {}, present=True, speed=10**9)
    for facts, text in TEXTS:
        found = list(doctor.of_queue(replace(link, cakes=[replace(CAKE, **facts)])))
        check(f"{facts}", [(f.code, f.level, f.text) for f in found], [("cake", "info", text)])
        check("its command", found[0].fix, "tc -s qdisc show dev eth0")


@case(
    "cake: those of a link that is set up, on the device and the ifb, which has no rate of its own"
)
def both() -> None:
    link = Link("eth0", {}, present=True, in_force=True, speed=10**9)
    cakes = [CAKE, replace(CAKE, device="ifb-eth0")]
    found = list(doctor.of_link(replace(link, cakes=cakes)))
    check("subjects", [f.subject for f in found], ["eth0", "ifb-eth0"])
    check("egress", SHAPES in found[0].text, True)
    check("ingress", found[1].text.split(",")[0], "shapes to 8mbit")


@case("cake: a rate above the device's is a problem, wherever the qdisc is")
def too_fast() -> None:
    for place in ("root", "parent 1:2"):
        cake = replace(CAKE, place=place)
        link = Link("eth0", {}, present=True, speed=1_000_000, cakes=[cake])
        found = next(f for f in doctor.of_queue(link) if f.level == "problem")
        fix = f"tc qdisc change dev eth0 {place} cake bandwidth 950000bit"
        check(place, (found.code, found.fix), ("queue-elsewhere", fix))
