#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# check: all
"""Whether targets are judged as they are written: results just inside and just outside of them.

Tables of results made by hand, and what must be said of each.
"""

from __future__ import annotations

import contextlib
import io
import runpy
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Sequence

LAB = Path(__file__).resolve().parents[2] / "lab"
sys.path.insert(0, str(LAB))
sys.dont_write_bytecode = True

import figures  # noqa: E402
from figures import amounts  # noqa: E402
from figures.results import Results  # noqa: E402
from figurestest import agree, prose, significance  # noqa: E402

Run = dict[str, Any]
Verdicts = list["bool | None"]
BULK = {"rate": "10mbit", "rtt": "20ms", "load": "4 bulk"}
MIXED = {**BULK, "load": "4 bulk + web + cbr"}
SLOW = {**BULK, "rate": "3mbit"}
MTUS = [{"rate": "128kbit", "mtu": m, "load": "4 bulk"} for m in ("500", "1500")]


def run(qdisc: str, point: dict[str, str], seed: int = 1, **queue: Any) -> Run:
    queues = {name: queue for name in queue.pop("names", ["dsl.up"])}
    return {"qdisc": qdisc, "seed": seed, "point": point, "queues": queues, "traffic": {}}


def delay(p50: float, **more: float) -> dict[str, float]:
    return {"p50": p50, **more}


def busy(qdisc: str, point: dict[str, str], share: float, p50: float = 5, seed: int = 1) -> Run:
    return run(qdisc, point, seed, utilisation=share, delay_ms=delay(p50), bytes=10)


def changing(
    p50: float, p75: float, p95: float, moved: int, *control: float | None, qdisc: str = "codel_oot"
) -> Run:
    phases = [{"at_s": 50.0 * n, "control_point_ms": c} for n, c in enumerate(control)]
    queue = {"delay_ms": delay(p50, p75=p75, p95=p95), "bytes": moved, "phases": phases}
    return run(qdisc, {}, 1, **queue)


SIX = (100, 10, 1, 50, 1, 100)
TWO = (50, 1)
GOOD7 = changing(2.7, 5, 89.9, 97, 900, 100, 100)
TAIL7 = changing(700, 900, 9000, 100, 0, 9000, 9000, qdisc="pfifo")


def edge(qdisc: str, drops: float, backlog: float, moved: int) -> Run:
    names = ["edge.up", "edge.down"]
    return run(
        qdisc, {"rate": "512kbit"}, drop_rate=drops, backlog=backlog, bytes=moved, names=names
    )


def spike(qdisc: str, top: float, at: float = 62, rates: Sequence[float] = SIX) -> Run:
    """A long delay at one moment, while the rate changes every 15 s."""
    steps = [1.0] * 900
    steps[round(at * 10)] = top
    phases = [{"at_s": 15.0 * n, "rate_mbit": r} for n, r in enumerate(rates)]
    series = {"step_s": 0.1, "max_ms": steps, "p50_ms": steps}
    return run(qdisc, {}, bytes=1, series=series, phases=phases)


def calls(qdisc: str, load: str, answered: float, p95: float, p99: float = 0) -> Run:
    item = {"kind": "requests", "answered_per_s": answered, "time_ms": {"p95": p95, "p99": p99}}
    return {"qdisc": qdisc, "seed": 1, "point": {"load": load}, "traffic": {"calls": item}}


def fallen(fast: float, slow: float, held: float | None) -> Run:
    """A fall from 50 to 1 Mbit/s: the longest delay before and after it, and when the delay stays below a bound."""
    before = {"at_s": 0.0, "rate_mbit": 50.0, "held_ms": 9999.0, "delay_ms": {"max": fast}}
    after = {"at_s": 4.0, "rate_mbit": 1.0, "held_ms": held, "delay_ms": {"max": slow}}
    return run("codel_oot", {}, phases=[before, after])


def flood(qdisc: str, load: str, p99: float, share: float, tcp: float | None = None) -> Run:
    queue = {"delay_ms": delay(1, p99=p99), "bytes": 100, "traffic": {"flood": {"bytes": share}}}
    made = run(qdisc, {"flood": load}, **queue)
    if tcp is not None:
        made["traffic"] = {n: {"kind": "bulk", "goodput_mbit": tcp / 2} for n in ("tcp", "tcp_ecn")}
    return made


