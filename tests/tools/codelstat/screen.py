# SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
"""codelstat on a terminal of its own."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
from typing import Callable

from cases import CODELSTAT

ENTER, LEAVE = b"\033[?1049h", b"\033[?1049l"
SHOWN = b"\033[?2026l"  # ends a frame
SECONDS = 20


def visible(frame: bytes) -> str:
    """Without sequences."""
    return re.sub(r"\033\[[?0-9;]*[A-Za-z]", "", frame.decode("utf-8", "replace"))


class Screen:
    """A process on a pseudoterminal of this size, as long as it is a context."""

    def __init__(
        self,
        *words: str,
        columns: int = 80,
        lines: int = 24,
        stdin: int | None = None,
        **variables: str,
    ) -> None:
        self.master, self.slave = pty.openpty()
        self.resize(columns, lines)
        environment = os.environ | {"LC_ALL": "C.UTF-8", "TERM": "xterm"}
        environment.pop("NO_COLOR", None)
        # pylint: disable=consider-using-with # it ends in __exit__
        self.process = subprocess.Popen(
            [CODELSTAT, *words],
            env=environment | variables,
            stdin=self.slave if stdin is None else stdin,
            stdout=self.slave,
            stderr=self.slave,
            process_group=0,  # in a session with a parent: only then can it be stopped
        )
        self.seen = b""

    def __enter__(self) -> Screen:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.master)
        os.close(self.slave)

    def resize(self, columns: int, lines: int) -> None:
        size = struct.pack("HHHH", lines, columns, 0, 0)
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, size)
        if hasattr(self, "process"):  # it is not the terminal's foreground process
            self.process.send_signal(signal.SIGWINCH)

    def echo(self) -> bool:
        return bool(termios.tcgetattr(self.slave)[3] & termios.ECHO)

    def read(self, seconds: float = 0.1) -> bool:
        if not select.select([self.master], [], [], seconds)[0]:
            return False
        self.seen += os.read(self.master, 65536)
        return True

    def wait_until(self, done: Callable[[], bool]) -> None:
        end = time.monotonic() + SECONDS
        while not done():
            assert time.monotonic() < end, f"not seen: {self.seen[-2000:]!r}"
            self.read()

    def wait_for(self, text: bytes, times: int = 1) -> None:
        self.wait_until(lambda: self.seen.count(text) >= times)

    def type(self, keys: str) -> None:
        os.write(self.master, keys.encode())

    def frames(self) -> list[str]:
        """All whole frames in place, without sequences; the last may be of another size."""
        inside = self.seen.split(ENTER)[-1].split(LEAVE)[0]
        return [visible(frame) for frame in inside.split(b"\033[H")[2:] if SHOWN in frame]

    def stop(self) -> None:
        """As from the keyboard; returns when it has stopped."""
        self.process.send_signal(signal.SIGTSTP)
        self.wait_until(lambda: self._state() == "T")
        self._read_all()

    def until_asleep(self) -> None:
        """Until it sleeps, between two frames."""
        self._read_all()
        self.wait_until(lambda: self._state() == "S")

    def _state(self) -> str:
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0]

    def _read_all(self) -> None:
        while self.read():
            pass

    def end(self, signum: int = 0) -> int:
        """Its status, after a signal or by itself; all that it wrote is seen then."""
        if signum:
            self.process.send_signal(signum)
        self.wait_until(lambda: self.process.poll() is not None)
        self._read_all()
        return self.process.returncode
