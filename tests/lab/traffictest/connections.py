# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Cases: the connections of bulk, web and uploads, as other programs see them."""

from __future__ import annotations

import json
import re
import subprocess
import time
from typing import Any

from bench import SECOND, Bench, between, busy, equal, goodput, in_node, item, note


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
    one_connection_is_one_flow,
    congestion_controls,
    ecn_is_by_item,
    beside_iperf3,
]
TWICE = congestion_controls
