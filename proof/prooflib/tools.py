# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Runs a proof in a root folder with the tools. What a tool does not say is a failure of the tool, never a proof."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

from vmlib import cache, process, root, sandbox, tree

from .proofs import Proof

RELEASE = "trixie"  # bookworm has no CBMC
PACKAGES = ("cbmc", "cvc5", "gcc", "libc6-dev", "z3")
READ = (
    "codel.h",
    "codel_shaper.h",
    "codel_shared.h",
    "far",
    "fq",
    "qdisc",
    "uapi",
    "proof",
    "tests/algorithm/kernel.h",
)
INSIDE = "/mnt"

# The kernel's headers that fq/ includes; proof/cbmc/kernel.h is in the place of all
HEADERS = (
    *(f"linux/{n}" for n in ("bitops", "kernel", "ktime", "log2", "math64", "mm", "netdevice")),
    *(f"linux/{n}" for n in ("random", "sizes", "skbuff", "slab", "string", "vmalloc")),
    *("net/pkt_sched", "net/sch_generic", "trace/define_trace"),
)

CHECKS = (
    *("bounds", "pointer", "div-by-zero", "signed-overflow", "unsigned-overflow"),
    *("conversion", "undefined-shift", "pointer-overflow"),
)
PROPERTY = re.compile(r"^\[\S+\] line \d+ (.*): (SUCCESS|FAILURE|\S+)$", re.M)
TOTAL = re.compile(r"^\*\* (\d+) of (\d+) failed", re.M)
ANSWER = re.compile(r"^(sat|unsat)$", re.M)
WRONG = re.compile(r"^wrong, (.*): (\d+)$", re.M)
INPUTS = re.compile(r"^inputs: (\d+)$", re.M)


class Broken(Exception):
    """The tool died, printed nothing, or said something that is no result."""


@dataclass
class Result:
    """What was refuted, and of how many properties."""

    refuted: list[str]
    properties: int


def installed() -> Path:
    def build(made: Path) -> None:
        what = "installing CBMC, cvc5 and z3 (once, two minutes)"
        root.bootstrap(what, RELEASE, made, root.installing(PACKAGES))

    name = cache.digest(item.encode() for item in (RELEASE, *PACKAGES))
    return cache.entry("proof-root", name, build) / "root"


def _shell(top: Path, script: str, log: Path) -> tuple[int, str]:
    """The status and the output of a script that is run in the root, in a copy of what the proofs read."""
    names = [n for n in tree.files() if tree.belongs(n, READ)]
    with cache.scratch() as work:
        tree.copy(top, names, work)
        with log.open("wb") as stream:
            status = sandbox.run(
                installed(), ["sh", "-c", script], stream, {INSIDE: work}, f"{INSIDE}/proof"
            )
    return status, log.read_text(errors="replace")


def _headers() -> str:
    return (
        "set -e; mkdir -p /tmp/kernel/linux /tmp/kernel/net /tmp/kernel/trace\n"
        f"for h in {' '.join(HEADERS)}; do echo '#include <kernel.h>' >/tmp/kernel/$h.h; done\n"
    )


def _goto(proof: Proof, defines: str = "") -> str:
    """The commands that make /tmp/proof out of a harness, with contracts in the place of functions."""
    replaced = " ".join(f"--replace-calls {shlex.quote(c)}" for c in proof.contracts)
    return (
        f"{_headers()}"
        f"goto-cc {defines} -I/tmp/kernel -I.. -Icbmc {proof.file} -o /tmp/all\n"
        f"goto-instrument {replaced} /tmp/all /tmp/proof\n"
    )


def _checks(proof: Proof) -> str:
    """Without checks, other proofs have made these of the same calls, or the code is a model."""
    checks = [f"--{c}-check" for c in CHECKS if c not in proof.intended]
    chosen = " ".join(checks) if proof.checks else "--no-standard-checks"
    return f"{chosen} --unwind {proof.unwind} --unwinding-assertions"


