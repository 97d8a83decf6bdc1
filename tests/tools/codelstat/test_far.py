#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
"""Qdiscs that follow a queue in another device: codelstat shows how long packets wait there, or why it is not known."""

from __future__ import annotations

import json
import struct
from typing import Any

from cases import HERE, case, check, codelstat, main
from exporter import Samples, samples
from recordings import attribute, link, qdisc, recording, recording_of

FAR = str(HERE / "far.rec")
FIRST = 96  # bucket of a far histogram
STATES = ("works", "deaf", "unheard", "unanswered", "silent", "unclear", "foreign")


def following(
    *counts: int,
    first: int = FIRST + 8,
    state: int = 0,
    news: int = 3_000_000,
    cut: int = 0,
    sojourns: int = 0,
) -> bytes:
    """A codel_oot whose far histogram has these counts, in the buckets from `first` on. The message lacks its last `cut` bytes. A
    histogram of `sojourns` buckets would begin at the same place."""
    ext = struct.pack("=30Q4H", *(0,) * 30, 360, 0, sojourns, 360)
    ext += bytes(8 + 96 + 8)  # wire bytes, causes to come, no shared rate
    far = struct.pack("=9QIHH", 30_000_000, 20_000_000, 10_000_000, 1_250_000, 9000, 7000, news,
                      sum(counts), 4, state, first, len(counts))  # fmt: skip
    app = bytes(40) + ext + far + struct.pack(f"={len(counts)}I", *counts)
    options = attribute(2, attribute(2, struct.pack("=I", 1000)))
    stats = attribute(7, attribute(4, app[: len(app) - cut]))
    return link(1, b"v1") + qdisc(1, 0x100000, b"codel_oot", more=options + stats)


def where(path: str, *words: str) -> list[str]:
    """The second line of each qdisc in the last refresh."""
    lines = codelstat("replay", path, "--speed", "0", *words).stdout.splitlines()
    return [line.strip() for line in lines if line.startswith("  1")]


def metrics(path: str) -> Samples:
    return samples(codelstat("export", "--replay", path, "--textfile", "-").stdout)


def of(found: Samples, name: str, device: str = "v1") -> list[float]:
    return [v for (n, k), v in found.items() if n == name and dict(k)["device"] == device]


@case("the list: the delay elsewhere in the interval, the path and the rate; or the reason")
def listed() -> None:
    expected = [
        "10: root, far p50 10ms p90 14ms, path 20ms, 10Mbit/s, drops/s codel 10",
        "11: root, far: no TCP segment has passed the device of the answers",
    ]
    check("a recorded upload", where(FAR)[-2:], expected)
    # In the interval, 80 packets waited for up to 2.62 ms and 20 for up to 2.88 ms; their counter wraps. Before, 5,000 waited for less
    before, after = following(5000, 0, 2**32 - 20), following(5000, 80, 0)
    with recording_of([before, after]) as path:
        check(
            "an interval", where(path)[-1], "10: root, far p50 2.6ms p90 2.9ms, path 20ms, 10Mbit/s"
        )
        check("all times", where(path, "-1")[-1].split(", ")[1], "far p50 2.4ms p90 2.4ms")
    with recording_of([after, after]) as path:
        check("no answer in the interval", where(path)[-1], "10: root, far path 20ms, 10Mbit/s")
    for state, name in enumerate(STATES):
        with recording(following(5, state=state)) as path:
            text = where(path, "-1")[-1]
            is_works = name == "works"
            check(f"{name}: {text}", ("far:" in text, "Mbit/s" in text), (not is_works, is_works))


@case("metrics: those of tc, a histogram of all answers, and the state; none of other qdiscs")
def exported() -> None:
    found = metrics(FAR)
    line = codelstat("replay", FAR, "--speed", "0", "--json").stdout.splitlines()[-1]
    far: dict[str, Any] = json.loads(line)["qdiscs"][0]["far"]
    for name, member, unit in (
        ("codel_far_answers_total", "answers", 1), ("codel_far_released_packets_total", "released", 1),
        ("codel_far_delay_seconds", "delay_ns", 1e9), ("codel_far_path_seconds", "path_ns", 1e9),
        ("codel_far_rtt_seconds", "rtt_ns", 1e9), ("codel_far_news_age_seconds", "news_age_ns", 1e9),
        ("codel_far_rate_bytes_per_second", "rate", 1), ("codel_far_window_bytes", "window", 1),
        ("codel_far_beyond_bytes", "beyond", 1),
    ):  # fmt: skip
        check(name, of(found, name, "v0"), [far[member] / unit])
    count = sum(b["count"] for b in far["delay"]["buckets"])
    check("answers", of(found, "codel_far_sojourn_seconds_count", "v0"), [count])
    below = [b["count"] for b in far["delay"]["buckets"] if b["to_ns"] and b["to_ns"] <= 25e6]
    bucket = {dict(k)["le"]: v for (n, k), v in found.items() if n == "codel_far_sojourn_seconds_bucket"
              and dict(k)["device"] == "v0"}  # fmt: skip
    check("25 ms", bucket["0.025"], sum(below))
    states = {dict(k)["device"]: dict(k)["state"] for (n, k) in found if n == "codel_far_state"}
    check("states", states, {"v0": "works", "v1": "unheard"})
    check("news that never came", of(found, "codel_far_news_age_seconds"), [])
    for number, state in enumerate(STATES):
        with recording(following(5, state=number)) as path:
            (key,) = [k for n, k in metrics(path) if n == "codel_far_state"]
            check("a state", dict(key)["state"], state)
    others = metrics(str(HERE / "steady.rec"))
    check("without the option", [n for n, _ in others if "far" in n], [])


@case("statistics that are cut off, or have an unknown layout, are ignored")
def incomplete() -> None:
    whole = following(1, 2, 3)
    with recording(whole) as path:
        check("whole", of(metrics(path), "codel_far_sojourn_seconds_count"), [6])
    for what, body in (
        ("a byte less", following(1, 2, 3, cut=1)),
        ("no counts", following(1, 2, 3, cut=12)),
        ("half of the numbers", following(1, 2, 3, cut=60)),
        ("a bucket below", following(1, first=FIRST - 1)),
        ("a bucket above", following(1, 1, first=FIRST + 103)),
        ("a state", following(1, state=len(STATES))),
        ("parts that overlap", following(1, 2, 3, sojourns=1)),
    ):
        with recording(body) as path:
            check(f"{what}: metrics", [n for n, _ in metrics(path) if "far" in n], [])
            check(f"{what}: list", where(path, "-1"), ["10: root"])


if __name__ == "__main__":
    main()
