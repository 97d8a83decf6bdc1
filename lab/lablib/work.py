# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Parallel runs, each in a process that boots the machine and reduces its output.

A process puts its outcome into the store by itself. It has a session of its own, so that the
terminal's ^C reaches only this process, which ends the others whenever it ends.
"""

from __future__ import annotations

import contextlib
import ctypes
import multiprocessing
import os
import re
import signal
import sys
import tempfile
import traceback
from dataclasses import dataclass, field
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import IO, Any, Callable, Iterator, Sequence

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "vm"))

from vmlib import process  # noqa: E402

from .cost import Cost  # noqa: E402
from .document import for_guest  # noqa: E402
from .plan import Run  # noqa: E402
from .progress import Progress  # noqa: E402
from .store import Store  # noqa: E402

Execute = Callable[[Run, float], dict[str, Any]]

NOTE = re.compile(r"^at (\d+)\n", re.M)  # of guest/main.py: how far it is
TICK = 0.5  # s between looks at the progress
GRACE = 20  # s for a run to end when asked to
REASON = 15  # lines
# A run that takes this much longer than was thought stands still, even on a machine that others use
PATIENCE, SLOWER = 1200, 40


@dataclass
class Job:
    """One outcome that is missing, and a run that wants it."""

    key: str
    run: Run


@dataclass
class Failed:
    """A run without an outcome, and why."""

    job: Job
    reason: list[str]


@dataclass
class Worker:
    """A process at work."""

    job: Job
    process: BaseProcess
    log: IO[bytes] = field(repr=False)

    def said(self) -> str:
        """Its output so far; does not move the position at which the process writes."""
        fd = self.log.fileno()
        return os.pread(fd, os.fstat(fd).st_size, 0).decode(errors="replace")

    def reached(self) -> int:
        """Virtual seconds of the experiment that the guest has noted."""
        notes = NOTE.findall(self.said())
        return int(notes[-1]) if notes else 0

    def reason(self) -> list[str]:
        """The end of its output, and the signal that ended it, if any."""
        lines = NOTE.sub("", self.said()).splitlines()
        said = [line for line in lines if line.strip()][-REASON:]
        status = self.process.exitcode or 0
        ended = [f"its process ended by signal {-status}"] if status < 0 else []
        return [*said, *ended] or [f"its process ended with status {status}"]

    def stop(self) -> None:
        """Ends the process, if it has not ended; its machine ends with it."""
        if self.process.is_alive():
            self.process.terminate()
            self.process.join(GRACE)
        if self.process.is_alive():
            self.process.kill()
        self.process.join()
        self.log.close()


def perform(run: Run, timeout: float) -> dict[str, Any]:
    """Boots the machine for a run, and reduces its files to figures."""
    from . import machine, measure  # numpy is for these processes alone

    raw = machine.run(for_guest(run.document), run.release, run.out_of_tree, timeout)
    return {
        "kernel": raw.result["kernel"],
        "versions": raw.result["versions"],
        "result": measure.reduce(run.document, raw),
    }


def timeout(run: Run) -> float:
    return PATIENCE + SLOWER * Cost().estimate(run)


def _end_with(parent: int) -> None:
    os.setsid()
    ctypes.CDLL(None).prctl(process.PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:
        raise process.Interrupted(signal.SIGTERM)


def _work(parent: int, job: Job, store: Store, execute: Execute, log: IO[bytes]) -> None:
    """The life of a process."""
    process.catch_signals()
    try:
        _end_with(parent)
        for fd in (1, 2):
            os.dup2(log.fileno(), fd)
        store.put(job.key, execute(job.run, timeout(job.run)))
    except process.Failure as error:
        log.write(str(error).encode())
    except process.Interrupted as error:
        sys.exit(128 + error.signum)
    except Exception:  # pylint: disable=broad-except  # any exception fails the run
        log.write(traceback.format_exc().encode())
    else:
        return
    log.flush()
    sys.exit(1)


class Pool:
    """Does jobs, the first ones first, some at a time."""

    def __init__(self, store: Store, execute: Execute, workers: int, progress: Progress) -> None:
        self.store = store
        self.execute = execute
        self.workers = workers
        self.progress = progress
        self.running: list[Worker] = []
        self.failed: list[Failed] = []

    def start(self, job: Job) -> None:
        log = tempfile.TemporaryFile()
        args = (os.getpid(), job, self.store, self.execute, log)
        child = multiprocessing.get_context("fork").Process(target=_work, args=args, daemon=True)
        self.running.append(Worker(job, child, log))
        child.start()
        self.progress.started(job.run)

    def reap(self) -> None:
        for worker in [w for w in self.running if not w.process.is_alive()]:
            good = worker.process.exitcode == 0
            if not good:
                self.failed.append(Failed(worker.job, worker.reason()))
            self.running.remove(worker)
            worker.stop()
            self.progress.finished(worker.job.run, good)

    @contextlib.contextmanager
    def ending(self) -> Iterator[None]:
        """Ends all processes of the runs."""
        try:
            yield
        finally:
            for worker in self.running:
                if worker.process.pid and worker.process.is_alive():
                    worker.process.terminate()
            for worker in self.running:
                if worker.process.pid:
                    worker.stop()
            self.progress.end()

    def work(self, jobs: Sequence[Job]) -> list[Failed]:
        waiting = list(jobs)
        with self.ending():
            while waiting or self.running:
                while waiting and len(self.running) < self.workers:
                    self.start(waiting.pop(0))
                wait([worker.process.sentinel for worker in self.running], TICK)
                self.reap()
                for worker in self.running:
                    self.progress.reached(worker.job.run, worker.reached())
                self.progress.show()
        return self.failed


def dearest_first(jobs: Sequence[Job]) -> list[Job]:
    cost = Cost()
    return sorted(jobs, key=lambda job: -cost.estimate(job.run))
