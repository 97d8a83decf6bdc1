#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
"""A real Prometheus scrapes a recording; its answers are compared with codelstat's own.

queries.promql are the queries that doc/statistics.md and the manual show.
"""

from __future__ import annotations

import time
from collections import Counter
from typing import Any, Iterator

import short
from cases import HERE, RECORDING, case, check, codelstat, main
from exporter import Exporter
from prometheus import Prometheus, Series

SCRAPES = "100ms"
ENOUGH = 60  # scrapes: rate() extrapolates by up to half a scrape at each end
WAIT = 30  # seconds, until it has all of the recording
Qdisc = dict[str, Any]


def queries() -> list[str]:
    """Without their comments, which are not sent."""
    blocks = (HERE / "queries.promql").read_text().split("\n\n")
    return ["\n".join(n for n in b.splitlines() if not n.startswith("#")) for b in blocks]


def recorded() -> list[list[Qdisc]]:
    """The out-of-tree qdiscs in each snapshot but the first, which has no interval."""
    done = codelstat("list", "--replay", RECORDING, "--speed", "0", "--json")
    lines = [short.loads(line)["qdiscs"] for line in done.stdout.splitlines()]
    return [[q for q in qdiscs if "ledger" in q] for qdiscs in lines]


def changes() -> Iterator[tuple[str, dict[str, Any]]]:
    """Device and counts of a qdisc in each interval of the recording."""
    for qdiscs in recorded():
        for qdisc in qdiscs:
            yield qdisc["dev"], qdisc["change"]


def delays() -> dict[str, Counter[float]]:
    """By device, the packets of all intervals by the end of their bucket, seconds."""
    found: dict[str, Counter[float]] = {}
    for dev, change in changes():
        of_dev = found.setdefault(dev, Counter())
        for _from, to, packets in change.get("buckets", []):
            of_dev[to / 1e9 if to else float("inf")] += packets
    return {dev: counts for dev, counts in found.items() if counts}


def drops() -> Counter[tuple[str, str]]:
    found: Counter[tuple[str, str]] = Counter()
    for dev, change in changes():
        for cause, packets in change["drops"].items():
            found[dev, cause] += packets
    return Counter({key: packets for key, packets in found.items() if packets})


def by_device(series: Series) -> dict[str, float]:
    return {dict(key)["device"]: value for key, value in series.items()}


def near(what: str, value: float, expected: float, tolerance: float) -> None:
    assert abs(value - expected) <= tolerance, f"{what}: {value} is not {expected} +- {tolerance}"


def exported_bucket(bound: float) -> tuple[float, float]:
    """The exporter's bucket in which the module's bucket that ends at this bound is counted."""
    ends = [0.0] + [n * 10.0**k for k in (-3, -2, -1, 0) for n in (1, 2.5, 5)]
    upper = min(end for end in ends if end > bound * (1 - 1e-9))
    return max(end for end in ends if end < upper * (1 - 1e-9)), upper


def quantile_agrees(series: Series) -> None:
    """It is in the same bucket of the exporter, up to a small error of rate()."""
    found, expected = by_device(series), delays()
    check("devices", {d for d, v in found.items() if v == v}, set(expected))
    for dev, counts in expected.items():
        total, passed, bound = sum(counts.values()), 0, 0.0
        for bound in sorted(counts):
            passed += counts[bound]
            if passed >= 0.99 * total:
                break
        print(f"# p99 of {dev}: {found[dev]:.6f} s by Prometheus, {bound:.6f} s by codelstat")
        lower, upper = exported_bucket(bound)
        assert lower * 0.98 <= found[dev] <= upper * 1.02, f"{dev}: not {lower} to {upper}"


def drops_agree(series: Series) -> None:
    """They are in the same proportions: Prometheus' seconds are not the recording's."""
    expected = drops()
    found = {(dict(k)["device"], dict(k)["cause"]): v for k, v in series.items()}
    check("causes", set(found), set(expected))
    assert len(expected) > 1, "the recording has drops of one cause only"
    for key, packets in expected.items():
        share = found[key] / sum(found.values())
        print(f"# {key}: {100 * share:.1f}% of the drops")
        near(f"share of {key}", share, packets / sum(expected.values()), 0.02)


def late_agree(series: Series) -> None:
    found = by_device(series)
    for dev, counts in delays().items():
        late = sum(n for end, n in counts.items() if end > 0.025) / sum(counts.values())
        print(f"# later than 25 ms on {dev}: {100 * found[dev]:.2f}%, {100 * late:.2f}%")
        near(f"late on {dev}", found[dev], late, 0.02)


def all_scraped(prometheus: Prometheus) -> None:
    """Wait until it has the last values of the recording."""
    expected = {
        (q["dev"], q["handle"]): float(q["ledger"]["sent"]["packets"]) for q in recorded()[-1]
    }
    found: dict[tuple[str, str], float] = {}
    scrapes = 0.0
    end = time.monotonic() + WAIT
    while (found != expected or scrapes < ENOUGH) and time.monotonic() < end:
        time.sleep(0.25)
        counted = prometheus.query("count_over_time(codel_scrape_errors_total[1m])")
        scrapes = next(iter(counted.values()), 0)
        series = prometheus.query("codel_sent_packets_total")
        found = {(dict(k)["device"], dict(k)["handle"]): v for k, v in series.items()}
        found = {key: value for key, value in found.items() if key in expected}
    check("packets sent", found, expected)
    assert scrapes >= ENOUGH, f"{scrapes} scrapes"


@case("Prometheus scrapes it, and answers as codelstat does")
def answers() -> None:
    with Exporter() as exporter, Prometheus(f"127.0.0.1:{exporter.port}", SCRAPES) as prometheus:
        all_scraped(prometheus)
        target = prometheus.api("targets")["activeTargets"][0]
        check("target", (target["health"], target["lastError"]), ("up", ""))
        of_sojourn = prometheus.api("metadata", metric="codel_sojourn_seconds")
        about = of_sojourn["codel_sojourn_seconds"][0]
        check("read as OpenMetrics", (about["type"], about["unit"]), ("histogram", "seconds"))
        p99, by_cause, late, used = (prometheus.query(n) for n in queries())
    quantile_agrees(p99)
    drops_agree(by_cause)
    late_agree(late)
    check("shared rates", used, {})


@case("Prometheus has a rate that queues share once, and all that they have sent of it")
def link_agrees() -> None:
    shared = str(HERE / "shared.rec")
    (sent,) = [n for n in queries() if "codel_link_rate" in n]
    one = "sum by (device, kind) (rate(codel_sent_bytes_total[1m]))"  # no byte more on this wire
    with Exporter(replay=shared) as exporter, Prometheus(
        f"127.0.0.1:{exporter.port}", SCRAPES
    ) as p:
        end = time.monotonic() + WAIT
        while not p.query(f"{one} > 0") and time.monotonic() < end:
            time.sleep(0.25)
        time.sleep(2)  # the recording has ended: both queries see all of it
        used, expected = p.query(sent), p.query(f"{one} / 2500000")
        queues = p.query("codel_link_queues")
    which = frozenset({"device": "v0", "kind": "fq_codel_oot"}.items())
    check("labels", set(used), {which})
    check("queues", list(queues.values()), [4])
    near("part used", used[which], expected[which], 0.02 * expected[which])


if __name__ == "__main__":
    main()
