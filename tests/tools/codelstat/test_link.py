#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
"""Qdiscs of a device that share a rate: codelstat shows them as one link, and nothing of it twice."""

from __future__ import annotations

import json
import struct
from typing import Any

from cases import case, check, codelstat, main
from exporter import labels, samples
from recordings import codel_oot, link, qdisc, recording, recording_of, sharing
from screen import Screen

FQ = b"fq_codel_oot"
RATE = 2500000


def leaves(
    second: int, queues: int = 4, ifindex: int = 1, kind: bytes = b"codel_oot", queued: int = 2
) -> bytes:
    """A device with this number of queues. The counters grow each second, and those of each queue faster than those before."""
    body = link(ifindex, b"v%d" % ifindex) + qdisc(ifindex, 0x10000, b"mq")
    for n in range(queues):
        body += sharing(
            ifindex, 16 + n << 16, second * 1000 * (n + 1), second * 10 * n, queues,
            parent=0x10001 + n, kind=kind, drops=3 * second, queued=queued,
        )  # fmt: skip
    return body


def shown(path: str, *words: str) -> list[dict[str, Any]]:
    lines = codelstat("replay", path, "--speed", "0", "--json", *words).stdout.splitlines()
    return [json.loads(line) for line in lines]


def table(path: str, *words: str) -> list[str]:
    return codelstat("replay", path, "--speed", "0", *words).stdout.splitlines()


@case("the list: the link, then its queues, and no other sum of them")
def _() -> None:
    with recording_of([leaves(1), leaves(2)]) as path:
        lines, whole = table(path), table(path, "-1")
    block = [
        "v1  link of 4    8M 4.7ms  50ms  50ms  50ms     8   800 800us",
        "  rate 20Mbit/s, 50% used, drops/s codel 12, waits/s 60 for 1ms each",
        "  CoDel is in control: p99 50ms, target 5ms",
    ]
    check("the link", lines[2:5], block)
    check("a queue", lines[6], "  10: below mq 1:1, rate 20Mbit/s shared, drops/s codel 3")
    check("lines", len(lines), 2 + 3 + 4 * 3 + 1)
    check(
        "since the counters began",
        whole[3],
        "  rate 20Mbit/s, drops codel 24, waits 120 for 1ms each",
    )


SUMS = ("bytes", "packets", "drops", "backlog", "qlen", "wire_bytes")
PARTS = ("flows", "slices", "waits", "wait_ns")


def is_sum(found: dict[str, Any], qdiscs: list[dict[str, Any]]) -> None:
    check("queues", found["queues"], len(qdiscs))
    check("rate", {found["rate"]}, {q["options"]["rate"] for q in qdiscs})
    for key in SUMS:
        check(key, found[key], sum(q[key] for q in qdiscs))
    for key in PARTS:
        check(key, found[key], sum(q["link"][key] for q in qdiscs))
    for key in ("bytes", "packets", "wire_bytes"):
        check(f"change of {key}", found["change"][key], sum(q["change"][key] for q in qdiscs))
    for key in ("waits", "wait_ns"):
        waits = [q["change"]["link"][key] for q in qdiscs]
        check(f"change of {key}", found["change"]["link"][key], sum(waits))
    for cause in ("codel", "ceiling"):
        drops = [q["change"]["dropped"][cause]["packets"] for q in qdiscs]
        check(f"drops {cause}", found["change"]["dropped"][cause]["packets"], sum(drops))


@case("JSON: the sum of its queues, the part of the rate that is used, and one histogram")
def _() -> None:
    with recording_of([leaves(1, kind=FQ), leaves(3, kind=FQ)]) as path:
        (line,), (total,) = shown(path), shown(path, "-1")
    for refresh in (line, total):
        (found,) = refresh["links"]
        check("whose", (found["dev"], found["ifindex"], found["kind"]), ("v1", 1, "fq_codel_oot"))
        is_sum(found, refresh["qdiscs"])
        check("verdict", found["verdict_code"], "in_control")
        (device,) = refresh["devices"]
        for key in ("bytes", "packets", "drops", "backlog", "qlen", "queues", "since"):
            check(f"{key} of the device", device[key], found[key])
        check("delay of the device", device["change"]["delay"], found["change"]["delay"])
        assert "link" not in device["change"], device
    check("used", line["links"][0]["used"], 20 * 1000 * 125 / RATE)
    check("used, of no interval", total["links"][0]["used"], None)
    delay = line["links"][0]["change"]["delay"]
    check("packets", sum(b["count"] for b in delay["buckets"]), 20000)
    assert delay["p50_ns"] < 5e6 < 40e6 < delay["p90_ns"], delay


