#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
"""`codelstat top`: its lines, its JSON, and the list of the same recording."""

from __future__ import annotations

import json
import re
import signal
import socket
from pathlib import Path
from typing import Any

import short
from cases import RECORDING, case, check, codelstat, main
from recordings import stored
from screen import ENTER, LEAVE, Screen, visible

TOP = ("top", "r1", "--handle", "10:", "--replay", RECORDING, "--speed", "0")
LIST = ("list", "r1", "--handle", "10:", "--replay", RECORDING, "--speed", "0", "--json")
Refresh = dict[str, Any]


def refreshes(*words: str) -> list[Refresh]:
    return [short.loads(line) for line in codelstat(*TOP, "--json", *words).stdout.splitlines()]


def end_points(flow: dict[str, Any]) -> tuple[str, int, str, int, int]:
    who = flow["flow"]
    return who["src"], who["sport"], who["dst"], who["dport"], who["protocol"]


@case("the three flows of the recording have their names")
def names() -> None:
    for refresh in refreshes():
        found = sorted(end_points(flow) for flow in refresh["flows"])
        check("to", [(n[0], *n[2:]) for n in found if n[4] == 6],
              [("10.9.1.2", "10.9.2.2", 5201, 6)] * 2)  # fmt: skip
        udp = [n for n in found if n[4] == 17]
        check("UDP", udp, [("10.9.1.2", 6000, "10.9.2.2", 5000, 17)])


@case("what flows did in all intervals is the difference of what they have counted")
def sums() -> None:
    shown = refreshes()
    first = {f["class"]: f for f in shown[0]["flows"]}
    last = {f["class"]: f for f in shown[-1]["flows"]}
    for name, flow in last.items():
        rows = [f for refresh in shown[1:] for f in refresh["flows"] if f["class"] == name]
        for what in ("bytes", "packets", "drops", "marks"):
            counted = flow["total"][what] - first[name]["total"][what]
            check(f"{what} of {name}", sum(row[what] for row in rows), counted)
        for row in rows:
            check(f"delays of {name}", sum(row["delay"]), row["packets"])
    assert any(f["drops"] for r in shown for f in r["flows"]), "no drops to see"
    assert any(f["marks"] for r in shown for f in r["flows"]), "no marks to see"


@case("flows add up to what the list says of their queue")
def shares() -> None:
    listed = [short.loads(line)["qdiscs"][0] for line in codelstat(*LIST).stdout.splitlines()]
    for refresh, qdisc in zip(refreshes(), listed, strict=True):
        flows = refresh["flows"]
        change = qdisc["change"]
        check("bytes of the queue", refresh["bytes"], change["bytes"])
        check("backlog", sum(f["backlog_bytes"] for f in flows), qdisc["stats"]["backlog"])
        sent = sum(f["bytes"] for f in flows)
        assert abs(sent - change["bytes"]) < 0.01 * change["bytes"], f"{sent}: {change['bytes']}"
        check("drops", sum(f["drops"] for f in flows), sum(change["drops"].values()))
        for flow in flows:
            share = flow["bytes"] / change["bytes"]
            assert abs(flow["share"] - share) < 0.001, f"{flow['share']} is not {share}"
            rate = flow["bytes"] / refresh["seconds"]
            assert abs(flow["bytes_per_second"] - rate) < 0.01 * rate, rate
        order = [f["share"] for f in flows]
        check("order", order, sorted(order, reverse=True))


@case("delays are ends of powers of two, as the buckets are")
def delays() -> None:
    for refresh in refreshes():
        for flow in refresh["flows"]:
            total, passed, end = sum(flow["delay"]), 0, 0
            for number, packets in enumerate(flow["delay"]):
                passed += packets
                end = 2 ** (20 + number)
                if passed >= 0.99 * total:
                    break
            assert flow["p99_ns"] <= end, flow
            assert flow["p99_ns"] > end // 2 or end == 2**20, flow
            assert flow["p50_ns"] <= flow["p99_ns"]


@case("the lines are those of the JSON")
def lines() -> None:
    blocks = codelstat(*TOP).stdout.strip().split("\n\n")
    heads, bodies = blocks[::2], blocks[1::2]
    for head, body, refresh in zip(heads, bodies, refreshes(), strict=True):
        assert head.startswith("r1  fq_codel_oot 10:  "), head
        assert head.endswith(f"active flows {refresh['active_flows']}"), head
        rows = body.splitlines()[1:]
        check("rows", len(rows), len(refresh["flows"]))
        for row, flow in zip(rows, refresh["flows"]):
            words = row.split()
            check("share", words[0], f"{100 * flow['share']:.0f}%")
            check("drops and marks", words[5:7], [str(flow["drops"]), str(flow["marks"])])
            check("D", "D" in words, flow["dropping"])
            src, sport, dst, dport, protocol = end_points(flow)
            name = f"{'tcp' if protocol == 6 else 'udp'} {src}:{sport} > {dst}:{dport}"
            assert row.endswith(name), f"{row}: {name}"


