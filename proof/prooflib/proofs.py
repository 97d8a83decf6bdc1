# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The proofs: what each one states, under which hypothesis, and how a tool runs it."""

from __future__ import annotations

from dataclasses import dataclass

STEP = ("codel_step:contract_step",)
SHARED = (
    "div64_u64:contract_divide",
    "atomic64_try_cmpxchg:contract_cmpxchg",
    "atomic64_add:contract_add",
    "atomic64_read:contract_read",
    "atomic_read:contract_read_queues",
    "atomic_add:contract_add_queues",
)
SHAPER = (
    "codel_pace_time:contract_pace_time",
    "div64_u64:contract_divide",
    "mul_u64_u64_div_u64:contract_scaled",
)
FAR = (
    "codel_far_packet_time:contract_packet_time",
    "codel_far_aim:contract_aim",
    "codel_far_allowed:contract_allowed",
)
SIGNAL = (*STEP, "codel_chance:contract_chance", "codel_draw:contract_draw")
ANY = "any state of the invariant, parameters in range"


@dataclass(frozen=True)
class Proof:
    """`entries` are functions of a harness for CBMC. Without one, `file` is a program that tries every input, or a script for z3."""

    name: str
    states: str
    hypothesis: str
    bound: str
    file: str
    entries: tuple[str, ...] = ()
    contracts: tuple[str, ...] = ()  # FUNCTION:CONTRACT
    integers: bool = False  # cvc5 takes the words for integers, where SAT is slow
    checks: bool = True  # also of overflow, conversion, shifts, memory
    intended: tuple[str, ...] = ()  # of these checks: the code wraps or cuts a number on purpose
    unwind: int = 8
    wrong: str = ""  # "ENTRY: PROPERTY": the code is a model, of which CBMC has to refute that
    limit: int = 600  # seconds, of each entry
    short: bool = True  # also run by tests/check

    @property
    def tool(self) -> str:
        if self.entries:
            return "CBMC, cvc5" if self.integers else "CBMC"
        return "z3" if self.file.endswith(".smt2") else "every input"


def _functions(name: str, states: str, *entries: str, contracts: tuple[str, ...] = ()) -> Proof:
    file = "cbmc/functions.c"
    return Proof(name, states, ANY, "none", file, entries, contracts)


