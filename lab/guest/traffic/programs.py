# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Programs in a node's namespace. Not subprocess, which takes longer to import than ping to run."""

from __future__ import annotations

import os
import signal
import time

from namespace import inside

PATIENCE = 60  # seconds in which a program that is about to end has to


def _contents(fd: int) -> str:
    return os.pread(fd, os.fstat(fd).st_size, 0).decode(errors="replace")


class Program:
    """Runs from now on; what it prints is kept."""

    def __init__(self, node: str, argv: list[str]) -> None:
        self.what = " ".join(argv)
        self.out = os.memfd_create("out")
        self.err = os.memfd_create("err")
        self.status: int | None = None
        with inside(node):
            self.pid = os.posix_spawnp(
                argv[0],
                argv,
                {**os.environ, "LANG": "C.UTF-8"},
                file_actions=[
                    (os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0),
                    (os.POSIX_SPAWN_DUP2, self.out, 1),
                    (os.POSIX_SPAWN_DUP2, self.err, 2),
                ],
            )

    def running(self) -> bool:
        if self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                code = os.waitstatus_to_exitcode(status)
                self.status = code if code >= 0 else 128 - code
        return self.status is None

    def wait(self) -> int:
        """Its status, as a shell has it."""
        end = time.monotonic() + PATIENCE
        while self.running():
            if time.monotonic() > end:
                raise TimeoutError(f"{self.what}: does not end")
            time.sleep(0.001)
        assert self.status is not None
        return self.status

    def tell(self, signum: int) -> None:
        if self.running():
            os.kill(self.pid, signum)

    def output(self) -> str:
        return _contents(self.out)

    def errors(self) -> str:
        return _contents(self.err).strip()

    def complaint(self) -> str:
        text = self.errors()[:300] or self.output()[-300:]
        return f"{self.what}: status {self.status}: {text}"

    def kill(self) -> None:
        """If it is still there."""
        self.tell(signal.SIGKILL)
        self.wait()
        os.close(self.out)
        os.close(self.err)


def run(node: str, argv: list[str]) -> str:
    """What it prints; it must succeed."""
    program = Program(node, argv)
    try:
        if program.wait():
            raise OSError(program.complaint())
        return program.output()
    finally:
        program.kill()