@case("without the right to see addresses, flows go by the number of their class")
def no_addresses() -> None:
    data = Path(RECORDING).read_bytes()
    addresses = b"".join(socket.inet_aton(n) + bytes(12) for n in ("10.9.1.2", "10.9.2.2"))
    hidden, times = re.subn(re.escape(addresses) + b".{8}", bytes(40), data, flags=re.S)
    assert times >= 3 * len(refreshes()), f"only {times} flows"
    with stored(hidden) as path:
        words = [path if word == RECORDING else word for word in TOP]
        shown = codelstat(*words, "--json").stdout
        text = codelstat(*words).stdout
    known = [
        r | {"flows": [{k: v for k, v in f.items() if k != "flow"} for f in r["flows"]]}
        for r in refreshes()
    ]
    check("all else", [short.loads(line) for line in shown.splitlines()], known)
    rows = [line for line in text.splitlines() if re.match(r" *\d+% ", line)]
    named = [f"? (class {f['class']})" for r in known for f in r["flows"]]
    check("names", [row[row.index("? (") :] for row in rows], named)


@case("--lines, --once and --count")
def limits() -> None:
    check("lines", [len(r["flows"]) for r in refreshes("--lines", "2")], [2] * 6)
    assert "and 2 more" in codelstat(*TOP, "-N", "1", "-c", "1").stdout
    check("count", len(refreshes("--count", "2")), 2)
    (once,) = refreshes("--once")
    check("no interval", once["seconds"], None)
    for flow in once["flows"]:
        check("all of its time", flow["bytes"], flow["total"]["bytes"])
        check("rate", flow["bytes_per_second"], None)


@case("on a terminal, in place and no wider than it is")
def terminal() -> None:
    with Screen(*TOP, columns=60) as screen:
        check("status", screen.end(), 0)
    assert ENTER in screen.seen
    frames = screen.seen.split(LEAVE)[0].split(b"\033[H")[2:]
    check("frames", len(frames), 6)
    for frame in frames:
        for line in visible(frame).replace("\r", "").split("\n"):
            assert len(line) <= 60, line
    rows = [r for f in frames for r in visible(f).split("\r\n") if re.match(r" *\d+% ", r)]
    assert rows and all(len(row) == 60 and row[-1] == "…" for row in rows), rows
    assert all(re.search(r" (tcp|udp) 10\.9", row) for row in rows), rows


SORTS = {
    "share": lambda flow: flow["share"],
    "rate": lambda flow: flow["bytes_per_second"],
    "backlog": lambda flow: flow["backlog_bytes"],
    "p99": lambda flow: flow["p99_ns"],
    "drops": lambda flow: flow["drops"],
}


@case("--sort, and a key for each value of it")
def sorting() -> None:
    orders = set()
    for name, value in SORTS.items():
        shown = refreshes("--sort", name)
        for refresh in shown:
            values = [value(flow) for flow in refresh["flows"]]
            check(name, values, sorted(values, reverse=True))
        orders.add(json.dumps([[f["class"] for f in r["flows"]] for r in shown]))
    assert len(orders) > 1, "all orders are the same"
    assert "--sort name" in codelstat(*TOP, "--sort", "name", status=2).stderr
    with Screen(*TOP[:-1], "0.4", columns=100) as screen:  # 1.25 s for each
        screen.wait_until(lambda: len(screen.frames()) >= 3)
        screen.type("p")
        screen.wait_for(b"PAUSED")
        for keys, name in (("r", "rate"), ("b", "backlog"), ("9", "p99"), ("d", "drops"),
                           ("\033[19~\033OP\033[1;5As", "share"), ("\033[Bb", "backlog")):  # fmt: skip
            screen.type(keys)
            screen.wait_until(lambda: f"sorted by {name}:" in screen.frames()[-1])
        frame = screen.frames()[-1]
        check("status", screen.end(signal.SIGTERM), 0)
    (backlog,) = re.findall(r"backlog (\d+)p", frame)
    (order,) = (
        [str(flow["flow"]["sport"]) for flow in refresh["flows"]]
        for refresh in refreshes("--sort", "backlog")
        if sum(flow["backlog_packets"] for flow in refresh["flows"]) == int(backlog)
    )
    check("by backlog", re.findall(r"10\.9\.1\.2:(\d+)", frame), order)


@case("what has no flows, or is not clear, is an error")
def refusals() -> None:
    top = ("top", "--replay", RECORDING)
    for words, status, says in (
        (("r1", "--handle", "20:"), 1, "no fq_codel"),
        (("idle1",), 1, "no fq_codel"),
        (("idle0",), 2, "--parent"),
        (("nodev0",), 1, "nodev0"),
        ((), 2, "which device"),
        (("r1", "--lines", "0"), 2, "--lines 0"),
        (("r1", "--parent", "x"), 2, "--parent x"),
    ):
        error = codelstat(*top, *words, status=status).stderr
        assert says in error, error


if __name__ == "__main__":
    main()
