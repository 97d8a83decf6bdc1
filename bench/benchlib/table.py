# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The tables on the terminal."""

from __future__ import annotations

from typing import Any, Callable

Figures = dict[str, Any]
Sections = list[tuple[str, bool, Callable[[], str]]]

# Goals relative to the cost of the in-tree qdisc. The goals were set with another loop, in
# which the in-tree qdiscs cost 227, 225, 318 and 399 instructions.
GOALS = (
    ("one-f1", "codel_oot", "codel", 205 / 227),
    ("wait-f1", "codel_oot", "codel", 205 / 225),
    ("one-f1", "fq_codel_oot", "fq_codel", 285 / 318),
    ("wait-f512", "fq_codel_oot", "fq_codel", 360 / 399),
)
# Packets of 74 bytes: not above in-tree.
SHORT_ROWS = ("short-f1", "short-f512", "short-wait-f1", "short-wait-f64", "short-wait-f512",
              "acks-wait-f16", "acks-wait-f512")  # fmt: skip
GOALS += tuple((row, f"{kind}_oot", kind, 1.0)
               for kind in ("codel", "fq_codel") for row in SHORT_ROWS)  # fmt: skip
# Regime, kind, the other, and of its cost: which part, and how many instructions more. The
# shaped regimes have nothing to wait for.
SHAPED_MORE = 40
SHARED_MORE = 20  # than with a clock of its own
SHAPED_GOALS = (
    ("shaped", "codel_oot+rate", "codel_oot", 1.0, SHAPED_MORE),
    ("shaped", "fq_codel_oot+rate", "fq_codel_oot", 1.0, SHAPED_MORE),
    ("shaped", "fq_codel_oot+split", "fq_codel_oot", 1.0, SHAPED_MORE),
    ("shaped", "codel_oot+shared", "codel_oot+rate", 1.0, SHARED_MORE),
    ("shaped", "fq_codel_oot+shared", "fq_codel_oot+rate", 1.0, SHARED_MORE),
    ("shaped", "fq_codel_oot+rate", "htb+fq_codel", 0.55, 0),
    ("shaped", "fq_codel_oot+split", "htb+fq_codel", 0.55, 0),
    ("shaped", "fq_codel_oot+rate", "cake+besteffort", 0.25, 0),
    ("shaped", "fq_codel_oot+split", "cake+besteffort", 0.25, 0),
    ("link", "fq_codel_oot+rate", "htb+fq_codel", 1.0, 0),
    ("link", "fq_codel_oot+rate", "cake+besteffort", 1.0, 0),
    ("link", "fq_codel_oot+rate", "cake+flows", 1.0, 0),
)
FLOOD_GOAL = 450
FLOOD_ROWS = ("enqueue-f900", "enqueue-f900-b65536", "enqueue-f9000-b65536",
              "enqueue-f900-d1", "enqueue-f900-b65536-d1")  # fmt: skip
LONGEST = 20  # times the median
DUMP_NOISE = 1.05  # reading the clock
MEMORY_GOAL = 4.5 * 1024 * 1024


def _grid(lines: list[list[str]]) -> str:
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    text = []
    for line in lines:
        cells = [line[0].ljust(widths[0])]
        cells += [c.rjust(w) for c, w in zip(line[1:], widths[1:])]
        text.append("  ".join(cells).rstrip())
    return "\n".join(text)


def _label(row: Figures) -> str:
    label = f"{row['title']}, {row['flows']} flow{'s' if row['flows'] > 1 else ''}"
    label += f", {row['buckets']} buckets" if row["buckets"] != 1024 else ""
    label += f", drop_batch {row['drop_batch']}" if row["drop_batch"] != 64 else ""
    return label


def costs(rows: list[Figures], kinds: list[str], which: str, loop: bool) -> str:
    lines = [["", *(["loop"] if loop else []), *kinds]]
    for row in rows:
        cells = [row["qdiscs"].get(k) for k in kinds]
        numbers = [f"{c[which]:.0f}" if c else "" for c in cells]
        lines.append([_label(row), *([f"{row['loop']:.0f}"] if loop else []), *numbers])
    return _grid(lines)


