# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""One experiment after the other: claim, figure, numbers, targets, what follows."""

from __future__ import annotations

from pathlib import Path

from figures import kernels_own, plot
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
    computed = [words.of_targets(chapter.targets), words.of_pairs(chapter.pairs)]
    text = tag("p", " ".join(w for w in computed if w))
    return lines(
        tag("h4", "What follows"), targets(chapter), text, paragraphs(chapter.module.FOLLOWS)
    )


def article(chapter: Chapter) -> Html:
    module = chapter.module
    head = [tag("h3", module.TITLE), tag("h4", "The claim"), paragraphs(module.CLAIM)]
    head.append(source(module.SOURCE))
    if chapter.results is None:
        missing = tag("p", "Not run.", class_="missing")
        return tag("article", lines(*head, missing), id=chapter.name)
    made = [tag("h4", "Our figure"), figure(chapter)] if chapter.picture else []
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


def against_kernel(book: Book) -> Html:
    found = book.pairs
    body = [tag("h2", kernels_own.TITLE), paragraphs(kernels_own.HOW)]
    if found:
        body.append(tables.listing(kernels_own.per_experiment(found), "cells"))
        body.append(tag("p", words.of_pairs(found)))
    for number, worse in enumerate(kernels_own.listings(found)):
        if worse.rows:
            body.append(tables.listing(worse, f"worse-{number}"))
    body.append(paragraphs(kernels_own.FOLLOWS))
    return part(lines(*body), kernels_own.NAME)


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
