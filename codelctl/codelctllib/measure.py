# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The measurements of prove: pings, sojourn times from the qdiscs' histograms, and their table.

A ping waits in the queues of this router and in queues elsewhere: in a modem, at the provider, in the
server. The sojourn times are those of all packets, so the part of a ping that is elsewhere is at least
the ping's increase less the sojourn times.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, field
from typing import Any

from . import rates

PING_SECONDS = 0.2
REPLY = re.compile(r"icmp_seq=(\d+) .*time=([\d.]+) ms")
SENT = re.compile(r"(\d+) packets transmitted, (\d+)")
# A delay elsewhere that is longer has another cause than the packets in transmission
ELSEWHERE_MS = 15.0
HEADERS = (
    "phase",
    "Mbit/s",
    "ping p50",
    "p95",
    "max",
    "lost",
    "added",
    "egress p50",
    "p99",
    "ingress p50",
    "p99",
    "elsewhere",
)


@dataclass(frozen=True)
class Pings:
    times: list[float]  # ms, sorted
    lost: int
    replies: list[tuple[int, float]] = field(default_factory=list)  # number of the ping, ms

    def percentile(self, share: float) -> float | None:
        if not self.times:
            return None
        return self.times[min(len(self.times) - 1, int(share * len(self.times)))]


@dataclass(frozen=True)
class Queue:
    """What a qdisc did in a phase."""

    signals: int = 0  # drops and marks
    # Greatest delay in ns, packets; None: there may be a queue whose delay is not known
    buckets: list[tuple[int, int]] | None = field(default_factory=list)

    def percentile(self, share: float) -> float | None:
        """An upper bound, in ms; None without packets or without a histogram."""
        buckets = self.buckets or []
        need = share * sum(count for _, count in buckets)
        for to_ns, count in buckets:
            need -= count
            if need <= 0:
                return to_ns / 1e6
        return None


@dataclass(frozen=True)
class Phase:
    load: str  # idle, now, upload or download
    rates: tuple[float, float]  # bit/s, of egress and ingress
    pings: Pings
    egress: Queue
    ingress: Queue
    setup: str = ""  # before, after, or a kind; empty: there is one setup
    # The queues elsewhere that are followed, of egress and ingress
    far: tuple[Queue, Queue] = (Queue(), Queue())

    @property
    def name(self) -> str:
        return f"{self.setup} {self.load}".strip()


def pings(shown: str) -> Pings:
    """What `ping` prints."""
    replies = [(int(number), float(text)) for number, text in REPLY.findall(shown)]
    match = SENT.search(shown)
    lost = int(match[1]) - int(match[2]) if match else 0
    return Pings(sorted(ms for _, ms in replies), lost, replies)


def _buckets(qdisc: dict[str, Any] | None) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = ((qdisc or {}).get("delay") or {}).get("buckets", [])
    return found


def total(qdiscs: list[dict[str, Any]]) -> dict[str, Any]:
    """The signals and the histogram of several qdiscs."""
    names = ("drops", "ecn_mark")
    found: dict[str, Any] = {name: sum(int(q.get(name, 0)) for q in qdiscs) for name in names}
    if not all("delay" in q for q in qdiscs):
        return found
    buckets: dict[int, dict[str, Any]] = {}
    for bucket in (bucket for q in qdiscs for bucket in _buckets(q)):
        had = buckets.get(bucket["from_ns"], {"count": 0})
        buckets[bucket["from_ns"]] = {**bucket, "count": had["count"] + bucket["count"]}
    return {**found, "delay": {"buckets": [buckets[key] for key in sorted(buckets)]}}


def _grown(name: str, before: dict[str, Any] | None, after: dict[str, Any] | None) -> int:
    return int((after or {}).get(name, 0)) - int((before or {}).get(name, 0))


def queue(before: dict[str, Any] | None, after: dict[str, Any] | None) -> Queue:
    """From two readings of a qdisc; None: there is no qdisc."""
    old = {bucket["from_ns"]: bucket["count"] for bucket in _buckets(before)}
    # The last bucket has no end
    grown = [
        (bucket["to_ns"] or bucket["from_ns"], bucket["count"] - old.get(bucket["from_ns"], 0))
        for bucket in _buckets(after)
    ]
    signals = _grown("drops", before, after) + _grown("ecn_mark", before, after)
    known = after is None or "delay" in after
    return Queue(signals, [g for g in grown if g[1]] if known else None)


def far(before: dict[str, Any] | None, after: dict[str, Any] | None) -> Queue:
    """The queue elsewhere that a qdisc follows, from its answers; without packets if it follows none."""
    found = [(reading or {}).get("far") or {} for reading in (before, after)]
    return queue(*found) if found[1] else Queue()


def added(phase: Phase, idle: Phase) -> float | None:
    """Delay that the load adds to the median ping, in ms; None: not known."""
    now, then = phase.pings.percentile(0.5), idle.pings.percentile(0.5)
    return None if now is None or then is None else max(0.0, now - then)


