# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""HTML that is well formed because nobody writes tags by hand."""

from __future__ import annotations

import html
import re

VOID = ("img", "source", "meta", "br")
# What authors may write in words: `code` and [text](address)
INLINE = re.compile(r"`([^`]+)`|\[([^\]]+)\]\(([^)\s]+)\)")


class Html(str):
    """Text that is HTML already."""


Part = str  # Html, or words that are escaped


def escaped(part: Part) -> str:
    return part if isinstance(part, Html) else html.escape(part)


def tag(name: str, /, *parts: Part, **attributes: str | int | None) -> Html:
    """`class_` is class, `aria_label` is aria-label; an attribute that is None is left out."""
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{html.escape(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    if name in VOID:
        return Html(f"<{name}{given}>")
    return Html(f"<{name}{given}>{''.join(map(escaped, parts))}</{name}>")


def lines(*parts: Part) -> Html:
    return Html("\n".join(escaped(p) for p in parts if p))


def inline(words: str) -> Html:
    made, at = [], 0
    for match in INLINE.finditer(words):
        made.append(html.escape(words[at : match.start()]))
        code, text, address = match.groups()
        made.append(tag("code", code) if code else tag("a", text, href=address))
        at = match.end()
    return Html("".join(made) + html.escape(words[at:]))


def paragraphs(words: str) -> Html:
    """Parted by empty lines."""
    found = (" ".join(p.split()) for p in re.split(r"\n\s*\n", words))
    return lines(*(tag("p", inline(p)) for p in found if p))
