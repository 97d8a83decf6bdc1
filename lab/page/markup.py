# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Faults of a page's HTML that need no browser."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from xml.etree.ElementTree import Element

import html5lib


def read(page: Path) -> tuple[list[Element], list[str]]:
    """All elements, and errors in the nesting of their tags."""
    parser = html5lib.HTMLParser(namespaceHTMLElements=False)
    root = parser.parse(page.read_text())
    found = [e for e in root.iter() if isinstance(e.tag, str)]
    return found, [f"line {at[0]}: {error} {more}" for at, error, more in parser.errors]


def addresses(page: Path) -> list[str]:
    """Addresses that the page loads; links that only readers follow are not among them."""
    found = []
    for element in read(page)[0]:
        found += [element.attrib[k] for k in ("src", "srcset") if k in element.attrib]
        target = element.get("href", "#")
        if not target.startswith("#") and not (element.tag == "a" and target.startswith("http")):
            found.append(target)
    return found


def structure(page: Path) -> list[str]:
    elements, wrong = read(page)
    ids = Counter(e.attrib["id"] for e in elements if "id" in e.attrib)
    wrong += [f"id {i} is there {n} times" for i, n in ids.items() if n > 1]
    for element in elements:
        wrong += of_element(element, ids)
    return wrong


def of_element(element: Element, ids: Counter[str]) -> list[str]:
    wrong, given = [], element.attrib
    if element.tag in ("script", "link", "iframe", "object"):
        wrong.append(f"there is a <{element.tag}>")
    if element.tag == "img" and len(given.get("alt", "")) < 40:
        wrong.append(f"{given.get('src')}: alt {given.get('alt')!r} does not say what is shown")
    if element.tag == "th" and given.get("scope") not in ("row", "col", "colgroup", "rowgroup"):
        wrong.append(f"a <th> has scope {given.get('scope')}")
    target, label = given.get("href", ""), given.get("aria-labelledby")
    if target.startswith("#") and target[1:] not in ids:
        wrong.append(f"{target} leads nowhere")
    if label is not None and label not in ids:
        wrong.append(f"{label} labels something, but is not there")
    return wrong


def self_contained(page: Path) -> list[str]:
    """Beside the page is all that it needs; so it opens from a disk and from any server."""
    wrong = []
    for address in addresses(page):
        if "/" in address or ":" in address:
            wrong.append(f"{address} is elsewhere")
        elif not (page.parent / address).is_file():
            wrong.append(f"{address} is not beside the page")
    style = page.read_text()
    return wrong + [f"the style has {w}" for w in ("url(", "@import") if w in style]
