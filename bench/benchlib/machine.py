# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Where a plan is carried out: in a virtual machine, or on this one."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from vmlib import machine

from .plan import Job

BENCH = Path(__file__).resolve().parents[1]
TOP = BENCH.parent
GUEST = ("guest.sh", "patched.sh", "served.sh")
PATCHED = ("sch_codel", "sch_fq_codel")
QUIET = 10.0  # s between lines of progress
HEADERS = ("kernel", "module", "served")


class Failure(Exception):
    """A reason for the user."""


@dataclass
class Results:
    """The output of the guest."""

    kernel: str = ""
    modules: dict[str, str] = field(default_factory=dict)
    served_by: dict[str, str] = field(default_factory=dict)  # a kind's module
    runs: dict[str, list[dict[str, int]]] = field(default_factory=dict)


def _pairs(line: str, rest: list[str]) -> dict[str, int]:
    try:
        pairs = [word.split("=") for word in rest[0].split()]
        return {k: int(v) for k, v in pairs}
    except (ValueError, IndexError) as why:
        raise Failure(f"not a result: {line!r}") from why


def parse(text: str) -> Results:
    results = Results()
    for line in text.splitlines():
        name, *rest = line.split("\t")
        if name == "kernel":
            results.kernel = rest[0]
        elif name == "module":
            results.modules[rest[0]] = rest[1]
        elif name == "served":
            results.served_by[rest[0]] = rest[1]
        else:
            results.runs.setdefault(name, []).append(_pairs(line, rest))
    return results


def _lines(child: subprocess.Popen[str], count: int) -> list[str]:
    """What the guest prints, a line for each of `count` measurements; tells now and then how far it is."""
    began = told = time.monotonic()
    lines: list[str] = []
    assert child.stdout
    for line in child.stdout:
        lines.append(line)
        done = sum(not name.startswith(HEADERS) for name in lines)
        now = time.monotonic()
        if done and now - told >= QUIET:
            told = now
            left = (now - began) * max(0, count - done) / done
            print(f"bench: {done} of {count}, {left:.0f} s left", file=sys.stderr, flush=True)
    return lines


def _run(
    argv: list[str], plan: Path, jobs: list[Job], env: dict[str, str] | None = None
) -> Results:
    plan.write_text("".join(f"{job.line()}\n" for job in jobs))
    with subprocess.Popen(argv, env=env, stdout=subprocess.PIPE, text=True) as child:
        lines = _lines(child, len(jobs))
    if child.returncode:
        raise Failure(f"the measurement ended with status {child.returncode}")
    return parse("".join(lines))


def virtual(release: str, jobs: list[Job], timeout: int, modules: Path | None) -> Results:
    """In virtual time: one instruction is one nanosecond. `modules` has those for codel and fq_codel, if not the kernel's."""
    files = [f"{name}.ko" for name in PATCHED] if modules else []
    with tempfile.TemporaryDirectory() as folder:
        plan = Path(folder) / "bench.plan"
        argv = [str(TOP / "vm/run"), "--release", release, "--timeout", str(timeout)]
        argv += ["--module", str(BENCH), "--put", str(plan)]
        argv += [word for name in GUEST for word in ("--tests", str(BENCH / name))]
        argv += [word for name in files for word in ("--put", f"{modules}/{name}")]
        argv += ["--", "bash", "/root/bench/guest.sh", "/root/bench.plan", "/root/codel_bench.ko"]
        argv += [f"/root/{name}" for name in files]
        return _run(argv, plan, jobs, machine.without_fq_codel() if modules else None)


def _why_not_real() -> str:
    """Why this machine cannot measure, empty if it may be able to."""
    kernel_release = os.uname().release
    if os.geteuid() != 0:
        return "loading modules needs root"
    if not Path("/proc/modules").exists():
        return "the running kernel loads no modules"
    if Path("/proc/sys/kernel/modules_disabled").exists():
        if Path("/proc/sys/kernel/modules_disabled").read_text().strip() != "0":
            return "loading modules is disabled (kernel.modules_disabled)"
    if not Path(f"/lib/modules/{kernel_release}/build/Makefile").exists():
        return f"the headers of the running kernel {kernel_release} are not installed"
    return ""


def real(jobs: list[Job]) -> Results:
    """On the host's kernel, with the installed modules."""
    why = _why_not_real()
    if why:
        raise Failure(f"REALTIME=1 cannot measure here: {why}")
    build = f"/lib/modules/{os.uname().release}/build"
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted(BENCH.glob("*.[ch]")) + [BENCH / "Kbuild"]:
            (Path(folder) / path.name).write_bytes(path.read_bytes())
        made = subprocess.run(["make", "-C", build, f"M={folder}", "modules"],
                              stdout=sys.stderr, check=False)  # fmt: skip
        if made.returncode:
            raise Failure("the module could not be built")
        plan = Path(folder) / "bench.plan"
        argv = ["bash", str(BENCH / "guest.sh"), str(plan), f"{folder}/codel_bench.ko"]
        return _run(argv, plan, jobs)
