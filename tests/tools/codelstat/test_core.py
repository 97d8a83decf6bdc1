#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
"""The list, record's format and the exit statuses, on the recording that record.sh makes."""

from __future__ import annotations

import csv
import json
import os
import re
import struct
import subprocess
import time
from contextlib import AbstractContextManager
from io import StringIO
from pathlib import Path
from typing import Any

import short
from cases import CODELSTAT, HERE, TOP, case, check, codelstat, main
from recordings import attribute, cake, codel_oot, link, qdisc, recording, stored
from screen import LEAVE, Screen

SHAPED = str(HERE / "shaped.rec")
RECORD_HEADER, RECORD_HEAD = 16, 24
SNAPSHOTS = 7
EVERY = str(TOP / "tests/tools/tc/every.rec")  # no statistic in it is 0
USAGE, SYSTEM, NOTHING = 2, 3, 1

Object = dict[str, Any]


def replay(*words: str) -> str:
    return codelstat("replay", SHAPED, "--speed", "0", *words).stdout


def objects(*words: str) -> list[Object]:
    return [short.loads(line) for line in replay("--json", *words).splitlines()]


def refusal(status: int, *words: str) -> str:
    """Its standard error, which must have one or two lines."""
    done = codelstat(*words, status=status)
    assert done.stderr.startswith("codelstat"), done.stderr
    assert len(done.stderr.splitlines()) <= 2, done.stderr
    return done.stderr


def percentile(buckets: list[list[int]], p: float, longest: int) -> int:
    total = sum(packets for _from, _to, packets in buckets)
    passed = 0
    for _from, to, packets in buckets:
        passed += packets
        if passed >= total * p / 100 - 1e-6:
            return longest if _from <= longest < to else to
    raise AssertionError("no packets")


def damaged(change: Any) -> AbstractContextManager[str]:
    """The path of the recording, with its bytes changed."""
    return stored(change(bytearray(Path(SHAPED).read_bytes())))


def refused(change: Any, *expected: str) -> None:
    with damaged(change) as path:
        said = codelstat("replay", "--speed", "0", path, status=SYSTEM).stderr
    assert any(words in said for words in expected), said


@case("every snapshot is an object, its qdiscs by device")
def _() -> None:
    found = objects()
    check("objects", len(found), SNAPSHOTS - 1)
    for refresh in found:
        names = [(q["dev"], q["kind"], q["handle"]) for q in refresh["qdiscs"]]
        check("first two", names[:2], [("r1", "fq_codel_oot", "10:"), ("r1", "codel_oot", "20:")])
        check("all", [n[0] for n in names], ["r1", "r1", "idle0", "idle0", "idle1"])
        above = [q.get("above") for q in refresh["qdiscs"]]
        check("parents", above, ["htb", "htb", "mq", "mq", None])
        assert 0.49 < refresh["seconds"] < 0.51, refresh["seconds"]


@case("the packet accounting adds up, and the histogram has every packet that was sent")
def _() -> None:
    for refresh in objects():
        for q in [q for q in refresh["qdiscs"] if "ledger" in q]:
            book = q["ledger"]
            for unit in "packets", "bytes":
                gone = sum(count[unit] for count in book["drop"].values())
                total = book["sent"][unit] + book["queued"][unit] + gone
                check(f"{q['handle']} {unit}", book["received"][unit], total)
            delays = sum(packets for _from, _to, packets in q["delay"]["buckets"])
            assert 0 <= delays - book["sent"]["packets"] <= 1, (delays, book["sent"])


@case("an interval is the difference of two totals")
def _() -> None:
    found = objects()
    for before, now in zip(found, found[1:]):
        for then, q in zip(before["qdiscs"], now["qdiscs"]):
            check("since", q["since"], "before")
            check("bytes", q["change"]["bytes"], q["stats"]["bytes"] - then["stats"]["bytes"])
            if "ledger" not in q:
                continue
            for cause, packets in q["change"]["drops"].items():
                drops = [o["ledger"]["drop"][cause]["packets"] for o in (then, q)]
                check(cause, packets, drops[1] - drops[0])


