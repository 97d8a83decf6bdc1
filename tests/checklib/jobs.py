# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Programs that run side by side, a few at a time, and end with us."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Callable, Iterator, Mapping, Sequence

from vmlib import process

GRACE = 10  # seconds that a program has for its own cleaning up


class Children:
    """The programs that are running now."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.running: set[subprocess.Popen[bytes]] = set()
        self.closed = False

    def start(
        self, argv: Sequence[str], cwd: Path, env: Mapping[str, str]
    ) -> subprocess.Popen[bytes]:
        with self.lock:
            if self.closed:
                raise process.Failure("interrupted")
            child = process.start(
                argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=cwd, env=env
            )
            self.running.add(child)
            return child

    def ended(self, child: subprocess.Popen[bytes]) -> None:
        process.stop(child)
        with self.lock:
            self.running.discard(child)

    def stop(self) -> None:
        """Asks all to end; no more are started."""
        with self.lock:
            self.closed = True
            children = list(self.running)
        for child in children:
            child.send_signal(signal.SIGTERM)
        for child in children:
            try:
                child.wait(GRACE)
            except subprocess.TimeoutExpired:
                process.stop(child)


CHILDREN = Children()


def run(
    argv: Sequence[str],
    cwd: Path,
    log: Path,
    line: Callable[[str], None],
    path: Path | None = None,
) -> int:
    """Runs a program, with another PATH if one is given; each line of its output goes to `log` and to `line`."""
    log.parent.mkdir(parents=True, exist_ok=True)
    child = CHILDREN.start(argv, cwd, {**os.environ, **({"PATH": str(path)} if path else {})})
    assert child.stdout is not None
    try:
        with log.open("wb") as stream:
            for raw in child.stdout:
                stream.write(raw)
                stream.flush()
                line(raw.decode(errors="replace").rstrip("\r\n"))
        return child.wait()
    finally:
        CHILDREN.ended(child)


def pool(jobs: Sequence[Callable[[], None]], workers: int) -> None:
    """Does all jobs in this order, `workers` at a time. The first error ends all."""
    executor = ThreadPoolExecutor(workers)
    try:
        futures = [executor.submit(job) for job in jobs]
        for future in futures:
            future.result()
    except BaseException:
        executor.shutdown(wait=False, cancel_futures=True)
        CHILDREN.stop()
        raise
    finally:
        executor.shutdown(wait=True)


def spread(items: dict[str, float], target: float) -> Iterator[list[str]]:
    """Groups of about `target` in sum, as equal as may be."""
    count = min(len(items), max(1, round(sum(items.values()) / target)))
    groups: list[list[str]] = [[] for _ in range(count)]
    sums = [0.0] * count
    for name in sorted(items, key=lambda n: (-items[n], n)):
        least = sums.index(min(sums))
        groups[least].append(name)
        sums[least] += items[name]
    yield from (group for group in groups if group)