def shaped(qdisc: str, p99: float, longest: float, mbit: float = 19, share: float = 1) -> Run:
    """Of a router that shapes: a ping's round trips in packets at 12.112 Mbit/s, goodput and utilisation."""
    ping = {"kind": "ping", "rtt_ms": {"p99": p99, "max": longest}}
    traffic = {"ping": ping, "bulk": {"kind": "bulk", "goodput_mbit": mbit}}
    phases = [{"rate_mbit": 12.112}]
    return {**run(qdisc, {}, bytes=1, utilisation=share, phases=phases), "traffic": traffic}


RATE = "fq_codel_oot_rate"
TEN = "codel_oot_10ms"
NOT_FIG7: Verdicts = [None] * 3
NOT_DEFAULT: Verdicts = [None] * 4
CASES: list[tuple[str, str, list[Run], Verdicts]] = [
    ("fig5", "inside", [busy("codel_oot", BULK, 0.9, 7), busy("red", BULK, 0.9)], [True, True]),
    ("fig5", "too slow", [busy("codel_oot", BULK, 0.9, 7.01)], [False, None]),
    ("fig5", "too fast", [busy("codel_oot", BULK, 0.9, 2.99)], [False, None]),
    ("fig5", "below RED", [busy("codel_oot", BULK, 0.89), busy("red", BULK, 0.9)], [True, False]),
    ("fig5", "RED of another point", [busy("codel_oot", BULK, 0.8), busy("red", SLOW, 0.9)], [True, None]),
    ("fig5", "RED of another seed", [busy("codel_oot", BULK, 0.8, 5, 2), busy("red", BULK, 0.9)], [True, None]),
    ("fig5", "not only bulk", [busy("codel_oot", MIXED, 0.9, 99)], [None, None]),
    ("fig5", "below 10 Mbit/s", [busy("codel_oot", SLOW, 0.9, 99)], [None, None]),
    ("fig5", "one of two rates", [busy("codel_oot", BULK, 0.9, 5), busy("codel_oot", {**BULK, "rate": "100mbit"}, 0.9, 9)], [False, None]),
    ("fig5", "the middle of a seed's loads", [busy("codel_oot", {**BULK, "rtt": r}, 0.9, d) for r, d in (("10ms", 5), ("20ms", 99), ("50ms", 1))], [True, None]),
    ("fig5", "the middle of the seeds", [busy("codel_oot", BULK, 0.9, d, s) for s, d in enumerate((5, 99, 98))], [False, None]),
    ("fig5", "in-tree is not out-of-tree", [busy("codel", BULK, 0.1, 99)], [None, None]),
    ("fig6", "inside", [busy("codel_oot", p, 0.9) for p in MTUS], [True, True]),
    ("fig6", "one MTU", [busy("codel_oot", p, s) for p, s in zip(MTUS, (0.899, 1))], [False, True]),
    ("fig7", "inside", [GOOD7, TAIL7], [True] * 5 + NOT_FIG7),
    ("fig7", "median", [changing(2.71, 5, 89, 97, 0, 1), TAIL7], [False, True, True, True, True] + NOT_FIG7),
    ("fig7", "75th", [changing(2, 5.01, 89, 97, 0, 1), TAIL7], [True, False, True, True, True] + NOT_FIG7),
    ("fig7", "95th", [changing(2, 5, 90, 97, 0, 1), TAIL7], [True, True, False, True, True] + NOT_FIG7),
    ("fig7", "bytes", [changing(2, 5, 89, 96, 0, 1), TAIL7], [True, True, True, False, True] + NOT_FIG7),
    ("fig7", "late", [changing(2, 5, 89, 97, 0, 101), TAIL7], [True, True, True, True, False] + NOT_FIG7),
    ("fig7", "never", [changing(2, 5, 89, 97, 0, 50, None), TAIL7], [True, True, True, True, False] + NOT_FIG7),
    ("fig7", "the paper's CoDel has no ceiling", [changing(9, 9, 99, 1, 900), changing(2, 5, 89, 97, 0, 1, qdisc="codel_oot_off"), TAIL7], [True] * 5 + NOT_FIG7),
    ("fig7", "no tail drop", [GOOD7], [True, True, True, None, True] + NOT_FIG7),
    ("fig8", "inside", [busy("codel_oot", BULK, 0.98), busy("pfifo", BULK, 1)], [True]),
    ("fig8", "outside", [busy("codel_oot", BULK, 0.979), busy("pfifo", BULK, 1)], [False]),
    ("fig8", "beyond 200 ms", [busy(q, {"rtt": "500ms"}, s) for q, s in (("codel_oot", 0.5), ("pfifo", 1))], [None]),
    ("fig9", "above", [run(q, BULK, jain_drops=j, bytes=1) for q, j in (("codel_oot", 0.81), ("red", 0.8))], [True]),
    ("fig9", "equal", [run(q, BULK, jain_drops=0.8, bytes=1) for q in ("codel_oot", "red")], [False]),
    ("fig9", "no drops", [run("codel_oot", BULK, jain_drops=None), run("red", BULK, jain_drops=0.8)], [None]),
    ("table1", "inside", [edge("codel_oot", 0.01, 2, 105), edge("pfifo", 0.01, 10, 100)], [True] * 3),
    ("table1", "drops", [edge("codel_oot", 0.011, 2, 95), edge("pfifo", 0.01, 10, 100)], [False, True, True]),
    ("table1", "queue", [edge("codel_oot", 0.01, 2.1, 95), edge("pfifo", 0.01, 10, 100)], [True, False, True]),
    ("table1", "bytes", [edge("codel_oot", 0.01, 2, 94), edge("pfifo", 0.01, 10, 100)], [True, True, False]),
    ("table1", "no drops at all", [edge("codel_oot", 0, 2, 100), edge("pfifo", 0, 10, 100)], [True] * 3),
    ("table1", "drops where there were none", [edge("codel_oot", 0.01, 2, 100), edge("pfifo", 0, 10, 100)], [False, True, True]),
    ("graph2", "inside", [spike("fq_codel_oot", 55), spike("codel_oot", 100)], [True] * 3),
    ("graph2", "outside", [spike("fq_codel_oot", 56), spike("codel_oot", 100)], [False, True, True]),
    ("graph2", "before the change", [spike("fq_codel_oot", 999, 59.9), spike("codel_oot", 100)], [True] * 3),
    ("graph2", "long after it", [spike("fq_codel_oot", 999, 65), spike("codel_oot", 100)], [True] * 3),
    ("graph2", "another schedule", [spike("fq_codel_oot", 55, 17, TWO), spike("codel_oot", 100, 17, TWO)], [True] * 3),
    ("graph2", "after its change", [spike("fq_codel_oot", 55, 62, TWO), spike("codel_oot", 100, 62, TWO)], [False, True, True]),
    ("graph2", "above the ceiling", [spike("fq_codel_oot", 80), spike("codel_oot", 150)], [True, False, True]),
    ("graph2", "fq_codel above the ceiling", [spike("fq_codel_oot", 150), spike("codel_oot", 300)], [True, False, False]),
    ("overload", "inside", [calls(TEN, "1000/500", 500, 1, 62.8)], [True, True] + NOT_DEFAULT),
    ("overload", "too few", [calls(TEN, "1000/500", 499, 1, 62)], [False, True] + NOT_DEFAULT),
    ("overload", "too late", [calls(TEN, "1000/500", 501, 1, 62.9)], [True, False] + NOT_DEFAULT),
    ("overload", "another load", [calls(TEN, "1000/250", 250, 1, 999)], [None, None] + NOT_DEFAULT),
    ("overload", "the default interval", [calls("codel_oot", "1000/500", 1, 1, 999)], [None, None, False, False, None, None]),
    ("overload", "a queue for each client", [calls("fq_codel_oot", "1000/500", 500, 1, 100)], [None] * 4 + [True, True]),
    ("overload", "with one it is too late", [calls("fq_codel_oot", "1000/500", 500, 1, 100.1)], [None] * 4 + [True, False]),
    ("fig7", "held, and below the ceiling", [fallen(149, 249, 500), TAIL7], [None] * 4 + [False] + [True] * 3),
    ("fig7", "held too late", [fallen(149, 249, 501), TAIL7], [None] * 4 + [False] + [False, True, True]),
    ("fig7", "never held", [fallen(149, 249, None), TAIL7], [None] * 4 + [False] + [False, True, True]),
    ("fig7", "above the ceiling", [fallen(150, 249, 500), TAIL7], [None] * 4 + [False] + [True, False, True]),
    ("fig7", "above it at 1 Mbit/s", [fallen(149, 250, 500), TAIL7], [None] * 4 + [False] + [True, True, False]),
    ("falling", "inside", [fallen(99, 150, 500)], [True, True]),
    ("falling", "too long", [fallen(99, 151, 500)], [False, True]),
    ("falling", "before the fall", [fallen(999, 150, 500)], [True, True]),
    ("falling", "held too late", [fallen(99, 150, 501)], [True, False]),
    ("falling", "never held", [fallen(99, 150, None)], [True, False]),
    ("unresponsive", "inside", [flood("codel_oot", "200%", 50, 80), flood("codel_oot", "200%, ECT(1)", 50, 84)], [True, None, True]),
    ("unresponsive", "too long", [flood("codel_oot", "200%", 50.1, 80)], [False, None, None]),
    ("unresponsive", "too long with many queues", [flood("fq_codel_oot", "200%", 50.1, 80)], [None, False, None]),
    ("unresponsive", "ECT gains", [flood("codel_oot", "200%", 50, 80), flood("codel_oot", "200%, ECT(0)", 50, 85)], [True, None, False]),
    ("unresponsive", "less than with PIE", [flood("codel_oot", "200%", 50, 80, 0.9), flood("pie", "200%", 50, 80, 1)], [True, None, None, False]),
    ("unresponsive", "more than with PIE", [flood("codel_oot", "200%", 50, 80, 1), flood("pie", "200%", 50, 80, 0.9)], [True, None, None, True]),
    ("fig7", "bytes of in-tree codel", [*(changing(2, 5, 89, 97, 0, qdisc=q) for q in ("codel_oot", "codel"))], [True] * 3 + [None] + [None] * 4 + [True]),
    ("fig7", "fewer bytes than in-tree codel", [changing(2, 5, 89, 96, 0), changing(2, 5, 89, 97, 0, qdisc="codel")], [True] * 3 + [None] + [None] * 4 + [False]),
    ("unresponsive", "ECT gains of another flood", [flood("codel_oot", "110%", 50, 80), flood("codel_oot", "200%, ECT(0)", 50, 99)], [True, None, None]),
    ("router", "inside", [shaped(RATE, 20, 20, 18.905, 0.995), shaped("cake_bw", 20, 20)], [True] * 4),
    ("router", "a ping waits longer", [shaped(RATE, 20.11, 20.2), shaped("cake_bw", 20, 20)], [False, False, True, True]),
    ("router", "less goodput, less of the rate", [shaped(RATE, 20, 20, 18.9, 0.994), shaped("cake_bw", 20, 20)], [True, True, False, False]),
    ("router", "another shaper", [shaped("fq_codel_oot_htb", 99, 99), shaped("cake_bw", 20, 20)], [None] * 4),
    ("ratelimit", "inside", [calls("codel_oot", "600", 425, 275)], [True, True]),
    ("ratelimit", "too few", [calls("codel_oot", "600", 424, 275)], [False, True]),
    ("ratelimit", "too late", [calls("codel_oot", "600", 425, 276)], [True, False]),
    ("ratelimit", "either out-of-tree qdisc", [calls("codel_oot", "600", 1, 999), calls("fq_codel_oot", "600", 425, 275)], [True, True]),
    ("ratelimit", "not half of each", [calls("codel_oot", "600", 425, 999), calls("fq_codel_oot", "600", 1, 275)], [True, False]),
    ("ratelimit", "less offered", [calls("codel_oot", "500", 1, 999)], [None, None]),
]  # fmt: skip