def elsewhere(phase: Phase, idle: Phase) -> float | None:
    """Least delay of the median ping that is in no queue of this router, and in none that it follows, in ms; None: not
    known."""
    total = added(phase, idle)
    if total is None or phase.egress.buckets is None or phase.ingress.buckets is None:
        return None
    known = sum(q.percentile(0.5) or 0 for q in (phase.egress, phase.ingress, *phase.far))
    return max(0.0, total - known)


def short(value: float | None) -> str:
    """Three digits, or all of a greater number."""
    return "-" if value is None else f"{value:.3g}" if value < 100 else f"{value:.0f}"


def row(phase: Phase, idle: Phase) -> list[str]:
    texts = [short(phase.rates[phase.load == "download"] / 1e6)]
    texts += [short(phase.pings.percentile(share)) for share in (0.5, 0.95, 1.0)]
    texts += [str(phase.pings.lost), "-" if phase is idle else short(added(phase, idle))]
    for found in (phase.egress, phase.ingress):
        texts += [short(found.percentile(share)) for share in (0.5, 0.99)]
    return [phase.name, *texts, "-" if phase is idle else short(elsewhere(phase, idle))]


def table(phases: list[Phase], idle: Phase) -> str:
    """Times in ms."""
    rows = [list(HEADERS), *(row(phase, idle) for phase in phases)]
    widths = [max(len(line[i]) for line in rows) for i in range(len(HEADERS))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if i == 0 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(line, widths))
        ).rstrip()
        for line in rows
    )


# Of the rates that were measured: what README recommends to begin with
SHARES = {"up": 0.95, "down": 0.9}
# The acknowledgements of a transfer take less than this part of its rate
LOADED = 0.1


def setup(device: str, measured: dict[str, float]) -> str | None:
    """The command that sets the link up for rates that were measured, in bit/s; None: they are too low."""
    given = {n: rate * SHARES[n] for n, rate in measured.items()}
    words = [
        w
        for n, rate in given.items()
        if rate >= rates.LEAST
        for w in (f"--{n}", rates.rounded_down(rate))
    ]
    return shlex.join(["codelctl", "setup", device, *words]) if words else None


def loaded(phase: Phase) -> dict[str, float]:
    """The rates of the directions that had more than the acknowledgements of the other one."""
    up, down = phase.rates
    return {n: r for n, r, other in (("up", up, down), ("down", down, up)) if r >= LOADED * other}


def of_loads(phases: list[Phase]) -> dict[str, float]:
    """The rates of a link beside an upload and a download."""
    found = {phase.load: phase.rates for phase in phases}
    return {"up": found["upload"][0], "down": found["download"][1]}


def round_trips(phase: Phase) -> int | None:
    """Round trips per minute beside the load: RPM, of draft-ietf-ippm-responsiveness, by ping."""
    slow = phase.pings.percentile(0.95)
    return round(60_000 / slow) if slow else None


def far_text(phase: Phase) -> str | None:
    """One sentence about the queues elsewhere; None: nothing is known of them."""
    places = ("behind this router", "ahead of it, at the provider")
    texts = [
        f"{short(q.percentile(0.5))} ms in the median and {short(q.percentile(0.95))} ms at the 95th percentile "
        f"in the queue {place}"
        for q, place in zip(phase.far, places)
        if q.buckets
    ]
    return f"{phase.name}: packets wait for {', and for '.join(texts)}" if texts else None


def responsiveness(phase: Phase) -> str:
    """One sentence about the ping."""
    slow = short(phase.pings.percentile(0.95))
    return f"{phase.name}: a ping takes {slow} ms at the 95th percentile, {round_trips(phase)} round trips per minute"


def effect(before: Phase, after: Phase, idle: Phase) -> str:
    """One sentence about the delay before and after the setup."""
    times = [short(added(phase, idle)) for phase in (before, after)]
    return (
        f"{after.load}: the load adds {times[0]} ms to the ping without the shapers, "
        f"and {times[1]} ms with them"
    )


def verdict(phases: list[Phase], idle: Phase) -> str:
    """One sentence about the phases under load."""
    worst = max((elsewhere(phase, idle) or 0.0, phase.name) for phase in phases)
    if all(not phase.pings.times for phase in phases):
        return "no ping was answered: the delay is not known"
    if all(elsewhere(phase, idle) is None for phase in phases):
        return "these qdiscs have no histogram of sojourn times: the delay cannot be split"
    is_followed = any(queue.buckets for phase in phases for queue in phase.far)
    if worst[0] > ELSEWHERE_MS:
        lower = "" if is_followed else "lower the rate of the shaper, or "
        text = f"{worst[1]}: {short(worst[0])} ms of the ping are in a queue elsewhere"
        return f"{text}: {lower}find the other queue"
    if is_followed:
        return "under load, the delay is in the queues that are followed, and in no other queue"
    return "under load, the delay is in no queue elsewhere"