@case("percentiles are those of the buckets")
def _() -> None:
    for refresh in objects() + objects("-1"):
        for q in [q for q in refresh["qdiscs"] if "p50_ns" in q["change"]]:
            change = q["change"]
            for key, p in ("p50", 50), ("p90", 90), ("p99", 99), ("p999", 99.9), ("max", 100):
                expected = percentile(change["buckets"], p, q["delay"]["max_ns"])
                check(f"{q['handle']} {key}", change[f"{key}_ns"], expected)


@case("in-tree qdiscs have no packet accounting")
def _() -> None:
    for q in objects()[0]["qdiscs"][2:]:
        assert "ledger" not in q and "delay" not in q, q
        check("target", q["options"]["target_ns"] // 1000, 4999)
        assert "p50_ns" not in q["change"], q


@case("-1: all since the counters began, at the end of the recording")
def _() -> None:
    (last,) = objects("-1")
    check("interval", last["seconds"], None)
    check("totals", last["qdiscs"][0]["ledger"], objects()[-1]["qdiscs"][0]["ledger"])
    q = last["qdiscs"][1]
    check("change", q["change"]["bytes"], q["stats"]["bytes"])
    check("since", q["since"], "start")


@case("CSV has the numbers of JSON")
def _() -> None:
    rows = list(csv.DictReader(StringIO(replay("--csv"))))
    qdiscs = [(r, q) for r in objects() for q in r["qdiscs"]]
    check("rows", len(rows), len(qdiscs))
    for row, (refresh, q) in zip(rows, qdiscs):
        assert None not in row and None not in row.values(), row
        check("time", float(row["time"]), refresh["time"])
        for key in "dev", "kind", "handle", "parent", "verdict", "module", "verdict_code":
            check(key, row[key], str(q[key]))


def member(value: Any, path: str) -> str:
    """What is at a path in JSON, as CSV has it: what is not known, or not there, is empty."""
    for name in path.split("."):
        value = value.get(name) if value else None
    return "" if value is None else str(value)


@case("a column of CSV has the path and the value of a member of JSON")
def _() -> None:
    for path in (SHAPED, EVERY):
        words = ("replay", path, "--speed", "0")
        rows = list(csv.DictReader(StringIO(codelstat(*words, "--csv").stdout)))
        lines = [json.loads(n) for n in codelstat(*words, "--json").stdout.splitlines()]
        qdiscs = [(line, q) for line in lines for q in line["qdiscs"]]
        check("rows", len(rows), len(qdiscs))
        for row, (line, q) in zip(rows, qdiscs):
            places = {"time": line, "seconds": line if q["since"] == "before" else {}}
            root = {"parent": "root"} if q.get("root") else {}
            for name, text in row.items():
                shown = member(places.get(name, root | q), name)
                if name in places or name == "change.backlog_ms":
                    check(name, text and float(text), shown and float(shown))
                elif shown or q["module"] == "out-of-tree":
                    check(f"{name} of {q['kind']}", text, shown)
        columns = {name for row in rows for name, text in row.items() if text}
        assert len(columns) >= 25, columns


@case("the verdicts of the recording")
def _() -> None:
    first, second = [q["verdict"] for q in objects("r1")[-1]["qdiscs"]]
    assert re.match(r"one flow holds 9\d(\.\d)?% of the backlog and ignores CoDel", first), first
    assert second.startswith("overload: senders ignore CoDel"), second


@case("the codes of the verdicts")
def _() -> None:
    first, second, *idle = [q["verdict_code"] for q in objects()[-1]["qdiscs"]]
    check("codes", (first, second, set(idle)), ("unresponsive_flow", "overload_limit", {"idle"}))


@case("the module that serves a qdisc, also under a plain name and with damaged statistics")
def _() -> None:
    body = link(1, b"d0") + qdisc(1, 0x10000) + codel_oot(1, 0x20000, b"", 0, b"codel")
    body += codel_oot(1, 0x30000, b"").replace(
        struct.pack("=4H", 0, 0, 248, 0), b"\0\0\0\0\xff\xff\0\0"
    )
    with recording(body) as path:
        shown = short.loads(codelstat("-1", "--json", "--replay", path).stdout)["qdiscs"]
        table = codelstat("-1", "--replay", path).stdout
    found = [(q["kind"], q["module"], "ledger" in q) for q in shown]
    expected = [("codel", "in-tree", False), ("codel", "out-of-tree", True),
                ("codel_oot", "out-of-tree", False)]  # fmt: skip
    check("modules", found, expected)
    places = re.findall(r"^  (\d: root.*)$", table, re.M)
    check("table", places, ["1: root, in-tree", "2: root, out-of-tree", "3: root"])
    for line in codelstat(
        "top", "r1", "--handle", "10:", "--replay", SHAPED, "-j"
    ).stdout.splitlines():
        check("top", short.loads(line)["module"], "out-of-tree")


@case("the ceiling: a time, off, and none; and what it dropped")
def _() -> None:
    none, half, off = b"", attribute(3, struct.pack("=I", 50000)), attribute(4, b"")
    body = link(1, b"d0") + qdisc(1, 0x40000)
    body += b"".join(codel_oot(1, n << 16, nest, 9) for n, nest in enumerate((none, half, off), 1))
    with recording(body) as path:
        shown = short.loads(codelstat("replay", "-1", "--json", path).stdout)["qdiscs"]
        row = list(csv.DictReader(StringIO(codelstat("replay", "-1", "--csv", path).stdout)))[0]
        table = codelstat("replay", "-1", path).stdout
    options = [q["options"].get("ceiling_ns") for q in shown]
    check("ceilings", options, [None, 50_000_000, None, None])
    check("ledger", shown[0]["ledger"]["drop"]["ceiling"], {"packets": 9, "bytes": 900})
    check("change", shown[0]["change"]["drops"]["ceiling"], 9)
    check("CSV", row["change.dropped.ceiling.packets"], "9")
    assert "1: root, drops ceiling 9\n" in table, table
    check("verdict", shown[0]["verdict"], "overload: senders ignore CoDel, and the ceiling drops")


@case("filters: device, handle, both, and what they do not find")
def _() -> None:
    check("dev", {q["dev"] for q in objects("r1")[0]["qdiscs"]}, {"r1"})
    check("dev", {q["dev"] for q in objects("--dev", "idle0")[0]["qdiscs"]}, {"idle0"})
    (one,) = objects("--handle", "20:", "r1")[0]["qdiscs"]
    check("kind", one["kind"], "codel_oot")
    speed = ["replay", SHAPED, "--speed", "0"]
    assert "no device eth7 in the recording" in refusal(NOTHING, *speed, "eth7")
    assert "no codel or fq_codel qdisc on r0" in refusal(NOTHING, *speed, "r0")
    said = refusal(NOTHING, *speed, "--handle", "77:")
    assert "no codel or fq_codel qdisc with handle 77: in the recording" in said, said


@case("a cake where there is no codel and no fq_codel is named, with its figures")
def _() -> None:
    shaped = cake(1, 0x80010000, 2_500_000, [(100, 900, 3, 0), (4100, 700, 9, 4), (0, 0, 0, 0)])
    body = link(1, b"eth0") + shaped + link(2, b"eth 1") + cake(2, 0x20000, 0, [])
    first = (
        "codelstat: cake 8001: on eth0: rate 20Mbit/s, delay 4.1ms, peak 900us, drops 12, marks 4; "
        "all of it: tc -s qdisc show dev eth0\n"
    )
    second = (
        "codelstat: cake 2: on eth%201: no rate, delay 0, peak 0, drops 0, marks 0; "
        "all of it: tc -s qdisc show dev eth%201\n"
    )
    none = "codelstat: no codel or fq_codel qdisc"
    with recording(body) as path:
        for words, expected in (
            ((), f"{none} in the recording\n{first}{second}"),
            (("--dev", "eth0"), f"{none} on eth0\n{first}"),
            (("--handle", "2:"), f"{none} with handle 2: in the recording\n{second}"),
            (("--handle", "3:"), f"{none} with handle 3: in the recording\n"),
        ):
            argv = ("--replay", path, "--speed", "0", *words)
            check(f"{words}", codelstat(*argv, status=NOTHING).stderr, expected)
    with recording(body + qdisc(2, 0x10000, parent=0x20001)) as path:
        check("beside a codel", codelstat("--replay", path, "-1").stderr, "")
    for end in range(48, len(shaped), 8):  # damaged
        cut = struct.pack("=I", end) + shaped[4:end]
        with recording(link(1, b"eth0") + cut) as path:
            codelstat("--replay", path, "--speed", "0", status=NOTHING)


@case("--count ends it; --replay is replay")
def _() -> None:
    check("count", len(objects("-c", "2")), 2)
    check("count", objects("-c", "2"), objects()[:2])
    listed = codelstat("--replay", SHAPED, "--speed", "0", "--json").stdout
    check("--replay", listed, replay("--json"))
    check("list", codelstat("list", "--replay", SHAPED, "--speed", "0", "--json").stdout, listed)


@case("the pace is the recording's, divided by --speed")
def _() -> None:
    began = time.monotonic()
    codelstat("replay", SHAPED, "--speed", "10", "-c", "4")
    passed = time.monotonic() - began
    # four pauses of half a second
    assert 0.19 <= passed, passed


@case("a recording through a pipe")
def _() -> None:
    done = subprocess.run(
        [CODELSTAT, "replay", "-", "-1", "--json"],
        input=Path(SHAPED).read_bytes(),
        capture_output=True,
        check=True,
    )
    check("output", short.loads(done.stdout), objects("-1")[0])


@case("a device with several queues has a total, and its delays if all of them have some")
def _() -> None:
    for refresh in objects() + objects("-1"):
        check("devices", [d["dev"] for d in refresh["devices"]], ["r1", "idle0"])
        for total in refresh["devices"]:
            qdiscs = [q for q in refresh["qdiscs"] if q["dev"] == total["dev"]]
            check("queues", total["queues"], len(qdiscs))
            check("since", {total["since"]}, {q["since"] for q in qdiscs})
            for key, value in total["stats"].items():
                check(key, value, sum(q["stats"][key] for q in qdiscs))
            change = total["change"]
            for key in "bytes", "packets":
                check(key, change[key], sum(q["change"][key] for q in qdiscs))
            for key in "drops", "marks":
                for cause, packets in change[key].items():
                    check(cause, packets, sum(q["change"][key][cause] for q in qdiscs))
            assert ("p50_ns" in change) == (total["dev"] == "r1"), total
        change, qdiscs = refresh["devices"][0]["change"], refresh["qdiscs"][:2]
        buckets: dict[tuple[int, int], int] = {}
        for begin, end, packets in (b for q in qdiscs for b in q["change"].get("buckets", [])):
            buckets[begin, end] = buckets.get((begin, end), 0) + packets
        check("buckets", change["buckets"], [[*b, n] for b, n in sorted(buckets.items())])
        longest = max(q["delay"]["max_ns"] for q in qdiscs)
        for key, p in ("p50", 50), ("p90", 90), ("p99", 99), ("p999", 99.9), ("max", 100):
            check(key, change[f"{key}_ns"], percentile(change["buckets"], p, longest))


@case("the table: three lines to a qdisc, a total to each of two devices, none wider than 80")
def _() -> None:
    blocks = replay().strip().split("\n\n")
    check("blocks", len(blocks), SNAPSHOTS - 1)
    for block in blocks:
        lines = block.splitlines()
        check("lines", len(lines), 2 + 3 * 5 + 2)
        assert max(map(len, lines)) <= 80, max(lines, key=len)
        check("columns", lines[1].split()[:3], ["DEV", "KIND", "BIT/S"])
        assert re.match(r"r1 +2 queues +(9|10)(\.\d+)?M ", lines[2]), lines[2]
        assert re.match(r"r1 +fq_codel_oot +[78](\.\d+)?M ", lines[3]), lines[3]
        assert re.search(r"10: below htb 1:1, drops/s codel \d+, marks/s", lines[4]), lines[4]
        assert re.match(r"idle0 +2 queues +0 +- ", lines[9]), lines[9]


@case("on a terminal: in place, within its size; the last frame is left")
def _() -> None:
    with Screen("replay", SHAPED, "--speed", "0", columns=60, lines=12) as screen:
        check("status", screen.end(), 0)
    check("frames", len(screen.frames()), SNAPSHOTS - 1)
    for frame in screen.frames():
        rows = [line for line in frame.split("\r\n") if line.strip()]
        assert len(rows) <= 12, rows
        assert max(map(len, rows)) <= 60, max(rows, key=len)
        assert "and 3 more" in rows[-2] and rows[-1] == "q quit  p pause", rows
    after = screen.seen.rsplit(LEAVE, 1)[1].decode()
    assert after.count("fq_codel_oot") == 1 and "overload" in after, after


def wide(columns: int, locale: str, *words: str) -> list[str]:
    """The lines of an output that is so wide."""
    size = {"COLUMNS": str(columns), "LINES": "9", "LC_ALL": locale}
    done = codelstat(*words, "--replay", SHAPED, "-1", **size)
    return [n for n in done.stdout.splitlines() if not n.startswith("(a chart")]


@case("a line that is cut off ends in a mark, and no other does")
def _() -> None:
    for words in (("list",), ("watch", "r1", "--handle", "10:")):
        whole = wide(250, "C", *words)
        for locale, mark in (("C", "+"), ("C.UTF-8", "…")):
            for columns in range(2, 100):
                shown = wide(columns, locale, *words) if columns < 60 or "list" in words else []
                for line, full in zip(shown, whole):
                    without_remark = full.split("; ")[0]
                    if len(without_remark) <= columns < len(full):
                        full = without_remark
                    expected = full if len(full) <= columns else full[: columns - 1] + mark
                    check(f"{columns} columns, {locale}", line, expected)


@case("a disk that is full")
def _() -> None:
    shown = ["list", "list --json", "list --csv", "top r1 --handle 10:",
             "top r1 --handle 10: --json", "watch r1 --handle 10:"]  # fmt: skip
    with open("/dev/full", "wb") as full:
        for words in (f"{view}{once}" for view in shown for once in ("", " --once")):
            argv = [CODELSTAT, *words.split(), "--replay", SHAPED, "--speed", "0"]
            done = subprocess.run(argv, stdout=full, stderr=subprocess.PIPE, check=False)
            check(words, done.returncode, SYSTEM)
            assert b"No space left" in done.stderr, done.stderr


@case("damaged recordings, cut off at every place")
def _() -> None:
    size = os.path.getsize(SHAPED)
    first = struct.unpack_from("=I", Path(SHAPED).read_bytes(), RECORD_HEADER + 16)[0]
    whole = RECORD_HEADER + RECORD_HEAD + first
    for cut in (1, 15, 17, RECORD_HEADER + 5, RECORD_HEADER + RECORD_HEAD, whole - 1, size - 1):
        refused(lambda d, n=cut: d[:n], "cut off", "is empty", "no recording")
    refused(lambda d: d[:RECORD_HEADER], "the recording is empty")
    refused(lambda d: d[:whole] + b"\0" * 10, "cut off")
    # one snapshot alone is a recording
    with damaged(lambda d: d[:whole]) as path:
        check("lines", len(codelstat("replay", path, "-1", "--json").stdout.splitlines()), 1)


@case("a histogram that would not fit into its attribute is not believed")
def _() -> None:
    def longer(data: bytearray) -> bytearray:
        # delay_offset, which is the size of struct codel_ext_stats, and 0 for reserved
        for found in re.finditer(rb"\xf8\0..(.)\0\0\0", bytes(data), re.S):
            data[found.start(1)] += 40
        return data

    with damaged(longer) as path:
        shown = codelstat("replay", path, "-1", "--json").stdout
    (last,) = [short.loads(n) for n in shown.splitlines()]
    found = [q for q in last["qdiscs"] if q["kind"].endswith("_oot")]
    check("qdiscs", len(found), 2)
    assert not any("ledger" in q or "delay" in q for q in found), found


@case("recordings that are none, of another version, order or length")
def _() -> None:
    refused(lambda d: b"", "this is no recording of codelstat's")
    refused(lambda d: b"GIF89a" + d, "this is no recording of codelstat's")
    refused(lambda d: d[:8] + d[8:12][::-1] + d[12:], "another byte order")
    refused(lambda d: d[:12] + b"\2" + d[13:], "another version")
    refused(lambda d: d[:32] + b"\xff\xff\xff\x7f" + d[36:], "the recording is damaged")
    refused(lambda d: d[:32] + b"\xff\xff\xff\x1f" + d[36:], "cut off")
    refused(lambda d: d[:40] + b"\1\0\0\0" + d[44:], "the recording is damaged")
    missing = refusal(SYSTEM, "replay", "/nonexistent/file.rec")
    assert "/nonexistent/file.rec: No such file or directory" in missing, missing
    check("a folder", refusal(SYSTEM, "replay", "/"), "codelstat: /: Is a directory\n")


@case("two snapshots of the same time: no rates, and everything else")
def _() -> None:
    def at_once(data: bytearray) -> bytearray:
        first = struct.unpack_from("=QQI", data, RECORD_HEADER)
        at = RECORD_HEADER + RECORD_HEAD + first[2]
        second = struct.unpack_from("=QQI", data, at)
        struct.pack_into("=Q", data, at, first[0])
        return data[: at + RECORD_HEAD + second[2]]

    with damaged(at_once) as path:
        words = ["--replay", path, "--speed", "0"]
        shown = {name: codelstat(*name.split(), *words).stdout for name in
                 ("list", "list --json", "list --csv", "top r1 --handle 10:",
                  "top r1 --handle 10: --json", "watch r1 --handle 10:")}  # fmt: skip
    for name, text in shown.items():
        assert text and not re.search(r"\b(inf|nan)\b", text), f"{name}: {text}"
    assert re.search(r"^r1 +fq_codel_oot +- ", shown["list"], re.M), shown["list"]
    assert re.search(r"drops/s codel -", shown["list"]), shown["list"]
    check("top", shown["top r1 --handle 10:"].splitlines()[0].split()[3:5], ["-bit/s", "backlog"])
    assert re.search(r"^-bit/s  - packets/s", shown["watch r1 --handle 10:"], re.M), shown
    check("seconds", short.loads(shown["list --json"])["seconds"], 0)
    (qdisc, _other) = short.loads(shown["list --json"])["qdiscs"][:2]
    assert qdisc["change"]["packets"] and "backlog_ms" not in qdisc["change"], qdisc
    flows = short.loads(shown["top r1 --handle 10: --json"])["flows"]
    assert flows and not any(flow["bytes_per_second"] for flow in flows), flows


@case("arguments that are wrong are named, with status 2")
def _() -> None:
    for words, named in {
        ("--interval", "0"): "--interval 0",
        ("--interval", "0.009"): "--interval 0.009",
        ("--interval", "10.1"): "--interval 10.1",
        ("--interval", "nan"): "--interval nan",
        ("--interval", "1x"): "--interval 1x",
        ("-i",): "-i",
        ("--count", "0"): "--count 0",
        ("--count", "-1"): "--count -1",
        ("--count", "99999999999999999999"): "--count 9999",
        ("--speed", "-1"): "--speed -1",
        ("--speed", "inf"): "--speed inf",
        ("--handle", "xyz"): "--handle xyz",
        ("--handle", "0:"): "--handle 0:",
        ("--handle", "1:1"): "--handle 1:1",
        ("--handle", "12345:"): "--handle 12345:",
        ("--dev", "a-name-of-16-char"): "a-name-of-16-char",
        ("a-name-of-16-char",): "a-name-of-16-char",
        ("",): "name of a device",
        ("--frobnicate",): "--frobnicate",
        ("-x",): "-x",
        ("--json", "--csv"): "--json and --csv",
        ("--json=1",): "--json=1: version 2 is the only one",
        ("--json=",): "--json=: version 2 is the only one",
        ("-j02",): "--json=02",
        ("top", "--json=x", "eth0"): "--json=x",
        ("eth0", "eth1"): "eth1",
        ("--dev", "eth0", "eth1"): "eth1",
        ("--replay", "f", "--netns", "n"): "--netns",
        ("replay",): "which file",
        ("record",): "which file",
        ("record", "--replay", "f", "g"): "--replay",
        ("replay", "--replay", "f", "g"): "--replay",
    }.items():
        said = refusal(USAGE, *words)
        assert named in said, (words, said)


@case("options may precede the command")
def _() -> None:
    for before, after in (
        (("-1", "--replay", SHAPED), ("top", "r1", "--handle", "10:")),
        (("--handle", "10:", "--replay", SHAPED, "--once"), ("watch", "r1")),
        (("--json", "-N", "1", "--replay", SHAPED, "-1", "--handle", "10:"), ("top", "r1")),
        (("-1", "--json"), ("replay", SHAPED, "r1")),
        (("-1", "--csv", "--dev", "r1"), ("list", "--replay", SHAPED)),
        (("-1", "--replay", SHAPED, "--textfile", "-", "-b", "1"), ("export",)),
    ):
        shown = [codelstat(*words).stdout for words in ((*before, *after), (*after, *before))]
        timed = re.compile(r"^codel_scrape_duration_seconds .*", re.M)
        check(" ".join(before), *(timed.sub("", text) for text in shown))
    # an argument of an option is no command
    said = refusal(SYSTEM, "-n", "top", "list", "eth0")
    assert "no network namespace top" in said, said
    assert "codelstat top: which device?" in refusal(USAGE, "-n", "list", "top")
    assert "codelstat watch: there is no option --frob" in refusal(USAGE, "--frob", "watch", "r1")


@case("a mistyped command is an error that names the commands; a device of that name is shown")
def _() -> None:
    commands = "the commands are list, top, watch, export, record, replay"
    for word in ("watc", "tops"):
        said = refusal(NOTHING, "--replay", SHAPED, word)
        expected = (
            f"codelstat: {word} is neither a device in the recording nor a command; {commands}\n"
        )
        check(word, said, expected)
        said = refusal(USAGE, "--replay", SHAPED, word, "r1")
        check("two", said, f"codelstat: {word} r1: {word} is not a command; {commands}\n")
    with recording(link(1, b"watc") + qdisc(1, 0x10000)) as path:
        (found,) = short.loads(codelstat("--replay", path, "-1", "-j", "watc").stdout)["qdiscs"]
        check("a device", found["dev"], "watc")
    check("list", refusal(NOTHING, "list", "--replay", SHAPED, "watc"),
          "codelstat: there is no device watc in the recording\n")  # fmt: skip


@case("--version is the one of the modules")
def _() -> None:
    header = (HERE.parents[2] / "qdisc" / "codel_version.h").read_text()
    version = re.findall(r'CODEL_VERSION "(.+)"', header)[0]
    for words in (("--version",), ("-V",), ("top", "--version"), ("-n", "nosuch", "-V")):
        check(" ".join(words), codelstat(*words).stdout, f"codelstat {version}\n")


@case("--help is help, of every command")
def _() -> None:
    whole = codelstat("help").stdout
    check("--help", codelstat("--help").stdout, whole)
    commands = re.findall(r"^  ([a-z]+) ", whole, re.M)
    check("commands", sorted(commands), sorted("list top watch export record replay".split()))
    for name in commands:
        text = codelstat(name, "--help").stdout
        assert "--netns" in text and text.startswith(f"usage: codelstat {name} "), text


if __name__ == "__main__":
    main()
