# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Which root qdiscs undo can restore exactly, and with which command."""

from __future__ import annotations

import shown
from cases import case, check, refused
from codelctllib import restore
from codelctllib.marks import Json

DELETE = "tc qdisc del dev eth0 root"
AGAIN = "tc qdisc replace dev eth0 root handle"
OOT = {**shown.DEFAULT_ROOT["options"], "target": 5000, "interval": 100000, "ceiling": None,
       "ce_threshold": None, "ce_threshold_selector": 0, "ce_threshold_mask": 0}  # fmt: skip
# Of its statistics
OF_OOT: Json = {"received": {"packets": 0, "bytes": 0}}
# What a module with all options shows besides
UNSHAPED = {
    "rate": None,
    "overhead": None,
    "mpu": 0,
    "atm": "noatm",
    "ingress": False,
    "split_gso": False,
    "bottleneck": "here",
    "answers": "self",
}
SHAPED = {"rate": 2375000, "overhead": -4, "mpu": 64, "atm": "ptm", "ingress": True, "split_gso": True,
          "target_effective": 5000, "interval_effective": 100000}  # fmt: skip
BEYOND = {"bottleneck": "downstream", "answers": "eth1"}


def root(kind: str, handle: str, options: Json | None = None) -> Json:
    return {"kind": kind, "handle": handle, "root": True, "refcnt": 2, "options": options or {}}


def child(kind: str, handle: str, parent: str = ":1") -> Json:
    return {"kind": kind, "handle": handle, "parent": parent, "options": {}}


