# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The regimes, and the runs that they consist of."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Iterable

from .subjects import (
    CODELS, FLOW_QUEUES, LINKED, LOOP, MARK_UNSHARED, NOP, SHAPED, SUBJECTS, Setting, kind_of, options,
)  # fmt: skip

# Time measured at most per run, ms. The figure does not depend on it.
BUDGET = 150
PACKETS = 10000
# Flows that collide collect the backlog, which takes a long time.
WARMUP_ONE, WARMUP_MANY = 3000, 30000
FLOOD = 10  # packets offered for one that leaves
ONLY_ENQUEUE = 1000  # nearly none leaves
LINK_PACKETS, LINK_WARMUP = 1400, 200  # where each takes its time on the link
SHORT = 74  # bytes of an acknowledgement or of a voice packet, far below a quantum


@dataclass(frozen=True)
class Row:
    """One line of the table: a regime with its numbers, for the qdiscs it applies to."""

    regime: str
    title: str
    flows: int = 1
    fill: int = 0
    burst: int = 0
    size: int = 1514
    short_size: int = 0  # of every other flow; 0: the same
    hashed: bool = True
    setting: Setting = field(default_factory=Setting)
    kinds: tuple[str, ...] = SUBJECTS
    goal: str = ""
    link: bool = False  # forwarded to a saturated link; all that the machine does counts

    @property
    def name(self) -> str:
        """Names the row in files and on the command line."""
        parts = [self.regime, f"f{self.flows}"]
        parts += [f"b{self.setting.buckets}"] if self.setting.buckets != 1024 else []
        parts += [f"d{self.setting.batch}"] if self.setting.batch != 64 else []
        return "-".join(parts)

    @property
    def warmup(self) -> int:
        """Packets offered before it is measured."""
        if self.link:
            return LINK_WARMUP
        return WARMUP_MANY if self.flows > 1 and self.fill else WARMUP_ONE

    def keys(self, kind: str, each: bool, packets: int) -> str:
        """The line of options for the module."""
        shared = not (self.setting.ecn and kind in MARK_UNSHARED)
        values = {
            "packets": packets, "warmup": self.warmup, "budget": BUDGET, "flows": self.flows,
            "size": self.size, "short_size": self.short_size, "fill": self.fill,
            "burst": self.burst, "hash": self.hashed, "ecn": self.setting.ecn,
            "shared": shared, "each": each,
        }  # fmt: skip
        if self.link:
            values |= {"link": True, "packets": LINK_PACKETS, "budget": 0}
        return " ".join(f"{k}={int(v)}" for k, v in values.items())


@dataclass(frozen=True)
class Job:
    """One line of the plan that the guest carries out."""

    what: str
    name: str
    kind: str
    options: str
    keys: str

    def line(self) -> str:
        return "\t".join((self.what, self.name, self.kind, self.options or " ", self.keys))


def _one() -> list[Row]:
    wide = Setting(buckets=65536)
    return [
        Row("one", "one packet at a time", goal="one"),
        Row("one", "one packet at a time", flows=65536),
        Row("one", "one packet at a time", flows=65536, setting=wide, kinds=FLOW_QUEUES),
        Row("small", "one packet of 100 bytes at a time", size=100),
        Row("dissect", "one packet at a time, hash dissected", hashed=False),
    ]


def _wait() -> list[Row]:
    rows = [
        Row("wait", "500 waiting", flows=n, fill=500, goal="wait" if n in (1, 512) else "")
        for n in (1, 16, 512, 9000, 65536)
    ]
    wide = Setting(buckets=65536)
    more = [replace(rows[2], setting=wide, kinds=FLOW_QUEUES, goal=""),
            replace(rows[4], setting=wide, kinds=FLOW_QUEUES)]  # fmt: skip
    more += [Row("dissect-wait", "500 waiting, hash dissected", 512, 500, hashed=False),
             Row("small-wait", "500 of 100 bytes waiting", 512, 500, size=100)]  # fmt: skip
    return rows + more


def _short() -> list[Row]:
    """Calls, games and acknowledgements: packets far shorter than a quantum."""

    def row(regime: str, title: str, flows: int, fill: int, size: int = SHORT) -> Row:
        short_size = SHORT if size != SHORT else 0
        return Row(regime, title, flows, fill, size=size, short_size=short_size, goal="short")

    one, wait = f"one packet of {SHORT} bytes at a time", f"500 of {SHORT} bytes waiting"
    acks = f"500 waiting, of every other flow {SHORT} bytes"
    return [
        row("short", one, 1, 0), row("short", one, 512, 0), row("short-wait", wait, 1, 500),
        row("short-wait", wait, 64, 500), row("short-wait", wait, 512, 500),
        row("acks-wait", acks, 16, 500, 1514), row("acks-wait", acks, 512, 500, 1514),
    ]  # fmt: skip


def _shaped() -> list[Row]:
    """A shaper that never has to wait: what it costs when the link is not its bottleneck."""
    one, wait = "one packet{} at a time", "500{} waiting"
    return [
        Row(f"shaped{part}", title.format(text), 64, fill, size=size, kinds=SHAPED, goal="shaped")
        for size, text, name in ((1514, "", ""), (SHORT, f" of {SHORT} bytes", "-short"))
        for title, fill, part in ((one, 0, name), (wait, 500, f"{name}-wait"))
    ]  # fmt: skip


