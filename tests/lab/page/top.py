# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""What comes before the experiments: what was run, how to read it, all targets, the contents."""

from __future__ import annotations

from itertools import groupby

from figures import kernels_own
from figures.results import Results
from figures.tables import Listing
from figures.verdict import Target

from . import tables, words
from .book import Book, Chapter
from .html import Html, Part, lines, paragraphs, tag

TITLE = "CoDel and FQ-CoDel, measured"
READING = """Tail drop is `pfifo` with the buffer that the source gives; RED is configured for each link\u2019s rate as the
sources do; the kernel\u2019s CoDel, FQ-CoDel and CAKE are `codel`, `fq_codel` and `cake`; ours are
`codel_oot` and `fq_codel_oot`, with default options where nothing else is said.

Delay is the time in the queue of every packet that was sent, taken in the kernel, in the same way for every qdisc; percentiles are
nearest ranks. A cell is the mean over the seeds, and below it the least and the greatest; a dash is where
there is no value. A target is judged by the worst run, not by a mean. The columns of ours are shaded.

In the figures ours is drawn solid, the kernel\u2019s own of the same kind dashed, with hollow markers. Every figure opens in full size when it is
chosen. Tables of every single run are folded, and left out on paper."""


def versions(found: Results) -> str:
    known = found.data.get("versions") or {}
    parts = [f"{k} {v}" for k, v in sorted(known.items()) if v]
    return ", ".join([f"Linux {found.data.get('kernel', 'unknown')}", *parts])


def seeds(found: Results) -> str:
    return ", ".join(map(str, found.seeds))


def machines(documents: list[Results]) -> Html:
    """One sentence if all ran on the same, one for each otherwise."""
    kinds: dict[str, list[str]] = {}
    for found in documents:
        kinds.setdefault(versions(found), []).append(found.name)
    if len(kinds) == 1:
        return tag("p", f"All runs: {next(iter(kinds))}.")
    return tag("ul", *(tag("li", f"{', '.join(n)}: {v}.") for v, n in kinds.items()))


def run_rows(book: Book) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for found in book.documents:
        missing = f"; {found.missing} missing" if found.missing > 0 else ""
        rows.append(
            (
                found.name,
                found.data.get("grid", "default"),
                str(len(found.points)),
                str(len(found.subjects)),
                seeds(found) or "\u2013",
                f"{len(found.runs)}{missing}",
            )
        )
    return rows


def in_short(book: Book) -> str:
    """What was run, in a line."""
    runs = words.count(sum(len(d.runs) for d in book.documents), "run")
    kernels = sorted({str(d.data.get("kernel", "unknown")) for d in book.documents})
    scenarios = words.count(len(book.documents), "scenario")
    return f"{runs} of {scenarios} on Linux {', '.join(kernels)}."


def was_run(book: Book) -> Html:
    absent = [c.module.NAME for c in book.chapters if c.results is None]
    head = ("scenario", "grid", "points", "qdiscs", "seeds", "runs")
    table = tables.listing(Listing("Runs of each scenario", head, run_rows(book)), "runs-table")
    missing = tag("p", f"Not run: {', '.join(absent)}.", class_="missing") if absent else ""
    heading = tag("h2", "What was run")
    return tag("section", lines(heading, machines(book.documents), table, missing), id="runs")


def verdict(met: bool | None) -> Html:
    return tag("span", words.MARKS[met], class_=f"verdict {words.LOOKS[met]}")


def title_of(book: Book, name: str) -> str:
    titles = {c.name: c.module.TITLE for c in book.chapters}
    return str(titles.get(name, kernels_own.TITLE))


HEAD = ("target", "bound", "measured", "verdict")


def row(target: Target) -> tuple[Part, ...]:
    return target.text, target.bound, target.value, verdict(target.met)


def all_targets(book: Book) -> Html:
    bodies = []
    for name, found in groupby(book.targets, lambda t: t[0]):
        link = tag("a", title_of(book, name), href=f"#{name}")
        bodies.append(tables.body([row(t) for _name, t in found], link))
    table = tables.restacked("Targets of all experiments", "targets-name", HEAD, bodies)
    return tag("section", lines(tag("h2", "All targets"), table), id="targets")


def entry(chapter: Chapter) -> Html:
    link = tag("a", chapter.module.TITLE, href=f"#{chapter.name}")
    if chapter.results is None:
        return tag("li", link, tag("small", " not run"))
    note = f" {words.summary(chapter.targets)}" if chapter.targets else ""
    return tag("li", link, tag("small", note))


def contents(book: Book) -> Html:
    first = {"targets": "All targets", "runs": "What was run", "reading": "How to read this"}
    entries = [tag("li", tag("a", title, href=f"#{k}")) for k, title in first.items()]
    for part, chapters in book.parts.items():
        inner = tag("ul", *map(entry, chapters))
        entries.append(tag("li", tag("span", part), inner))
    own = tag("a", kernels_own.TITLE, href=f"#{kernels_own.NAME}")
    entries.append(tag("li", own))
    if book.extras:
        entries.append(tag("li", tag("a", "Other scenarios", href="#extras")))
    heading = tag("h2", "Contents", id="contents")
    return tag("nav", heading, tag("ul", *entries), aria_labelledby="contents")


def reading() -> Html:
    return tag("section", lines(tag("h2", "How to read this"), paragraphs(READING)), id="reading")
