#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""lab/run with a machine that only seems to be one.

    fake.py FOLDER ARGUMENT...

Results go to FOLDER/out, and FOLDER/journal has a line for each begin and end of a run. What a
run does is its qdisc's first word: nothing, or one of those below.
"""

from __future__ import annotations

import hashlib
import json
import os
import runpy
import signal
import sys
import time
from pathlib import Path
from typing import Any, Sequence

LAB = Path(__file__).resolve().parents[3] / "lab"
if __name__ == "__main__":
    sys.path[:0] = [str(LAB), str(LAB.parent / "vm")]
    sys.dont_write_bytecode = True

from lablib.lab import Lab  # noqa: E402
from lablib.plan import Run  # noqa: E402
from vmlib import process  # noqa: E402

LONG = 1000  # s, longer than any test waits
PATIENCE = 120  # s for an action that takes one on an idle machine

main = runpy.run_path(str(LAB / "run"))["main"]


def figures(run: Run) -> dict[str, Any]:
    """Any, but always the same for a document."""
    digest = hashlib.sha256(json.dumps(run.document, sort_keys=True).encode()).digest()
    delay = {p: digest[n] / 7 for n, p in enumerate(("p50", "p95", "p99"))}
    queue = {"utilisation": 1 / 3, "drop_rate": 0.5, "delay_ms": delay, "traffic": {}}
    queue["series"] = {"step_s": 1, "p50_ms": list(digest[:10])}
    traffic = {
        "x": {"kind": "bulk", "goodput_mbit": digest[4] / 3, "flows_mbit": []},
        "p": {"kind": "ping", "series": [[n + 0.5, digest[-n]] for n in range(10)]},
    }
    return {"queues": {"l.up": queue}, "traffic": traffic}


class Machine:
    """The makers of runs."""

    def __init__(self, folder: Path, recipe: str = "recipe") -> None:
        self.folder = folder
        self.word = recipe

    def recipe(self, release: str, out_of_tree: bool) -> str:
        return f"{self.word} {release} {out_of_tree}"

    def complaints(self, words: Sequence[str], release: str, timeout: float) -> list[str | None]:
        """tc takes all words but those with a mistyped target."""
        with open(self.folder / "tried", "a", encoding="utf-8") as file:
            file.writelines(f"{release} {text}\n" for text in words)
        return ['"tagret" is not an option' if "tagret" in text else None for text in words]

    def journal(self, what: str, run: Run) -> None:
        line = f"{what} {run.title}\n".encode()
        fd = os.open(self.folder / "journal", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(fd, line)
        os.close(fd)

    def execute(self, run: Run, timeout: float) -> dict[str, Any]:
        assert timeout > 300
        self.journal("begin", run)
        self.behave(*run.document["links"][0]["up"]["qdisc"].split())
        self.journal("end", run)
        versions = {"tool": "1.0"}
        return {"kernel": f"6.1 {run.release}", "versions": versions, "result": figures(run)}

    def behave(self, word: str, *more: str) -> None:
        os.write(1, b"the machine talks\n")
        if word == "fails":
            raise process.Failure("\n".join(f"line {number}" for number in range(30)))
        if word == "raises":
            os.write(2, b"it divides by nothing\n")
            print(1 // 0)
        if word == "dies":
            os.kill(os.getpid(), signal.SIGKILL)
        if word == "hangs":
            self.hang()
        if word == "meets":
            self.meet(int(more[0]))

    def meet(self, number: int) -> None:
        """Waits until this number of runs has begun."""
        end = time.monotonic() + PATIENCE
        while (self.folder / "journal").read_text().count("begin") < number:
            assert time.monotonic() < end, f"{number} runs have not begun within {PATIENCE} s"
            time.sleep(0.01)

    def hang(self) -> None:
        """Like QEMU: a process of its own that must not be left behind."""
        if (self.folder / "well").exists():
            return
        child = process.start(["sleep", str(LONG)])
        (self.folder / "sleeper").write_text(str(child.pid))
        try:
            child.wait()
        finally:
            process.stop(child)


def laboratory(folder: Path, recipe: str = "recipe") -> Lab:
    machine = Machine(folder, recipe)
    return Lab(folder / "out", machine.recipe, machine.execute, machine.complaints)


if __name__ == "__main__":
    process.catch_signals()
    sys.exit(main(sys.argv[2:], laboratory(Path(sys.argv[1]))))
