# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The two ends of the round, and the ways in which processes work there.

    namespace a, 10.9.0.1   x0 ----- x1   namespace b, 10.9.0.2
                            |         |
                the qdiscs under test, and those around them; x1's for what comes back

Nothing but the traffic of the round uses the link: neighbours are permanent, and there is no IPv6.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Callable

A, B = "par-a", "par-b"
DEVICE = {A: "x0", B: "x1"}
ADDRESS = {A: "10.9.0.1", B: "10.9.0.2"}
MAC = {A: "02:00:00:00:00:0a", B: "02:00:00:00:00:0b"}
QUEUES = 4
CLONE_NEWNET = 0x40000000


def run(*words: str, check: bool = True) -> bool:
    done = subprocess.run(words, capture_output=True, text=True)
    if check and done.returncode:
        raise RuntimeError(f"{' '.join(words)}: {done.stderr}")
    return done.returncode == 0


def enter(namespace: str) -> None:
    """Moves this process."""
    libc = ctypes.CDLL(None, use_errno=True)
    with open(f"/run/netns/{namespace}", "rb") as file:
        if libc.setns(file.fileno(), CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), f"setns {namespace}")


def spawn(
    name: str, work: Callable[[], None], namespace: str | None, processor: int, nice: int = 0
) -> int:
    """A process that begins on a processor in a namespace; its status is 0 if the work ended well."""
    pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        Path("/proc/self/comm").write_text(name)
        os.sched_setaffinity(0, {processor % (os.cpu_count() or 1)})
        os.nice(nice)
        if namespace:
            enter(namespace)
        work()
        status = 0
    except (
        BaseException
    ) as error:  # pylint: disable=broad-except # the parent has to see the status
        print(f"{name}: {type(error).__name__}: {error}", flush=True)
    finally:
        os._exit(status)


def where(pid: int) -> str:
    """Where a process and its children are in the kernel, for a message. Not every kernel shows it."""
    here = Path(f"/proc/{pid}")
    try:
        comm = (here / "comm").read_text().strip()
        below = (here / f"task/{pid}/children").read_text().split()
        stack = (here / "stack").read_text().splitlines() if (here / "stack").exists() else ["?"]
    except OSError:
        return f"{pid} has just ended"
    return "\n".join((f"{comm} ({pid}): {'; '.join(stack)}", *(where(int(p)) for p in below)))


def ended(pids: list[int], deadline: float) -> list[str]:
    """Waits for all; those that failed, or that had to be killed, with what they were doing."""
    faults, left = [], set(pids)
    while left and time.monotonic() < deadline:
        for pid in sorted(left):
            done, status = os.waitpid(pid, os.WNOHANG)
            left -= {done}
            if status:
                faults.append(f"process {pid} failed")
        time.sleep(0.1)
    for pid in sorted(left):
        faults.append(f"still at work, killed: {where(pid)}")
        os.kill(pid, signal.SIGKILL)
    return faults


def call(work: Callable[[], None], namespace: str) -> None:
    """Does a work in a namespace before anything else."""
    pid = spawn("call", work, namespace, 0)
    if os.waitpid(pid, 0)[1]:
        raise RuntimeError(f"{work} failed in {namespace}")


def link_up() -> None:
    """Addresses and neighbours of both ends; again after a device was down."""
    for near, far in ((A, B), (B, A)):
        device = DEVICE[near]
        run("ip", "-n", near, "link", "set", device, "up")
        run("ip", "-n", near, "neigh", "replace", ADDRESS[far], "lladdr", MAC[far], "dev", device,
            "nud", "permanent")  # fmt: skip


def build() -> None:
    for namespace in (A, B):
        run("ip", "netns", "add", namespace)
        run("ip", "netns", "exec", namespace, "sysctl", "-qw", "net.ipv6.conf.all.disable_ipv6=1",
            "net.ipv6.conf.default.disable_ipv6=1")  # fmt: skip
    many = ["numtxqueues", str(QUEUES), "numrxqueues", str(QUEUES)]
    run("ip", "-n", A, "link", "add", "x0", "address", MAC[A], *many, "type", "veth",
        "peer", "name", "x1", "address", MAC[B], "netns", B, *many)  # fmt: skip
    for namespace in (A, B):
        run("ip", "-n", namespace, "link", "set", "lo", "up")
        run(
            "ip",
            "-n",
            namespace,
            "addr",
            "add",
            f"{ADDRESS[namespace]}/24",
            "dev",
            DEVICE[namespace],
        )
    link_up()
    # What reaches x1 is counted by a filter: an action would count the segments of a super-packet, the device does not
    run("tc", "-n", B, "qdisc", "add", "dev", DEVICE[B], "clsact")
    counting = ["dev", DEVICE[B], "ingress", "matchall", "classid", "1:1"]
    run("tc", "-n", B, "filter", "add", *counting)