def _longest(cell: Figures | None) -> str:
    if not cell or "enqueue" not in cell:
        return ""
    return "/".join(f"{cell[w]['max']:d}" if cell.get(w) else "-" for w in ("enqueue", "dequeue"))


def longest(rows: list[Figures], kinds: list[str]) -> str:
    lines = [["", *kinds]]
    lines += [[_label(r), *(_longest(r["qdiscs"].get(k)) for k in kinds)] for r in rows]
    return _grid(lines)


def split(rows: list[Figures], kinds: list[str]) -> str:
    """Mean cost of the two calls, where that is asked for few qdiscs."""
    lines = [["", *(f"{k} {w}" for k in kinds for w in ("enq", "deq"))]]
    for row in rows:
        cells = [row["qdiscs"].get(k) or {} for k in kinds]
        numbers = [f"{c[w]['mean']:.0f}" if c.get(w) else "" for c in cells
                   for w in ("enqueue", "dequeue")]  # fmt: skip
        lines.append([_label(row), *numbers])
    return _grid(lines)


def _verdict(value: float, goal: float) -> str:
    return "met" if value <= goal else f"{100 * (value / goal - 1):.1f}% over"


def _ratio_goals(by_name: dict[str, Figures]) -> list[list[str]]:
    lines = []
    for name, kind, rival, ratio in GOALS:
        qdiscs = by_name.get(name, {}).get("qdiscs", {})
        if kind in qdiscs and rival in qdiscs:
            own, other = qdiscs[kind]["total"], qdiscs[rival]["total"]
            lines.append([f"{kind}: {_label(by_name[name])}", f"{other:.0f}",
                          f"{own:.0f}", f"{ratio * other:.0f}",
                          _verdict(own, ratio * other)])  # fmt: skip
    return lines


def _shaped_goals(rows: list[Figures]) -> list[list[str]]:
    lines = []
    for regime, kind, rival, ratio, more in SHAPED_GOALS:
        for row in rows:
            qdiscs = row["qdiscs"]
            if row["regime"].startswith(regime) and kind in qdiscs and rival in qdiscs:
                own, other = qdiscs[kind]["total"], qdiscs[rival]["total"]
                goal = ratio * other + more
                lines.append([f"{kind} against {rival}: {_label(row)}", f"{other:.0f}",
                              f"{own:.0f}", f"{goal:.0f}", _verdict(own, goal)])  # fmt: skip
    return lines


def _flood_goals(by_name: dict[str, Figures]) -> list[list[str]]:
    lines = []
    base: float = FLOOD_GOAL
    for name in FLOOD_ROWS:
        qdiscs = by_name.get(name, {}).get("qdiscs", {})
        if "fq_codel_oot" not in qdiscs:
            continue
        own = qdiscs["fq_codel_oot"]["total"]
        goal = FLOOD_GOAL if name == FLOOD_ROWS[0] else 1.2 * base
        base = own if name == FLOOD_ROWS[0] else base
        other = qdiscs.get("fq_codel", {}).get("total")
        lines.append([f"fq_codel_oot: {_label(by_name[name])}", f"{other:.0f}" if other else "",
                      f"{own:.0f}", f"{goal:.0f}", _verdict(own, goal)])  # fmt: skip
    return lines


def _longest_goals(rows: list[Figures]) -> list[list[str]]:
    """The worst of the floods, either call."""

    def times(call: Figures) -> float:
        return call["max"] / max(call["median"], 1) if call else 0.0

    def worst(kind: str) -> float:
        cells = [r["qdiscs"].get(kind) for r in rows if r["regime"] in ("flood", "enqueue")]
        return max((times(c[w]) for c in cells if c and "enqueue" in c
                    for w in ("enqueue", "dequeue")), default=0.0)  # fmt: skip

    own, other = worst("fq_codel_oot"), worst("fq_codel")
    if not own:
        return []
    return [["fq_codel_oot: longest call of any flood, times its median", f"{other:.1f}",
             f"{own:.1f}", str(LONGEST), _verdict(own, LONGEST)]]  # fmt: skip


