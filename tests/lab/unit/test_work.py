# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Parallel runs, their stored results, and errors and interrupts."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Callable, Iterator
from unittest import mock

import lablib
from lablib import store, work
from lablib.plan import Run

from . import fake
from .cases import case, folder, planned, same

SCENARIO = """title = "T"
duration = "{duration}"
seeds = [1, 2, 3]
nodes = ["a", "b"]
[qdiscs]
{qdiscs}
[link.l.up]
rate = "10mbit"
qdisc = "subject"
[traffic.x]
kind = "bulk"
from = "a"
to = "b"
"""
SOME_HANG = {"one": "pfifo", "two": "hangs", "three": "codel", "four": "hangs long"}


def scenario(where: Path, name: str = "s", duration: str = "10s", **qdiscs: str) -> str:
    lines = [f'{k} = "{v}"' for k, v in (qdiscs or {"pfifo": "pfifo"}).items()]
    file = where / f"{name}.toml"
    file.write_text(SCENARIO.format(duration=duration, qdiscs="\n".join(lines)))
    return str(file)


@dataclass
class Done:
    """The result of a command."""

    status: int
    out: str
    err: str


def command(where: Path, *words: str, recipe: str = "recipe") -> Done:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = fake.main(list(words), fake.laboratory(where, recipe))
    return Done(status, out.getvalue(), err.getvalue())


def journal(where: Path, what: str = "begin") -> list[str]:
    path = where / "journal"
    lines = path.read_text().splitlines() if path.exists() else []
    return [line.split(" ", 1)[1] for line in lines if line.startswith(what)]


def until(what: str, happens: Callable[[], bool]) -> None:
    end = time.monotonic() + fake.PATIENCE
    while not happens():
        assert time.monotonic() < end, f"{what}: not within {fake.PATIENCE} s"
        time.sleep(0.02)


def result(where: Path, name: str = "s") -> bytes:
    return (where / "out" / f"{name}.json").read_bytes()


# ---- good runs


@case("work: results are the same bytes however many run at a time")
def jobs() -> None:
    found = []
    for number in ("1", "2", "5"):
        with folder() as where:
            file = scenario(where, pfifo="pfifo", codel="codel")
            done = command(where, "--jobs", number, file)
            same(
                "status",
                (done.status, done.err.splitlines()[-1]),
                (0, f"results: {where}/out/s.json"),
            )
            same("runs", len(journal(where, "end")), 6)
            found.append(result(where))
    same("bytes", found, [found[0]] * 3)


@case("work: no more run at a time than is said, and that many do")
def at_a_time() -> None:
    for number in (1, 2, 3):
        with folder() as where:
            file = scenario(where, one=f"meets {number}", two="pfifo")
            same("status", command(where, "--jobs", str(number), file).status, 0)
            running, most = 0, 0
            for line in (where / "journal").read_text().splitlines():
                running += 1 if line.startswith("begin") else -1
                most = max(most, running)
            same("at a time", most, number)


@case("work: the dearest runs are the first")
def dearest() -> None:
    with folder() as where:
        files = [scenario(where, n, d) for n, d in (("b", "20s"), ("c", "9s"), ("a", "30s"))]
        command(where, "--jobs", "1", *files)
        same("order", [t.split()[0] for t in journal(where)], ["a"] * 3 + ["b"] * 3 + ["c"] * 3)


@case("work: what was run is not run again, but if something it depends on has changed")
def kept() -> None:
    with folder() as where:
        file = scenario(where)
        first = command(where, "--fresh", file)
        assert "done before" not in first.err, first.err
        before = result(where)
        again = command(where, file)
        same("again", (again.out, result(where), len(journal(where))), (first.out, before, 3))
        assert "3 of 3 runs were done before" in again.err, again.err
        some = command(where, "--seeds", "2,3,4", file)
        assert "2 of 3 runs were done before" in some.err, some.err
        same("a new seed", journal(where)[3:], ["s pfifo seed=4"])
        command(where, "--fresh", "--seeds", "1", file)
        same("--fresh", journal(where)[4:], ["s pfifo seed=1"])
        command(where, file, recipe="other")
        same("another recipe", len(journal(where)), 8)
        path = next((where / "out" / "runs").iterdir())
        old = path.with_name("old.json")
        path.rename(old)
        os.utime(old, (0, 0))
        command(where, "--seeds", "9", file)
        assert not old.exists(), "unused results are never removed"