def _cbmc(proof: Proof, entry: str, top: Path, log: Path) -> Result:
    argv = f"cbmc /tmp/proof --function {entry} {_checks(proof)} --slice-formula"
    status, text = _shell(top, f"{_goto(proof)}exec timeout {proof.limit} {argv}\n", log)
    total = TOTAL.search(text)
    found = PROPERTY.findall(text)
    if status not in (0, 10) or not total or int(total[2]) != len(found):
        raise Broken(f"{entry}: CBMC ended with {status} and {len(found)} results: {log}")
    failed = [what for what, verdict in found if verdict != "SUCCESS"]
    if len(failed) != int(total[1]) or any(v not in ("SUCCESS", "FAILURE") for _, v in found):
        raise Broken(f"{entry}: CBMC's results contradict its total: {log}")
    if "reached" not in failed:
        return Result([f"{entry}: the hypotheses contradict each other"], len(found))
    return Result([f"{entry}: {what}" for what in failed if what != "reached"], len(found) - 1)


def _ask_cvc5(proof: Proof, entry: str, ask: str, top: Path, log: Path) -> str:
    """The answer of cvc5 to CBMC's formula: sat or unsat."""
    script = (
        f"{_goto(proof, f'-DASK_{ask}')}"
        f"cbmc /tmp/proof --function {entry} {_checks(proof)} --slice-formula --smt2 --outfile /tmp/formula\n"
        "sed -i '/^(get-value/d' /tmp/formula\n"
        f"exec timeout {proof.limit} cvc5 --solve-bv-as-int=sum /tmp/formula\n"
    )
    status, text = _shell(top, script, log)
    answers = ANSWER.findall(text)
    if status or len(answers) != 1:
        raise Broken(f"{entry}: cvc5 ended with {status}, and {len(answers)} answers: {log}")
    return str(answers[0])


def _cvc5(proof: Proof, entry: str, top: Path, log: Path) -> Result:
    """All properties are one formula, which is sat if one of them is refuted."""
    if _ask_cvc5(proof, entry, "REACHED", top, log.with_suffix(".reached")) != "sat":
        return Result([f"{entry}: the hypotheses contradict each other"], 1)
    answer = _ask_cvc5(proof, entry, "PROVED", top, log)
    return Result([f"{entry}: one of its properties"] if answer == "sat" else [], 1)


def _every_input(proof: Proof, top: Path, log: Path) -> Result:
    script = (
        f"{_headers()}"
        "gcc -O2 -fopenmp -fsanitize=undefined -fno-sanitize-recover=all "
        f"-Wall -Wextra -Werror -I/tmp/kernel -I.. -Icbmc -o /tmp/program {proof.file}\n"
        f"exec timeout {proof.limit} /tmp/program\n"
    )
    status, text = _shell(top, script, log)
    if "runtime error:" in text:
        return Result(["undefined behaviour"], 1)
    wrong = WRONG.findall(text)
    inputs = sum(map(int, INPUTS.findall(text)))
    if status or not wrong:
        raise Broken(f"{proof.file} ended with {status}: {log}")
    refuted = [f"{what}: {n} inputs" for what, n in wrong if int(n)]
    # wrong code may have other states
    if not refuted and f"{inputs:,} inputs" != proof.bound:
        raise Broken(f"{proof.file} tried {inputs} inputs: {log}")
    return Result(refuted, len(wrong))


def _z3(proof: Proof, top: Path, log: Path) -> Result:
    status, text = _shell(top, f"exec timeout {proof.limit} z3 {proof.file}", log)
    said = text.split()
    asked = (top / "proof" / proof.file).read_text().count("(check-sat)")
    if status or len(said) != asked or not asked or set(said) - {"sat", "unsat"}:
        raise Broken(f"{proof.file}: z3 ended with {status}: {log}")
    return Result([f"fact {n + 1}" for n, word in enumerate(said) if word == "sat"], asked)


def run(proof: Proof, top: Path, logs: Path) -> Result:
    logs.mkdir(parents=True, exist_ok=True)
    log = logs / f"{proof.name}.log"
    if proof.tool == "z3":
        return _z3(proof, top, log)
    if not proof.entries:
        return _every_input(proof, top, log)
    results = []
    for entry in proof.entries:
        process.say(f"  {entry}")
        ask = _cvc5 if proof.integers else _cbmc
        results.append(ask(proof, entry, top, logs / f"{entry}.log"))
    refuted = [w for r in results for w in r.refuted]
    properties = sum(r.properties for r in results)
    if not proof.wrong:
        return Result(refuted, properties)
    return Result(
        [] if refuted == [proof.wrong] else ["it is not refuted, as it has to be", *refuted],
        properties,
    )
