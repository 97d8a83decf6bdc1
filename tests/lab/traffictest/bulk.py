# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Cases: bulk, and the links that it fills."""

from __future__ import annotations

import time

from bench import MS, SECOND, Bench, Result, between, equal, goodput, in_node, item, note, traffic

PAYLOAD = 1448 / 1514  # of a full packet: TCP's bytes over the device's
LOWAT = traffic.tcp.LOWAT


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


CASES = [
    bulk_fills_the_link,
    shapers_are_filled,
    slow_links_do_not_stall,
    bulk_stops,
]
TWICE = bulk_stops
