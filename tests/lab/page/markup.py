# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""What can be wrong with a page's HTML before anybody looks at it."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

from .html import VOID

Attributes = dict[str, str]


class Outline(HTMLParser):
    """Tags in order, with what is wrong about their nesting."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, Attributes]] = []
        self.open: list[str] = []
        self.wrong: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {k: v or "" for k, v in attrs}))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"</{tag}> at line {self.getpos()[0]} closes something else")


def read(page: Path) -> Outline:
    found = Outline()
    found.feed(page.read_text())
    found.close()
    found.wrong += [f"<{tag}> is never closed" for tag in found.open]
    return found


def addresses(outline: Outline) -> list[str]:
    """What the page itself needs: links to elsewhere are followed by people only."""
    found = []
    for tag, given in outline.tags:
        found += [given[k] for k in ("src", "srcset") if k in given]
        if "href" in given and not (tag == "a" and given["href"].startswith(("http", "#"))):
            found.append(given["href"])
    return found


def structure(page: Path) -> list[str]:
    outline = read(page)
    tags = [tag for tag, _given in outline.tags]
    ids = [given["id"] for _tag, given in outline.tags if "id" in given]
    wrong = list(outline.wrong)
    wrong += [f"there is a <{t}>" for t in ("script", "link", "iframe", "object") if t in tags]
    wrong += [f"id {i} is there {ids.count(i)} times" for i in set(ids) if ids.count(i) > 1]
    wrong += [f"there is no <{t}>" for t in ("title", "main", "nav", "h1") if t not in tags]
    if dict(outline.tags).get("html", {}).get("lang") != "en":
        wrong.append("the page has no language")
    for tag, given in outline.tags:
        wrong += of_tag(tag, given, ids)
    return wrong + headings(tags)


def of_tag(tag: str, given: Attributes, ids: list[str]) -> list[str]:
    wrong = []
    if tag == "img" and len(given.get("alt", "")) < 40:
        wrong.append(f"{given.get('src')}: alt {given.get('alt')!r} does not say what is shown")
    if tag == "th" and given.get("scope") not in ("row", "col", "colgroup", "rowgroup"):
        wrong.append(f"a <th> has scope {given.get('scope')}")
    target = given.get("href", "")
    if target.startswith("#") and target[1:] not in ids:
        wrong.append(f"{target} leads nowhere")
    label = given.get("aria-labelledby")
    if label is not None and label not in ids:
        wrong.append(f"{label} labels something, but is not there")
    return wrong


def headings(tags: list[str]) -> list[str]:
    """No level is left out."""
    levels = [int(t[1]) for t in tags if len(t) == 2 and t[0] == "h" and t[1].isdigit()]
    pairs = zip([0, *levels], levels)
    return [f"h{b} follows h{a}" for a, b in pairs if b > a + 1]


def self_contained(page: Path) -> list[str]:
    """Beside the page is all that it needs; so it opens from a disk and from any server."""
    wrong = []
    for address in addresses(read(page)):
        if "/" in address or ":" in address:
            wrong.append(f"{address} is elsewhere")
        elif not (page.parent / address).is_file():
            wrong.append(f"{address} is not beside the page")
    style = page.read_text()
    wrong += [f"the style has {w}" for w in ("url(", "@import") if w in style]
    return wrong
