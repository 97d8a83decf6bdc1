# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Modules, the kernel's log, and results."""

from __future__ import annotations

import itertools
import re
import subprocess
import time
from pathlib import Path

SENDER = "/root/attack"
MODULES = ("sch_codel_oot", "sch_fq_codel_oot")
NEEDED = (
    "dummy",
    "sch_htb",
    "sch_tbf",
    "cls_matchall",
    "cls_basic",
    "act_gact",
    *MODULES,
)
SLOW = Path("/root/slow_link.ko")
MODPROBE = Path("/proc/sys/kernel/modprobe")
TRACING = Path("/sys/kernel/tracing")
UNLOADED = 60  # seconds in which all references are gone
LEVELS = 5  # lines below this level: worse than a notice
# What the kernel says about requests that are malformed on purpose
EXPECTED = re.compile(
    r"netlink: \d+ bytes leftover after parsing attributes in process `attack'"
    r"|netlink: 'attack': attribute type \d+ has an invalid length"
    r"|\w+: \d+ callbacks suppressed"
    # a shaper below htb, and slow_link below no queue: in-tree
    r"|htb: \w+ qdisc \w+: is non-work-conserving\?"
    r"|Virtual device d0 asks to queue packet!"
    # a packet on its way to a device that is about to be deleted
    r"|d\d selects TX queue \d+, but real number of TX queues is 0"
)
numbers = itertools.count(1)


def sh(script: str) -> None:
    subprocess.run(["sh", "-ec", script], check=True)


def log() -> list[str]:
    """Lines of the kernel's log above the level of a notice, but for EXPECTED."""
    argv = ["dmesg", "--raw"]
    lines = subprocess.run(argv, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    found = [re.match(r"<(\d+)>(.*)", line) for line in lines]
    return [m[2] for m in found if m and int(m[1]) < LEVELS and not EXPECTED.search(m[2])]


def prepare() -> int:
    """Loads what is needed; returns how many lines the log has."""
    for module in NEEDED:
        sh(f"modprobe {module}")
    if SLOW.exists():
        sh(f"insmod {SLOW}")
    # A kind that does not exist starts a program otherwise, which takes longer than the request
    MODPROBE.write_text("\n")
    return len(log())


def trace(on: bool) -> int:
    """Switches the tracepoints of the modules, and forgets what they wrote; returns how many lines that were."""
    found = re.findall(
        r"^(?:entries|overrun): (\d+)", (TRACING / "per_cpu/cpu0/stats").read_text(), re.M
    )
    for system in ("codel", "fq_codel"):
        (TRACING / "events" / system / "enable").write_text("1" if on else "0")
    (TRACING / "trace").write_text("")
    return sum(map(int, found))


def _in_use(module: str) -> bool:
    return bool(subprocess.run(["rmmod", module], stderr=subprocess.DEVNULL).returncode)


def unload() -> list[str]:
    """The modules that do not unload."""
    left = [module for module in ("slow_link", *MODULES) if Path("/sys/module", module).exists()]
    until = time.monotonic() + UNLOADED
    while left and time.monotonic() < until:
        left = [module for module in left if _in_use(module)]
        time.sleep(0.5 if left else 0)
    return [f"{module} is in use" for module in left]


def result(title: str, faults: list[str]) -> bool:
    for fault in faults[:20]:
        print(f"# {fault}")
    print(f"{'not ok' if faults else 'ok'} {next(numbers)} {title}", flush=True)
    return not faults
