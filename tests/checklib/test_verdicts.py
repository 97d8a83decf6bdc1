#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# check: all
"""tests/check notices incomplete output of a test or its machine, and runs the right parts.

Tables: of outputs, each with its status and the numbers of passed, failed and skipped results that must be
counted; of names and the parts they stand for; of files and whether they are a part's inputs; of packages and what they
bring; of what the runs of .ci/run print and how it ends.
"""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Iterator

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "ktap"), str(TESTS.parent / "vm")]
sys.dont_write_bytecode = True

import ktap  # noqa: E402
from checklib import guest, jobs, listed, parts, unchanged  # noqa: E402
from checklib.guest import Boot  # noqa: E402
from checklib.ktap import Document, Verdict  # noqa: E402
from vmlib import timeline  # noqa: E402

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


def counted(output: str, status: int, refuse_skips: bool = False) -> tuple[int, ...]:
    document = Document(refuse_skips=refuse_skips)
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
    ("an experiment", ["lab/falling"], 0),
    ("an experiment without a reduced form", ["lab/fig7"], 1),
    ("no experiment", ["lab/fig9"], 1),
    ("no part", ["test_flow"], 1),
    ("one of two", ["lint", "lnit"], 1),
    ("a case", ["test_ecn:ipv6"], 0),
    ("a case of what is no selftest", ["lab/fig7:x"], 1),
]

# Files, a part, and whether they are its inputs
INPUTS = [
    ("codel.h", "lab/falling", True),
    ("lab/guest/main.py", "lab/falling", True),
    ("vm/vmlib/machine.py", "lab/traffic-web", True),
    ("lab/slow/slow_link.c", "lab/test_meter.sh", True),
    ("tests/kernel/test_ecn.sh", "lab/falling", False),
    ("tests/kernel/lib.sh", "lab-page", False),
    ("tests/kernel/lib.sh", "lab/test_meter.sh", True),
    ("tests/kernel/lib/cases.sh", "lab/test_meter.sh", True),
    ("tests/kernel/lib/cases.sh", "lab-page", False),
    ("tests/kernel/trafficlib/udp.py", "lab/test_meter.sh", True),
    ("tests/kernel/test_ecn.sh", "lab/test_meter.sh", False),
    ("tests/check", "lab-page", False),
    ("upstream/mtu.patch", "series", True),
    ("tests/upstream/cases/mtu.sh", "lint", True),
    ("tests/upstream/cases/mtu.sh", "debug", False),
    ("doc/upstream.md", "series", True),
    ("README.md", "lab/falling", False),
    ("README.md", "lab-page", True),
    ("lab/report/index.html", "lab/falling", False),
    ("lab/report/index.html", "lab-page", True),
    ("README.md", "vm/test_readme.sh", True),
    ("README.md", "vm/test_router.sh", True),
    ("lab/guest/main.py", "vm/test_readme.sh", True),
    ("README.md", "newcomer-install", True),
    ("lab/guest/main.py", "newcomer-install", False),
    ("lab/guest/main.py", "newcomer-commands", True),
    ("lab/scenarios/demo.toml", "vm/test_readme.sh", True),
    ("tests/kernel/lib/cases.sh", "vm/test_router.sh", True),
    ("vm/vmlib/machine.py", "vm/test_run.sh", True),
    ("tests/vm/test_run.sh", "vm/test_run.sh", True),
    ("tests/vm/test_failures.sh", "vm/test_run.sh", False),
    ("tests/kernel/test_ecn.sh", "vm/test_run.sh", False),
    ("lab/check", "vm/test_run.sh", False),
    ("codel.h", "deb-install", True),
    ("debian/control", "deb-install", True),
    ("man/codelctl.8", "deb-install", True),
    ("tests/packages/deb/guest.sh", "deb-install", True),
    ("tests/algorithm/unit/law.c", "deb-install", False),
    ("tests/algorithm/shaper/wire.c", "deb-install", False),
    ("tests/kernel/test_ecn.sh", "trixie test_ecn.sh", True),
    ("tests/kernel/test_ecn.sh", "sid test_flows.sh", False),
    ("tests/kernel/lib/cases.sh", "trixie test_ecn.sh", True),
    ("tests/kernel/traffic.py", "trixie test_ecn.sh", True),
    ("lab/guest/main.py", "trixie test_ecn.sh", False),
    ("man/tc-codel_oot.8", "trixie test_ecn.sh", False),
    ("man/tc-codel_oot.8", "trixie test_manuals.sh", True),
    ("man/codel_trace.7", "sid test_bpftrace.sh", True),
    ("fq/fq_codel_drr.h", "sid test_flows.sh", True),
]