PROGRAM = SimpleNamespace(**runpy.run_path(str(LAB / "check")))
REDUCED = {name: PROGRAM.checks_of(name) for name in PROGRAM.experiments()}


def fell(qdisc: str, longest: float) -> Run:
    return {**fallen(1, longest, 1), "qdisc": qdisc}


def late(qdisc: str, p99: float, longest: float = 1) -> Run:
    return run(qdisc, {}, delay_ms=delay(1, p99=p99, max=longest))


GOOD5 = [run("codel_oot", {}, delay_ms=delay(6), packets=1, bytes=1)]
IDLE5 = [run("codel_oot", {}, delay_ms=delay(6), packets=0, bytes=1)]


def limited(longest: float, marked: int = 500) -> Run:
    flows = {"flood": {"marked": marked, "packets": 1000}}
    return run("codel_oot_off", {}, delay_ms=delay(1, p99=606, max=longest), traffic=flows)


def separate(p99: float, share: float) -> Run:
    flows = {"flood": {"bytes": share}}
    return run("fq_codel_oot", {}, delay_ms=delay(1, p99=p99), bytes=100, traffic=flows)


def carried(qdisc: str, mbit: float) -> Run:
    bulk = {"kind": "bulk", "goodput_mbit": mbit}
    return {**run(qdisc, {}, bytes=1), "traffic": {"bulk": bulk}}