def _link() -> list[Row]:
    """A shaper that is the bottleneck."""
    return [
        Row(f"link-{mbit}mbit", f"saturated link of {mbit} Mbit/s, 100 waiting", 64, 100,
            setting=Setting(rate=mbit * 10**6), kinds=LINKED, goal="link", link=True)
        for mbit in (20, 500)
    ]  # fmt: skip


def _flood_rows(regime: str, title: str, burst: int) -> list[Row]:
    """The queue is full of thin flows, and most packets that come are too many."""

    def row(flows: int, fill: int, buckets: int = 1024, batch: int = 64) -> Row:
        setting = Setting(limit=fill, buckets=buckets, batch=batch)
        plain = buckets == 1024 and batch == 64
        goal = "flood" if flows >= 900 and burst == ONLY_ENQUEUE else ""
        kinds = SUBJECTS if plain else FLOW_QUEUES
        return Row(regime, title, flows, fill, burst, setting=setting, kinds=kinds, goal=goal)

    return [
        row(1, 1000), row(16, 1000), row(900, 1000), row(900, 1000, batch=1),
        row(900, 1000, 65536), row(900, 1000, 65536, 1), row(9000, 10240, 65536),
        row(65536, 10240), row(65536, 10240, 65536),
    ]  # fmt: skip


def _memory() -> list[Row]:
    kinds = tuple(k for k in SUBJECTS if k in (*FLOW_QUEUES, "cake"))  # fq_pie only counts
    base = Row("overmemory", "flood over the memory limit", 900, 1000, FLOOD, kinds=kinds,
               setting=Setting(memory=1000))  # fmt: skip
    wide = Setting(memory=1000, buckets=65536)
    return [base, replace(base, setting=wide, kinds=FLOW_QUEUES)]


def _codel() -> list[Row]:
    drop = Setting(target="1us", interval="100us", ceiling="off")
    mark = replace(drop, ecn=True)
    rows = [Row("drop", "CoDel dropping, 500 waiting", n, 500, setting=drop, kinds=CODELS)
            for n in (1, 16)]  # fmt: skip
    rows += [Row("mark", "CoDel marking, 500 waiting", n, 500, setting=mark, kinds=CODELS)
             for n in (1, 16)]  # fmt: skip
    over = replace(drop, ceiling="")
    rows += [Row("ceiling", "the ceiling dropping, 500 waiting", n, 500, setting=over, kinds=CODELS)
             for n in (1, 16)]  # fmt: skip
    return rows


ROWS: list[Row] = [
    *_one(), *_wait(), *_short(), *_shaped(), *_link(),
    *_flood_rows("flood", "flood, ten times the link's rate", FLOOD),
    *_flood_rows("enqueue", "flood, nothing leaves", ONLY_ENQUEUE),
    *_memory(), *_codel(),
]  # fmt: skip

DUMP_KINDS = ("codel", "codel_oot", "fq_codel", "fq_codel_oot", "fq", "fq_pie", "cake", "dualpi2")
DUMP_FLOWS = (1, 1000)


def run_jobs(row: Row, kind: str, each: bool) -> list[Job]:
    """All calls together, and then each for itself if that is wanted."""
    name = f"{row.name}/{kind}"
    root, words = kind_of(kind), options(kind, row.setting)
    jobs = [Job("run", name, root, words, row.keys(kind, False, PACKETS))]
    if each and not row.link:
        jobs.append(Job("run", f"{name}/each", root, words, row.keys(kind, True, PACKETS)))
    return jobs


def loop_job(row: Row) -> Job:
    return Job("run", f"{row.name}/{LOOP}", LOOP, "", row.keys(LOOP, False, PACKETS))


def trust_jobs() -> list[Job]:
    """The figure does not depend on how many packets there are, and sees one instruction."""
    row = next(r for r in ROWS if r.regime == "wait" and r.flows == 512)
    jobs = [Job("run", f"trust/{NOP}", NOP, "", row.keys(NOP, False, PACKETS)),
            Job("run", f"trust/{LOOP}", LOOP, "", row.keys(LOOP, False, PACKETS))]  # fmt: skip
    for packets in (PACKETS, 4 * PACKETS):
        kind = "fq_codel_oot"
        keys = row.keys(kind, False, packets)
        jobs.append(Job("run", f"trust/{packets}", kind, options(kind, row.setting), keys))
    return jobs


def dump_jobs(kinds: Iterable[str]) -> list[Job]:
    setting = Setting(buckets=65536)
    return [
        Job("run", f"dump/{flows}/{kind}", kind, options(kind, setting),
            f"dump=20 flows={flows} fill=2000 size=1514")
        for kind in kinds if kind in DUMP_KINDS for flows in DUMP_FLOWS
    ]  # fmt: skip


def memory_jobs(kinds: Iterable[str]) -> list[Job]:
    """Enough qdiscs that the reserve of the allocator does not matter."""
    jobs = []
    for kind in (k for k in kinds if k in SUBJECTS):
        sizes = (1024, 65536) if kind in (*FLOW_QUEUES, "fq", "fq_pie") else (1024,)
        for buckets in sizes:
            words = options(kind, Setting(buckets=buckets))
            count = 24 if buckets > 1024 or kind == "cake" else 200
            jobs.append(Job("memory", f"memory/{buckets}/{kind}", kind, words, str(count)))
    return jobs