# Programs for people that read their arguments themselves: --help prints help and does nothing else
PROGRAMS = [
    "scripts/setup",
    "tests/lab/traffictest/run",
    "tests/kernel/selftest",
    "tests/kernel/test_limits.sh",
    "tests/vm/debug/check",
]

# Costs of the parts that `make check-all` has beyond `make check`, seconds that are left, and how many run
BUDGETS = [
    ("all fit", [10, 20], 1000, 2),
    ("none fits", [10, 20], 5, 0),
    ("one fits", [10, 2000], 1000, 1),
]


# Results of a test whose needs are all there: what it skips has failed
REFUSED = [
    ("a case is skipped", "1..2\nok 1 a\nok 2 b # SKIP why", 0, (1, 1, 0)),
    ("all is skipped", "1..0 # SKIP why", 4, (0, 1, 0)),
]

# What the two calls of .ci/run print, and their statuses; its last line and its status
GREEN = ("1299 passed, 0 failed, 0 skipped", 0)
RED = ("1298 passed, 1 failed, 0 skipped", 1)
BROKEN = ("make: *** [Makefile:99: check] Error 1", 2)
CI = [
    ("both pass", GREEN, ("20 passed, 0 failed, 1 skipped", 0), ("1319 passed, 0 failed, 1 skipped", 0)),
    ("make check fails", RED, GREEN, ("2597 passed, 1 failed, 0 skipped", 1)),
    ("the rest fails", GREEN, RED, ("2597 passed, 1 failed, 0 skipped", 1)),
    ("a status alone", GREEN, (GREEN[0], 1), ("2598 passed, 0 failed, 0 skipped", 1)),
    ("make check has no total", BROKEN, GREEN, ("1299 passed, 1 failed, 0 skipped", 1)),
    ("the rest has no total", GREEN, ("", 0), ("1299 passed, 1 failed, 0 skipped", 1)),
]  # fmt: skip

# Installed packages, those that are listed, and what a machine then has
STATUS = """
Package: dash
Essential: yes
Status: install ok installed

Package: apt
Status: install ok installed
Depends: libc (>= 2), keys | other-keys

Package: libc
Status: install ok installed

Package: keys
Status: deinstall ok config-files

Package: other-keys
Status: install ok installed
Provides: keyring (= 1), ring

Package: git
Status: install ok installed
Depends: apt, dash | ring
Pre-Depends: less:any
Recommends: patch

Package: less
Status: install ok installed

Package: patch
Status: install ok installed

Package: signer
Status: install ok installed
Depends: no-such | ring
"""
EVERYWHERE = {"apt", "dash", "libc", "other-keys"}
CLOSURES = [
    ("nothing is listed", [], EVERYWHERE),
    ("with what it depends on", ["git"], EVERYWHERE | {"git", "less"}),
    ("listed itself", ["git", "patch"], EVERYWHERE | {"git", "less", "patch"}),
    ("by a name that is provided", ["signer"], EVERYWHERE | {"signer"}),
    ("not installed", ["keys", "no-such"], EVERYWHERE),
]

CHECK = SimpleNamespace(**runpy.run_path(str(TESTS / "check")))


def quietly(*argv: str) -> Any:
    """A Check of these words, without output."""
    check = CHECK.Check(CHECK.options(list(argv)))
    check.report.say = lambda *_lines: None
    return check


def ran_more(costs: list[float], seconds: float) -> int:
    """How many of the parts run; the others must be listed, and count as nothing."""
    check = quietly("--all", "--minutes", str(seconds / 60))
    ran: list[float] = []
    check.new_timeline = check.set_up_all = lambda *_: None
    check.selftests_of_all = lambda *_, grouped: []
    check.programs_of_all = lambda *_: [
        CHECK.Job(f"part {c}", lambda c=c: ran.append(c), {f"part {c}": c}) for c in costs
    ]
    check.run_more()
    assert len(check.report.not_run) + len(ran) == len(costs), check.report.not_run
    assert sum(check.report.totals.values()) == 0, check.report.totals
    return len(ran)


