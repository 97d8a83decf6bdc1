# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Cases: cbr, onoff, requests."""

from __future__ import annotations

import json

from bench import MS, SECOND, US, Bench, between, equal, gaps, in_node, item, mean

GAP = 12_500_000  # ns from one to the next of 100 bytes at 64 kbit/s
DELAY = 10 * MS


def cbr_is_exact() -> None:
    """cbr: as many datagrams as its rate has, evenly spaced, and the path's delay"""
    with Bench() as bench:
        samples = bench.run([item("cbr")], 10)[0]["samples"]
    equal("sent", samples["sent"], 800)
    equal("lost", samples["lost"], [])
    equal("received and on their way", samples["received"] + samples["open"], 800)
    between("least gap", min(gaps(samples["at"])), GAP - 100 * US, GAP + 100 * US)
    between("largest gap", max(gaps(samples["at"])), GAP - 100 * US, GAP + 100 * US)
    between("least delay", min(samples["delay"]), DELAY, DELAY + 100 * US)
    between("largest delay", max(samples["delay"]), DELAY, DELAY + 100 * US)
    first = samples["at"][0] - samples["delay"][0]
    between("the first comes within a gap", first, 0, GAP + 100 * US)


def cbr_is_exact_when_fast() -> None:
    """cbr: 10 Mbit/s of 500 bytes in the middle of a run, from b to a, by its DS field and ECN"""
    one = item("cbr", rate=10**7, size=500, start=SECOND, stop=2 * SECOND, dscp=46, ecn=2)
    with Bench() as bench:
        match = "match ip tos 0xba 0xff match u16 500 0xffff at 2 flowid 1:1 action ok"
        one.update({"from": "b", "to": "a"})
        count_at_r(match)
        samples = bench.run([one], 3)[0]["samples"]
        counted = counted_at_r()
    equal("sent", samples["sent"], 2500)
    equal("received", samples["received"], 2500)
    equal("of that length, DSCP and ECT(0)", counted, 2500)
    between("first", samples["at"][0], SECOND + DELAY, SECOND + DELAY + 500 * US)
    between("last", samples["at"][-1], 2 * SECOND + DELAY - 500 * US, 2 * SECOND + DELAY + 100 * US)
    between("mean gap", mean(gaps(samples["at"])), 399_990, 400_010)
    between("largest gap", max(gaps(samples["at"])), 400_000, 500_000)


def cbr_has_its_ecn_field() -> None:
    """cbr: datagrams are not ECT, ECT(1) or ECT(0), as the run document says"""
    for codepoint in (0, 1, 2):
        with Bench() as bench:
            one = item("cbr", rate=10**6, size=500, stop=SECOND, ecn=codepoint)
            one.update({"from": "b", "to": "a"})
            match = f"match ip tos {codepoint} 0xff match u16 500 0xffff at 2"
            count_at_r(f"{match} flowid 1:1 action ok")
            samples = bench.run([one], 2)[0]["samples"]
            equal(f"with ECN field {codepoint}", counted_at_r(), samples["sent"])
            equal("sent", samples["sent"], 250)


def count_at_r(match: str) -> None:
    in_node("r", "tc", "qdisc", "add", "dev", "down0", "clsact")
    words = f"filter add dev down0 egress protocol ip u32 {match}"
    in_node("r", "tc", *words.split())


def counted_at_r() -> int:
    shown = json.loads(in_node("r", "tc", "-s", "-j", "filter", "show", "dev", "down0", "egress"))
    return sum(
        action["stats"]["packets"]
        for one in shown
        for action in one.get("options", {}).get("actions", [])
    )


def cbr_counts_losses() -> None:
    """cbr: which datagrams were lost; those whose fate is open are not among them"""
    with Bench(rate=64_000, qdisc="pfifo limit 5") as bench:
        samples = bench.run([item("cbr", rate=128_000)], 20)[0]["samples"]
    equal("sent", samples["sent"], 3200)
    whole = samples["received"] + len(samples["lost"]) + samples["open"]
    equal("received, lost or open", whole, 3200)
    between("received", samples["received"], 1390, 1410)  # 114 bytes with Ethernet's header
    between("open", samples["open"], 1, 14)
    between("delay of most", sorted(samples["delay"])[600], 5 * 14 * MS, 7 * 15 * MS)


