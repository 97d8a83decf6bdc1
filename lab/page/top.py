# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The part of the page above the experiments: runs, machines, how to read it."""

from __future__ import annotations

from figures import results
from figures.results import Results
from figures.tables import Listing

from . import words
from .book import Book

TITLE = "CoDel and FQ-CoDel, measured"
READING = """Tail drop is `pfifo` with the buffer that the source gives; RED is configured for each link\u2019s rate as the
sources do. In-tree codel, in-tree fq_codel and CAKE are `codel`, `fq_codel` and `cake` of the running kernel; `codel_oot` and
`fq_codel_oot` are the out-of-tree qdiscs, with default options where nothing else is said. CAKE without `bandwidth` does
not shape here, which on slow links is a misconfiguration; where it stands with `bandwidth` set, compare with that.

Delay is the time in the queue of every packet that was sent, taken in the kernel, in the same way for every qdisc; percentiles
of a run are nearest ranks. Every number of several seeds, in tables, figures and sentences, is the median over the seeds, and below it
or in brackets are the least and the greatest. A dash is where there is no value. A target is judged by the worst run, or, where the
source gives the middle of many loads, by the median over the loads of a row; with too few loads it is not comparable. The columns of
the out-of-tree qdiscs are shaded.

Out-of-tree is better or worse than in-tree in a chapter\u2019s numbers if the ranges over the seeds do not overlap. With three
seeds that happens by chance in one of ten comparisons, so the word is a hint; the chapter “Out-of-tree against in-tree” has a test.

In the figures an out-of-tree qdisc is drawn solid, the in-tree qdisc of the same kind dashed, with hollow markers. Every figure
opens in full size when it is chosen. Tables of every single run are folded, and left out on paper."""


def versions(found: Results) -> str:
    """Kernels and programs; those of a release follow its name."""
    programs, made = found.data.get("versions") or {}, []
    for release, kernel in found.kernels.items():
        known = (programs.get(release) if release else programs) or {}
        parts = [f"{k} {v}" for k, v in sorted(known.items()) if v]
        name = f"{release}: " if release else ""
        made.append(", ".join([f"{name}Linux {kernel}", *parts]))
    return "; ".join(made)


def machines(documents: list[Results]) -> list[tuple[str, list[str]]]:
    """Kernels and programs, and the scenarios that ran on them."""
    kinds: dict[str, list[str]] = {}
    for found in documents:
        kinds.setdefault(versions(found), []).append(found.name)
    return list(kinds.items())


def runs(book: Book) -> Listing:
    rows: list[tuple[str, ...]] = []
    for found in book.documents:
        missing = f"; {found.missing} missing" if found.missing > 0 else ""
        rows.append(
            (
                found.name,
                found.data.get("grid", "default"),
                str(len(found.points)),
                str(len(found.subjects)),
                ", ".join(map(str, found.seeds)) or "\u2013",
                f"{len(found.runs)}{missing}",
            )
        )
    head = ("scenario", "grid", "points", "qdiscs", "seeds", "runs")
    return Listing("Runs of each scenario", head, rows)


def served(book: Book) -> Listing:
    """The module that each qdisc of the runs was served by, as the kernel reported it during the run."""
    found: dict[tuple[str, str], set[str]] = {}
    for document in book.documents:
        for run in document.runs:
            for queue in document.compared:
                server = run.queue(queue, "served_by")
                if server:
                    key = (results.kind_of(run, queue), results.server_words(server))
                    found.setdefault(key, set()).add(document.name)
    rows = [(kind, module, ", ".join(sorted(n))) for (kind, module), n in sorted(found.items())]
    return Listing("Which module served each qdisc", ("qdisc", "served by", "scenarios"), rows)


def in_short(book: Book) -> str:
    """The runs, in a line."""
    runs = words.count(sum(len(d.runs) for d in book.documents), "run")
    kernels = sorted({k for d in book.documents for k in d.kernels.values()})
    scenarios = words.count(len(book.documents), "scenario")
    return f"{runs} of {scenarios} on Linux {', '.join(kernels)}."