def called(qdisc: str, lost: float) -> Run:
    """Packets of larger frames that were lost, in percent."""
    call = {"kind": "frames", "key_loss": lost / 100}
    return {**run(qdisc, {}, bytes=1), "traffic": {"call": call}}


AT_LINK = "fq_codel_at_link"


def far(qdisc: str, share: float, p95: float) -> Run:
    """Of the queue in another device."""
    return run(qdisc, {}, utilisation=share, delay_ms=delay(1, p95=p95), names=["far.up"])


def crossed(qdisc: str, mbit: float, p95: float) -> Run:
    """Of a router that shapes what has crossed the link: goodput, and the delay at the provider."""
    traffic = {"bulk": {"kind": "bulk", "goodput_mbit": mbit}}
    return {**far(qdisc, 0.9, p95), "traffic": traffic}


CARRIED = [carried("codel_oot", 95), carried("fq_codel_oot", 95)]
CARRIED_OFF = [carried("codel_oot_off", 100), carried("fq_codel_oot_off", 100)]
ON, OFF = late("codel_oot", 45), limited(606)
FQ, FQ_OFF = separate(48, 20), late("fq_codel_oot_off", 289, 297)
# Of the reduced grids: just inside and just outside of each bound
CHECKS: list[tuple[str, str, list[Run], Verdicts]] = [
    ("bursts", "inside", [called("fq_codel_oot", 6.9), called("fq_codel_oot_off", 5)], [True]),
    ("bursts", "more lost", [called("fq_codel_oot", 7.1), called("fq_codel_oot_off", 5)], [False]),
    ("bursts", "nothing to compare with", [called("fq_codel_oot", 1)], [None]),
    ("fig5", "too short", [run("codel_oot", {}, delay_ms=delay(3.9))], [False]),
    ("fig5", "inside", [run("codel_oot", {}, delay_ms=delay(4))], [True]),
    ("fig5", "too long", [run("codel_oot", {}, delay_ms=delay(8.1))], [False]),
    ("falling", "inside", [fell("codel_oot", 150), fell("codel_oot_off", 375)], [True, True]),
    ("falling", "too long", [fell("codel_oot", 151), fell("codel_oot_off", 400)], [False, True]),
    ("falling", "not much shorter than without", [fell("codel_oot", 150), fell("codel_oot_off", 374)], [True, False]),
    ("falling", "nothing to compare with", [fell("codel_oot", 150)], [True, None]),
    ("follow", "inside", [far("downstream", 0.81, 40), far(AT_LINK, 0.9, 40)], [True, True]),
    ("follow", "too little", [far("downstream", 0.8, 40), far(AT_LINK, 0.9, 40)], [False, True]),
    ("follow", "too late", [far("downstream", 0.9, 40.1), far(AT_LINK, 0.9, 40)], [True, False]),
    ("follow", "nothing to compare with", [far("downstream", 0.9, 40)], [None, True]),
    ("follow", "of another direction", [far("upstream", 0.9, 70), far(AT_LINK, 0.9, 40)], [None, None]),
    ("follow_down", "inside", [far("upstream", 0.81, 110), far(AT_LINK, 0.9, 40)], [True, True]),
    ("follow_down", "too little", [far("upstream", 0.8, 110), far(AT_LINK, 0.9, 40)], [False, True]),
    ("follow_down", "too late", [far("upstream", 0.9, 111), far(AT_LINK, 0.9, 40)], [True, False]),
    ("ingress", "inside", [crossed("fq_codel_oot", 7.35, 40), crossed("cake", 7.5, 12)], [True, True]),
    ("ingress", "too little", [crossed("fq_codel_oot", 7.34, 40), crossed("cake", 7.5, 12)], [False, True]),
    ("ingress", "too late", [crossed("fq_codel_oot", 8, 40.1), crossed("cake", 7.5, 12)], [True, False]),
    ("ingress", "nothing to compare with", [crossed("fq_codel_oot", 8, 10)], [None, True]),
    ("overload", "inside", [late("codel", 100), late("codel_oot_off", 115)], [True]),
    ("overload", "longer than in-tree", [late("codel", 100), late("codel_oot_off", 116)], [False]),
    ("overload", "shorter than in-tree", [late("codel", 100), late("codel_oot_off", 84)], [False]),
    ("overload", "nothing to compare with", [late("codel_oot_off", 1)], [None]),
    ("pauses", "inside", [*CARRIED, *CARRIED_OFF], [True, True]),
    ("pauses", "less with codel_oot", [carried("codel_oot", 94.9), CARRIED[1], *CARRIED_OFF], [False, True]),
    ("pauses", "less with fq_codel_oot", [CARRIED[0], carried("fq_codel_oot", 94.9), *CARRIED_OFF], [True, False]),
    ("pauses", "nothing to compare with", CARRIED, [None, None]),
    ("router", "inside", [shaped(RATE, 20.39, 20.49, 18.63, 0.992), shaped("cake_bw", 20, 20)], [True] * 4),
    ("router", "a ping waits too often", [shaped(RATE, 20.41, 20.45), shaped("cake_bw", 20, 20)], [False] + [True] * 3),
    ("router", "a ping waits too long", [shaped(RATE, 20.3, 20.51), shaped("cake_bw", 20, 20)], [True, False, True, True]),
    ("router", "less than cake carries", [shaped(RATE, 20, 20, 18.61), shaped("cake_bw", 20, 20)], [True, True, False, True]),
    ("router", "less than the rate", [shaped(RATE, 20, 20, 19, 0.991), shaped("cake_bw", 20, 20)], [True] * 3 + [False]),
    ("router", "more than the rate", [shaped(RATE, 20, 20, 19, 1.0031), shaped("cake_bw", 20, 20)], [True] * 3 + [False]),
    ("router", "nothing to compare with", [shaped(RATE, 20, 20)], [None] * 3 + [True]),
    ("unresponsive", "inside", [ON, OFF, FQ, FQ_OFF], [True] * 6),
    ("unresponsive", "no ceiling", [late("codel_oot", 606), OFF, FQ, FQ_OFF], [False] + [True] * 5),
    ("unresponsive", "no ceiling of fq_codel_oot", [ON, OFF, separate(71, 20), FQ_OFF], [True, False] + [True] * 4),
    ("unresponsive", "no limit", [ON, limited(2500), FQ, FQ_OFF], [True] * 2 + [False] + [True] * 3),
    ("unresponsive", "a limit that is not reached", [ON, limited(499), FQ, FQ_OFF], [True] * 2 + [False] + [True] * 3),
    ("unresponsive", "no limit of fq_codel_oot", [ON, OFF, FQ, late("fq_codel_oot_off", 1, 351)], [True] * 3 + [False] + [True] * 2),
    ("unresponsive", "no marks", [ON, limited(606, 0), FQ, FQ_OFF], [True] * 4 + [False, True]),
    ("unresponsive", "one queue for all", [ON, OFF, separate(45, 96), FQ_OFF], [True] * 5 + [False]),
]  # fmt: skip