def onoff_is_on_half_of_the_time() -> None:
    """onoff: periods of cbr with the right means, nothing between them"""
    with Bench() as bench:
        one = item("onoff", on=SECOND // 2, off=SECOND // 4)
        samples = bench.run([one], 200)[0]["samples"]
    pauses = [gap for gap in gaps(samples["at"]) if gap > GAP + 100 * US]
    between("share of the time", samples["sent"] * GAP / (200 * SECOND), 0.6, 0.73)
    between("pauses", len(pauses), 220, 320)
    between("mean pause", mean(pauses) - GAP / 2, 0.2 * SECOND, 0.3 * SECOND)
    within = [gap for gap in gaps(samples["at"]) if gap < GAP - 100 * US]
    between("gaps that a pause has made smaller", len(within), 0, 40)


def frames_are_large_now_and_then() -> None:
    """frames: three datagrams at once, forty in place of each ninetieth frame, whose losses count alone"""
    with Bench() as bench:
        samples = bench.run([item("frames")], 10)[0]["samples"]
    between("sent", samples["sent"], 300 * 3 + 3 * 40 - 6, 300 * 3 + 3 * 40 + 6)
    equal("of larger frames", samples["large"], 120)
    equal("of these, lost", samples["large_lost"], 0)
    at_once = [gap for gap in gaps(samples["at"]) if gap < MS]
    between("at once", len(at_once), 300 * 2 + 3 * 39 - 6, 300 * 2 + 3 * 39 + 6)
    with Bench(rate=3_000_000, qdisc="pfifo limit 20") as bench:
        samples = bench.run([item("frames")], 10)[0]["samples"]
    between("lost of larger frames", samples["large_lost"], 3 * 15, 3 * 20)
    equal("of others", len(samples["lost"]) - samples["large_lost"], 0)


def requests_are_poisson() -> None:
    """requests: Poisson arrivals at the rate, sizes of the mean, clients in turn"""
    one = item("requests", rate=1000.0, size=250, distribution="exponential", clients=7)
    with Bench() as bench:
        samples = bench.run([one], 11)[0]["samples"]
        sent = sent_bytes()
    equal("until", samples["until"], 10 * SECOND)
    between("requests", samples["sent"], 9_750, 10_250)
    between("mean size", sent / (samples["sent"] * 11 / 10) - 14, 243, 257)
    found = gaps(samples["at"])
    between("mean gap", mean(found), 0.975 * MS, 1.025 * MS)
    spread = (mean([gap * gap for gap in found]) / mean(found) ** 2 - 1) ** 0.5
    between("standard deviation over mean", spread, 0.96, 1.04)
    equal("unanswered", samples["time"].count(None), 0)
    between("longest", max(samples["time"]), DELAY, DELAY + 500 * US)


def sent_bytes() -> int:
    return json.loads(in_node("a", "ip", "-j", "-s", "link", "show", "up0"))[0]["stats64"]["tx"][
        "bytes"
    ]


def workers_have_a_capacity() -> None:
    """requests: 10 workers of 25 ms answer 400 a second, and all of them if fewer come"""
    for rate, low, high in ((300.0, 0.99, 1.0), (600.0, 0.62, 0.72)):
        one = item("requests", rate=rate, workers=10, clients=5, deadline=60 * SECOND)
        one["stop"] = 10 * SECOND
        with Bench() as bench:
            samples = bench.run([one], 70)[0]["samples"]
        done = [at + time for at, time in zip(samples["at"], samples["time"]) if time]
        early = sum(time < 10 * SECOND for time in done)
        equal(f"{rate:.0f}/s: unanswered", samples["time"].count(None), 0)
        between(f"{rate:.0f}/s: answered by 10 s", early / samples["sent"], low, high)
        if rate > 400:
            between("answered a second", early / 10, 380, 420)
            continue
        between("median", sorted(samples["time"])[len(done) // 2], 2 * DELAY + 15 * MS, 60 * MS)


def workers_keep_to_deadlines() -> None:
    """requests: fixed service, one worker: exact times; what is later than the deadline is none"""
    one = item(
        "requests", rate=20.0, workers=1, service=100 * MS, service_distribution="fixed"
    )  # fmt: skip
    with Bench() as bench:
        samples = bench.run([one], 20)[0]["samples"]
    first, expected = samples["at"], []
    free = 0
    for at in first:
        free = max(free, at + DELAY) + 100 * MS
        late = free + DELAY - at
        expected.append(late if late <= SECOND else None)
    same = [
        (a is None) == (b is None) and (a is None or 0 <= a - b <= MS)
        for a, b in zip(samples["time"], expected)
    ]
    equal("as a queue with one worker has them", same.count(False), 0)
    between("failures", expected.count(None), 100, len(expected))


CASES = [
    cbr_is_exact,
    cbr_is_exact_when_fast,
    cbr_has_its_ecn_field,
    cbr_counts_losses,
    onoff_is_on_half_of_the_time,
    frames_are_large_now_and_then,
    requests_are_poisson,
    workers_have_a_capacity,
    workers_keep_to_deadlines,
]
TWICE = cbr_counts_losses
