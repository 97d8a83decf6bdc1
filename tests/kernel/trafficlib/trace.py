# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Reads the events of an instance of tracefs as they are in the kernel's ring buffer.

In words they are a hundred bytes each, and have microseconds. The layout of a page is in
events/header_page and events/header_event, that of an event in its own format file.
"""

from __future__ import annotations

import os
import re
import struct
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator

PAGE = struct.Struct("@QL")  # time stamp, length of the data: local_t, a word of the processor
LENGTH = 0xFFFFF
MISSED = 1 << 31  # events were lost before this page
WORD = struct.Struct("=I")
PADDING, TIME_EXTEND, TIME_STAMP = 29, 30, 31  # kinds of records that are no events
KIND_BITS, DELTA_BITS = 5, 27

Values = dict[str, int]
Event = tuple[int, str, Values]  # time in ns, name, fields


@dataclass
class Format:
    """An event's name and where its numbers are; arrays and strings are left out."""

    name: str
    fields: list[tuple[str, int, struct.Struct]]

    def decode(self, record: bytes) -> Values:
        return {name: s.unpack_from(record, offset)[0] for name, offset, s in self.fields}


CODES = {1: "Bb", 2: "Hh", 4: "Ii", 8: "Qq"}
FIELD = re.compile(r"field:[^;]*?(\w+);\s*offset:(\d+);\s*size:(\d+);\s*signed:([01]);")


def enabled(folders: Path) -> list[Path]:
    """The systems with events that are on, or the events of a system."""
    return [path.parent for path in folders.glob("*/enable") if path.read_text() != "0\n"]


def formats(events: Path) -> dict[int, Format]:
    """Of the events that are on, by number."""
    found = {}
    for path in (event for system in enabled(events) for event in enabled(system)):
        text = (path / "format").read_text()
        number = int(re.search(r"^ID: (\d+)", text, re.M)[1])  # type: ignore[index]
        fields = [
            (name, int(offset), struct.Struct("=" + CODES[int(size)][int(signed)]))
            for name, offset, size, signed in FIELD.findall(text)
            if int(size) in CODES
        ]
        found[number] = Format(path.name, fields)
    return found


def head(word: int) -> tuple[int, int]:
    """Kind and time of a record. The kind is in the lowest bits on little endian, in the highest on big endian."""
    if sys.byteorder == "big":
        return word >> DELTA_BITS, word & ((1 << DELTA_BITS) - 1)
    return word & ((1 << KIND_BITS) - 1), word >> KIND_BITS


def records(page: bytes) -> Iterator[tuple[int, bytes]]:
    """Time and contents of each event of a page."""
    time, commit = PAGE.unpack_from(page)
    if commit & MISSED:
        raise OSError("the trace has lost events")
    at, end = PAGE.size, PAGE.size + (commit & LENGTH)
    while at < end:
        (word,) = WORD.unpack_from(page, at)
        kind, delta = head(word)
        (more,) = WORD.unpack_from(page, at + 4) if at + 8 <= end else (0,)
        at += 4
        if kind == TIME_EXTEND:
            time += (more << DELTA_BITS) + delta
            at += 4
        elif kind == TIME_STAMP:
            # the highest bits are those of the page's own
            time = time >> 59 << 59 | (more << DELTA_BITS) + delta
            at += 4
        elif kind == PADDING and not delta:
            return
        elif kind == PADDING:
            at += more
        else:
            time += delta
            size = kind * 4 or more
            yield time, page[at if kind else at + 4 : at + size]
            at += size


def pages(instance: Path) -> Iterator[bytes]:
    """The pages of all processors; reading consumes them."""
    size = os.sysconf("SC_PAGE_SIZE")
    for path in sorted(instance.glob("per_cpu/cpu*/trace_pipe_raw")):
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb", buffering=0) as pipe:
            try:
                while page := pipe.read(size):
                    yield page
            except BlockingIOError:
                pass


def read(instance: Path) -> list[Event]:
    """All events so far, in their order."""
    known = formats(instance / "events")
    found = []
    for page in pages(instance):
        for time, record in records(page):
            event = known[struct.unpack_from("=H", record)[0]]
            found.append((time, event.name, event.decode(record)))
    return sorted(found, key=lambda event: event[0])
