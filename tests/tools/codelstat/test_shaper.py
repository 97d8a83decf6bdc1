#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
"""What codelstat shows of a shaper, also of modules that have none."""

from __future__ import annotations

import csv
import struct
from io import StringIO
from pathlib import Path
from typing import Any

import short
from cases import RECORDING, case, check, codelstat, main
from exporter import samples
from recordings import RECORD_HEADER, attribute, codel_oot, link, recording, stored

RATE, RATE_OFF, TARGET_EFFECTIVE, INTERVAL_EFFECTIVE = 6, 7, 14, 15


def shaped(number: int, wire: int | None, rate: int = 2500000, ifindex: int = 1) -> bytes:
    """A codel with target 0, which its shaper raises to 18.168 ms, or without a rate."""
    nest = attribute(RATE, struct.pack("=Q", rate)) if rate else attribute(RATE_OFF, b"")
    if rate:
        nest += attribute(TARGET_EFFECTIVE, struct.pack("=I", 18168))
        nest += attribute(INTERVAL_EFFECTIVE, struct.pack("=I", 113168))
    return codel_oot(ifindex, number << 16, nest, wire=wire)


def shown(path: str, *words: str) -> list[dict[str, Any]]:
    lines = codelstat("replay", "--speed", "0", "--json", *words, path).stdout.splitlines()
    return [short.loads(line) for line in lines]


def in_json(path: str, rate: int | None, wire: int) -> None:
    qdisc = shown(path, "-1")[0]["qdiscs"][0]
    check("rate", qdisc["options"].get("rate"), rate)
    check("target", qdisc["options"].get("target_ns", 0), 0)
    check("target in force", qdisc["options"].get("target_effective_ns"), rate and 18168000)
    check("interval in force", qdisc["options"].get("interval_effective_ns"), rate and 113168000)
    check("wire", [qdisc["ledger"]["wire_bytes"], qdisc["change"]["wire_bytes"]], [wire, wire])


@case("the rate, the target in force, and the bytes on the wire")
def all_views() -> None:
    off, older = shaped(1, 0, 0), shaped(1, None, 0)
    for body, rate, wire in ((shaped(1, 3000), 2500000, 3000), (off, None, 0), (older, None, 0)):
        with recording(link(1, b"d0") + body) as path:
            in_json(path, rate, wire)
            (row,) = csv.DictReader(StringIO(codelstat("replay", "-1", "--csv", path).stdout))
            table = codelstat("replay", "-1", path).stdout
            chart = codelstat("watch", "d0", "-1", "--replay", path).stdout
        check("CSV", [row["change.wire_bytes"], row["options.rate"]], [str(wire), str(rate or "")])
        check("list", "  1: root, rate 20Mbit/s\n" in table, bool(rate))
        title = "target 18ms  interval 113ms  rate 20Mbit/s\n"
        check("watch", title in chart, bool(rate))


@case("a rate that is cut off is none")
def make_short() -> None:
    with recording(link(1, b"d0") + codel_oot(1, 0x10000, attribute(RATE, bytes(7)))) as path:
        check("rate", shown(path, "-1")[0]["qdiscs"][0]["options"].get("rate"), None)


@case("the bytes on the wire are those of the interval, and a device has their sum")
def interval() -> None:
    data = Path(RECORDING).read_bytes()[:RECORD_HEADER]
    for second, more in enumerate((0, 500)):
        body = link(1, b"d0") + shaped(1, 1000 + more) + shaped(2, 2000 + 2 * more)
        data += struct.pack("=QQII", second * 10**9, second * 10**9, len(body), 0) + body
    with stored(data) as path:
        last = shown(path)[-1]
    check("qdiscs", [q["change"]["wire_bytes"] for q in last["qdiscs"]], [500, 1000])
    check("from the start", [q["ledger"]["wire_bytes"] for q in last["qdiscs"]], [1500, 3000])
    check("device", last["devices"][0]["change"]["wire_bytes"], 1500)


@case("the metrics")
def metrics() -> None:
    body = link(1, b"d0") + shaped(1, 3000) + link(2, b"d1") + shaped(2, 0, 0, ifindex=2)
    with recording(body) as path:
        found = samples(codelstat("export", "--replay", path, "--textfile", "-").stdout)
    values = {(n, dict(k)["device"]): v for (n, k), v in found.items() if "device" in dict(k)}
    check("d0", values.get(("codel_rate_bytes_per_second", "d0")), 2500000)
    check("d1", values.get(("codel_rate_bytes_per_second", "d1")), None)
    check("wire", [values[("codel_wire_bytes_total", d)] for d in ("d0", "d1")], [3000, 0])


if __name__ == "__main__":
    main()
