#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Run many codelctl commands in one process: a start of Python takes longer than most commands.

usage: serve.py CODELCTL FOLDER

Each line of standard input is a command's words, quoted as for a shell. The command's output goes to FOLDER/ctl.out
and FOLDER/ctl.err, and its status to standard output. More commands make codelctl fail:

    @fault FAULT N    at the Nth command that codelctl runs to change something, FAULT happens:
                      fail, hangup (a signal) or vanish (the device r1 is deleted), and the command fails, or
                      kill: codelctl ends with status 137, before the command
    @commands         print the commands since then

And one sends SIGKILL to codelctl, if it has not ended by then:

    @killed SECONDS WORD...
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import runpy
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Callable, Sequence

Done = subprocess.CompletedProcess
CHANGES = (
    "ip link add",
    "ip link set",
    "ip link del",
    "ethtool -K",
    "modprobe",
    "tc qdisc",
    "tc class",
    "tc filter",
)
SET_CHILD_SUBREAPER = 36  # of prctl
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Killed(BaseException):
    """In place of SIGKILL: codelctl handles no such exception."""


class Faults:
    """In place of codelctllib.run.run. In a batch of tc, each line is a command."""

    def __init__(self, run: Callable[..., Done[str]]) -> None:
        self.run = run
        self.fault, self.at = "", 0
        self.commands: list[str] = []

    def plan(self, fault: str, at: int) -> None:
        self.fault, self.at, self.commands = fault, at, []

    def _happens(self, command: str) -> bool:
        self.commands.append(command)
        if len(self.commands) != self.at:
            return False
        if self.fault == "hangup":
            os.kill(os.getpid(), signal.SIGHUP)
            time.sleep(1)
        elif self.fault == "vanish":
            subprocess.run(["ip", "link", "del", "r1"], check=True)
        elif self.fault == "kill":
            raise Killed
        return True

    def _batch(self, argv: Sequence[str], lines: list[str]) -> Done[str]:
        done: list[str] = []
        try:
            for line in lines:
                done.append("fails" if self._happens(line) else line)
        except Killed:
            self.run(argv, "".join(f"{line}\n" for line in done))
            raise
        return self.run(argv, "".join(f"{line}\n" for line in done))

    def __call__(self, argv: Sequence[str], text: str = "", seconds: int = 30) -> Done[str]:
        command = " ".join(argv)
        if command.startswith("tc -batch"):
            return self._batch(argv, text.splitlines())
        if command.startswith(CHANGES) and " show " not in command and self._happens(command):
            return Done(argv, 1, "", "this command fails")
        return self.run(argv, text, seconds)


def killed(main: Callable[[], int], faults: Faults, seconds: float, words: list[str]) -> int:
    """The programs that codelctl has started end before this returns."""
    ctypes.CDLL(None).prctl(SET_CHILD_SUBREAPER, 1)
    child = os.fork()
    if not child:
        status = answer(main, faults, words)
        sys.stdout.flush()
        os._exit(status)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    with contextlib.suppress(ChildProcessError):
        while True:
            os.wait()
    return status if status >= 0 else 128 - status


def answer(main: Callable[[], int], faults: Faults, words: list[str]) -> int:
    if words[0] == "@fault":
        faults.plan(words[1], int(words[2]))
        return 0
    if words[0] == "@commands":
        print("\n".join(faults.commands))
        return 0
    if words[0] == "@killed":
        return killed(main, faults, float(words[1]), words[2:])
    sys.argv[1:] = words
    try:
        return main()
    except SystemExit as end:  # --help
        return int(end.code or 0)
    except Killed:
        return 137
    finally:
        for number in SIGNALS:
            signal.signal(number, signal.SIG_DFL)


def serve(program: str, folder: Path) -> None:
    main = runpy.run_path(program)["main"]
    from codelctllib import run

    run.run = faults = Faults(run.run)  # type: ignore[assignment]
    # Programs that codelctl starts must not read commands
    commands = os.fdopen(os.dup(0))
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for line in commands:
        with (folder / "ctl.out").open("w") as out, (folder / "ctl.err").open("w") as err:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                status = answer(main, faults, shlex.split(line))
        print(status, flush=True)


if __name__ == "__main__":
    serve(sys.argv[1], Path(sys.argv[2]))