def _state_goals(data: Figures) -> list[list[str]]:
    lines = []
    dump, memory = data["dump"], data["memory"]
    if "fq_codel_oot" in dump:
        own = dump["fq_codel_oot"]
        lines.append(["fq_codel_oot: dump, 1,000 flows active", f"{dump.get('fq_codel', {}).get('1000', '')}",
                      f"{own['1000']}", f"{own['1']}", _verdict(own["1000"], own["1"] * DUMP_NOISE)])  # fmt: skip
    if "65536" in memory.get("fq_codel_oot", {}):
        own, other = (memory.get(k, {}).get("65536", 0) for k in ("fq_codel_oot", "fq_codel"))
        lines.append(["fq_codel_oot: MiB with flows 65536", f"{other / 2**20:.2f}",
                      f"{own / 2**20:.2f}", f"{MEMORY_GOAL / 2**20:.2f}",
                      _verdict(own, MEMORY_GOAL)])  # fmt: skip
    return lines


def goals(data: Figures) -> str:
    by_name = {r["name"]: r for r in data["rows"]}
    lines = _ratio_goals(by_name) + _flood_goals(by_name)
    lines += _longest_goals(data["rows"]) + _state_goals(data)
    lines += _shaped_goals(data["rows"])
    return _grid([["", "other", "out-of-tree", "goal", ""], *lines]) if lines else ""


def dump(data: Figures) -> str:
    lines = [["", *data["dump"]]]
    for flows in ("1", "1000"):
        lines.append([f"{flows} active", *(f"{v.get(flows, '')}" for v in data["dump"].values())])
    return _grid(lines)


def memory(data: Figures) -> str:
    lines = [["", *data["memory"]]]
    for key, label in (("1024", "flows 1024"), ("65536", "flows 65536"), ("per_flow", "per flow")):
        lines.append([label, *(f"{v.get(key, '')}" for v in data["memory"].values())])
    return _grid(lines)


def _present(rows: list[Figures], kinds: list[str]) -> list[str]:
    return [k for k in kinds if any(k in r["qdiscs"] for r in rows)]


def _of_calls(rows: list[Figures], kinds: list[str], unit: str, what: str) -> Sections:
    kinds = _present(rows, kinds)
    return [
        (f"{unit} per packet offered{what}, loop included", bool(rows),
         lambda: costs(rows, kinds, "total", True)),
        (f"{unit} per packet offered{what}, loop subtracted", bool(rows),
         lambda: costs(rows, kinds, "net", False)),
        (f"{unit} of the mean enqueue and dequeue{what}", bool(rows) and len(kinds) <= 4,
         lambda: split(rows, kinds)),
        (f"{unit} of the longest enqueue/dequeue{what}", bool(rows), lambda: longest(rows, kinds)),
    ]  # fmt: skip


def sections(data: Figures, kinds: list[str]) -> list[tuple[str, str]]:
    """Title and text of each table that has something to show."""
    unit = data["unit"]
    shaped = [r for r in data["rows"] if r["regime"].startswith("shaped")]
    link = [r for r in data["rows"] if r["regime"].startswith("link")]
    plain = [r for r in data["rows"] if r not in (*shaped, *link)]
    found: Sections = [
        *_of_calls(plain, kinds, unit, ""),
        *_of_calls(shaped, kinds, unit, " with a shaper"),
        (f"{unit} of the machine per packet forwarded to a saturated link", bool(link),
         lambda: costs(link, _present(link, kinds), "total", False)),
        (f"{unit} of a statistics dump", bool(data["dump"]), lambda: dump(data)),
        ("Bytes of memory", bool(data["memory"]), lambda: memory(data)),
        ("Goals", bool(goals(data)), lambda: goals(data)),
    ]  # fmt: skip
    return [(title, make()) for title, wanted, make in found if wanted]
