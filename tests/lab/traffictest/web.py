# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Cases: web, uploads."""

from __future__ import annotations

from bench import MS, SECOND, Bench, between, equal, gaps, in_node, item, mean

RTT = 20 * MS


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


CASES = [
    web_objects,
    web_without_a_way,
    uploads_pause,
]
TWICE = web_without_a_way
