# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""One experiment after the other: claim, figure, numbers, targets, comparison."""

from __future__ import annotations

from pathlib import Path

from figures import cake, intree, plot
from figures.papers import Paper

from . import tables, words
from .book import Book, Chapter, Extra
from .html import Html, lines, paragraphs, tag
from .top import HEAD, row


def source(paper: Paper) -> Html:
    name = tag("a", paper.words, href=paper.link) if paper.link else paper.words
    place = f": {paper.place}" if paper.place else ""
    return tag("p", "Source: ", name, place, ".", class_="origin")


def figure(chapter: Chapter) -> Html:
    name = chapter.picture
    dark = plot.dark(Path(name)).name
    other = tag("source", srcset=dark, media="screen and (prefers-color-scheme: dark)")
    width, height = chapter.size
    tall = "tall" if height > 2 * width else None
    image = tag("img", src=name, alt=chapter.shows, width=width, height=height, class_=tall)
    link = tag("a", tag("picture", other, image), href=name, class_="full")
    return tag("figure", link, tag("figcaption", chapter.module.CAPTION))


def targets(chapter: Chapter) -> Html:
    if not chapter.targets:
        return Html("")
    body = tables.body([row(t) for t in chapter.targets])
    return tables.restacked("Targets", f"{chapter.name}-targets", HEAD, [body])


def follows(chapter: Chapter) -> Html:
    made = [
        tag("h4", "What follows"),
        targets(chapter),
        tag("p", words.of_targets(chapter.targets)),
    ]
    if chapter.pairs:
        made.append(tables.listing(chapter.pairs, f"{chapter.name}-pairs"))
    made.append(paragraphs(getattr(chapter.module, "WHY", "")))
    made.append(paragraphs(cake.words(chapter.results) if chapter.results else ""))
    return lines(*made)


def article(chapter: Chapter) -> Html:
    module = chapter.module
    head = [tag("h3", module.TITLE), tag("h4", "The claim"), paragraphs(module.CLAIM)]
    head.append(source(module.SOURCE))
    if chapter.results is None:
        missing = tag("p", "Not run.", class_="missing")
        return tag("article", lines(*head, missing), id=chapter.name)
    made = [tag("h4", "The figure"), figure(chapter)] if chapter.picture else []
    numbers = [tables.any_table(t, f"{chapter.name}-{n}") for n, t in enumerate(chapter.tables)]
    numbers = [tag("h4", "The numbers"), *numbers] if numbers else []
    body = lines(*head, *made, *numbers, follows(chapter))
    return tag("article", body, id=chapter.name)


def part(body: Html, ident: str) -> Html:
    """On paper, a page of its own."""
    return tag("section", body, id=ident, class_="part")


def parts(book: Book) -> Html:
    made = []
    for number, (title, chapters) in enumerate(book.parts.items(), 1):
        heading = tag("h2", title)
        made.append(part(lines(heading, *map(article, chapters)), f"part{number}"))
    return lines(*made)


def against_in_tree(book: Book) -> Html:
    body = [tag("h2", intree.TITLE), paragraphs(intree.HOW)]
    body.append(tag("p", intree.power(book.tests)))
    for number, found in enumerate(intree.listings(book.tests)):
        body.append(tables.listing(found, f"{intree.NAME}-{number}"))
    return part(lines(*body), intree.NAME)


def extra(found: Extra) -> Html:
    name = f"extra-{found.results.name}"
    made = [tables.any_table(t, f"{name}-{n}") for n, t in enumerate(found.tables)]
    heading = tag("h3", f"{found.results.name}: {found.results.title}")
    return tag("article", lines(heading, *made), id=name)


def extras(book: Book) -> Html:
    if not book.extras:
        return Html("")
    heading = tag("h2", "Other scenarios")
    return part(lines(heading, *map(extra, book.extras)), "extras")
