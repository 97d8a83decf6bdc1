# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The page as one file: its style inside, its figures beside it, nothing else. Its HTML is in templates/."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Iterable

from figures import amounts, cake, intree, subjects
from figures.tables import Listing
from figures.tables import value as median_of
from figures.verdict import Target
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from . import top, words
from .book import Book

HERE = Path(__file__).parent
LEAD = """The experiments of the papers on CoDel and FQ-CoDel, run again on a stock kernel in virtual time: the same
command makes the same bytes anywhere."""
# Markup in texts: `code` and [text](address)
INLINE = re.compile(r"`([^`]+)`|\[([^\]]+)\]\(([^)\s]+)\)")
NUMBER = re.compile(
    r"(never|[\u2212\u2013\d][\d.,\u202f]*)( ?\([\u2212\u2013\d.,%\u202fnever]+\))?"
)


@dataclass(frozen=True)
class Group:
    """Neighbours of one name in a table's head."""

    name: str
    members: list[str]

    @property
    def several(self) -> bool:
        return len(self.members) > 1


def groups(found: Iterable[subjects.Subject]) -> list[Group]:
    return [Group(n, [s.member for s in m]) for n, m in groupby(found, lambda s: s.group)]


def inline(text: str) -> Markup:
    made, at = Markup(), 0
    for match in INLINE.finditer(text):
        code, label, address = match.groups()
        made += escape(text[at : match.start()])
        made += Markup("<code>{}</code>").format(code) if code else ""
        made += Markup('<a href="{}">{}</a>').format(address, label) if address else ""
        at = match.end()
    return made + escape(text[at:])


def paragraphs(text: str) -> Markup:
    """Parted by empty lines."""
    found = (" ".join(p.split()) for p in re.split(r"\n\s*\n", text))
    return Markup("\n").join(Markup("<p>{}</p>").format(inline(p)) for p in found if p)


def numeric(found: Listing) -> list[bool]:
    """Which columns have nothing but numbers; the first column heads the rows."""
    rest = range(1, len(found.head))
    return [False, *(all(NUMBER.fullmatch(r[n]) for r in found.rows) for n in rest)]


def environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader([HERE / "templates", HERE]),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    made.filters |= {
        "cake": cake.words,
        "groups": groups,
        "in_tree": subjects.in_tree,
        "judged": words.of_targets,
        "median": lambda seeds: amounts.text(median_of(seeds)),
        "numeric": numeric,
        "paragraphs": paragraphs,
        "spread": lambda seeds: amounts.spread(seeds) if seeds else "",
        "subject": subjects.get,
        "summary": words.summary,
    }
    made.globals |= {
        "LEAD": " ".join(LEAD.split()),
        "LOOKS": words.LOOKS,
        "MARKS": words.MARKS,
        "NONE": amounts.NONE,
        "READING": top.READING,
        "TITLE": top.TITLE,
        "intree": intree,
    }
    return made


def by_chapter(book: Book) -> list[dict[str, object]]:
    titles = {c.name: c.module.TITLE for c in book.chapters}
    return [
        {"name": n, "title": titles.get(n, intree.TITLE), "targets": [t for _name, t in found]}
        for n, found in groupby(book.targets, lambda t: t[0])
    ]


def page(book: Book) -> str:
    found: list[Target] = [t for _name, t in book.targets]
    template = environment().get_template("page.html")
    return template.render(
        book=book,
        machines=top.machines(book.documents),
        runs=top.runs(book),
        served=top.served(book),
        short=f"{words.sentence(words.summary(found))} {top.in_short(book)}",
        targets=by_chapter(book),
    )