PROOFS = (
    Proof(
        "root",
        "codel_rsqrt() is within 3 * 2^-31, never 0, and rises by 3 * 2^-31 at most",
        "normalised argument",
        "3,221,225,472 inputs",
        "exhaust/rsqrt.c",
    ),
    Proof(
        "law",
        "codel_step() is within 0.1% or half of a ns, from 1 ns to interval, and falls below count 2^26",
        "interval 1 us, 100 ms, 2^43 ns",
        "12,884,901,885 inputs",
        "exhaust/step.c",
        limit=1800,
        short=False,
    ),
    Proof(
        "arithmetic",
        "the contracts of the product and of the quotient",
        "integers",
        "none",
        "arithmetic.smt2",
        limit=60,
    ),
    _functions(
        "step",
        "codel_step() is from 1 ns to interval; nothing overflows",
        "prove_step",
        contracts=("codel_rsqrt:contract_rsqrt", "mul_u64_u32_shr:contract_product"),
    ),
    _functions(
        "functions",
        "each function but codel_signal() keeps the invariant; nothing overflows",
        *(f"prove_{n}" for n in ("fresh", "default_ceiling", "next_signal", "departure", "held")),
        *(f"prove_{n}" for n in ("empty", "overflow", "recent")),
        contracts=STEP,
    ),
    Proof(
        "draw",
        "what is certain is drawn, without a chance nothing is",
        "any chance, any number",
        "none",
        "cbmc/chance.c",
        ("prove_draw",),
    ),
    Proof(
        "chance",
        "a drop is certain at the ceiling and not below; there is no chance up to half of it",
        "any ceiling in range or none, any sojourn time",
        "none",
        "cbmc/chance.c",
        ("prove_chance",),
        ("div64_u64:contract_quotient",),
        integers=True,
    ),
    Proof(
        "signal",
        "codel_signal() keeps the invariant; schedule and count; nothing overflows",
        ANY,
        "none",
        "cbmc/signal.c",
        ("prove_signal",),
        SIGNAL,
    ),
    Proof(
        "verdict",
        "the ceiling drops late packets of a shared queue, and of a queue that stands by chance",
        ANY,
        "none",
        "cbmc/signal.c",
        ("prove_signal_verdict",),
        SIGNAL,
        checks=False,
    ),
    Proof(
        "stands",
        "when a queue begins and ceases to stand; without a ceiling none stands or is watched",
        ANY,
        "none",
        "cbmc/signal.c",
        ("prove_signal_stands",),
        SIGNAL,
        checks=False,
    ),
    Proof(
        "off",
        "without a ceiling, each verdict and each state is that of RFC 8289",
        "doc/proof.md, The ceiling",
        "none: induction",
        "cbmc/off.c",
        ("prove_off",),
        (
            "codel_step:contract_law",
            "codel_chance:contract_chance",
            "codel_draw:contract_draw",
        ),
        intended=("conversion", "unsigned-overflow"),
    ),
    Proof(
        "ceiling",
        "a packet that is delivered has waited for target + 5/4 interval + 7 MTU times at most, less its own",
        "doc/proof.md, The ceiling",
        "none: induction",
        "cbmc/ceiling.c",
        tuple(f"prove_ceiling_{n}" for n in ("empty", "before", "above", "dropping")),
        SIGNAL,
        integers=True,
        checks=False,
    ),
    Proof(
        "begin",
        "the invariant of the ceiling holds at first",
        "the same",
        "none",
        "cbmc/ceiling.c",
        ("prove_ceiling_begin",),
        SIGNAL,
    ),
    Proof(
        "burst",
        "the bound of the ceiling is reached within 2%",
        "10 Mbit/s, defaults, bursts of 1 to 1000 packets",
        "1,000 inputs",
        "exhaust/burst.c",
    ),
    Proof(
        "shaper",
        "the next departure does not move back; 10 ms of lateness at most are regained; nothing overflows",
        "any clock, rate, time; packets up to 32 MiB on the wire",
        "none",
        "cbmc/shaper.c",
        tuple(
            f"prove_shaper_{n}" for n in ("due", "send", "drop", "pay", "change", "pace", "target")
        ),
        SHAPER,
        intended=("conversion",),
    ),
    Proof(
        "shared",
        "a queue with packets sends or asks again later; a slice is as long as asked for; an empty queue gives back the rest",
        "any state of a queue and the link, which another processor changes meanwhile",
        "none",
        "cbmc/shared.c",
        ("prove_shared_turn", "prove_shared_idle"),
        SHARED,
        intended=("conversion",),
    ),
    Proof(
        "wire",
        "the length on the wire: mpu, overhead and cells, and less than a cell more",
        "any framing in range, packets up to 2^30 bytes",
        "none",
        "cbmc/shaper.c",
        ("prove_shaper_wire",),
        SHAPER,
        integers=True,
    ),
    Proof(
        "window",
        "the far queue's window keeps its bounds; a standstill ends within a second; without answers nothing is learnt",
        "any state, answer and quotient",
        "none",
        "cbmc/far.c",
        (
            "prove_far_bounds",
            "prove_far_watch",
            "prove_far_alone",
            "prove_far_standstill",
            "prove_far_leaves",
        ),
        FAR,
    ),
    Proof(
        "share",
        "a flow sends two quanta and two packets more than one that has packets, at most; three if that is bulk",
        "any senders; no flow is reclaimed; fewer than 64 wait in debt",
        "1,948,678 inputs",
        "exhaust/share.c",
    ),
    Proof(
        "crowd",
        "the same with four and five flows",
        "the same",
        "18,166,653 inputs",
        "exhaust/crowd.c",
        limit=1800,
        short=False,
    ),
    Proof(
        "order",
        "the packets of a flow leave in the order of their arrival",
        "a flow keeps its queue",
        "4 packets; none of steps: induction",
        "cbmc/order.c",
        ("prove_order_append", "prove_order_pop"),
        intended=("conversion", "unsigned-overflow"),
    ),
    Proof(
        "rfc-share",
        "RFC 8290: a flow sends two quanta and two packets more than another, at most",
        "the model of section 4.2",
        "2 flows, 32 turns",
        "cbmc/rfc8290.c",
        ("prove_rfc_share",),
        checks=False,
        unwind=33,
        wrong="prove_rfc_share: no flow sends more than its share and two quanta",
    ),
    Proof(
        "early-turn",
        "an empty flow leaves new_flows at once: a flow waits for three quanta of another at most",
        "the model of FPerf",
        "3 flows, 28 turns",
        "cbmc/rfc8290.c",
        ("prove_rfc_early",),
        checks=False,
        unwind=29,
        wrong="prove_rfc_early: no flow waits for more than three quanta of another",
    ),
    Proof(
        "rfc-turn",
        "RFC 8290: a flow waits for three quanta of another at most",
        "the model of section 4.2",
        "3 flows, 28 turns",
        "cbmc/rfc8290.c",
        ("prove_rfc_turn",),
        checks=False,
        unwind=29,
        short=False,
    ),
)
