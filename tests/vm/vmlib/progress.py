# SPDX-License-Identifier: GPL-2.0
"""Long steps: what they are doing, and what they said when they failed."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Callable

from . import process


def ticking(what: str, log: Path, step: Callable[[], int]) -> int:
    """Runs a long step; tells every few seconds how far its log has come."""
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
        return step()
    finally:
        done.set()
        ticker.join()


def check(what: str, status: int, log: Path) -> None:
    if status:
        tail = "\n".join(log.read_text(errors="replace").splitlines()[-40:])
        raise process.Failure(f"{tail}\n{what} failed")