@case("work: the same run is run once, whatever it is called")
def once() -> None:
    with folder() as where:
        done = command(where, scenario(where, one="pfifo", two="pfifo"), scenario(where, "t"))
        same("runs", (done.status, len(journal(where))), (0, 3))
        assert result(where, "t") != result(where)


@case("work: an outcome that is no whole file is made again")
def torn() -> None:
    with folder() as where:
        file = scenario(where)
        command(where, file)
        before = result(where)
        for number, path in enumerate(sorted((where / "out" / "runs").iterdir())):
            path.write_text(["", path.read_text()[:-5], "[]"][number])
        same("status", command(where, file).status, 0)
        same("results", (result(where), len(journal(where))), (before, 6))


@case(
    "work: a run's outcome is what the machine left, reduced; asking for a series changes no machine"
)
def outcome() -> None:
    run = only_run(sets=["series=1s", "held_below=90ms"])
    told: list[object] = []

    def boot(document: object, release: str, out_of_tree: bool, timeout: float) -> SimpleNamespace:
        told.append((document, release, out_of_tree, timeout))
        return SimpleNamespace(result={"kernel": "6.1", "versions": {"tc": "1"}, "more": 0})

    measure = SimpleNamespace(reduce=lambda document, raw: [document, raw.result["more"]])
    machine = SimpleNamespace(run=boot)
    with (
        mock.patch.object(lablib, "machine", machine, create=True),
        mock.patch.object(lablib, "measure", measure, create=True),
    ):
        found = work.perform(run, 9.5)
    guest = {k: v for k, v in run.document.items() if k not in ("series", "held_below")}
    same("told", told, [(guest, "trixie", False, 9.5)])
    expected = {"kernel": "6.1", "versions": {"tc": "1"}, "result": [run.document, 0]}
    same("outcome", found, expected)


# ---- the store


def only_run(**options: object) -> Run:
    text = SCENARIO.format(duration="9s", qdiscs='pfifo = "pfifo"\nagain = "pfifo"\nred = "pie"')
    return planned(text, **options).runs[0]


@case("store: a name changes with the document, the release and the recipe, and with nothing else")
def names() -> None:
    name = store.key(only_run(), "r")
    same("length", (len(name), name.isalnum()), (24, True))
    same("another name of the qdisc", store.key(only_run(only=["again"]), "r"), name)
    others = [
        store.key(only_run(only=["red"]), "r"),
        store.key(only_run(seeds=[2]), "r"),
        store.key(only_run(sets=["release=sid"]), "r"),
        store.key(only_run(sets=["series=1s", "held_below=90ms"]), "r"),
        store.key(only_run(), "s"),
    ]
    same("different ones", len({name, *others}), 6)


@case("store: a file is whole or not there, and only old ones go")
def whole() -> None:
    with folder() as where:
        kept = store.Store(where / "a" / "b")
        same("none", kept.get("x"), None)
        kept.put("x", {"a": [1, None]})
        kept.put("old", {})
        try:
            kept.put("y", {"a": object()})
        except TypeError:
            pass
        same("files", sorted(p.name for p in kept.folder.iterdir()), ["old.json", "x.json"])
        same("mode", kept.path("x").stat().st_mode & 0o777, 0o644)
        kept.put("new", {})
        for name, days in (("x", 61), ("old", 61), ("new", 59)):
            at = time.time() - days * 86400
            os.utime(kept.path(name), (at, at))
        same("content", kept.get("x"), {"a": [1, None]})  # which is a use
        kept.prune()
        same("after", sorted(p.name for p in kept.folder.iterdir()), ["new.json", "x.json"])


@case("store: a write that fails leaves what was there")
def replaced() -> None:
    with folder() as where:
        store.write(where / "f", "first")
        try:
            store.write(where / "f", "\udc80")
        except UnicodeEncodeError:
            pass
        else:
            raise AssertionError("it was written")
        same("files", [(p.name, p.read_text()) for p in where.iterdir()], [("f", "first")])


# ---- failures


@case("work: a run that fails does not stop the others, and there is no result")
def failure() -> None:
    with folder() as where:
        bad = scenario(where, good="pfifo", bad="fails")
        other = scenario(where, "t", "9s")
        (where / "out").mkdir()
        (where / "out" / "s.json").write_text("of earlier")
        done = command(where, bad, other)
        same("status", done.status, 1)
        same("ended", len(journal(where, "end")), 6)
        same("files", sorted(p.name for p in (where / "out").glob("*.json")), ["t.json"])
        said = done.err.splitlines()[-19:]
        expected = ["FAILED s bad seed=1", *(f"    line {number}" for number in range(15, 30))]
        expected += [f"FAILED s bad seed={seed}: the same" for seed in (2, 3)]
        expected += ["lab/run: failed runs: 3; no results of s; what is done is kept"]
        same("reasons", said, expected)


