# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""As much of PDF as tells what Chromium has put onto which page."""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass

OBJECT = re.compile(rb"(\d+) 0 obj\b(.*?)\bendobj", re.S)
PAGE = re.compile(rb"/Type\s*/Page\b")
BOX = re.compile(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]")
CONTENTS = re.compile(rb"/Contents (\d+) 0 R")
STREAM = re.compile(rb"stream\r?\n(.*)\r?\nendstream", re.S)
DRAWN = re.compile(rb"/(\w+) Do\b")


@dataclass(frozen=True)
class Picture:
    """Its name in the document, and its first byte: 255 is the red of white paper."""

    name: str
    corner: int


@dataclass(frozen=True)
class Page:
    """Its size in points, and the pictures that are drawn on it."""

    width: float
    height: float
    pictures: tuple[Picture, ...]


def stream(body: bytes) -> bytes:
    match = STREAM.search(body)
    if not match:
        return b""
    return zlib.decompress(match[1]) if b"/FlateDecode" in body[: match.start()] else match[1]


def pages(document: bytes) -> list[Page]:
    objects = {int(m[1]): m[2] for m in OBJECT.finditer(document)}
    pictures = {n: body for n, body in objects.items() if b"/Subtype /Image" in body[:300]}
    found = []
    for body in objects.values():
        box, contents = BOX.search(body), CONTENTS.search(body)
        if not PAGE.search(body) or not box or not contents:
            continue
        names = dict(re.findall(rb"/(\w+) (\d+) 0 R", body))
        numbers = {
            n: int(names.get(n, 0)) for n in DRAWN.findall(stream(objects[int(contents[1])]))
        }
        mine = (
            Picture(n.decode(), stream(pictures[at])[0])
            for n, at in numbers.items()
            if at in pictures
        )
        found.append(Page(float(box[1]), float(box[2]), tuple(mine)))
    return found
