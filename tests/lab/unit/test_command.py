# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The command line, and the document that it writes."""

from __future__ import annotations

import contextlib
import io
import json
import re
import subprocess
import sys
from pathlib import Path

from figures import plain
from figures.results import Results
from lablib import options, results
from lablib.plan import Plan

from . import fake
from .cases import LAB, case, folder, same
from .test_work import command, journal, result, scenario

REFUSED: list[tuple[list[str], str]] = [
    ([], "no SCENARIO.toml is given"),
    (["--jobs", "0", "a.toml"], "'0': a whole number, 1 or more"),
    (["--seeds", "1,x", "a.toml"], "'1,x': whole numbers, as 1,2,3"),
    (["--seeds", "1,1", "a.toml"], "'1,1': each number once, 0 or more"),
    (["--seeds=-1", "a.toml"], "'-1': each number once, 0 or more"),
    (["--name", "a/b", "a.toml"], "'a/b': letters, digits, - and _"),
    (["--name", "x", "a.toml", "b.toml"], "--name, --json and --picture are for a single scenario"),
    (["a.toml", "x/a.toml"], "two scenarios are called a"),
    (["--nosuch", "a.toml"], "unrecognized arguments: --nosuch"),
]


@case("command: what is wrong in it is said, with status 2")
def refused() -> None:
    for argv, message in REFUSED:
        err = io.StringIO()
        try:
            with contextlib.redirect_stderr(err):
                options.parse(argv)
        except SystemExit as end:
            same(f"{argv}", end.code, 2)
            assert message in err.getvalue(), err.getvalue()
        else:
            raise AssertionError(f"{argv} was taken")


@case("command: what is not given")
def defaults() -> None:
    found = vars(options.parse(["a.toml"]))
    expected = {"grid": "default", "sets": [], "seeds": [], "only": [], "name": None, "json": None,
                "picture": None, "jobs": 2, "fresh": False, "plan": False, "keys": False}  # fmt: skip
    same("options", {k: v for k, v in found.items() if k != "scenarios"}, expected)
    argv = ["--jobs", "1", "--seeds", "0", "--only", "a, b", "--name", "n", "a.toml"]
    opts = options.parse(argv)
    same("given", (opts.jobs, opts.seeds, opts.only, opts.name), (1, [0], ["a", "b"], "n"))


@case("command: errors of all scenarios are said, with status 2, and nothing runs")
def scenarios() -> None:
    with folder() as where:
        good = scenario(where)
        for name in ("b", "c"):
            (where / f"{name}.toml").write_text("x = 1\n")
        done = command(where, good, str(where / "b.toml"), str(where / "c.toml"))
        same("status", (done.status, done.out, journal(where)), (2, "", []))
        for name in ("b", "c"):
            assert f"{where}/{name}.toml:1: x: no such key" in done.err, done.err


@case("command: --plan shows the runs and how long they take, and does nothing")
def plan() -> None:
    with folder() as where:
        done = command(where, "--plan", "--jobs", "3", scenario(where))
        lines = done.out.splitlines()
        same("status", (done.status, done.err, journal(where)), (0, "", []))
        same("first", lines[0], "   1      10 s virtual       6 s wall  s pfifo seed=1")
        same("last", lines[3:], ["3 runs, 30 s of virtual time, about 0:06 with 3 at a time"])
        assert not (where / "out").exists()


