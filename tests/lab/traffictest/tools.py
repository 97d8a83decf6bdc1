# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Cases: ping, probe, and errors."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from bench import MS, SECOND, US, Bench, between, equal, gaps, in_node, item, mean, traffic

DELAY = 10 * MS
TICK = 4 * MS  # of the guest's clock of timers


def ping_is_exact() -> None:
    """ping: sends at its interval from start to stop, and has the round trip of the path"""
    with Bench() as bench:
        one = item("ping", start=SECOND, stop=9 * SECOND)
        samples = bench.run([one], 10)[0]["samples"]
    equal("sent", len(samples["at"]), 40)
    between("first", samples["at"][0], SECOND, SECOND + 10 * MS)
    between("least gap", min(gaps(samples["at"])), 199 * MS, 202 * MS)
    between("largest gap", max(gaps(samples["at"])), 199 * MS, 202 * MS)
    between("least", min(samples["rtt"]), 2 * DELAY, 2 * DELAY + 100 * US)
    between("largest", max(samples["rtt"]), 2 * DELAY, 2 * DELAY + 100 * US)


def losses_of(kind: str, dropped: str, **keys: Any) -> dict[str, list[int | None]]:
    with Bench() as bench:
        in_node("a", "tc", "qdisc", "add", "dev", "up0", "root", *dropped.split())
        return bench.run([item(kind, **keys)], 10)[0]["samples"]


def ping_counts_losses() -> None:
    """ping: the lost ones have a time, and no round trip"""
    samples = losses_of("ping", "netem loss 30%", interval=20 * MS)
    lost = samples["rtt"].count(None)
    between("lost", lost, 100, 200)
    # A loss makes ping up to two ticks late, which shows at the next reply
    in_a_row = max(
        len(list(g)) for missing, g in groupby(samples["rtt"], lambda r: r is None) if missing
    )
    latest = 20 * MS + (in_a_row + 1) * 2 * TICK
    between("first", samples["at"][0], 0, 50 * MS)
    # A ping that is lost at the end is not reported: then the last one is the one before
    between("last", samples["at"][-1], 10 * SECOND - 20 * MS - latest, 10 * SECOND)
    between("least gap", min(gaps(samples["at"])), 18 * MS, 25 * MS)
    between("largest gap", max(gaps(samples["at"])), 18 * MS, latest)


def probe_is_exact() -> None:
    """probe: sends at its interval, of the right length, and knows the delay of each way"""
    with Bench() as bench:
        in_node("b", "tc", "qdisc", "change", "dev", "down1", "root", "netem", "delay", "30ms")
        in_node("r", "tc", "qdisc", "add", "dev", "down0", "clsact")
        match = "match ip tos 0xb8 0xff match u16 172 0xffff at 2 flowid 1:1 action ok"
        words = f"filter add dev down0 ingress protocol ip u32 {match}"
        in_node("r", "tc", *words.split())
        one = item("probe", start=SECOND, stop=9 * SECOND, dscp=46)
        samples = bench.run([one], 10)[0]["samples"]
        shown = in_node("r", "tc", "-s", "filter", "show", "dev", "down0", "ingress")
    between("sent", len(samples["at"]), 399, 400)
    equal("of that length and DSCP", f" {len(samples['at'])} pkt " in shown, True)
    between("first", samples["at"][0], SECOND + 40 * MS, SECOND + 100 * MS)
    between("mean gap", mean(gaps(samples["at"])), 19.99 * MS, 20.01 * MS)
    between("least up", min(samples["up"]), DELAY, DELAY + 100 * US)
    between("95% up", sorted(samples["up"])[380], DELAY, DELAY + 200 * US)
    between("least down", min(samples["down"]), 30 * MS, 30 * MS + 100 * US)
    between("95% down", sorted(samples["down"])[380], 30 * MS, 30 * MS + 200 * US)
    for rtt, up, down in zip(samples["rtt"], samples["up"], samples["down"]):
        if not -US <= rtt - up - down <= 200 * US:  # irtt's clocks are two
            equal("round trip is up and down", rtt, up + down)