@case("work: a run that raises, or whose process dies, says so")
def reasons() -> None:
    with folder() as where:
        done = command(where, "--seeds", "1", scenario(where, one="raises", two="dies"))
        same("status", done.status, 1)
        said = done.err.partition("FAILED s one seed=1\n")[2]
        for words in ("    it divides by nothing", "ZeroDivisionError", "unit/fake.py"):
            assert words in said, said
        said = done.err.partition("FAILED s two seed=1\n")[2].splitlines()
        same("reason", said[:2], ["    the machine talks", "    its process ended by signal 9"])


@case("work: how far a run is does not count as a reason why it failed")
def notes() -> None:
    with tempfile.TemporaryFile() as log:
        log.write(b"at 5\nlate at 7\nat 10\nat last\n")
        log.flush()
        worker = work.Worker(work.Job("key", only_run()), SimpleNamespace(exitcode=1), log)  # type: ignore[arg-type]
        same("reached", worker.reached(), 10)
        same("reason", worker.reason(), ["late at 7", "at last"])


@case("work: what failed is run again")
def mended() -> None:
    with folder() as where:
        file = scenario(where, one="pfifo", two="hangs")
        (where / "well").touch()
        command(where, file)
        wanted = result(where)
    with folder() as where:
        file = scenario(where, one="pfifo", two="fails")
        same("status", command(where, file).status, 1)
        file = scenario(where, one="pfifo", two="hangs")
        (where / "well").touch()
        same("status", command(where, file).status, 0)
        same("bytes", result(where), wanted)
        same("runs", len(journal(where)), 9)


# ---- interruption


@contextlib.contextmanager
def hanging(where: Path, file: str) -> Iterator[subprocess.Popen[str]]:
    """A command in another process, some of whose runs hang."""
    child = subprocess.Popen(
        [sys.executable, "-B", fake.__file__, str(where), "--jobs", "2", file],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield child
    finally:
        child.kill()
        child.communicate()


def gone(pid: int) -> bool:
    """Whether a process has ended; a zombie has, too."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


def interrupted(signum: int) -> None:
    with folder() as where:
        file = scenario(where, **SOME_HANG)
        with hanging(where, file) as child:
            until("two runs hang", lambda: len(journal(where)) - len(journal(where, "end")) == 2)
            until("it sleeps", (where / "sleeper").exists)
            time.sleep(0.2)
            sleeper = int((where / "sleeper").read_text())
            child.send_signal(signum)
            _out, err = child.communicate(timeout=fake.PATIENCE)
            status = child.returncode
        until("the machine is gone", lambda: gone(sleeper))
        if signum != signal.SIGKILL:
            same("status", status, 128 + signum)
            assert gone(sleeper), "the machine outlives the command"
            assert "the same command goes on with the runs that are missing" in err, err
            assert "Traceback" not in err, err
        assert not (where / "out" / "s.json").exists()
        resumed(where, file)


def resumed(where: Path, file: str) -> None:
    """The same command again, which nothing hinders now."""
    (where / "well").touch()
    before, done = len(journal(where)), len(journal(where, "end"))
    same("status", command(where, file).status, 0)
    same("runs", len(journal(where)) - before, 12 - done)
    with folder() as other:
        (other / "well").touch()
        file = scenario(other, **SOME_HANG)
        command(other, file)
        same("bytes", result(where), result(other))


@case("work: SIGTERM ends all machines, and the next command goes on to the same bytes")
def terminated() -> None:
    interrupted(signal.SIGTERM)


@case("work: so does SIGINT")
def keyboard() -> None:
    interrupted(signal.SIGINT)


@case("work: and machines end when the command is killed")
def killed() -> None:
    interrupted(signal.SIGKILL)


@case("work: a run that stands still is given up in the end")
def patience() -> None:
    short, long = (
        planned(SCENARIO.format(duration=d, qdiscs='a = "pfifo"')).runs[0] for d in ("1s", "9min")
    )
    assert 1200 < work.timeout(short) < 1500, work.timeout(short)
    assert 6000 < work.timeout(long), work.timeout(long)