def compact(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


@case("command: the table and the document")
def document() -> None:
    with folder() as where:
        file = scenario(where, b="pfifo", a="codel")
        done = command(where, "--seeds", "2,1", file)
        assert done.out.startswith("T (medians of 2 seeds)\n\nqueue  qdisc  util %"), done.out
        text = result(where).decode()
        found = json.loads(text)
        runs = found.pop("runs")
        head = [f'"{key}": {compact(found[key])}' for key in sorted(found)]
        lines = ",\n".join(map(compact, runs))
        same("as written", text, "{" + ",\n".join([*head, f'"runs": [\n{lines}\n]']) + "}\n")
        same("keys", sorted(found), ["grid", "kernel", "name", "scenario", "schema", "title",
                                     "versions"])  # fmt: skip
        same("head", [found[k] for k in ("schema", "name", "title", "grid", "kernel", "versions")],
             [2, "s", "T", "default", "6.1 trixie", {"tool": "1.0"}])  # fmt: skip
        same("order", [(r["qdisc"], r["seed"]) for r in runs],
             [("b", 2), ("b", 1), ("a", 2), ("a", 1)])  # fmt: skip
        same("run", sorted(runs[0]), ["point", "qdisc", "queues", "seed", "traffic"])
        same("digits", runs[0]["queues"]["l.up"]["utilisation"], 0.333333)
        assert str(where) not in text


@case("command: --name and --json")
def where_to() -> None:
    with folder() as where:
        file = scenario(where)
        same("status", command(where, "--name", "other", file).status, 0)
        same("name", json.loads(result(where, "other"))["name"], "other")
        path = where / "x" / "y.json"
        same("status", command(where, "--json", str(path), file).status, 0)
        same("name", json.loads(path.read_text())["name"], "s")
        same("files", [p.name for p in (where / "out").glob("*.json")], ["other.json"])


def drawn(where: Path) -> dict[str, dict[str, list[float]]]:
    """The values of each line by its name, of each panel of the picture by its title."""
    figure = plain.picture(Results(json.loads(result(where))))
    return {
        area.get_title(): {
            str(line.get_label()): list(line.get_ydata())
            for line in area.lines
            if len(line.get_ydata()) > 2
        }
        for area in figure.axes
    }


@case("command: --picture draws the delays and round trips of every qdisc")
def picture() -> None:
    with folder() as where:
        file = scenario(where, pfifo="pfifo", codel_oot="codel_oot")
        path = where / "x" / "y.png"
        done = command(where, "--seeds", "1", "--set", "series=1s", "--picture", str(path), file)
        same("status", (done.status, path.read_bytes()[:4]), (0, b"\x89PNG"))
        runs = json.loads(result(where))["runs"]
        names = {"pfifo": "tail drop", "codel_oot": "codel_oot"}
        delays = {names[r["qdisc"]]: r["queues"]["l.up"]["series"]["p50_ms"] for r in runs}
        trips = {names[r["qdisc"]]: [t for _at, t in r["traffic"]["p"]["series"]] for r in runs}
        same("drawn", drawn(where), {"Queue l.up": delays, "p": trips})
        (where / "s.toml").write_text((where / "s.toml").read_text().replace("codel_oot", "fails"))
        done = command(where, "--set", "series=1s", "--picture", str(path), file)
        same("that of an earlier run", (done.status, path.exists()), (1, False))


@case("command: --picture of a scenario without results over time is refused before it runs")
def no_picture() -> None:
    with folder() as where:
        done = command(where, "--picture", str(where / "a.png"), scenario(where))
        message = "--picture needs results over time: add --set series=200ms\n"
        same("refused", (done.status, done.err, journal(where)), (2, message, []))


@case("command: kernels of several releases")
def releases() -> None:
    with folder() as where:
        file = scenario(where)
        done = command(where, "--set", 'vary.release=["sid", "trixie"]', "--seeds", "1", file)
        same("status", done.status, 0)
        kernels = json.loads(result(where))["kernel"]
        same("kernels", kernels, {"sid": "6.1 sid", "trixie": "6.1 trixie"})


@case("command: figures have six digits")
def digits() -> None:
    value = {"a": [1.23456789, (1e-9 / 3, 7, None, True, "x")], "b": float("nan"), "c": 123456789}
    same("rounded", results.rounded(value),
         {"a": [1.23457, [3.33333e-10, 7, None, True, "x"]], "b": None, "c": 123456789})  # fmt: skip
    empty = Plan("n", "t", "default", {}, [], [])
    same("without runs", results.assemble(empty, [])["kernel"], None)


@case("command: --keys, and a reader who has read enough")
def keys() -> None:
    argv = [sys.executable, "-B", str(LAB / "run"), "--keys"]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    same("status", (done.returncode, done.stderr), (0, ""))
    assert done.stdout.startswith("### At the top\n") and "| `dscp` |" in done.stdout
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        assert child.stdout and child.stderr
        child.stdout.close()
        same("what is said", (child.stderr.read(), child.wait()), ("", 1))


@case("command: the machine's own failure is told, with status 1")
def machine() -> None:
    with folder() as where:
        lab = fake.laboratory(where)

        def recipe(_release: str, _out_of_tree: bool) -> str:
            raise fake.process.Failure("there is no root")

        lab.recipe = recipe
        err = io.StringIO()
        with contextlib.redirect_stderr(err):
            status = fake.main([scenario(where)], lab)
        same("status", (status, err.getvalue()), (1, "lab/run: there is no root\n"))


@case("command: what tc refuses is said with its line, before anything runs")
def refused_words() -> None:
    with folder() as where:
        file = scenario(where, good="pfifo", bad="codel tagret 5ms")
        tried = ["trixie codel tagret 5ms", "trixie pfifo"]
        for _again in range(2):  # the verdicts are kept
            done = command(where, file)
            same("status", (done.status, done.out, journal(where)), (2, "", []))
            message = 'tc refuses "codel tagret 5ms" (trixie): "tagret" is not an option'
            same("said", done.err.splitlines()[-1], f"{file}:7: qdiscs.bad: {message}")
            same("tried", (where / "tried").read_text().splitlines(), tried)
        same("the good one", command(where, "--only", "good", file).status, 0)
        same("nothing is tried again", (where / "tried").read_text().splitlines(), tried)


@case("command: the words of a link, of a qdisc's table, and of several releases")
def places() -> None:
    with folder() as where:
        file = scenario(where, good="pfifo")
        path = where / "s.toml"
        path.write_text(
            path.read_text()
            .replace('good = "pfifo"', 'good = { qdisc = "tbf tagret", set = { release = "sid" } }')
            .replace("[traffic.x]", '[link.l.down]\nqdisc = "sfq tagret"\n[traffic.x]')
        )
        done = command(where, file)
        said = [line.removeprefix(file) for line in done.err.splitlines()]
        same("said", said, [
            "sid: trying the words of 2 qdiscs",
            ':6: qdiscs.good: tc refuses "tbf tagret" (sid): "tagret" is not an option',
            ':11: link.l.down.qdisc: tc refuses "sfq tagret" (sid): "tagret" is not an option',
        ])  # fmt: skip


@case("command: a compared direction without a rate is warned of, and the scenario runs")
def no_rate() -> None:
    with folder() as where:
        file = scenario(where)
        path = where / "s.toml"
        path.write_text(path.read_text().replace('rate = "10mbit"\n', ""))
        done = command(where, file)
        message = "warning: this direction has no rate, so no queue builds up in the qdisc"
        same("said", done.err.splitlines()[0], f"{file}:8: link.l.up.qdisc: {message}")
        same("status", done.status, 0)
        path.write_text(path.read_text() + '[grid.g.link.l.up]\nrate = "1mbit"\n')
        assert "warning" not in command(where, "--grid", "g", file).err
        assert "warning" in command(where, file).err
        path.write_text(path.read_text().replace('"pfifo"', '"codel_oot bottleneck upstream"'))
        assert "warning" not in command(where, file).err


def shown() -> list[list[str]]:
    """Every command that the documents show for a scenario of the tree, in their order."""
    files = [LAB.parent / "README.md", LAB / "README.md", *sorted(LAB.glob("scenarios/*.toml"))]
    text = "\n".join([path.read_text() for path in files] + [options.EXAMPLES])
    return [
        found[0].split() for found in re.finditer(r"\b(cp|lab/run)\b[^`:\n]*\w\.toml( \.)?", text)
    ]


@case("command: every command in the documents works as it is written")
def documented() -> None:
    with folder() as where:
        (where / "lab").symlink_to(LAB)
        commands = [words for words in shown() if "SCENARIO.toml" not in words]
        assert len(commands) > 8, commands
        for words in commands:
            argv = [*words, "--plan"] if words[0] != "cp" else words
            done = subprocess.run(argv, cwd=where, capture_output=True, text=True, check=False)
            same(" ".join(words), (done.returncode, done.stderr), (0, ""))


@case("command: the README's example of an error is what is said")
def example() -> None:
    with folder() as where:
        text = (LAB / "scenarios" / "home.toml").read_text()
        (where / "home.toml").write_text(text.replace('"10mbit"', '"10mbt"', 1))
        done = command(where, "--plan", str(where / "home.toml"))
        lines = done.err.replace(f"{where}/", "").splitlines()
        text = text.replace("codel limit", "codel tagret limit", 1)
        (where / "home.toml").write_text(text)
        refused = command(where, str(where / "home.toml")).err.replace(f"{where}/", "")
        line = refused.splitlines()[-1].partition(" tc refuses")[0]
        assert f"```\n{lines[0]}\n{line} tc refuses" in (LAB / "README.md").read_text(), (
            lines,
            line,
        )
