# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The compared qdiscs, and the options of each in a regime."""

from __future__ import annotations

from dataclasses import dataclass

LOOP = "bench_loop"
NOP = "bench_loop_nop"
OOT = ("codel_oot", "fq_codel_oot")
IN_TREE = ("codel", "fq_codel")  # in-tree
SUBJECTS = ("pfifo", "codel", "codel_oot", "fq_codel", "fq_codel_oot",
            "fq", "fq_pie", "cake", "dualpi2")  # fmt: skip
FLOW_QUEUES = ("fq_codel", "fq_codel_oot")
# They control the delay of packets that wait, and can mark.
CODELS = ("codel", "codel_oot", "fq_codel", "fq_codel_oot", "cake")
# They mark only a packet without other references.
MARK_UNSHARED = OOT

# With a shaper: its own, or that of the qdisc above
SHAPED = ("fq_codel_oot", "fq_codel_oot+rate", "fq_codel_oot+split", "fq_codel_oot+shared",
          "codel_oot", "codel_oot+rate", "codel_oot+shared", "tbf+fq_codel_oot", "htb+fq_codel_oot",
          "htb+fq_codel", "cake+besteffort", "cake+flows")  # fmt: skip
# The shapers, where the link is saturated
LINKED = tuple(k for k in SHAPED if "+" in k and not k.endswith("+split"))
# Those that the shaped out-of-tree qdiscs have goals against
RIVALS = ("htb+fq_codel", "cake+besteffort", "cake+flows")
# bit/s. A packet of 1514 bytes takes 121 ns, which are fewer than the instructions that any qdisc needs.
NEVER_WAITS = 100_000_000_000
TRUESIZE = 2304  # bytes that the kernel charges for a packet of 1514
ENOUGH = 1_000_000  # a limit that is never reached


@dataclass(frozen=True)
class Setting:
    """The options of a regime, independent of their names in each qdisc."""

    limit: int = 10240  # packets
    memory: int = 0  # packets' worth of memory; 0: no limit of memory
    buckets: int = 1024
    batch: int = 64
    target: str = "10s"  # CoDel never acts
    interval: str = "100s"
    ecn: bool = False
    ceiling: str = ""  # of the kinds that have one; "": the default
    rate: int = NEVER_WAITS  # bit/s, of those with a shaper


def _ceiling(kind: str, s: Setting) -> str:
    return f" ceiling {s.ceiling}" if kind.endswith("_oot") and s.ceiling else ""


def _codel(s: Setting) -> str:
    ecn = "ecn" if s.ecn else "noecn"
    return f"limit {s.limit} target {s.target} interval {s.interval} {ecn}"


def _memory(s: Setting, word: str = "memory_limit") -> str:
    return f" {word} {s.memory * TRUESIZE}" if s.memory else ""


def _fq_codel(s: Setting) -> str:
    limit = s.limit if not s.memory else ENOUGH
    memory = _memory(s) or f" memory_limit {ENOUGH * 1000}"
    rest = f"target {s.target} interval {s.interval} {'ecn' if s.ecn else 'noecn'}"
    return f"limit {limit} flows {s.buckets} {rest} drop_batch {s.batch}{memory}"


def _fq_pie(s: Setting) -> str:
    limit = s.limit if not s.memory else ENOUGH
    memory = _memory(s) or f" memory_limit {ENOUGH * 1000}"
    return f"limit {limit} flows {s.buckets} target {s.target}{memory}"


def _cake(s: Setting) -> str:
    """Its only limit is one of memory."""
    return f"unlimited rtt {s.interval} memlimit {(s.memory or s.limit) * TRUESIZE}"


def _shaped_cake(mode: str, s: Setting) -> str:
    return f"bandwidth {s.rate}bit besteffort {mode}{_cake(s).removeprefix('unlimited')}"


def _above(shaper: str, kind: str, s: Setting) -> str:
    """The words of a shaper, as codelctl sets it up, and those of the class and the leaf below it."""
    burst = max(1514, s.rate // 8000)  # bytes in 1 ms
    leaf = f"qdisc parent 1:1 {kind} {options(kind, s)}"
    if shaper == "tbf":
        return f"rate {s.rate} burst {burst} limit {ENOUGH * 1000} / {leaf}"
    words = (
        f"htb rate {s.rate} ceil {s.rate} burst {burst} cburst {burst} quantum {min(burst, 60000)}"
    )
    return f"default 1 / class parent 1: classid 1:1 {words} / {leaf}"


def kind_of(subject: str) -> str:
    """The kind of the root qdisc."""
    return subject.partition("+")[0]


def options(subject: str, s: Setting) -> str:
    """The words that tc wants for this subject's root qdisc, and after each slash for another object."""
    kind, _, rest = subject.partition("+")
    if kind in ("tbf", "htb"):
        return _above(kind, rest, s)
    if kind == "cake" and rest:
        return _shaped_cake("flows" if rest == "flows" else "triple-isolate", s)
    if rest:
        word = {"split": " split_gso", "shared": " shared"}.get(rest, "")
        return f"{options(kind, s)} rate {s.rate}{word}"
    words = {
        "pfifo": lambda: f"limit {s.limit}",
        "codel": lambda: _codel(s),
        "codel_oot": lambda: _codel(s) + _ceiling(kind, s),
        "fq_codel": lambda: _fq_codel(s),
        "fq_codel_oot": lambda: _fq_codel(s) + _ceiling(kind, s),
        "fq": lambda: f"limit {s.limit} flow_limit {s.limit} buckets {s.buckets}",
        "fq_pie": lambda: _fq_pie(s),
        "cake": lambda: _cake(s),
        "dualpi2": lambda: f"limit {s.limit} target 1s",
        LOOP: lambda: "",
        NOP: lambda: "",
    }
    return words[kind]()
