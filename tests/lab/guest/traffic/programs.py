# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Programs in a node's namespace. Not subprocess, which takes longer to import than ping to run."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import time

from namespace import inside

PATIENCE = 20.0  # seconds in which a program that was told to end has to


class Program:
    """Runs from now on; its output goes into files."""

    def __init__(self, node: str, argv: list[str]) -> None:
        self.what = " ".join(argv)
        path = shutil.which(argv[0])
        if path is None:
            raise FileNotFoundError(f"{argv[0]} is not installed")
        self.out = tempfile.TemporaryFile()
        self.err = tempfile.TemporaryFile()
        self.status: int | None = None
        with inside(node):
            self.pid = os.posix_spawn(
                path,
                argv,
                {**os.environ, "LANG": "C.UTF-8"},
                file_actions=[
                    (os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0),
                    (os.POSIX_SPAWN_DUP2, self.out.fileno(), 1),
                    (os.POSIX_SPAWN_DUP2, self.err.fileno(), 2),
                ],
            )

    def tell(self, signum: int) -> None:
        if self.status is None:
            os.kill(self.pid, signum)

    def wait(self) -> int:
        """Its status, as a shell has it."""
        end = time.monotonic() + PATIENCE
        while self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                code = os.waitstatus_to_exitcode(status)
                self.status = code if code >= 0 else 128 - code
            elif time.monotonic() > end:
                raise TimeoutError(f"{self.what}: does not end")
            else:
                time.sleep(0.001)
        return self.status

    def output(self) -> str:
        self.out.seek(0)
        return self.out.read().decode()

    def complaint(self) -> str:
        self.err.seek(0)
        text = self.err.read().decode(errors="replace").strip() or self.output()[-300:]
        return f"{self.what}: status {self.status}: {text}"

    def kill(self) -> None:
        if self.status is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            self.status = 128 + signal.SIGKILL
        self.out.close()
        self.err.close()


def run(node: str, argv: list[str]) -> str:
    """What it prints; it must succeed."""
    program = Program(node, argv)
    try:
        if program.wait():
            raise OSError(program.complaint())
        return program.output()
    finally:
        program.kill()
