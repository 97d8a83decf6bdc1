# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Tables as HTML: each in a box of its own that scrolls, so that the page never does."""

from __future__ import annotations

import re
from itertools import groupby

from figures import amounts, subjects
from figures.tables import Comparison, Listing, Row, Table

from .html import Html, Part, lines, tag

NUMBER = re.compile(r"[\u2212\u2013\d][\d.,\u202f]*( ?\([\u2212\d.,\u202f]+%\))?")


def box(ident: str, title: str, table: Html, note: str = "", folded: bool = False) -> Html:
    name = f"{ident}-name"
    scroll = tag("div", table, class_="scroll", role="region", aria_labelledby=name, tabindex=0)
    words = tag("p", note, class_="note") if note else Html("")
    if folded:
        head = tag("summary", tag("span", f"Every run: {title}", id=name))
        return tag("details", head, words, scroll, class_="table")
    head = tag("p", title, id=name, class_="caption")
    return tag("div", head, scroll, words, class_="table", id=ident)


def header(names: list[str], sourced: bool) -> Html:
    """Two rows: the kernel's and ours stand below what they have in common."""
    first: list[Html] = [tag("th", tag("span", "row", class_="unseen"), scope="col", rowspan=2)]
    if sourced:
        first.append(tag("th", "Source", scope="col", rowspan=2))
    second: list[Html] = []
    for group, members in groupby(names, lambda n: subjects.get(n).group):
        found = list(members)
        if len(found) == 1:
            title = subjects.get(found[0])
            words = f"{group}, {title.member}" if title.member else group
            first.append(tag("th", words, scope="col", rowspan=2))
            continue
        first.append(tag("th", group, scope="colgroup", colspan=len(found)))
        second += [tag("th", subjects.get(n).member, scope="col") for n in found]
    rows = [tag("tr", *first), tag("tr", *second)]
    return tag("thead", *rows) if second else tag("thead", one_row(rows[0]))


def one_row(row: Html) -> Html:
    return Html(row.replace(' rowspan="2"', ""))


def value(found: tuple[float, ...], ours: bool) -> Html:
    look = "n ours" if ours else "n"
    if not found:
        return tag("td", amounts.NONE, class_=look)
    low, high = amounts.text(min(found)), amounts.text(max(found))
    spread = tag("small", f"{low}\u2009\u2026\u2009{high}") if low != high else ""
    return tag("td", amounts.text(amounts.mean(found)), spread, class_=look)


def compared(row: Row, names: list[str], sourced: bool) -> Html:
    cells: list[Html] = [tag("th", row.label, scope="row")]
    if sourced:
        cells.append(tag("td", row.source or amounts.NONE, class_="source"))
    for name in names:
        ours = subjects.kernels_own(name) is not None
        cells.append(value(row.cells.get(name, ()), ours))
    return tag("tr", *cells)


def comparison(found: Comparison, ident: str) -> Html:
    sourced = any(r.source for r in found.rows)
    names = found.subjects
    body = lines(*(compared(r, names, sourced) for r in found.rows))
    table = tag("table", header(names, sourced), tag("tbody", body))
    return box(ident, found.title, table, found.note, found.folded)


def listed(words: tuple[str, ...]) -> Html:
    first, *rest = words
    cells = [tag("td", w, class_="n" if NUMBER.fullmatch(w) else None) for w in rest]
    return tag("tr", tag("th", first, scope="row"), *cells)


def listing(found: Listing, ident: str) -> Html:
    head = tag("tr", *(tag("th", h, scope="col") for h in found.head))
    body = lines(*map(listed, found.rows))
    table = tag("table", tag("thead", head), tag("tbody", body))
    return box(ident, found.title, table, found.note, found.folded)


def any_table(found: Table, ident: str) -> Html:
    return comparison(found, ident) if isinstance(found, Comparison) else listing(found, ident)


def restacked(head: tuple[str, ...], rows: list[tuple[Part, ...]], title: str, ident: str) -> Html:
    """A table of sentences, which wrap: it needs no box."""
    first = tag("tr", *(tag("th", h, scope="col") for h in head))
    body = lines(
        *(tag("tr", tag("th", r[0], scope="row"), *(tag("td", c) for c in r[1:])) for r in rows)
    )
    name = tag("caption", title, id=ident)
    return tag("table", name, tag("thead", first), tag("tbody", body), class_="words")