def changed_first() -> list[str]:
    """The order of parts of which every second one has changed since it passed."""
    check = quietly("--all", "--minutes", "1000")
    ran: list[str] = []
    check.new_timeline = check.set_up_all = lambda *_: None
    check.selftests_of_all = lambda *_, grouped: []
    check.programs_of_all = lambda *_: [
        CHECK.Job(f"{n}", lambda n=n: ran.append("changed" if n % 2 else "same"), {}, bool(n % 2))
        for n in range(6)
    ]
    check.workers = 1
    check.run_more()
    return ran


def with_named(order: int, minutes: str) -> list[str]:
    """The parts that run in this order and time if one is named."""
    argv = ["--all", f"--minutes={minutes}", f"--order={order}", "--jobs=1", "newcomer-install"]
    check = quietly(*argv)
    ran: list[str] = []
    check.new_timeline = check.set_up_all = lambda *_: None
    check.selftests_of_all = lambda *_, grouped: []
    check.programs_of_all = lambda *_: [
        CHECK.Job(name, lambda name=name: ran.append(name), {name: 60.0})
        for name in ("lint", "lab-page", "newcomer-install")
    ]
    check.run_more()
    return ran


def in_both() -> list[str]:
    """Programs of make check that run with --minutes, too."""
    with without_notes():
        jobs_of_it = quietly("--all", "--minutes", "9").programs_of_all(CHECK.RELEASES)
    programs = {**parts.HOST, **parts.with_images()}
    assert len(jobs_of_it) > 20, jobs_of_it
    return [job.label for job in jobs_of_it if programs[job.label].in_check]


def with_sourced(name: str) -> str:
    """A selftest, and the libraries that it sources: a case may be in one of them."""
    text = (parts.SELFTESTS / name).read_text()
    sourced = re.findall(r"^# shellcheck source=(.*)$", text, re.M)
    return "\n".join([text, *((parts.SELFTESTS.parents[1] / s).read_text() for s in sourced)])


def without_cases() -> list[str]:
    """Selftests of which `make check` runs nothing, or cases that do not exist."""
    wrong = []
    for name in parts.selftests():
        cases = parts.in_check(parts.SELFTESTS / name)
        text = with_sourced(name)
        named = [c for c in cases if c != "all" and not re.fullmatch(r"1/[2-9]", c)]
        missing = [c for c in named if not re.search(rf"^{c}\(\)$", text, re.M)]
        wrong += [f"{name}: {' '.join(missing) or 'nothing'}"] if missing or not cases else []
    return wrong


def without_targets() -> list[str]:
    """Lines of programs that name a target which no part has."""
    programs = [*parts.HOST.values(), *parts.with_images().values()]
    return [
        f"{p.file}: {target}"
        for p in programs
        for target in parts.in_check(p.file)
        if target not in [q.target for q in programs if q.file == p.file]
    ]


def experiments() -> int:
    """Those of `make check`: one that is short tells whether the laboratory works."""
    return sum(n.startswith("lab/") and p.in_check for n, p in parts.with_images().items())


def tiers() -> list[bool]:
    """Whether check, check --all and a call by name run a part that only check-all runs."""
    calls = [quietly(), quietly("--all"), quietly("tree-kernels")]
    return ["tree-kernels" in check.programs(parts.with_images()) for check in calls]


def in_machines(*argv: str) -> list[str]:
    check = quietly(*argv)
    return sorted(label for job in check.in_machines() for label in job.costs)


NOT_ELSEWHERE = ("test_codelctl", "test_bpftrace", "test_manuals", "test_others")


def not_everywhere() -> list[str]:
    """Tests that --all does not run in full on every release, and those of the kernel part on other architectures."""
    want = {f"{release} {name}" for release in CHECK.RELEASES for name in parts.selftests()}
    for name in parts.selftests():
        if not name.startswith(NOT_ELSEWHERE):
            want |= {f"{architecture} {name}" for architecture in CHECK.ARCHITECTURES}
    with without_notes():
        jobs = quietly("--all").selftests_of_all(CHECK.MACHINES, True)
    return sorted(want ^ {label for job in jobs for label in job.costs})


