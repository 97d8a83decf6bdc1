# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Output: results, and the reference of all keys."""

from __future__ import annotations

import json
import re
from typing import Any

from lablib import reference, schema, table

from .cases import case, same


def phases(delay: float) -> list[dict[str, Any]]:
    """Two of a queue that has a delay; a queue of 10 ms or more is not held in the second."""
    first = {"at_s": 0.0, "rate_mbit": 50.0, "utilisation": 0.5, "control_point_ms": 0.0,
             "held_ms": 0.0, "delay_ms": {"p95": delay, "max": 2 * delay}}  # fmt: skip
    second = {"at_s": 2.5, "rate_mbit": 0.064, "control_point_ms": 400.0, "delay_ms": None,
              "held_ms": 1300.0 if delay < 10 else None, "utilisation": None}  # fmt: skip
    return [first, second] if delay else [first]


def queue(delay: float, dropped: int) -> dict[str, Any]:
    sizes = {"bulk": (100, 1514), "down": (50, 66), "ping": (10, 98)}
    return {
        "utilisation": 0.987, "drop_rate": dropped / 1000, "jain_drops": 0.75 if dropped else None,
        "packets": 200 if delay else 0, "marked": 5, "phases": phases(delay),
        "served_by": {"module": "sch_codel", "origin": "in-tree"} if delay else
                     {"module": None, "origin": "built-in"},
        "delay_ms": {"p50": delay, "p95": 2 * delay, "p99": 100 * delay,
                     "max": 150 * delay} if delay else None,
        "traffic": {k: {"packets": n, "bytes": n * size} for k, (n, size) in sizes.items()},
    }  # fmt: skip


def run(qdisc: str | None, seed: int, point: dict[str, Any], delay: float) -> dict[str, Any]:
    return {
        "qdisc": qdisc, "seed": seed, "point": point,
        "queues": {"dsl.up": queue(delay, 12), "dsl.down": queue(0, 0)},
        "traffic": {
            "bulk": {"kind": "bulk", "goodput_mbit": 9.4, "flows_mbit": [4.4, 5], "jain": 0.996},
            "down": {"kind": "bulk", "goodput_mbit": 40.25, "flows_mbit": [40], "jain": 1},
            "ping": {"kind": "ping", "sent": 50, "lost": 1, "rtt_ms": {"p50": 51, "p95": 52, "p99": 1234, "max": 5000}},
            "asked": {"kind": "requests", "success": 0.5, "time_ms": None},
            "voice": {"kind": "cbr", "loss": 0.25, "delay_ms": {"p50": 1, "p95": 2, "p99": 3, "max": 4}},
        },
    }  # fmt: skip


SHOWN = """Title (medians of 3 seeds)

rate 1mbit, load x
queue     qdisc  util %  p50 ms  p95 ms  p99 ms  max ms  drop %  mark %  Mbit/s
dsl.up    pfifo    98.7   20.00   40.00    2000    3000     1.2     2.5    9.40
          codel    98.7    5.00   10.00   500.0   750.0     1.2     2.5    9.40
dsl.down  pfifo    98.7       -       -       -       -     0.0       -    9.40
          codel    98.7       -       -       -       -     0.0       -    9.40

queue     qdisc  Jain of drops  served by
dsl.up    pfifo           0.75  sch_codel (in-tree)
          codel           0.75  sch_codel (in-tree)
dsl.down  pfifo              -  built-in
          codel              -  built-in

queue   qdisc  at s  Mbit/s  util %  p95 ms  max ms  control ms  held ms
dsl.up  pfifo     0      50    50.0   20.00   40.00        0.00     0.00
        pfifo   2.5   0.064       -       -       -       400.0    never
        codel     0      50    50.0    5.00   10.00        0.00     0.00
        codel   2.5   0.064       -       -       -       400.0     1300

traffic  qdisc  p50 ms  p95 ms  p99 ms  max ms  lost %  Mbit/s
bulk     pfifo       -       -       -       -       -    9.40  Jain 1.00
         codel       -       -       -       -       -    9.40  Jain 1.00
down     pfifo       -       -       -       -       -   40.25
         codel       -       -       -       -       -   40.25
ping     pfifo   51.00   52.00    1234    5000     2.0       -  there and back
         codel   51.00   52.00    1234    5000     2.0       -  there and back
asked    pfifo       -       -       -       -    50.0       -  until done
         codel       -       -       -       -    50.0       -  until done
voice    pfifo    1.00    2.00    3.00    4.00    25.0       -  one way
         codel    1.00    2.00    3.00    4.00    25.0       -  one way"""


@case("tables: results by point, queue and qdisc, medians over the seeds")
def results() -> None:
    point = {"rate": "1mbit", "load": "x"}
    delays = {"pfifo": (10, 20, 300), "codel": (5, 5, 4)}
    runs = [
        run(qdisc, seed, point, delay)
        for qdisc, each in delays.items()
        for seed, delay in enumerate(each)
    ]
    shown = "\n".join(table.lines({"title": "Title", "runs": runs}))
    same("table", shown, SHOWN)
    assert max(map(len, shown.splitlines())) <= 80


