# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Cases: bulk, web, uploads."""

from __future__ import annotations

import json
import re
import subprocess
import time
from typing import Any

from bench import (
    MS, SECOND, Bench, Result, between, busy, equal, gaps, in_node, item, mean, note,
    traffic,
)  # fmt: skip

PAYLOAD = 1448 / 1514  # of a full packet: TCP's bytes over the device's
DELAY = 10 * MS
LOWAT = traffic.tcp.LOWAT
RTT = 2 * DELAY


def goodput(result: Result, duration: float) -> float:
    """bit/s"""
    return sum(flow["bytes"] for flow in result["flows"]) * 8 / duration


def bulk_fills_the_link() -> None:
    """bulk: four flows fill 100 Mbit/s; what the generator adds to a packet; actions are on time"""
    late: list[int] = []
    due = [number * 333 * MS for number in range(1, 18)]

    def act() -> None:
        late.append(time.monotonic_ns() - due[len(late)])

    with Bench(rate=10**8, qdisc="pfifo limit 200") as bench:
        actions = [(when, act) for when in due]
        result = bench.run([item("bulk", count=4, spread=SECOND)], 6, warmup=2, actions=actions)[0]
        packets = sum(flow["total"] for flow in result["flows"]) / 1448
    equal("flows", len(result["flows"]), 4)
    between("Mbit/s", goodput(result, 4) / 1e6, 99 * PAYLOAD, 100.5 * PAYLOAD)
    for flow in result["flows"]:
        between("start", flow["start"], 0, SECOND + MS)
        equal("seconds", len(flow["series"]), 6)
        equal("series never falls", flow["series"], sorted(flow["series"]))
        # Two packets may come between two timers of the same time
        between("total", flow["total"], flow["series"][-1], flow["series"][-1] + 3000)
        warmup = flow["total"] - flow["bytes"]
        between("the warm-up's", warmup - flow["series"][1], -3000, 3000)
    each = bench.busy / packets
    note("instructions for a packet, all that the machine does", each)
    between("those of the generator, and of TCP in its name", bench.mine / packets, 100, 6000)
    # An action waits for the packets that the machine processes; an instruction takes 1 ns
    between("actions: the latest against the earliest", max(late) - min(late), 0, 3 * each)


def shapers_are_filled() -> None:
    """bulk: fills htb and tbf"""
    for shaper in ("htb", "tbf"):
        with Bench(rate=10**7, qdisc="pfifo limit 100", shaper=shaper) as bench:
            result = bench.run([item("bulk", count=2)], 10, warmup=2)[0]
        between(f"{shaper}: Mbit/s", goodput(result, 8) / 1e6, 9.85 * PAYLOAD, 10.05 * PAYLOAD)


def slow_links_do_not_stall() -> None:
    """bulk: fills 128 kbit/s with an MTU of 500, as if its reader were woken for every packet"""
    full = 128_000 * 448 / 514
    for window in ("4096 131072 6291456", "4096 4096 4096"):
        rates = []
        for lowat in (LOWAT, 1):
            traffic.tcp.LOWAT = lowat
            with Bench(rate=128_000, qdisc="pfifo limit 20", mtu=500) as bench:
                in_node("b", "sysctl", "-qw", f"net.ipv4.tcp_rmem={window}")
                result = bench.run([item("bulk")], 60, warmup=10)[0]
            rates.append(goodput(result, 50))
        traffic.tcp.LOWAT = LOWAT
        between(f"{window}: share of the rate", rates[0] / full, 0.985, 1.001)
        between("of that with every packet", rates[0] / rates[1], 0.985, 1.015)


def bulk_stops() -> None:
    """bulk: ends at its stop, or when its bytes are there; nothing is left of it"""
    left: list[str] = []
    stops = item("bulk", name="stops", start=SECOND, stop=3 * SECOND)
    ends = item("bulk", name="ends", bytes=10**6, count=2)
    with Bench(rate=10**7) as bench:
        look = (4 * SECOND, lambda: left.append(in_node("a", "ss", "-Htan")))
        stopped, ended = bench.run([stops, ends], 5, actions=[look])
    equal("sockets at 4 s", [n for n in left[0].splitlines() if "TIME-WAIT" not in n], [])
    series = stopped["flows"][0]["series"]
    equal("before the start", series[0], 0)
    between("from start to stop", series[2], 10**6, 2 * 10**7 / 8)
    between("later", series[-1] - series[2], 0, 2 * 10**5)  # what the queue still had
    equal("bytes", [flow["total"] for flow in ended["flows"]], [10**6] * 2)


def ss(node: str, port: int) -> str:
    return in_node(node, "ss", "-Htino", f"dport = :{port} or sport = :{port}")


