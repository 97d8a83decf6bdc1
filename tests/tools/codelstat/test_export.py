#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
"""`codelstat export`: the text, in a file and over HTTP."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import stat
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import short
from cases import CODELSTAT, RECORDING, TOP, Skip, case, check, codelstat, main
from exporter import Exporter, Samples, labels, samples
from recordings import codel_oot, in_tree, link, qdisc, recording, recording_of

EVERY = str(TOP / "tests/tools/tc/every.rec")  # no statistic in it is 0
REPLAY = ("export", "--replay", RECORDING)
OPEN = "application/openmetrics-text"
WHAT_PROMETHEUS_SENDS = (
    "application/openmetrics-text;version=1.0.0,"
    "application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1"
)


def text(*words: str) -> str:
    return codelstat(*REPLAY, "--textfile", "-", *words).stdout


def listed() -> list[dict[str, Any]]:
    """The list of codelstat at the end of the recording."""
    done = codelstat("list", "--replay", RECORDING, "--once", "--json")
    return short.loads(done.stdout)["qdiscs"]


def whose(qdisc: dict[str, Any]) -> dict[str, str]:
    """The labels of its series: no handle that the kernel has chosen, which are those from 8000: on."""
    return {
        "device": qdisc["dev"],
        "handle": re.sub("^[89a-f]...:$", "auto", qdisc["handle"]),
        "parent": re.sub("^[89a-f]...:", "root:", qdisc["parent"]),
        "kind": qdisc["kind"],
    }


@case("a strict reader takes the OpenMetrics text, which has the same samples")
def open_metrics() -> None:
    try:
        from prometheus_client.openmetrics.parser import text_string_to_metric_families
    except ImportError as error:
        raise Skip("python3-prometheus-client is not installed") from error
    with Exporter("--states") as exporter:
        answer = exporter.get(accept=OPEN)
    families = {f.name: f for f in text_string_to_metric_families(answer.text)}
    check("type", families["codel_sojourn_seconds"].type, "histogram")
    check("unit", families["codel_sojourn_seconds"].unit, "seconds")
    check("info", families["codel_qdisc"].type, "info")
    check("verdict", families["codel_qdisc_verdict"].type, "gauge")
    check("states", families["codel_verdict"].type, "stateset")
    found = {(s.name, frozenset(s.labels.items())) for f in families.values() for s in f.samples}
    check("samples", found, set(samples(text("--states"))))


def expected_counts(qdisc: dict[str, Any]) -> dict[str, dict[str, int]]:
    """The counts of an out-of-tree qdisc: by metric, then by cause ("": without one)."""
    accounting = qdisc["ledger"]
    found: dict[str, dict[str, int]] = {}
    for what in ("received", "sent", "bypassed"):
        for unit in ("packets", "bytes"):
            found[f"codel_{what}_{unit}_total"] = {"": accounting[what][unit]}
    for what, name in (("drop", "dropped"), ("mark", "marked")):
        for unit in ("packets", "bytes"):
            found[f"codel_{name}_{unit}_total"] = {c: n[unit] for c, n in accounting[what].items()}
    stats, options = qdisc["stats"], qdisc["options"]
    found["codel_backlog_packets"] = {"": stats["qlen"]}
    found["codel_backlog_bytes"] = {"": stats["backlog"]}
    found["codel_limit_packets"] = {"": options["limit"]}
    found["codel_ecn_enabled"] = {"": options["ecn"]}
    if "flows" in options:
        found["codel_active_flows"] = {"": stats["active_flows"]}
        found["codel_new_flows_total"] = {"": stats["new_flow_count"]}
        found["codel_flows_limit"] = {"": options["flows"]}
        found["codel_memory_used_bytes"] = {"": stats["memory_used"]}
        found["codel_memory_limit_bytes"] = {"": options["memory_limit"]}
        found["codel_shared_packets_total"] = {"": accounting["shared"]}
    return found


@case("counters and settings are those of the list")
def same_numbers() -> None:
    found = samples(text())
    out_of_tree = [q for q in listed() if "ledger" in q]
    drops = [q["ledger"]["drop"]["codel"]["packets"] for q in out_of_tree]
    assert any(drops), "nothing to see"
    for qdisc in out_of_tree:
        which = whose(qdisc)
        for name, counts in expected_counts(qdisc).items():
            for cause, count in counts.items():
                key = labels(**which, **({"cause": cause} if cause else {}))
                check(f"{name} {dict(key)}", found.get((name, key)), count)
        for name in ("target", "interval"):
            seconds = found[(f"codel_{name}_seconds", labels(**which))]
            check(name, round(seconds * 1e9), qdisc["options"][f"{name}_ns"])


FIELD = re.compile(r'\] = \{ "([\w.]+)",[^"]*(COUNTER|GAUGE)\("(\w+)"')


def member(value: Any, path: str) -> Any:
    """What is at a path in JSON; None: it is not there."""
    for name in path.split("."):
        value = value.get(name) if value else None
    return value


@case("a metric has the value of the member of JSON that the table of fields names")
def same_members() -> None:
    fields = FIELD.findall((TOP / "tc/codelstat/fields.c").read_text())
    assert len(fields) >= 17, fields
    shown = json.loads(codelstat("-1", "--json", "--replay", EVERY).stdout)["qdiscs"]
    found = samples(codelstat("export", "--replay", EVERY, "--textfile", "-").stdout)
    seen = set()
    for qdisc in shown:
        which = whose(qdisc | ({"parent": "root"} if qdisc.get("root") else {}))
        for path, kind, metric in fields:
            key = metric + ("_total" if kind == "COUNTER" else ""), labels(**which)
            value = member(qdisc, path)
            if value is not None:
                unit = 1e9 if path.endswith("_ns") else 1
                check(f"{path} of {qdisc['kind']}", round(found[key] * unit), value)
                seen.add(path)
            elif qdisc["module"] == "out-of-tree":  # tc prints some members only if they are not 0
                assert not found.get(key), f"{path} of {qdisc['kind']}: {found[key]}"
    check("members", seen, {path for path, _, _ in fields})


def bounds(found: Samples, which: dict[str, str]) -> dict[str, float]:
    """By "le", the packets below."""
    wanted = labels(**which)
    return {
        dict(key)["le"]: value
        for (name, key), value in found.items()
        if name == "codel_sojourn_seconds_bucket" and wanted < key
    }


@case("the histogram is that of the list, whatever the number of its buckets")
def same_histogram() -> None:
    for buckets in (1, 2, 4, 8):
        found = samples(text("--buckets", str(buckets)))
        for qdisc in (q for q in listed() if "delay" in q):
            delays = qdisc["delay"]["buckets"]
            shown = bounds(found, whose(qdisc))
            check("how many", len(shown), {1: 27, 2: 54, 4: 108, 8: 216}[buckets] + 1)
            for le, count in shown.items():
                end = round(float(le) * 1e9) if le != "+Inf" else float("inf")
                below = sum(n for _, to, n in delays if (to or float("inf")) <= end)
                check(f"{qdisc['dev']} {le}", count, below)
            key = labels(**whose(qdisc))
            check("count", found[("codel_sojourn_seconds_count", key)], shown["+Inf"])
            total = found[("codel_sojourn_seconds_sum", key)]
            check("sum", round(total * 1e9), qdisc["delay"]["sum_ns"])


ROUND = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)


@case("round bounds, at which no packet is counted that may have waited longer")
def round_histogram() -> None:
    found = samples(text())
    for qdisc in (q for q in listed() if "delay" in q):
        delays = qdisc["delay"]["buckets"]
        shown = bounds(found, whose(qdisc))
        check("bounds", list(shown), [*map(str, ROUND), "+Inf"])
        for le, count in shown.items():
            end = float(le) * 1e9
            below = sum(n for _, to, n in delays if (to or float("inf")) <= end)
            check(f"{qdisc['dev']} {le}", count, below)
            # those that are counted too late waited for nearly as long
            surely = sum(n for _, to, n in delays if to and to <= end / 1.125)
            assert surely <= count, f"{count} packets until {le}, and {surely} by far"
        total = found[("codel_sojourn_seconds_count", labels(**whose(qdisc)))]
        check("count", total, sum(n for _, _, n in delays))


def tree(numbers: dict[str, int]) -> bytes:
    """A device with all places of qdiscs, some of them with these handles."""

    def codel(handle: int, parent: int) -> bytes:
        return codel_oot(1, handle << 16, b"", parent=parent)

    root, below = numbers["root"] << 16, numbers["below"] << 16
    return (
        link(1, b"d0")
        + qdisc(1, root, b"mq")
        + codel(numbers["first"], root | 1)
        + codel(0x10, root | 2)
        + qdisc(1, below, b"prio", parent=root | 3)
        + codel(numbers["second"], below | 1)
        + codel(numbers["third"], below | 2)
        + qdisc(1, 0x300000, b"htb", parent=below | 3)
        + codel(numbers["fourth"], 0x300001)
        + codel(0, 0x300002)
        + codel(numbers["lost"], numbers["nowhere"] << 16 | 1)
        + link(2, b"d1")
        + codel_oot(2, numbers["other"] << 16, b"")
    )


@case("series stay the same when qdiscs get other automatic handles, and none are the same")
def stable() -> None:
    names = ("root", "below", "first", "second", "third", "fourth", "lost", "nowhere", "other")
    shown = []
    for begin in (0x8001, 0x8123, 0xFF00):
        numbers = {name: begin + n for n, name in enumerate(names)} | {"nowhere": 0x9999}
        with recording(tree(numbers)) as path:
            done = codelstat("export", "--replay", path, "--textfile", "-")
        shown.append(samples(done.stdout))  # which checks that none is there twice
        check("series", set(shown[-1]), set(shown[0]))
    found = {
        dict(k)["parent"] + " " + dict(k)["handle"] for n, k in shown[0] if n == "codel_qdisc_info"
    }
    expected = {"root:1 auto", "root:2 10:", "root:3:1 auto", "root:3:2 auto", "30:1 auto", "30:2 0:",
                "9999:1 auto", "root auto"}  # fmt: skip
    check("places", found, expected)


@case("a loop of parents ends")
def loop() -> None:
    body = link(1, b"d0") + qdisc(1, 0x80010000, b"prio", parent=0x80020001)
    body += qdisc(1, 0x80020000, b"prio", parent=0x80010001)
    with recording(body + codel_oot(1, 0x10000, b"", parent=0x80010002)) as path:
        found = samples(codelstat("export", "--replay", path, "--textfile", "-").stdout)
    (parent,) = {dict(k)["parent"] for n, k in found if n == "codel_qdisc_info"}
    assert parent.startswith("800") and parent.endswith(":2"), parent


@case("one verdict on each queue, which is that of the list, and with --states one state")
def verdicts() -> None:
    assert "codel_verdict" not in text()
    found = samples(text("--states"))
    for qdisc in listed():
        shown = {
            dict(key)["verdict"]: value
            for (name, key), value in found.items()
            if name == "codel_qdisc_verdict" and labels(**whose(qdisc)) < key
        }
        check(qdisc["dev"], shown, {qdisc["verdict_code"]: 1})
        states = {
            dict(key)["codel_verdict"]: value
            for (name, key), value in found.items()
            if name == "codel_verdict" and labels(**whose(qdisc)) < key
        }
        assert len(states) == 20 and sum(states.values()) == 1, states
        check(qdisc["dev"], states[qdisc["verdict_code"]], 1)


def states(exporter: Exporter) -> list[str]:
    found = samples(exporter.get().text)
    return [dict(k)["verdict"] for (n, k), v in found.items() if n == "codel_qdisc_verdict" and v]


@case("a verdict is of the time since the last scrape, and not of less than a second")
def verdict_interval() -> None:
    body = link(1, b"d0") + codel_oot(1, 0x10000, b"", 9)  # the same in each snapshot
    with recording(body, 4) as path, Exporter(replay=path) as exporter:
        shown = [states(exporter) for _ in range(3)]
    check("a second apart", shown, [["overload_ceiling"], ["idle"], ["idle"]])
    with recording(body, 7, 0.4) as path, Exporter(replay=path) as exporter:
        shown = [states(exporter) for _ in range(7)]
    check("0.4 seconds apart", shown, [["overload_ceiling"]] * 3 + [["idle"]] * 4)


@case("the version is a metric")
def build_info() -> None:
    version = codelstat("--version").stdout.split()[1]
    check("value", samples(text())[("codel_build_info", labels(version=version))], 1)


@case("of in-tree qdiscs, exactly the statistics that they have")
def kernels_kinds() -> None:
    found = samples(text())
    theirs = [q for q in listed() if "ledger" not in q]
    assert theirs, "the recording has none"
    for qdisc in theirs:
        which = labels(**whose(qdisc))
        check("sent", found[("codel_sent_packets_total", which)], qdisc["stats"]["packets"])
        names = {name for name, key in found if which <= key}
        for absent in ("codel_sojourn_seconds_bucket", "codel_received_packets_total"):
            assert absent not in names, f"{absent} of {qdisc['dev']}"
        causes = {
            dict(key)["cause"]
            for name, key in found
            if which < key and name == "codel_dropped_packets_total"
        }
        known = {"codel", "limit"} | ({"memory"} if "flows" in qdisc["options"] else set())
        check("causes", causes, known)


WRAP = 2**32


@case("drops of in-tree qdiscs by cause never decrease, and are right in the end")
def monotone() -> None:
    # What the kernel shows: drops in all, those for a limit, and of these for memory; read one after
    # another, and in 32 bits. Then what is right once they have caught up: CoDel's, and for the limit
    for readings, codel, limit in (
        ([(10, 5, 0), (12, 5, 0), (12, 7, 0), (18, 8, 0)], 10, 8),  # 2 of 12 were for the limit
        ([(10, 5, 5), (14, 8, 9), (14, 9, 9), (20, 10, 10)], 10, 0),
        ([(20, 10, 4), (22, 10, 6), (22, 12, 6), (40, 24, 8)], 16, 16),
        ([(WRAP - 4, 6, 0), (6, 6, 0), (20, 10, 0)], WRAP + 10, 10),
        ([(WRAP - 4, WRAP - 9, 0), (3, WRAP - 2, 0), (10, 3, 0)], 7, WRAP + 3),
        ([(5, 6, 0), (8, 6, 0)], 2, 6),
        ([(8, 4, 0), (2, 1, 0)], 4, 4),  # bytes tell a new beginning
    ):
        bodies = [link(1, b"d0") + in_tree(1, 0x100000, *n) for n in readings]
        with recording_of(bodies) as path, Exporter(replay=path) as exporter:
            shown = [samples(exporter.get().text) for _ in readings]
        for cause, expected in (("codel", codel), ("limit", limit)):
            which = labels(device="d0", handle="10:", parent="root", kind="fq_codel", cause=cause)
            counts = [n["codel_dropped_packets_total", which] for n in shown]
            check(f"{cause} of {readings}", counts, sorted(counts))
            check(f"{cause} of {readings}", counts[-1], expected)


@case("every scrape has the same series, and a fresh snapshot until the recording ends")
def scrapes() -> None:
    with Exporter() as exporter:
        texts = [samples(exporter.get().text) for _ in range(40)]
    for shown in texts:  # but that of the verdict
        for name, key in [*shown]:
            if name == "codel_qdisc_verdict":
                del shown[name, key]
    assert all(set(n) == set(texts[0]) for n in texts), "series come and go"
    key = next(k for k, v in texts[-1].items() if k[0] == "codel_sent_bytes_total" and v)
    sent = [n[key] for n in texts]
    check("order", sent, sorted(sent))
    assert len(set(sent)) > 4, f"not fresh: {sent}"
    check("the end stays", sent[-2], sent[-1])


@case("clients get the type that they want")
def negotiation() -> None:
    plain, wanted = "text/plain; version=0.0.4; charset=utf-8", f"{OPEN}; version=1.0.0"
    for accept, expected in {
        "": plain,
        "*/*": plain,
        "text/plain": plain,
        OPEN: wanted,
        WHAT_PROMETHEUS_SENDS: wanted,
        OPEN.upper(): wanted,
        f"text/plain, {OPEN};q=0.5": plain,
        f"text/plain;q=0.5, {OPEN}; version=1.0.0 ; q=0.5": wanted,
        f"{OPEN};q=0": plain,
        f"{OPEN}2": plain,
        f"{OPEN};q=0, {OPEN};q=1, text/plain;q=0.5": wanted,
        ", ;q=,;;": plain,
    }.items():
        with Exporter() as exporter:
            answer = exporter.get(accept=accept)
        got = answer.headers["content-type"]
        assert got.startswith(expected), f"{accept!r}: {got}"
        check(f"{accept!r}: EOF", answer.text.endswith("# EOF\n"), expected == wanted)
        check(f"{accept!r}: UNIT", "# UNIT" in answer.text, expected == wanted)


@case("paths, methods and versions of HTTP")
def requests() -> None:
    with Exporter() as exporter:
        for method, path, status in (
            ("GET", "/metrics", 200),
            ("GET", "/metrics?name=x", 200),
            ("HEAD", "/metrics", 200),
            ("GET", "/", 200),
            ("GET", "/metrics/", 404),
            ("GET", "/../etc/passwd", 404),
            ("HEAD", "/other", 404),
            ("POST", "/metrics", 405),
            ("DELETE", "/", 405),
            ("get", "/metrics", 405),
            ("GET", "metrics", 404),
        ):
            answer = exporter.get(path, method=method)
            check(f"{method} {path}", answer.status, status)
            check(f"{method} {path}: allow", "allow" in answer.headers, status == 405)
            length = int(answer.headers["content-length"])
            check(f"{method} {path}: length", len(answer.body), 0 if method == "HEAD" else length)
            assert length > 0
        for line, status in {
            b"GET /metrics HTTP/1.0": 200,
            b"GET /metrics HTTP/2.0": 505,
            b"GET /metrics": 400,
            b"GET /metrics HTTP/1.1 x": 400,
        }.items():
            check(f"{line!r}", exporter.ask(line + b"\r\n\r\n").status, status)
        # libmicrohttpd 1 closes the connection, which is 0 here; older ones look for the path
        refused = exporter.ask(b"GET /metr\0ics HTTP/1.1\r\nHost: a\r\n\r\n").status
        assert refused in (0, 400, 404), f"a NUL in the path: {refused}"
        check("bare line feeds", exporter.ask(b"GET / HTTP/1.1\nHost: a\n\n").status, 200)
        assert 'href="/metrics"' in exporter.get("/").text


@case("IPv6, and a signal that ends it although somebody is connected")
def ends() -> None:
    if not Path("/proc/net/if_inet6").exists():
        raise Skip("there is no IPv6 here")
    for signum in (signal.SIGTERM, signal.SIGINT):
        exporter = Exporter(listen="[::1]:0")
        check("host", exporter.host, "::1")
        check("status", exporter.get("/").status, 200)
        with exporter.connect() as idle:
            idle.sendall(b"GET /metr")
            check("ended", exporter.end(signum), 0)


@case("bad addresses, ports in use and bad words are refused with a reason")
def refusals() -> None:
    for where in ("", "8289", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "localhost:8289",
                  "::1:8289", "[127.0.0.1:80", "127.0.0.1:-1", "256.0.0.1:80",
                  "*:1", "[*]:1", "*:*", ":1", "[]:1", "[:1", "]:1", "1:1", "127.1:80", " 127.0.0.1:80",
                  "0x7f000001:80", "0177.0.0.1:80", "[127.0.0.1]:80", "[::1]", "[::1]:", "[::g]:80",
                  "[::1%nodev0]:80", "[%lo]:80", "127.0.0.1%lo:80", "127.0.0.1: 80"):  # fmt: skip
        error = codelstat(*REPLAY, "--listen", where, status=2).stderr
        assert f"--listen {where}: allowed are IPV4-ADDRESS:PORT" in error, error
    for where in ("127.0.0.1:0", "0.0.0.0:0", "[::]:0", "[0:0::1%1]:0"):
        if where[0] == "[" and not Path("/proc/net/if_inet6").exists():
            continue
        with Exporter(listen=where) as exporter:
            assert exporter.port
    for words in (("--buckets", "3"), ("--buckets", "0"), ("--interval", "1"), ("--once",),
                  ("--textfile", "x", "--listen", "127.0.0.1:0")):  # fmt: skip
        error = codelstat(*REPLAY, *words, status=2).stderr
        assert words[0] in error, error
    with socket.create_server(("127.0.0.1", 0)) as taken:
        where = f"127.0.0.1:{taken.getsockname()[1]}"
        error = codelstat(*REPLAY, "--listen", where, status=3).stderr
    check("in use", error, f"codelstat: cannot listen at {where}: Address already in use\n")
    codelstat("export", "--replay", "/nonexistent", "--textfile", "-", status=3)
    codelstat(*REPLAY, "--textfile", "-", "nodev0", status=1)


def counted(shown: str) -> Samples:
    """All but the time that it took."""
    found = samples(shown)
    del found[("codel_scrape_duration_seconds", labels())]
    return found


@case("a text file is replaced as a whole, with nothing left beside it")
def textfile() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "codel.prom"
        path.write_text("old")
        with path.open(encoding="ascii") as reader:
            codelstat(*REPLAY, "--textfile", str(path))
            check("a reader keeps what it has opened", reader.read(), "old")
        check("samples", counted(path.read_text()), counted(text()))
        check("mode", path.stat().st_mode & 0o777, 0o644)
        check("files", os.listdir(folder), [path.name])


@case("a file that cannot be written is an error, and leaves the old one")
def textfile_fails() -> None:
    codelstat(*REPLAY, "--textfile", "/nonexistent/codel.prom", status=3)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "codel.prom" / "x").mkdir(parents=True)
        error = codelstat(*REPLAY, "--textfile", f"{folder}/codel.prom", status=3).stderr
        assert f"{folder}/codel.prom" in error, error
        check("files", os.listdir(folder), ["codel.prom"])
    with open("/dev/full", "w", encoding="ascii") as full:
        done = subprocess.run([CODELSTAT, *REPLAY, "-t", "-"], stdout=full, stderr=full)
    check("a full device", done.returncode, 3)


@case("nothing but a regular file is replaced")
def textfile_special() -> None:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        os.mkfifo(place / "pipe")
        (place / "directory").mkdir()
        (place / "nowhere").symlink_to("absent")
        (place / "loop").symlink_to("loop")
        (place / "device").symlink_to("/dev/full")
        (place / "to-pipe").symlink_to(place / "pipe")
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(place / "socket"))
        before = {p.name: p.lstat() for p in place.iterdir()}
        # a device of this test: as root, codelstat once replaced even /dev/full
        own = place / "own"
        try:
            os.mknod(own, stat.S_IFCHR | 0o666, os.makedev(1, 7))
            before[own.name] = own.lstat()
        except PermissionError:
            pass
        for name in before:
            error = codelstat(*REPLAY, "--textfile", str(place / name), status=3).stderr
            assert error.startswith(f"codelstat: cannot write {place / name}: "), error
            assert name in ("loop",) or "neither a regular file" in error, error
            check("lines", error.count("\n"), 1)
        after = {p.name: p.lstat() for p in place.iterdir()}
        check("files", sorted(after), sorted(before))
        for name, old in before.items():
            check(name, after[name].st_ino, old.st_ino)


@case("through a symbolic link its target is replaced, beside the target")
def textfile_link() -> None:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "links").mkdir()
        (place / "data").mkdir()
        target, link = place / "data" / "codel.prom", place / "links" / "to"
        target.write_text("old")
        link.symlink_to("../data/codel.prom")
        (place / "links").chmod(0o555)  # of no use to root; a new file would be seen below
        with target.open(encoding="ascii") as reader:
            codelstat(*REPLAY, "--textfile", str(link))
            check("a reader keeps what it has opened", reader.read(), "old")
        (place / "links").chmod(0o755)
        check("link", os.readlink(link), "../data/codel.prom")
        check("samples", counted(target.read_text()), counted(text()))
        check("files", [os.listdir(p.parent) for p in (link, target)], [["to"], ["codel.prom"]])


@case("names without a directory, and names that are too long")
def textfile_names() -> None:
    with tempfile.TemporaryDirectory() as folder:
        argv = [CODELSTAT, *REPLAY, "--textfile"]
        check("status", subprocess.run([*argv, "here"], cwd=folder).returncode, 0)
        check("status", subprocess.run([*argv, "./here"], cwd=folder).returncode, 0)
        check("files", os.listdir(folder), ["here"])
        for name in ("", "here/", "here/below", "new/", "a" * 256):
            done = subprocess.run([*argv, name], cwd=folder, capture_output=True, text=True)
            check(f"status of {name!r} ({done.stderr})", done.returncode, 3)
            assert done.stderr.startswith(f"codelstat: cannot write {name}: "), done.stderr
        check("files", os.listdir(folder), ["here"])


@case("a text file every interval, until a signal or --count")
def textfile_again() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "codel.prom"
        words = [CODELSTAT, *REPLAY, "--textfile", str(path), "--interval", "0.1"]
        with subprocess.Popen([*words, "--speed", "1"]) as process:
            seen = set()
            end = time.monotonic() + 20
            while len(seen) < 3 and time.monotonic() < end:
                if path.exists():
                    seen.add(path.stat().st_ino)
                time.sleep(0.05)
            process.terminate()
            check("status", process.wait(2), 0)
        assert len(seen) >= 3, "not written again"
        done = subprocess.run([*words, "--count", "2", "--speed", "0"], timeout=20)
        check("with --count", done.returncode, 0)
        check("files", os.listdir(folder), [path.name])


if __name__ == "__main__":
    main()