TEXTS = [
    (0, "0"),
    (0.0517, "0.052"),
    (0.5174, "0.517"),
    (5.174, "5.17"),
    (9.996, "10.0"),
    (51.74, "51.7"),
    (99.96, "100"),
    (517.4, "517"),
    (10000, "10\u202f000"),
    (-5.174, "\u22125.17"),
    (None, "\u2013"),
    (float("inf"), "never"),
]
LABELS = [
    ("3mbit", "3\u00a0Mbit/s"),
    ("1500kbit", "1.5\u00a0Mbit/s"),
    ("100mbit", "100\u00a0Mbit/s"),
    ("20ms", "20\u00a0ms"),
    ("1000ms", "1\u00a0s"),
    ("4 bulk", "4 bulk"),
    ("1000/500", "1000/500"),
]


def document(name: str, runs: list[Run]) -> Results:
    scenario = {"link": {"edge": {"qdisc": "subject"}, "dsl": {"up": {"qdisc": "subject"}}}}
    return Results({"schema": 2, "name": name, "scenario": scenario, "runs": runs})


def verdicts(name: str, runs: list[Run]) -> Verdicts:
    """As judged, whether or not the runs are comparable with the source's: figurestest/prose.py has that."""
    module = figures.BY_NAME[name]
    return [t.met for t in module.targets(document(name, runs), module.BOUNDS)]


