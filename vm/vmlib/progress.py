# SPDX-License-Identifier: GPL-2.0
"""Long steps: what they are doing, and what they said when they failed."""

from __future__ import annotations

import re
import threading
import time
from pathlib import Path
from typing import IO, Callable

from . import process

ERROR = re.compile(r"\b(error|undefined)\b", re.IGNORECASE)


def step(what: str, log: Path, run: Callable[[IO[bytes]], int]) -> None:
    """Runs a long step, which adds its output to the log; tells every few seconds how far it has come.

    Raises Failure with the end of the log if its status is not 0.
    """
    done = threading.Event()
    began = time.monotonic()

    def tell() -> None:
        while not done.wait(5):
            lines = log.read_text(errors="replace").splitlines() or [""]
            process.say(f"  {time.monotonic() - began:4.0f} s  {lines[-1][:70]}")

    process.say(what)
    ticker = threading.Thread(target=tell, daemon=True)
    ticker.start()
    try:
        with log.open("ab") as stream:
            status = run(stream)
    finally:
        done.set()
        ticker.join()
    check(what, status, log)


def _excerpt(log: Path) -> str:
    """The end, after what names an error before it: make goes on with what it has begun."""
    lines = log.read_text(errors="replace").splitlines()
    named = [line for line in lines[:-40] if ERROR.search(line)]
    return "\n".join(named[:20] + lines[-40:])


def check(what: str, status: int, log: Path) -> None:
    if status:
        raise process.Failure(f"{_excerpt(log)}\n{what} failed")
