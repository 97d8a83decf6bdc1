#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""tests/check notices incomplete output of a test or its machine, and runs the right parts.

Tables: of outputs, each with its status and the numbers of passed, failed and skipped results that must be
counted; of names and the parts they stand for; of files and whether they are a part's inputs.
"""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Iterator

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), *(str(TESTS / part) for part in ("ktap", "vm"))]
sys.dont_write_bytecode = True

import ktap  # noqa: E402
from checklib import guest, parts, unchanged  # noqa: E402
from checklib.guest import Boot  # noqa: E402
from checklib.ktap import Document, Verdict  # noqa: E402

OUTPUTS = [
    ("all pass", "1..2\nok 1 a\nok 2 b", 0, (2, 0, 0)),
    ("one fails", "1..2\nok 1 a\nnot ok 2 b", 1, (1, 1, 0)),
    ("a failure, status 0", "1..1\nnot ok 1 a", 0, (0, 1, 0)),
    ("one is skipped", "1..2\nok 1 a\nok 2 b # SKIP why", 0, (1, 0, 1)),
    ("a skip in lower case", "1..1\nok 1 a # skip why", 4, (0, 0, 1)),
    ("a failure with a skip", "1..1\nnot ok 1 a # SKIP why", 1, (0, 1, 0)),
    ("an expected failure", "1..1\nnot ok 1 a # XFAIL why", 0, (0, 0, 1)),
    ("all is skipped", "1..0 # SKIP why", 4, (0, 0, 1)),
    ("nothing is planned", "1..0", 0, (0, 1, 0)),
    ("no plan", "ok 1 a", 0, (1, 1, 0)),
    ("no output", "", 0, (0, 1, 0)),
    ("too few", "1..2\nok 1 a", 0, (1, 1, 0)),
    ("too many", "1..1\nok 1 a\nok 2 b", 0, (2, 1, 0)),
    ("a number is left out", "1..2\nok 1 a\nok 3 c", 0, (1, 1, 0)),
    ("an unexplained status", "1..1\nok 1 a", 1, (1, 1, 0)),
    ("status 4 in spite of a pass", "1..1\nok 1 a", 4, (1, 1, 0)),
    ("killed", "1..2\nok 1 a", 137, (1, 1, 0)),
    ("nested results", "1..1\n  1..2\n  ok 1 x\n  not ok 2 y\nok 1 a", 0, (1, 0, 0)),
    ("plan at the end", "ok 1 a\n1..1", 0, (1, 0, 0)),
    ("words like results", "1..1\nokay\nnot okay\nok 1 a", 0, (1, 0, 0)),
]

# The test that ran when the kernel complained, by the kernel's clock
BOOTS = [
    ("in the first", "1.5", "a"),
    ("in the second", "2.5", "b"),
    ("after the end", "9.0", "b"),
]
BOOT = """@@ begin a 1.0
@@ end a 0 2.0
@@ begin b 2.1
@@ end b 0 3.0
[    {}00000] WARNING: CPU: 0"""


def counted(output: str, status: int) -> tuple[int, ...]:
    document = Document()
    for line in output.splitlines():
        document.feed(line)
    document.finish(status)
    return tuple(document.count(verdict) for verdict in Verdict)


def culprit(when: str) -> str | None:
    boot = Boot()
    for line in BOOT.format(when).splitlines():
        boot.feed(line)
    test = boot.culprit()
    return test.name if test else None


# Names on the command line, and how many of them match no part
NAMES = [
    ("a host part", ["unit"], 0),
    ("a selftest without .sh", ["test_flows"], 0),
    ("a selftest with .sh", ["test_flows.sh"], 0),
    ("a pattern", ["vm/test_*"], 0),
    ("an experiment", ["lab/fig7"], 0),
    ("no experiment", ["lab/fig9"], 1),
    ("no part", ["test_flow"], 1),
    ("one of two", ["lint", "lnit"], 1),
]

# Files, a part, and whether they are its inputs
INPUTS = [
    ("codel.h", "lab/fig7", True),
    ("tests/lab/guest/main.py", "lab/fig7", True),
    ("tests/vm/vmlib/machine.py", "lab/traffic-web", True),
    ("tests/slow/slow_link.c", "lab/test_meter.sh", True),
    ("tests/test_ecn.sh", "lab/fig7", False),
    ("tests/lib.sh", "lab-page", False),
    ("tests/lib.sh", "lab/test_meter.sh", True),
    ("tests/lib/cases.sh", "lab/test_meter.sh", True),
    ("tests/lib/cases.sh", "lab-page", False),
    ("tests/trafficlib/udp.py", "lab/test_meter.sh", True),
    ("tests/test_ecn.sh", "lab/test_meter.sh", False),
    ("tests/check", "lab-page", False),
    ("README.md", "lab/fig7", False),
    ("README.md", "lab-page", True),
    ("tests/lab/report/index.html", "lab/fig7", False),
    ("tests/lab/report/index.html", "lab-page", True),
    ("README.md", "vm/test_readme.sh", True),
    ("tests/demo/run", "vm/test_readme.sh", True),
    ("tests/lib/cases.sh", "vm/test_router.sh", True),
    ("tests/vm/vmlib/machine.py", "vm/test_run.sh", True),
    ("tests/test_ecn.sh", "vm/test_run.sh", False),
    ("tests/lab/check", "vm/test_run.sh", False),
    ("codel.h", "deb-install", True),
    ("debian/control", "deb-install", True),
    ("man/codelctl.8", "deb-install", True),
    ("tests/deb/guest.sh", "deb-install", True),
    ("tests/unit/law.c", "deb-install", False),
]

# Programs for people: --help prints help and does nothing else
PROGRAMS = [
    "scripts/into-tree",
    "scripts/setup",
    "scripts/lint",
    "tests/bench/run",
    "tests/check",
    "tests/demo/run",
    "tests/lab/check",
    "tests/lab/report.py",
    "tests/lab/run",
    "tests/lab/traffictest/run",
    "tests/selftest",
    "tests/test_limits.sh",
    "tests/vm/debug/check",
    "tests/vm/run",
]

# Costs of the parts that `make check-all` has beyond `make check`, seconds that are left, and how many run
BUDGETS = [
    ("all fit", [10, 20], 1000, 2),
    ("none fits", [10, 20], 5, 0),
    ("one fits", [10, 2000], 1000, 1),
]


CHECK = SimpleNamespace(**runpy.run_path(str(TESTS / "check")))


def quietly(*argv: str) -> Any:
    """A Check of these words, without output."""
    check = CHECK.Check(CHECK.options(list(argv)))
    check.report.say = lambda *_lines: None
    return check


def ran_more(costs: list[float], seconds: float) -> int:
    """How many of the parts run; the others must be listed, and count as nothing."""
    check = quietly("--minutes", str(seconds / 60))
    ran: list[float] = []
    check.more = [CHECK.Job(f"part {c}", c, lambda c=c: ran.append(c)) for c in costs]
    check.run_more()
    assert len(check.report.not_run) + len(ran) == len(costs), check.report.not_run
    assert sum(check.report.totals.values()) == 0, check.report.totals
    return len(ran)


def missing_cases() -> list[str]:
    """Cases in `# release:` lines that their tests do not have."""
    return [
        f"{name}: {case}"
        for name in parts.selftests()
        for case in parts.on_every_release(name) or []
        if not re.search(rf"^{case}\(\)$", (TESTS / name).read_text(), re.M)
    ]


def lost_cases() -> list[str]:
    """Selftests of which a release that is not RELEASE runs a part, where the rest is not left for later."""
    check = quietly()
    check.in_machines()
    left = {job.label for job in check.more}
    want = {
        f"{release} {name}"
        for release in CHECK.RELEASES
        for name in parts.selftests()
        if release != parts.RELEASE and parts.on_every_release(name) is not None
    }
    return sorted(left ^ want)


def long_parts() -> list[bool]:
    """Whether check, check --all and a call by name run the part that only check-all runs."""
    calls = [quietly(), quietly("--all"), quietly("tree-kernels")]
    return [any(job.label == "tree-kernels" for job in call.with_images()) for call in calls]


def in_machines(*argv: str) -> list[str]:
    check = quietly(*argv)
    return sorted(f"{j.run.release} {n}" for j in check.in_machines() for n in j.run.names)


def not_everywhere() -> list[str]:
    """Tests that --all does not run in full on every release."""
    want = {f"{release} {name}" for release in CHECK.RELEASES for name in parts.selftests()}
    return sorted(want ^ set(in_machines("--all")))


def noted(change: bool) -> bool:
    """Whether a part counts as unchanged after it passed, and its inputs may have changed."""
    with tempfile.TemporaryDirectory() as folder:
        note = Path(folder) / "passed" / "part-1"
        unchanged.write(note, 3)
        found = unchanged.read(note.with_name("part-2") if change else note)
        return bool(found) and found.startswith("3 passed on ")


def helped(name: str) -> str:
    """Faults of a program's --help."""
    argv = [str(TESTS.parent / name), "--help"]
    try:
        done = subprocess.run(argv, capture_output=True, text=True, timeout=60)
    except subprocess.TimeoutExpired:
        return "it does more than print help"
    if done.returncode or done.stderr or not done.stdout.lower().startswith("usage: "):
        return f"status {done.returncode}: {(done.stdout + done.stderr)[:200]}"
    return ""