FQ = {"limit": 500, "refill_delay": 40000, "timer_slack": 10000}
PFIFO = {**child("pfifo", "8:", "7:2"), "options": {"limit": 77}}
RESTORED = [
    ("a device that is down", [], DELETE),
    ("noqueue", [root("noqueue", "0:")], DELETE),
    ("the default", [shown.DEFAULT_ROOT], DELETE),
    ("mq by default", [root("mq", "0:"), child("fq_codel", "0:")], DELETE),
    ("mq with a handle", [root("mq", "7:"), child("fq_codel", "0:", "7:1")], f"{AGAIN} 7: mq"),
    (
        "mq with leaves",
        [root("mq", "7:"), child("fq_codel", "0:", "7:1"), PFIFO, child("pfifo_fast", "9:", "7:3")],
        f"{AGAIN} 7: mq; tc qdisc replace dev eth0 parent 7:2 handle 8: pfifo limit 77; "
        "tc qdisc replace dev eth0 parent 7:3 handle 9: pfifo_fast",
    ),
    ("pfifo", [root("pfifo", "8001:", {"limit": 77})], f"{AGAIN} 8001: pfifo limit 77"),
    ("pfifo_fast", [root("pfifo_fast", "8001:", {"bands": 3})], f"{AGAIN} 8001: pfifo_fast"),
    (
        "fq_codel",
        [{**shown.DEFAULT_ROOT, "handle": "5:"}],
        f"{AGAIN} 5: fq_codel target 5000us interval 100000us limit 10240 flows 1024 quantum 1514"
        " memory_limit 33554432 drop_batch 64 ecn",
    ),
    (
        "codel that the in-tree module serves",
        [root("codel", "5:", {"limit": 77, "target": 4999, "interval": 99999})],
        f"{AGAIN} 5: codel target 5000us interval 100000us limit 77 noecn",
    ),
    (
        "codel that the out-of-tree module serves",
        [{**root("codel", "5:", {"limit": 77, "target": 5000, "interval": 100000}), **OF_OOT}],
        f"{AGAIN} 5: codel target 5000us interval 100000us limit 77 noecn",
    ),
    (
        "codel that the out-of-tree module serves, with an option of its own",
        [root("codel", "5:", {"target": 5000, "ceiling": 30000})],
        f"{AGAIN} 5: codel target 5000us ceiling 30000us noecn",
    ),
    (
        "fq_codel_oot",
        [root("fq_codel_oot", "5:", OOT)],
        f"{AGAIN} 5: fq_codel_oot target 5000us interval 100000us ce_threshold off ceiling off"
        " limit 10240 flows 1024 quantum 1514 memory_limit 33554432 drop_batch 64 ecn",
    ),
    (
        "codel_oot of a module with a shaper",
        [root("codel_oot", "5:", {"limit": 77, "ceiling": 50000, **UNSHAPED})],
        f"{AGAIN} 5: codel_oot ceiling 50000us limit 77 noecn",
    ),
    (
        "codel_oot that shapes",
        [root("codel_oot", "5:", {"limit": 77, "ceiling": None, **SHAPED})],
        f"{AGAIN} 5: codel_oot ceiling off limit 77 noecn rate 19000000bit overhead -4 mpu 64 ptm"
        " ingress split_gso",
    ),
    (
        "codel_oot that shapes, and splits nothing",
        [root("codel_oot", "5:", {"ceiling": None, **UNSHAPED, "rate": 10**9, "overhead": 0})],
        f"{AGAIN} 5: codel_oot ceiling off noecn rate 8000000000bit overhead 0 no_split_gso",
    ),
    (
        "codel_oot with a queue in another device",
        [root("codel_oot", "5:", {"ceiling": None, **UNSHAPED, **BEYOND})],
        f"{AGAIN} 5: codel_oot ceiling off noecn bottleneck downstream answers eth1",
    ),
    (
        "codel_oot that splits without a rate",
        [root("codel_oot", "5:", {"ceiling": None, **UNSHAPED, "split_gso": True})],
        f"{AGAIN} 5: codel_oot ceiling off noecn split_gso",
    ),
    (
        "fq of iproute2 6.1",
        [root("fq", "5:", {**FQ, "pacing": False, "maxrate": 1250000, "horizon_cap": None})],
        f"{AGAIN} 5: fq nopacing limit 500 maxrate 1250000bps refill_delay 40000us timer_slack 10000ns"
        " horizon_cap",
    ),
    (
        "fq of iproute2 6.15",
        [root("fq", "5:", {**FQ, "bands": 3, "weights ": [589824, 196608, 65536]})],
        f"{AGAIN} 5: fq pacing limit 500 refill_delay 40000us timer_slack 10000ns",
    ),
    ("clsact beside", [shown.DEFAULT_ROOT, shown.CLSACT], DELETE),
]
REFUSED = [
    ("htb", [root("htb", "1:", {"r2q": 10})], ("htb 1:", "tc qdisc del dev eth0 root")),
    ("prio", [root("prio", "1:"), child("pfifo", "2:", "1:1")], ("prio 1:",)),
    ("netem", [root("netem", "8001:", {"limit": 1000})], ("netem 8001:",)),
    ("mq, a leaf", [root("mq", "7:"), child("netem", "8:", "7:1")], ("mq 7:",)),
    ("mq, a leaf's leaf", [root("mq", "7:"), child("pfifo_fast", "9:", "8:1")], ("mq 7:",)),
    ("an option more", [root("pfifo", "1:", {"limit": 77, "new": 1})], ("pfifo 1:",)),
    ("a size table", [{**root("pfifo", "1:", {"limit": 77}), "stab": {}}], ("pfifo 1:",)),
    ("weights", [root("fq", "5:", {**FQ, "bands": 3, "weights ": [9, 3, 1]})], ("fq 5:",)),
    ("a selector", [root("fq_codel", "1:", {"ce_threshold_selector": 1})], ("fq_codel 1:",)),
]


def commands(qdiscs: list[Json]) -> list[str]:
    return [" ".join(c) for c in restore.commands("eth0", restore.root("eth0", qdiscs))]


@case("restore: a default root returns by itself, a configured one with its options")
def restored() -> None:
    for what, qdiscs, expected in RESTORED:
        check(what, "; ".join(commands(qdiscs)), expected)


@case("restore: what cannot be restored is refused by name, with a remedy")
def not_restored() -> None:
    for what, qdiscs, words in REFUSED:
        refused(what, lambda q=qdiscs: commands(q), *words)


@case("restore: times of in-tree qdiscs are written so that the same times are shown")
def times() -> None:
    for microseconds in (*range(1, 20_000, 7), 99_999, 999_999):
        shown_us = (microseconds * 1000 >> 10) * 1024 // 1000
        words = commands([root("codel", "5:", {"target": shown_us})])[0].split()
        again = int(words[words.index("target") + 1].removesuffix("us"))
        check(f"{shown_us}", (again * 1000 >> 10) * 1024 // 1000, shown_us)