def missing(*runs: tuple[str, str, int]) -> int:
    """Of runs given by qdisc, rate and seed."""
    return document("x", [run(q, {"rate": r}, s) for q, r, s in runs]).missing


def reduced(name: str, runs: list[Run]) -> Verdicts:
    """The verdicts on a reduced grid."""
    found = document(name, runs)
    return [one.judge(found).met for one in REDUCED[name]]


def without_results() -> list[str]:
    """Verdicts that are met by nothing, or by a run that lacks the number."""
    bare = [
        run(q, {})
        for q in ("codel", "codel_oot", "codel_oot_off", "fq_codel_oot", "fq_codel_oot_off")
    ]
    return [
        f"{name}: {one.text}"
        for name, every in REDUCED.items()
        for one in every
        for runs in ([], bare)
        if one.judge(document(name, runs)).met is not None
    ]


def in_the_check() -> list[str]:
    """Experiments that have a reduced grid or verdicts on one, but not both."""
    names = {figures.document(module) for module in figures.EXPERIMENTS}
    return sorted(n for n in names if (n in PROGRAM.experiments()) != bool(PROGRAM.checks_of(n)))


def printed(results: Results | None, text: str) -> tuple[bool, bool]:
    """Whether lab/check prints as many results as it has planned, and whether it is content."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        report = PROGRAM.Report([text])
        report.experiment(text, results)
    lines = said.getvalue().splitlines()
    count = sum(line.startswith(("ok ", "not ok ")) for line in lines)
    return lines[1] == f"1..{count}", report.good


def lost() -> bool:
    """Whether lab/check is content after an experiment that was planned is not judged."""
    with contextlib.redirect_stdout(io.StringIO()):
        report = PROGRAM.Report(["fig5", "falling"])
        report.experiment("fig5", document("fig5", GOOD5))
    return bool(report.good)


def warmed_up() -> Verdicts:
    """Series begin when the warm-up ends."""
    runs = [spike("fq_codel_oot", 50, 52), spike("codel_oot", 100, 52)]
    found = document("graph2", runs)
    found.scenario["warmup"] = "10s"
    return [t.met for t in figures.targets(figures.BY_NAME["graph2"], found)]


def main() -> int:
    results: list[tuple[str, object, object]] = [
        (f"{name}: {title}", verdicts(name, runs), want) for name, title, runs, want in CASES
    ]
    results += [(f"text: {value}", amounts.text(value), want) for value, want in TEXTS]
    results += [(f"label: {label}", amounts.pretty(label), want) for label, want in LABELS]
    results += [("graph2: warm-up", warmed_up(), [True] * 3)]
    results += [
        (f"reduced: {n}: {title}", reduced(n, runs), want) for n, title, runs, want in CHECKS
    ]
    results += [
        ("reduced: each is in these tests", sorted({n for n, *_ in CHECKS}), sorted(REDUCED))
    ]
    results += [("reduced: nothing is met without results", without_results(), [])]
    results += [("reduced: grids and verdicts", in_the_check(), [])]
    results += [
        ("reduced: as many as planned", printed(document("fig5", GOOD5), "fig5"), (True, True))
    ]
    results += [("reduced: as many without results", printed(None, "fig5"), (True, False))]
    results += [
        (
            "reduced: a queue that carried nothing",
            printed(document("fig5", IDLE5), "fig6"),
            (True, False),
        )
    ]
    results += [("reduced: an experiment is lost", lost(), False)]
    results += [*agree.tests(), *significance.tests(), *prose.tests()]
    some = [("a", "1mbit", 1), ("a", "1mbit", 2), ("b", "1mbit", 1)]
    results += [("a subject's own seeds", missing(*some), 0)]
    results += [("a run is missing", missing(*some, ("a", "2mbit", 1), ("a", "2mbit", 2)), 1)]
    print(f"TAP version 13\n1..{len(results)}")
    failed = 0
    for number, (name, got, want) in enumerate(results, 1):
        if got != want:
            failed += 1
            print(f"# {got}, not {want}")
        print(f"{'ok' if got == want else 'not ok'} {number} {name}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