@case("an alone qdisc, and another kind, are not in a link; a link of one is not shown twice")
def _() -> None:
    alone = codel_oot(1, 0x200000, b"", 5, parent=0x10005)
    other = sharing(1, 0x210000, 400, 6, 2, parent=0x10006, kind=FQ)
    other += sharing(1, 0x220000, 500, 7, 2, parent=0x10007, kind=FQ)
    single = link(2, b"v2") + sharing(2, 0x100000, 200, 0, 1)
    with recording(leaves(1, 2) + alone + other + single) as path:
        (line,) = shown(path, "-1")
        lines = table(path, "-1")
        (one,) = shown(path, "-1", "v2")
        (handle,) = shown(path, "-1", "v1", "--handle", "10:")
    found = [(n["dev"], n["kind"], n["queues"]) for n in line["links"]]
    expected = [("v1", "codel_oot", 2), ("v1", "fq_codel_oot", 2), ("v2", "codel_oot", 1)]
    check("links", found, expected)
    is_sum(line["links"][0], line["qdiscs"][:2])
    is_sum(line["links"][1], line["qdiscs"][3:5])
    check("of a device", len(one["links"]), 1)
    check("of some of its queues", (len(handle["qdiscs"]), handle["links"]), (1, []))
    heads = [n.split()[:4] for n in lines[2:] if not n.startswith(" ")]
    kinds = [" ".join(h[1:4] if h[1] == "link" else h[1:3]) for h in heads]
    check("first", kinds[:3], ["link of 2", "link of 2", "5 queues"])
    check("v2", [h[1] for h in heads if h[0] == "v2"], ["codel_oot"])


@case("statistics that are cut off are no part in a link")
def _() -> None:
    for cut in (1, 39, 40):
        body = link(1, b"v1") + sharing(1, 0x100000, 200, 5, 1, cut=cut)
        with recording(body) as path:
            (line,) = shown(path, "-1")
        check(f"without {cut} bytes", (line["links"], "link" in line["qdiscs"][0]), ([], False))
    # of a module that shares no rates, whose histogram is where others have the offset of the part
    whole = sharing(1, 0x100000, 200, 5, 1)
    older = whole.replace(struct.pack("=4H", 360, 104, 36, 0), struct.pack("=4H", 256, 104, 36, 0))
    assert older != whole
    with recording(link(1, b"v1") + older) as path:
        (line,) = shown(path, "-1")
    check("older", (line["links"], "received" in line["qdiscs"][0]), ([], True))


@case(
    "a queue that has come into the link shows no waits of before; one that was added, no interval"
)
def _() -> None:
    out = sharing(1, 0x110000, 2000, 400, 2, parent=0x10002, cut=40)  # not in the link
    back = sharing(1, 0x110000, 2000, 400, 2, parent=0x10002)
    first = link(1, b"v1") + sharing(1, 0x100000, 1000, 10, 1, parent=0x10001)
    both = link(1, b"v1") + sharing(1, 0x100000, 1000, 12, 2, parent=0x10001) + back
    with recording_of([first + out, both]) as path:
        (line,) = shown(path)
    (found,) = line["links"]
    check("waits", (found["waits"], found["change"]["link"]["waits"]), (412, 2))
    check("since", found["since"], "before")
    with recording_of([first + out, both + codel_oot(1, 0x10000, b"")]) as path:
        (line,) = shown(path)
    since = [line[of][0]["since"] for of in ("links", "devices")]
    check("since, with a new qdisc that is not in the link", since, ["before", "start"])
    with recording_of([first, both]) as path:
        (line,) = shown(path)
    (found,) = line["links"]
    check("since", (found["since"], found["used"]), ("start", None))
    check("waits", found["change"]["link"]["waits"], 412)


