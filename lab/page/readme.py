# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The numbers of the laboratory in README and doc/papers.md: blocks between markers, written from the results."""

from __future__ import annotations

import re
from types import ModuleType
from typing import Callable, Mapping

import figures
from figures import (
    amounts,
    beside,
    cases,
    falling,
    far,
    fig7,
    follow,
    graph2,
    intree,
    measures,
    subjects,
)
from figures.results import Results
from figures.tables import Better, Measure

Documents = Mapping[str, Results]
FILES = ("README.md", "doc/papers.md")
BLOCK = re.compile(r"<!-- lab:(\S+) begin -->\n(.*?)<!-- lab:\1 end -->", re.S)
SHOWN = ("codel_oot", "codel", "fq_codel_oot", "fq_codel", "pfifo")
# The paper's CoDel, in its words; no numbers of the laboratory
PAPER = {
    "median delay": f"{fig7.BOUNDS['median_ms']:g}",
    "75th percentile delay": f"{fig7.BOUNDS['p75_ms']:g}",
    "95th percentile delay": f"{fig7.BOUNDS['p95_ms']:g}",
    "bytes, of tail drop\u2019s": "almost all",
}


class Missing(Exception):
    """The results that a block needs are not there; or a document names no such block."""


def document(found: Documents, name: str) -> Results:
    if name not in found or not found[name].runs:
        raise Missing(f"The kept report has no results of this: `make lab EXP={name}` makes them.")
    return found[name]


def row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def machine(results: Results) -> str:
    """Where the numbers come from."""
    counts = {len(results.of(s, results.points[0])) for s in results.subjects}
    least, most = min(counts), max(counts)
    seeds = f"{least}" if least == most else f"{least} to {most}"
    kernel = ", ".join(results.kernels.values())
    return f"Medians over {seeds} seeds, in brackets the least and the greatest; Linux {kernel}."


def picture(module: ModuleType, results: Results, top: str = "../") -> str:
    """`top`: of the tree, from the document's folder."""
    return f"![{module.describe(results)}]({top}lab/report/{module.NAME}.png)"


def of_falling(found: Documents) -> str:
    """The first of the experiment's points: every qdisc a row."""
    results = document(found, "falling")
    point = results.points[0]
    wanted = falling.opening(results)
    head = [results.title_of(point), *(m.title for m in wanted)]
    lines = [picture(falling, results, ""), "", row(head), row(["---"] * len(head))]
    for name in results.subjects:
        values = [results.values(name, point, m.of) for m in wanted]
        words = [beside.number(v) if v else amounts.NONE for v in values]
        lines.append(row([subjects.title(name), *words]))
    return "\n".join([*lines, "", machine(results), ""])


def of_follow(found: Documents) -> str:
    """A row a link, and in each cell what it carries and how late."""
    results = document(found, "follow")
    wanted = (far.share(results), far.late(results))
    names = results.subjects
    head = ["link", *map(subjects.title, names)]
    lines = [picture(follow, results, ""), "", row(head), row(["---"] * len(head))]
    for point in results.points:
        cells = []
        for name in names:
            values = [(results.values(name, point, m.of), m.unit) for m in wanted]
            cells.append(", ".join(f"{beside.number(v)} {u}" for v, u in values if v))
        lines.append(row([results.title_of(point), *(c or amounts.NONE for c in cells)]))
    return "\n".join([*lines, "", machine(results), ""])


def of_fig7(found: Documents) -> str:
    results = document(found, "fig7")
    queue = results.bottleneck
    moved = cases.beside(results, cases.TAIL_DROP, measures.megabytes(queue).of, cases.share)
    wanted = [measures.delay(queue, which) for which in ("p50", "p75", "p95", "max")]
    wanted.append(Measure("bytes, of tail drop\u2019s", "%", Better.HIGH, moved))
    names = [n for n in SHOWN if n in results.subjects]
    head = ["figure 7, all packets", "paper\u2019s CoDel", *map(subjects.title, names)]
    lines = [picture(fig7, results), "", row(head), row(["---"] * len(head))]
    for measure in wanted:
        values = [results.values(n, results.points[0], measure.of) for n in names]
        words = [beside.number(v) if v else amounts.NONE for v in values]
        lines.append(row([measure.title, PAPER.get(measure.name, amounts.NONE), *words]))
    return "\n".join([*lines, "", machine(results), ""])


def of_graph2(found: Documents) -> str:
    results = figures.shown(graph2, document(found, "graph2"))
    spike = graph2.spike(results)
    parts = []
    for name in results.subjects:
        values = results.values(name, results.points[0], spike.of)
        parts += (
            [f"{beside.number(values)}{amounts.FIXED}ms with {subjects.title(name)}"]
            if values
            else []
        )
    when = amounts.exactly(graph2.fall(results), "s")
    words = f"When the rate falls at {when}, the {spike.name} is {', '.join(parts)}."
    return "\n".join([words, machine(results), "", picture(graph2, results), ""])


def of_in_tree(found: Documents) -> str:
    """The result of the test, a line for each out-of-tree qdisc."""
    lines = []
    for target in intree.targets(intree.tests(found)):
        lines.append(f"- {target.text}: {target.value}.")
    return "\n".join([*lines, ""])


BLOCKS: dict[str, Callable[[Documents], str]] = {
    "follow": of_follow,
    "falling": of_falling,
    "fig7": of_fig7,
    "graph2": of_graph2,
    "in-tree": of_in_tree,
}


def words_of(name: str, found: Documents) -> str:
    """The text of a block; without results, how to make them."""
    try:
        return BLOCKS[name](found)
    except Missing as error:
        return f"{error}\n"


def written(text: str, found: Documents) -> str:
    """A document's text with every block made anew."""

    def block(match: re.Match[str]) -> str:
        name = match[1]
        if name not in BLOCKS:
            raise Missing(f"there is a block lab:{name} that is none of {', '.join(BLOCKS)}")
        return f"<!-- lab:{name} begin -->\n{words_of(name, found)}<!-- lab:{name} end -->"

    return BLOCK.sub(block, text)


def stale(text: str, found: Documents) -> list[str]:
    """Blocks that differ from the results, and blocks that are in no document."""
    present = {m[1]: m[2] for m in BLOCK.finditer(text)}
    wrong = [f"no document has a block lab:{name}" for name in BLOCKS if name not in present]
    for name, words in present.items():
        made = words_of(name, found) if name in BLOCKS else None
        if words != made:
            wrong.append(f"block lab:{name} is not what the results give")
    return wrong
