# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Pings, histograms, and how a delay is split into this router's queues and others."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from cases import case, check
from codelctllib import measure, rates, report
from codelctllib.measure import Phase, Pings, Queue
from codelctllib.report import Report

PING = """\
PING 10.9.2.2 (10.9.2.2) 56(84) bytes of data.
64 bytes from 10.9.2.2: icmp_seq=1 ttl=63 time=50.4 ms
64 bytes from 10.9.2.2: icmp_seq=2 ttl=63 time=1042 ms
64 bytes from 10.9.2.2: icmp_seq=4 ttl=63 time=0.061 ms

--- 10.9.2.2 ping statistics ---
4 packets transmitted, 3 received, 25% packet loss, time 603ms
rtt min/avg/max/mdev = 0.061/364.153/1042.000/479.100 ms
"""
NOTHING = Queue()


def qdisc(sent: int, drops: int, *buckets: tuple[int, int | None, int]) -> dict[str, Any]:
    shown = [{"from_ns": a, "to_ns": b, "count": n} for a, b, n in buckets]
    return {"bytes": sent, "drops": drops, "ecn_mark": 1, "delay": {"buckets": shown}}


def phase(name: str, ping: float, egress_ms: float = 0, ingress_ms: float = 0) -> Phase:
    def queue(ms: float) -> Queue:
        return Queue(1, [(int(ms * 1e6), 100)]) if ms else NOTHING

    return Phase(name, (1e6, 2e6), Pings([ping], 0), queue(egress_ms), queue(ingress_ms))


@case("pings: times, percentiles and losses")
def pings() -> None:
    found = measure.pings(PING)
    replies = [(1, 50.4), (2, 1042.0), (4, 0.061)]
    check("times", found, Pings([0.061, 50.4, 1042.0], 1, replies))
    check("percentiles", [found.percentile(p) for p in (0.5, 0.95, 1.0)], [50.4, 1042.0, 1042.0])
    check("nothing", measure.pings("").percentile(0.5), None)


@case("histogram: what has grown between two readings, and bounds of percentiles")
def histogram() -> None:
    before = qdisc(1000, 2, (0, 1_000_000, 10), (1_000_000, 2_000_000, 5))
    after = qdisc(2000, 5, (0, 1_000_000, 10), (1_000_000, 2_000_000, 95), (4_000_000, None, 10))
    found = measure.queue(before, after)
    check("queue", found, Queue(3, [(2_000_000, 90), (4_000_000, 10)]))
    check("percentiles", [found.percentile(p) for p in (0.5, 0.9, 0.99)], [2.0, 2.0, 4.0])
    check("no histogram", measure.queue({"drops": 1}, {"drops": 3}), Queue(2, None))
    check("no qdisc", measure.queue(None, None), NOTHING)


@case("histogram: that of several qdiscs is their sum")
def total() -> None:
    first = qdisc(1000, 2, (0, 1_000_000, 10), (4_000_000, None, 5))
    second = qdisc(1000, 3, (0, 1_000_000, 1), (1_000_000, 2_000_000, 7))
    found = measure.total([first, second])
    check("signals", [found["drops"], found["ecn_mark"]], [5, 2])
    check(
        "queue",
        measure.queue({}, found),
        Queue(7, [(1_000_000, 11), (2_000_000, 7), (4_000_000, 5)]),
    )
    check("one has none", measure.queue({}, measure.total([first, {"drops": 1}])), Queue(4, None))


@case("split: what the queues of the router do not explain is elsewhere")
def split() -> None:
    idle = phase("idle", 20)
    for found, expected in (
        (phase("upload", 30, 10), 0.0),
        (phase("upload", 26, 10), 0.0),
        (phase("upload", 520, 0.5), 499.5),
        (phase("download", 60, 10, 20), 10.0),
        (replace(phase("upload", 60), egress=Queue(1, None)), None),
    ):
        check(f"{found.pings}", measure.elsewhere(found, idle), expected)
    check(
        "no answer",
        measure.elsewhere(Phase("upload", (0, 0), Pings([], 9), NOTHING, NOTHING), idle),
        None,
    )


@case("split: the verdict names the phase and the delay")
def verdicts() -> None:
    idle = phase("idle", 20)
    good, bad = phase("upload", 26, 6), phase("download", 520, 0, 1)
    check("good", measure.verdict([good], idle), "under load, the delay is in no queue elsewhere")
    found = measure.verdict([good, bad], idle)
    assert found.startswith("download: 499 ms of the ping are in a queue elsewhere"), found
    unknown = replace(bad, egress=Queue(1, None))
    check("no histogram", measure.verdict([unknown], idle).split(":")[0],
          "these qdiscs have no histogram of sojourn times")  # fmt: skip
    lost = Phase("upload", (0, 0), Pings([], 9), NOTHING, NOTHING)
    check("no ping", measure.verdict([lost], lost), "no ping was answered: the delay is not known")