@case("two readings of a list that changes: the link is the sum of what there is")
def _() -> None:
    head = link(1, b"v1")
    early, late = sharing(1, 0x100000, 100, 0, 3), sharing(1, 0x110000, 100, 0, 2, parent=0x10001)
    with recording(head + early + late) as path:  # the third has gone meanwhile
        check("queues", shown(path, "-1")[0]["links"][0]["queues"], 2)
    early = sharing(1, 0x100000, 100, 0, 1)
    with recording(head + early + late) as path:
        check("queues", shown(path, "-1")[0]["links"][0]["queues"], 2)


@case("metrics: the link's own numbers once, with the labels device and kind")
def _() -> None:
    alone = codel_oot(1, 0x20000, b"", parent=0x10009)  # ahead of those that share a rate
    v3 = link(3, b"v3") + codel_oot(3, 0x10000, b"")
    with recording(leaves(1) + alone + leaves(1, 2, 2, FQ) + v3) as path:
        found = samples(codelstat("export", "--replay", path, "--textfile", "-").stdout)
    own = {(n, dict(k)["device"], dict(k)["kind"]): v for (n, k), v in found.items()
        if n in ("codel_link_queues", "codel_link_rate_bytes_per_second")}  # fmt: skip
    expected = {}
    for device, kind, queues in (("v1", "codel_oot", 4), ("v2", "fq_codel_oot", 2)):
        expected["codel_link_queues", device, kind] = queues
        expected["codel_link_rate_bytes_per_second", device, kind] = RATE
        assert ("codel_link_queues", labels(device=device, kind=kind)) in found, found
    check("links", own, expected)
    waits = [v for (n, _), v in found.items() if n == "codel_link_waits_total"]
    check("waits of each queue", waits, [0, 10, 20, 30, 0, 10])
    names = {n for n, k in found if dict(k).get("device") == "v3"}
    check("of a qdisc alone", {n for n in names if "link" in n}, set())


def chart(path: str, *words: str, status: int = 0) -> tuple[list[str], str]:
    """Titles of the frames, and standard error."""
    argv = ("watch", "v1", *words, "--replay", path, "--speed", "0")
    done = codelstat(*argv, status=status)
    return [n for n in done.stdout.splitlines() if n.startswith("v1")], done.stderr


@case("watch: a chart of the link, unless a queue is chosen")
def _() -> None:
    tail = "target 5ms  interval 100ms  rate 20Mbit/s"
    with recording_of([leaves(1), leaves(2)]) as path:
        check("the link", chart(path), ([f"v1  link of 4  codel_oot  {tail}"], ""))
        for choice in ("--parent=1:2", "--handle=11:"):
            check(choice, chart(path, choice), ([f"v1  codel_oot 11:  mq 1:2  {tail}"], ""))
    alone = codel_oot(1, 0x200000, b"", 5, parent=0x10005)
    with recording(leaves(1) + alone) as path:
        titles, said = chart(path, status=2)
    check("with another queue", (titles, "v1 has several" in said), ([], True))


@case("watch: a link that goes may return")
def _() -> None:
    part = leaves(2).replace(sharing(1, 0x130000, 8000, 60, 4, 0x10004, drops=6), b"")
    with recording_of([leaves(1), leaves(2), part, leaves(3), leaves(4)]) as path:
        titles, said = chart(path)
    assert len(part) < len(leaves(2)) and "waiting until it returns" in said, said
    check("frames", len(titles), 3)


@case("on a small terminal, the links of all devices come first")
def _() -> None:
    idle = leaves(1, 8, queued=0)
    bodies = [idle + leaves(n, 8, 2) + leaves(n, 8, 3) for n in (1, 2)]
    with recording_of(bodies) as path:
        with Screen("replay", path, "--speed", "0", columns=80, lines=16) as screen:
            check("status", screen.end(), 0)
    rows = [n.rstrip() for n in screen.frames()[-1].split("\r\n") if n.strip()]
    heads = [" ".join(n.split()[:2]) for n in rows if n.startswith("v")]
    check("links and queues", heads, ["v2 link", "v2 codel_oot", "v2 codel_oot", "v3 link"])
    assert len(rows) <= 16 and "and 22 more" in rows[-2], rows


if __name__ == "__main__":
    main()
