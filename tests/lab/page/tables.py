# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Tables as HTML: each in a box of its own that scrolls, so that the page never does."""

from __future__ import annotations

import re
from itertools import groupby

from figures import amounts, subjects
from figures.tables import Comparison, Listing, Row, Table
from figures.tables import value as number

from .html import Html, Part, lines, tag

NUMBER = re.compile(
    r"(never|[\u2212\u2013\d][\d.,\u202f]*)( ?\([\u2212\u2013\d.,%\u202fnever]+\))?"
)


def box(ident: str, title: str, table: Html, note: str = "", folded: bool = False) -> Html:
    name = f"{ident}-name"
    scroll = tag("div", table, class_="scroll", role="region", aria_labelledby=name, tabindex=0)
    words = tag("p", note, class_="note") if note else Html("")
    if folded:
        head = tag("summary", tag("span", title, id=name))
        return tag("details", head, words, scroll, class_="table")
    head = tag("p", title, id=name, class_="caption")
    return tag("div", head, scroll, words, class_="table", id=ident)


def header(names: list[str], sourced: bool) -> Html:
    """Two rows: in-tree and out-of-tree stand below what they have in common."""
    first: list[Html] = [tag("th", tag("span", "row", class_="unseen"), scope="col", rowspan=2)]
    if sourced:
        first.append(tag("th", "Source", scope="col", rowspan=2, class_="source"))
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


def value(seeds: tuple[float, ...], ours: bool) -> Html:
    """The median over the seeds, and below it the least and the greatest."""
    look = "n ours" if ours else "n"
    if not seeds:
        return tag("td", amounts.NONE, class_=look)
    spread = amounts.spread(seeds)
    small = tag("small", spread) if spread else ""
    return tag("td", amounts.text(number(seeds)), small, class_=look)


def compared(row: Row, names: list[str], sourced: bool) -> Html:
    cells: list[Html] = [tag("th", row.label, scope="row")]
    if sourced:
        cells.append(tag("td", row.source or amounts.NONE, class_="source"))
    for name in names:
        ours = subjects.in_tree(name) is not None
        cells.append(value(row.cells.get(name, ()), ours))
    return tag("tr", *cells)


def comparison(found: Comparison, ident: str) -> Html:
    sourced = any(r.source for r in found.rows)
    names = found.subjects
    body = lines(*(compared(r, names, sourced) for r in found.rows))
    table = tag("table", header(names, sourced), tag("tbody", body))
    return box(ident, found.title, table, found.note, found.folded)


def numeric(found: Listing) -> list[bool]:
    """Which columns have nothing but numbers."""
    return [all(NUMBER.fullmatch(r[n]) for r in found.rows) for n in range(len(found.head))]


def listed(words: tuple[str, ...], looks: list[str | None]) -> Html:
    first, *rest = words
    cells = [tag("td", w, class_=look) for w, look in zip(rest, looks[1:])]
    return tag("tr", tag("th", first, scope="row"), *cells)


def listing(found: Listing, ident: str) -> Html:
    looks = ["n" if is_number else None for is_number in numeric(found)]
    looks[0] = None
    head = tag("tr", *(tag("th", h, scope="col", class_=k) for h, k in zip(found.head, looks)))
    body = lines(*(listed(r, looks) for r in found.rows))
    table = tag("table", tag("thead", head), tag("tbody", body), class_="listing")
    return box(ident, found.title, table, found.note, found.folded)


def any_table(found: Table, ident: str) -> Html:
    return comparison(found, ident) if isinstance(found, Comparison) else listing(found, ident)


def restacked(title: str, ident: str, head: tuple[str, ...], bodies: list[Html]) -> Html:
    """A table of sentences, which wrap: it needs no box."""
    cells = (tag("th", h, scope="col", role="columnheader") for h in head)
    first = tag("thead", tag("tr", *cells, role="row"), role="rowgroup")
    name = tag("caption", title, id=ident)
    return tag("table", name, first, *bodies, class_="words", role="table")


def body(rows: list[tuple[Part, ...]], above: Part = "") -> Html:
    """Rows that belong together, with a heading of their own if they are not alone.

    Rows become blocks on a phone; with roles, they remain rows to who hears them.
    """
    made = []
    if above:
        heading = tag("th", above, scope="rowgroup", role="rowheader", colspan=len(rows[0]))
        made.append(tag("tr", heading, role="row"))
    for first, *rest in rows:
        name = tag("th", first, scope="row", role="rowheader")
        made.append(tag("tr", name, *(tag("td", c, role="cell") for c in rest), role="row"))
    return tag("tbody", lines(*made), role="rowgroup")