@case("tables: figures have three digits that count")
def numbers() -> None:
    for value, text in (
        (None, "-"), (0, "0.00"), (9.876, "9.88"), (99.99, "99.99"), (100, "100.0"),
        (999.94, "999.9"), (1000, "1000"), (-123.4, "-123.4"),
    ):  # fmt: skip
        same(f"{value}", table.number(value), text)
    for share, text in ((None, "-"), (0.1234, "12.3"), (1, "100.0")):
        same(f"{share}", table.percent(share), text)


@case("tables: what is lost of an item of traffic, and what its users get of a queue")
def shares() -> None:
    for item, expected in (
        ({"loss": 0.25}, 0.25),
        ({"success": 0.25}, 0.75),
        ({"success": None}, None),
        ({"sent": 50, "lost": 1}, 0.02),
        ({"sent": 0, "lost": 0}, None),
        ({"sent": 9}, None),
        ({"goodput_mbit": 9}, None),
    ):
        same(f"{item}", table.lost(item), expected)
    items = {"a": {"packets": 10, "bytes": 1010}, "b": {"packets": 10, "bytes": 1000}, "c": {}}
    traffic = {name: {"goodput_mbit": rate} for name, rate in (("a", 2), ("b", 3), ("c", 4))}
    of_all = {"queues": {"q": {"traffic": items}}, "traffic": traffic}
    same("of data", table.queue_rate(of_all, "q"), 2)
    items["b"]["packets"] = 9
    same("of both", table.queue_rate(of_all, "q"), 5)
    same("of none", table.queue_rate({**of_all, "traffic": {"a": {"loss": 1}}}, "q"), None)


@case("tables: points one after the other, and a run without a qdisc")
def points() -> None:
    runs = [run(None, 1, {"p": 1}, 1), run(None, 1, {"p": 2}, 1)]
    shown = list(table.lines({"title": "Title", "runs": runs}))
    heads = [line for line in shown if line.startswith(("Title", "p "))]
    same("heads", heads, ["Title", "p 1", "p 2"])
    alone = list(table.lines({"title": "Title", "runs": [run(None, 1, {}, 1)]}))
    same("without points", [*alone[:2], alone[2][:5]], ["Title", "", "queue"])
    assert any(line.startswith("dsl.up    -  ") for line in shown), shown


TABLES = {
    "At the top": schema.TOP,
    "[link.NAME], [link.NAME.up] and [link.NAME.down]": {**schema.WAY, **schema.LINK},
    "[host.NAME]": schema.HOST,
    "[qdiscs] NAME = { ... }": schema.QDISC,
    "[traffic.NAME]": schema.ITEM,
    **{f'kind = "{kind}"': keys for kind, (_help, keys) in schema.TRAFFIC.items()},
}


@case("tables: the reference has every key, with its default and what it means")
def every_key() -> None:
    sections = {}
    for part in "\n".join(reference.lines()).split("### ")[1:]:
        title, _, rest = part.partition("\n")
        rows = [re.split(r"(?<!\\) ?\| ?", line)[1:-1] for line in rest.splitlines()]
        sections[title] = {row[0]: row[1:] for row in rows if row}
    same("sections", list(sections), list(TABLES))
    for title, keys in TABLES.items():
        for key in keys.values():
            kind, default, text = sections[title][f"`{key.name}`"]
            same(key.name, (kind, text), (reference.cell(key.kind.word), reference.cell(key.help)))
            assert text, f"{key.name} has no meaning"
            if key.default is schema.REQUIRED:
                same(key.name, default, "**must be given**")
            elif key.default not in (None, "", [], {}):
                same(key.name, default, f"`{json.dumps(key.default)}`")


SECTION = """### kind = "onoff"

UDP at a constant bit rate in talk spurts: exponential times with these means.

| key | is | default | means |
|---|---|---|---|
| `rate` | rate | `"64kbit"` | of IP packets; 0bit: none |
| `size` | size | `100` | of each IP packet |
| `dscp` | whole number | `0` | the packets' DS field |
| `ecn` | true or false \\| ect0 \\| ect1 | `false` | the packets' ECN field; true: ECT(0) |
| `on` | time | `"1s"` | mean |
| `off` | time | `"1s"` | mean |

### kind = "frames"
"""


@case("tables: the reference is Markdown")
def markdown() -> None:
    shown = "\n".join(reference.lines())
    for part in (
        SECTION,
        '| `cc` | cubic \\| reno \\| bbr | `"cubic"` |',
        "| `stop` | time |  | nor after this; none: until the end |",
        "\n\n| table | holds |\n|---|---|\n| `[qdiscs]` | what is compared",
        "\n\n### [link.NAME], [link.NAME.up] and [link.NAME.down]\n\nWhat stands in",
        "### [qdiscs] NAME = { ... }\n\n| key |",
        "### [traffic.NAME]\n\nOf every kind:\n\n| key |",
        *(f"\n| `[{name}]` | {text} |\n" for name, text in schema.TABLES.items()),
    ):
        assert part in shown, f"{part}\nis not in\n{shown}"


@case("tables: every default is one that could be given")
def defaults() -> None:
    for key in (key for keys in TABLES.values() for key in keys.values()):
        if key.default is not schema.REQUIRED and key.default not in (None, ""):
            key.kind.read(key.default)