def results() -> Iterator[tuple[str, Any, Any]]:
    """Name, result, expected result."""
    for name, out, status, want in OUTPUTS:
        yield name, counted(out, status), want
    for name, when, blamed in BOOTS:
        yield f"blamed: {name}", culprit(when), blamed
    for name, words, count in NAMES:
        yield f"names: {name}", len(CHECK.unknown(words)), count
    for file, label, is_input in INPUTS:
        yield f"inputs of {label}: {file}", unchanged.is_input(file, label), is_input
    for name, costs, seconds, fit in BUDGETS:
        yield f"in a given time: {name}", ran_more(costs, seconds), fit
    for name in PROGRAMS:
        yield f"--help of {name}", helped(name), ""
    yield "passed, the same inputs", noted(change=False), True
    yield "passed, other inputs", noted(change=True), False
    yield "cases for every release exist", missing_cases(), []
    yield "what check leaves out is left for check-all", lost_cases(), []
    yield "check-all is everything everywhere", not_everywhere(), []
    yield "a long part is left for check-all", long_parts(), [False, True, True]
    yield "a name runs on one release", in_machines("test_parent"), ["trixie test_parent.sh"]
    yield "a name with a release", in_machines("test_parent", "--release=sid"), [
        "sid test_parent.sh"
    ]
    halves = ["trixie test_shares.sh:1/2", "trixie test_shares.sh:2/2"]
    yield "a long test is divided", in_machines("test_shares"), halves
    yield "a name of no selftest", in_machines("vm/test_readme"), []
    yield "in two machines", len(list(quietly("test_shares").in_machines())), 2
    logs = [guest.log_name("sid", f"test_shares.sh{half}") for half in ("", ":1/2", ":victim,live")]
    yield "logs", logs, ["sid-test_shares.log", "sid-test_shares-1of2.log", "sid-test_shares.log"]


if __name__ == "__main__":
    for title, value, expected in results():
        ktap.case(title)(partial(ktap.check, title, value, expected))
    ktap.main()
