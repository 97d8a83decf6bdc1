# SPDX-License-Identifier: GPL-2.0
"""Timelines: machines that differ in nothing but the course of events.

All that happens in virtual time follows from what the machine boots with, so an update of a guest's package moves every
packet. A timeline makes such a change on purpose: a number on the kernel's command line, which the kernel mixes into
its random numbers before anything draws one. Timeline 0 adds no such word.
"""

from __future__ import annotations

import os

from . import process

VARIABLE = "CODEL_TIMELINE"
MOST = 999_999_999


def check(text: str) -> int:
    """A timeline's number; a ValueError states what is allowed."""
    if not text.isdecimal() or int(text) > MOST:
        raise ValueError(f"{text!r} is not a timeline: 0 to {MOST}")
    return int(text)


def number() -> int:
    """Of the machines that this process starts."""
    try:
        return check(os.environ.get(VARIABLE, "0"))
    except ValueError as error:
        raise process.Failure(f"{VARIABLE}: {error}") from error


def word() -> str:
    """The kernel's parameter."""
    return f"codel.timeline={number()}" if number() else ""