def of_architectures() -> list[bool]:
    """Whether the releases alone, as in --minutes, and all machines have the test of --arch."""
    with without_notes():
        calls = [quietly("--all").programs_of_all(m) for m in (CHECK.RELEASES, CHECK.MACHINES)]
    return [any(job.label == "vm/test_arch.sh" for job in jobs) for jobs in calls]


@contextmanager
def without_notes() -> Iterator[None]:
    """As on a machine where nothing has passed, and without its images."""
    kept = unchanged.note
    unchanged.note = lambda label, images: Path("/nonexistent/note@0")
    try:
        yield
    finally:
        unchanged.note = kept


def noted(name: str) -> bool:
    """Whether a part counts as unchanged after it passed as part-1@7, and its note would have this name."""
    with tempfile.TemporaryDirectory() as folder:
        note = Path(folder) / "passed" / "part-1@7"
        unchanged.write(note, 3)
        found = unchanged.read(note.with_name(name))
        return bool(found) and found.startswith("3 passed on ")


def known_in(name: str) -> bool:
    """Whether it passed in any timeline."""
    with tempfile.TemporaryDirectory() as folder:
        note = Path(folder) / "part-1@7"
        unchanged.write(note, 3)
        return unchanged.in_any_timeline(note.with_name(name))


def told(failed_at: int, course: str = "0") -> list[str]:
    """What a report has printed when the result of this number has come, and what repeats it."""
    os.environ[timeline.VARIABLE] = course
    made = CHECK.report.Report()
    said: list[str] = []
    made.say = lambda *lines: said.extend(lines)
    document = made.document("trixie test_ecn.sh")
    for line in ("1..3", "ok 1 a: x", "not ok 2 b: y", "ok 3 c: z")[: failed_at + 1]:
        document.feed(line)
    return [line.strip() for line in said]


