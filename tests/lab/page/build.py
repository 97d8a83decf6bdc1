# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The page as one file: its style inside, its figures beside it, nothing else."""

from __future__ import annotations

from pathlib import Path

from . import sections, top, words
from .book import Book
from .html import Html, lines, tag

STYLE = Path(__file__).with_name("style.css")
LEAD = """The experiments of the papers on CoDel and FQ-CoDel, run again on a stock kernel in virtual time: the same
command makes the same bytes anywhere."""


def head() -> Html:
    style = Html("\n" + STYLE.read_text())
    return tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", top.TITLE),
        tag("style", style),
    )


def page(book: Book) -> str:
    found = [t for _name, t in book.targets]
    lead = lines(
        tag("p", " ".join(LEAD.split()), class_="lead"),
        tag("p", f"{words.sentence(words.summary(found))} {top.in_short(book)}", class_="short"),
    )
    main = lines(
        top.all_targets(book),
        top.was_run(book),
        top.reading(),
        sections.parts(book),
        sections.against_in_tree(book),
        sections.extras(book),
    )
    body = lines(
        tag("a", "Skip to the report", href="#main", class_="skip"),
        tag("header", tag("h1", top.TITLE), lead),
        top.contents(book),
        tag("main", main, id="main"),
        tag("footer", tag("p", "Made by tests/lab/report.py from the JSON files beside it.")),
    )
    return f"<!DOCTYPE html>\n{tag('html', head(), tag('body', body), lang='en')}\n"