def one_connection_is_one_flow() -> None:
    """bulk: after timeouts, a connection is still one flow of fq_codel on a router"""
    items = [item("bulk", name="first"), item("bulk", name="second", cc="reno")]
    flows: list[set[str]] = []

    def look() -> None:
        shown = json.loads(in_node("r", "tc", "-j", "class", "show", "dev", "up1"))
        flows.append({found["handle"] for found in shown})

    with Bench(rate=64_000, qdisc="fq_codel limit 6") as bench:
        actions = [(number * SECOND // 2, look) for number in range(2, 240)]
        bench.run(items, 120, actions=actions)
        shown = in_node("a", "nstat", "-az", "TcpExtTCPTimeouts")
    between("timeouts", int(shown.split()[-2]), 3, 1000)
    between("flows at the same time", max(map(len, flows)), 2, 2)
    equal("different flows", len(set().union(*flows)), 2)


def congestion_controls() -> None:
    """bulk, web: the congestion control is that which was asked for, where data is sent"""
    asked = ("cubic", "reno", "bbr")
    items = [item("bulk", name=cc, cc=cc) for cc in asked]
    items.append(item("web", name="web", cc="bbr", rate=50.0, size=10**6))
    seen: list[str] = []
    with Bench(rate=10**7) as bench:
        look = (2 * SECOND, lambda: seen.extend(ss("a", 20000 + 100 * n) for n in range(4)))
        bench.run(items, 3, actions=[look])
    for cc, shown in zip((*asked, "bbr"), seen):
        found = set(re.findall(r"\b(cubic|reno|bbr)\b", shown))
        equal("at the sender", found, {cc})


def ecn_is_by_item() -> None:
    """bulk: of two items between the same nodes, that with ECN has marks, the other drops"""
    items = [item("bulk", name="without"), item("bulk", name="with", ecn=True)]
    items.append(item("uploads", name="upload", ecn=True))
    seen: list[str] = []
    with Bench(rate=10**7, qdisc="fq_codel") as bench:
        look = (3 * SECOND, lambda: seen.extend(ss("a", 20000 + 100 * n) for n in range(2)))
        bench.run(items, 4, actions=[look])
        shown = in_node("r", "tc", "-s", "-j", "qdisc", "show", "dev", "up1")
    equal("ecn", ["ecn" in text.split() for text in seen], [False, True])
    between("marks", json.loads(shown)[0]["ecn_mark"], 1, 1000)
    equal("lost by that with ECN", re.findall(r" retrans:\S+", seen[1]), [])


def web_objects() -> None:
    """web: arrivals, sizes, the time of small objects on an idle link, repeatable"""
    with Bench(rate=10**9) as bench:
        one = item("web", rate=50.0)
        samples = bench.run([one], 40)[0]["samples"]
    sizes, times, starts = samples["bytes"], samples["time"], samples["start"]
    between("connections", len(starts), 1900, 2100)
    between("mean gap, ms", mean(gaps(starts)) / MS, 19, 21)
    between("mean size", mean(sizes), 10000, 14000)
    between("largest", max(sizes), 12000 * 20, 12000 * 100)
    between("unfinished", times.count(None), 0, 3)
    small = [t for t, size in zip(times, sizes) if t and size < 14000]
    between("least time of those in one window", min(small), 2 * RTT, 2 * RTT + MS)
    between("most", sorted(small)[len(small) * 99 // 100], 2 * RTT, 2 * RTT + 2 * MS)
    large = [t for t, size in zip(times, sizes) if t and size > 100_000]
    between("mean of large ones", mean(large), 4 * RTT, 12 * RTT)


def web_without_a_way() -> None:
    """web: what is too much for the link stays unfinished; nothing is left at the end"""
    with Bench(rate=256_000, qdisc="pfifo limit 50") as bench:
        samples = bench.run([item("web", rate=20.0, size=50_000)], 20)[0]["samples"]
        left = in_node("b", "ss", "-Htan").splitlines() + in_node("a", "ss", "-Htan").splitlines()
    finished = [size for size, t in zip(samples["bytes"], samples["time"]) if t]
    between("unfinished", samples["time"].count(None) / len(samples["time"]), 0.3, 1)
    between("bytes of the others", sum(finished), 50_000, 20 * 256_000 / 8)
    equal("connected", [n for n in left if n.startswith(("ESTAB", "SYN-SENT"))], [])


def uploads_pause() -> None:
    """uploads: one after the other with pauses, several at once"""
    with Bench(rate=10**7) as bench:
        one = item("uploads", pause=[SECOND, 3 * SECOND], count=3)
        samples = bench.run([one], 60)[0]["samples"]
    between("uploads", len(samples["start"]), 45, 75)
    equal("sizes", set(samples["bytes"]), {10**6})
    first = [t for t in samples["time"][:3] if t]
    between("three at once", max(first) / 1e9, 2.4, 3.2)
    alone = min(t for t in samples["time"] if t)
    between("alone", alone / 1e9, 0.84, 1.2)
    events = sorted(
        [(start, 1) for start in samples["start"]]
        + [(s + t, -1) for s, t in zip(samples["start"], samples["time"]) if t]
    )
    active, most = 0, 0
    for _, step in events:
        active += step
        most = max(most, active)
    equal("at the same time, at most", most, 3)


def beside_iperf3() -> None:
    """bulk: beside iperf3, the same goodput with fewer instructions"""
    with Bench(rate=10**8, qdisc="pfifo limit 200") as bench:
        result = bench.run([item("bulk")], 6)[0]
        ours, mine = goodput(result, 6), bench.busy
    with Bench(rate=10**8, qdisc="pfifo limit 200"):
        began = busy()
        found = iperf3()
        theirs = busy() - began
    rate = found["end"]["sum_received"]["bits_per_second"]
    note("iperf3: Mbit/s", rate / 1e6)
    between("goodput over that of iperf3", ours / rate, 0.99, 1.01)
    note("instructions of all the machine with iperf3", theirs)
    between("with bulk, over those", mine / theirs, 0.3, 0.85)


def iperf3() -> Any:
    server = ["ip", "netns", "exec", "b", "iperf3", "-s", "-1", "-B", "10.255.2.1"]
    with subprocess.Popen(server, stdout=subprocess.DEVNULL) as process:
        time.sleep(0.1)
        shown = in_node("a", *"iperf3 -c 10.255.2.1 -B 10.255.0.1 -t 6 -J -i 0".split())
        process.wait()
    return json.loads(shown)


CASES = [
    bulk_fills_the_link,
    shapers_are_filled,
    slow_links_do_not_stall,
    bulk_stops,
    one_connection_is_one_flow,
    congestion_controls,
    ecn_is_by_item,
    web_objects,
    web_without_a_way,
    uploads_pause,
    beside_iperf3,
]