def probe_counts_losses() -> None:
    """probe: the lost ones have no delays"""
    samples = losses_of("probe", "netem loss 20%")
    between("lost", samples["rtt"].count(None), 60, 140)
    between("sent", len(samples["at"]), 340, 500)


def poisson_probe() -> None:
    """probe, poisson: exponential gaps, and the delay of each way of those that come back"""
    with Bench() as bench:
        in_node("b", "tc", "qdisc", "change", "dev", "down1", "root", "netem", "delay", "30ms")
        in_node("r", "tc", "qdisc", "add", "dev", "down0", "clsact")
        match = "match ip tos 0xb8 0xff match u16 172 0xffff at 2 flowid 1:1 action ok"
        in_node("r", "tc", *f"filter add dev down0 ingress protocol ip u32 {match}".split())
        one = item("probe", start=SECOND, stop=39 * SECOND, dscp=46, arrivals="poisson")
        samples = bench.run([one], 40)[0]["samples"]
        shown = in_node("r", "tc", "-s", "filter", "show", "dev", "down0", "ingress")
    found = gaps(samples["at"])
    between("sent", len(samples["at"]), 1800, 2000)  # 1900, with a standard deviation of 44
    equal("of that length and DSCP", f" {len(samples['at'])} pkt " in shown, True)
    between("mean gap", mean(found), 19 * MS, 21 * MS)
    below = sum(gap < mean(found) for gap in found) / len(found)
    between("gaps below the mean", below, 0.6, 0.67)  # 1 - 1/e; 0.5 of periodic ones
    between("least up", min(samples["up"]), DELAY, DELAY + 100 * US)
    between("least down", min(samples["down"]), 30 * MS, 30 * MS + 100 * US)
    between("least round trip", min(samples["rtt"]), 40 * MS, 40 * MS + 200 * US)
    samples = losses_of("probe", "netem loss 20%", arrivals="poisson")
    between("lost", samples["rtt"].count(None), 60, 140)
    equal("lost ones have no delay up", samples["up"].count(None), samples["rtt"].count(None))


ITEM = {"from": "a", "to": "r"}
GONE = ("a", *"ip route del 10.255.1.1".split())
MUTE = ("a", *"tc qdisc add dev up0 root netem loss 100%".split())


def error_of(one: dict[str, Any], duration: float = 1, *broken: str) -> str:
    """Of a run with an item, and another that is fine."""
    good = item("cbr", name="good", **{"from": "r", "to": "b"})
    with Bench() as bench:
        if broken:
            in_node(*broken)
        try:
            bench.run([good, one], duration)
        except traffic.TrafficError as error:
            return str(error)
    return "none"


def errors_name_the_item() -> None:
    """errors: no such congestion control, no way, no answer, a tool that fails"""
    equal(
        "congestion control",
        error_of(item("bulk", name="mine", cc="vegan")),
        "traffic mine: this kernel has no congestion control 'vegan'",
    )
    for kind in ("bulk", "uploads", "cbr", "requests", "ping", "probe"):
        text = error_of(item(kind, name="mine", **ITEM), 1, *GONE)
        equal(f"{kind}: no way", text.split(": ")[0], "traffic mine")
    for kind in ("bulk", "web", "uploads", "cbr", "requests", "ping", "probe"):
        text = error_of(item(kind, name="mine", **ITEM), 25, *MUTE)
        equal(f"{kind}: nothing arrives", text.split(": ")[0], "traffic mine")
    text = error_of(item("ping", name="mine", size=70000))
    equal("ping", text.split(": ")[0], "traffic mine")


CASES = [
    ping_is_exact,
    ping_counts_losses,
    probe_is_exact,
    probe_counts_losses,
    poisson_probe,
    errors_name_the_item,
]
TWICE = probe_counts_losses