def script(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def ci(check: tuple[str, int], rest: tuple[str, int], commits: int = 4) -> tuple[str, int, str]:
    """The last line of .ci/run, its status, and the arguments that `make` was called with."""
    with tempfile.TemporaryDirectory() as name:
        top = Path(name)
        script(top / ".ci/run", "")
        (top / ".ci/run").write_text((TESTS.parent / ".ci/run").read_text())
        script(top / "bin/git", f"echo {commits}")
        script(top / "bin/make", f'echo "$@" >{top}/called; echo "{check[0]}"; exit {check[1]}')
        script(top / "scripts/setup", "")
        script(top / "tests/check", f'echo "{rest[0]}"; exit {rest[1]}')
        env = {**os.environ, "PATH": f"{top}/bin:{os.environ['PATH']}"}
        done = subprocess.run([f"{top}/.ci/run"], capture_output=True, text=True, env=env)
        return done.stdout.splitlines()[-1], done.returncode, (top / "called").read_text().strip()


def found_without(package: str) -> list[bool]:
    """Whether a part of make check finds the program of this name: as things are, and if the package were not listed."""
    kept = listed.wanted
    try:
        found = [package in (listed.programs(listed.CHECK) or {})]
        listed.wanted = lambda tier: {w: p for w, p in kept(tier).items() if p != package}
        return [*found, package in (listed.programs(listed.CHECK) or {})]
    finally:
        listed.wanted = kept


def paths(*names: str) -> list[str]:
    """The folders in which these parts look for programs, and those that other users cannot enter."""
    found: list[str] = []
    kept, before = jobs.run, os.environ["PATH"]
    jobs.run = lambda *args: found.append(str(args[-1] or os.environ["PATH"]))
    try:
        with tempfile.TemporaryDirectory() as where:
            check = quietly(*names)
            check.report.add = lambda *_: None
            check.narrow_path(Path(where))
            for job in [*check.on_this_machine(), *check.with_images()]:
                job.run()
            closed = [f"closed: {p}" for p in (where, *found) if not os.stat(p).st_mode & 0o001]
    finally:
        jobs.run, os.environ["PATH"] = kept, before
    return [*(os.path.relpath(path, where) for path in found), *closed]


def seen(path: Path) -> str:
    """The PATH that a program of jobs.run() has."""
    lines: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        jobs.run(["/bin/sh", "-c", "echo $PATH"], Path("/"), Path(name, "log"), lines.append, path)
    return lines[0]


def left(costs: dict[str, float], taken: dict[str, float]) -> float:
    """Seconds that a report still expects, of two workers."""
    progress = CHECK.report.Progress(2, costs)
    progress.taken = taken
    return round(progress.left())


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
    for name, out, status, want in REFUSED:
        yield f"nothing is missing: {name}", counted(out, status, refuse_skips=True), want
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
    yield "in a given time: what has changed comes first", changed_first(), [
        *["changed"] * 3,
        *["same"] * 3,
    ]
    for name, check, rest, want in CI:
        yield f".ci/run: {name}", ci(check, rest)[:2], want
    yield ".ci/run: Debian 12 and 13 in turns", [ci(GREEN, GREEN, n)[2] for n in (6, 7)], [
        "check HOST=bookworm",
        "check HOST=trixie",
    ]
    for name, packages, want in CLOSURES:
        yield f"programs: {name}", listed.closure(listed.parse(STATUS), packages), want
    for name in ("patch", "rsync", "mandoc", "jq"):
        yield f"programs: {name} is found because it is listed", found_without(name), [True, False]
    yield "programs: of make check, of all", paths("unit", "lint"), ["check", "check-all"]
    yield "programs: of the given PATH", seen(Path("/nowhere")), "/nowhere"
    orders = [with_named(order, "1000") for order in range(6)]
    yield "in a given time: what is named comes first", {o[0] for o in orders}, {"newcomer-install"}
    yield "without time: what is named, alone", with_named(0, "0.5"), ["newcomer-install"]
    yield "in a given time: no program of make check", in_both(), []
    yield "passed, the same inputs", noted("part-1@7"), True
    yield "passed, other inputs", noted("part-2@7"), False
    yield "passed, another timeline", noted("part-1@8"), False
    yield "another timeline, the same inputs", known_in("part-1@8"), True
    yield "another timeline, other inputs", known_in("part-2@8"), False
    yield "of every selftest, make check runs something that exists", without_cases(), []
    yield "targets in lines of programs exist", without_targets(), []
    yield "make check has an experiment", experiments(), 1
    yield "check-all is everything everywhere", not_everywhere(), []
    yield "without other architectures where no time is for them", of_architectures(), [False, True]
    yield "a part without a line is left for check-all", tiers(), [False, True, True]
    yield "a result that passes prints nothing", told(1), []
    yield "a failure is printed at once, with what repeats it", told(2), [
        "FAILED  trixie test_ecn.sh: b: y",
        "repeat it: tests/check --release trixie test_ecn:b",
    ]
    yield "and in its timeline", told(2, "7")[-1], (
        "repeat it: CODEL_TIMELINE=7 tests/check --release trixie test_ecn:b"
    )
    yield "time left: nothing", left({}, {}), 0
    yield "time left: as estimated", left({"a": 100, "b": 100, "c": 50}, {"c": 50}), 100
    yield "time left: a slow host", left({"a": 100, "b": 100, "c": 90}, {"c": 190}), 200
    yield "time left: one part is longer than all others", left({"a": 100, "b": 10}, {}), 100
    yield "a name runs on one release", in_machines("test_parent"), ["trixie test_parent.sh"]
    yield "a name with a release", in_machines("test_parent", "--release=sid"), [
        "sid test_parent.sh"
    ]
    halves = ["trixie test_shares.sh:1/2", "trixie test_shares.sh:2/2"]
    yield "a long test is divided", in_machines("test_shares"), halves
    yield "one case of a selftest", in_machines("test_ecn:clone"), ["trixie test_ecn.sh:clone"]
    yield "a name of no selftest", in_machines("vm/test_readme"), []
    yield "in two machines", len(list(quietly("test_shares").in_machines())), 2
    logs = [guest.log_name("sid", f"test_shares.sh{half}") for half in ("", ":1/2", ":victim,live")]
    yield "logs", logs, ["sid-test_shares.log", "sid-test_shares-1of2.log", "sid-test_shares.log"]


if __name__ == "__main__":
    for title, value, expected in results():
        ktap.case(title)(partial(ktap.check, title, value, expected))
    ktap.main()
