# SPDX-License-Identifier: GPL-2.0
"""Failures, and children that end when their parent does."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
from typing import IO, Sequence

PR_SET_PDEATHSIG = 1


class Failure(Exception):
    """The machine, or what it is made of, failed; the message says how."""


class Interrupted(BaseException):
    """A signal asked for the end."""

    def __init__(self, signum: int) -> None:
        super().__init__(signum)
        self.signum = signum


def catch_signals() -> None:
    """Turns the polite signals into an exception, so that `finally` is reached."""

    def interrupt(signum: int, _frame: object) -> None:
        ignore_signals()  # nothing may interrupt the cleaning up
        raise Interrupted(signum)

    for signum in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(signum, interrupt)


def ignore_signals() -> None:
    for signum in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(signum, signal.SIG_IGN)


def _die_with_parent() -> None:
    # A group of its own: the terminal's ^C is for us, and we end the child.
    os.setsid()
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    for signum in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(signum, signal.SIG_DFL)


def start(
    argv: Sequence[str], pass_fds: Sequence[int] = (), **kwargs: object
) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(  # type: ignore[call-overload,no-any-return]
            argv,
            stdin=subprocess.DEVNULL,
            preexec_fn=_die_with_parent,
            pass_fds=pass_fds,
            **kwargs,
        )
    except FileNotFoundError as error:
        raise Failure(f"{argv[0]} is not installed: scripts/setup installs it") from error


def stop(child: subprocess.Popen[bytes]) -> None:
    """Ends a child that may have ended already, and what it started."""
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    child.wait()
    # Its own children may take a moment; who cleans up next must be alone.
    for _ in range(500):
        try:
            os.killpg(child.pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.01)


def run(argv: Sequence[str], log: IO[bytes], env: dict[str, str] | None = None) -> int:
    """Runs to the end, with all output to `log`; returns the status."""
    child = start(argv, stdout=log, stderr=log, env=env)
    try:
        return child.wait()
    finally:
        stop(child)


def output(argv: Sequence[str]) -> bytes:
    """The standard output of a short command that must succeed."""
    try:
        return subprocess.run(
            argv, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
        ).stdout
    except FileNotFoundError as error:
        raise Failure(f"{argv[0]} is not installed: scripts/setup installs it") from error
    except subprocess.CalledProcessError as error:
        raise Failure(f"{argv[0]} failed") from error


def say(text: str) -> None:
    """Progress, for the terminal: never on standard output."""
    print(text, file=sys.stderr, flush=True)