@case("before and after: one sentence for each load")
def effect() -> None:
    before, after = phase("upload", 520), phase("upload", 26)
    text = "upload: the load adds 500 ms to the ping without the shapers, and 6 ms with them"
    check("sentence", measure.effect(before, after, phase("idle", 20)), text)
    lost = Phase("upload", (0, 0), Pings([], 9), NOTHING, NOTHING)
    assert "adds - ms" in measure.effect(lost, after, phase("idle", 20))


@case("setup: the command that a measurement of the link leads to")
def setup() -> None:
    up = replace(phase("upload", 300), rates=(5.39e6, 0.2e6))
    down = replace(phase("download", 80), rates=(0.4e6, 19.3e6))
    found = measure.setup("eth0", measure.of_loads([up, down]))
    check("both", found, "codelctl setup eth0 --up 5.1mbit --down 17mbit")
    for one, expected in (
        (up, "codelctl setup eth0 --up 5.1mbit"),
        (down, "codelctl setup eth0 --down 17mbit"),
        (replace(up, rates=(5e6, 9e6)), "codelctl setup eth0 --up 4.7mbit --down 8.1mbit"),
        (replace(up, rates=(0.0, 0.0)), None),
    ):
        check(f"{one.rates}", measure.setup("eth0", measure.loaded(one)), expected)
    for rate, text in ((64000, "64kbit"), (999999, "990kbit"), (123.4e6, "120mbit")):
        check(text, rates.rounded_down(rate), text)
    check("round trips", measure.round_trips(phase("now", 300)), 200)


@case("table: a line per phase, and a dash for what is not known")
def table() -> None:
    idle = phase("idle", 20)
    lines = measure.table(
        [idle, phase("upload", 520, 0.5), replace(phase("download", 9), setup="cake")], idle
    ).splitlines()
    check("cells", [line.split() for line in lines[1:]], [
        ["idle", "1", "20", "20", "20", "0", "-", "-", "-", "-", "-", "-"],
        ["upload", "1", "520", "520", "520", "0", "500", "0.5", "0.5", "-", "-", "500"],
        ["cake", "download", "2", "9", "9", "9", "0", "0", "-", "-", "-", "-", "0"],
    ])  # fmt: skip


@case("JSON: every sample of every phase, as it was measured")
def document() -> None:
    idle = Phase("idle", (0.0, 0.0), measure.pings(PING), NOTHING, Queue(0, None))
    load = replace(phase("upload", 80.0, 5.0), setup="after")
    found = report.document(Report("eth0", "server", 10, idle, [load], ["one sentence"]))
    check("names", list(found), ["device", "server", "seconds", "phases", "sentences"])
    first, second = found["phases"]
    replies = [{"seq": 1, "ms": 50.4}, {"seq": 2, "ms": 1042.0}, {"seq": 4, "ms": 0.061}]
    check("pings", first["ping"], {"interval_ms": 200.0, "lost": 1, "replies": replies})
    check("no histogram", first["ingress"], {"signals": 0, "buckets": None})
    check("no packets", first["egress"], {"signals": 0, "buckets": []})
    check("idle", [first[n] for n in ("setup", "load", "added_ms")], [None, "idle", None])
    check("setup", [second[n] for n in ("setup", "load")], ["after", "upload"])
    check("rates", second["rate"], {"egress": 1e6, "ingress": 2e6})
    buckets = [{"to_ns": 5000000, "count": 100}]
    check("sojourn times", second["egress"], {"signals": 1, "buckets": buckets})
    check("delay", [round(second[n], 6) for n in ("added_ms", "elsewhere_ms")], [29.6, 24.6])


@case("a queue that is followed: what its answers say explains the ping, in sentences, too")
def followed() -> None:
    far = {"far": {"delay": {"buckets": [{"from_ns": 0, "to_ns": 20_000_000, "count": 7}]}}}
    check("grown", measure.far({"far": {}}, far).buckets, [(20_000_000, 7)])
    check("none", measure.far(far, {}).buckets, [])
    idle = Phase("idle", (0, 0), Pings([10.0], 0), Queue(), Queue())
    load = Phase(
        "upload",
        (1, 1),
        Pings([45.0], 0),
        Queue(),
        Queue(),
        "after",
        (measure.far({}, far), Queue()),
    )
    check("elsewhere", measure.elsewhere(load, idle), 15.0)
    text = "after upload: packets wait for 20 ms in the median and 20 ms at the 95th percentile in the queue behind this router"
    check("sentence", measure.far_text(load), text)
    check("nothing is known", measure.far_text(idle), None)
    check("ping", measure.responsiveness(load),
          "after upload: a ping takes 45 ms at the 95th percentile, 1333 round trips per minute")  # fmt: skip
    assert "that are followed" in measure.verdict([load], idle)
    worse = Phase("upload", (1, 1), Pings([90.0], 0), Queue(), Queue(), "after", load.far)
    assert measure.verdict([worse], idle).endswith("elsewhere: find the other queue")
