# SPDX-License-Identifier: GPL-2.0
"""Machines with several processors: QEMU runs a thread for each of them, in real time.

The host may be busy and leave a processor waiting for a long time, even one that holds a lock. The kernel's bounds of
lockups and stalls are therefore minutes; a machine that does stand still runs into them, or into --timeout.

The machine boots on one processor, and switches the others on when the module is there without which they die of QEMU's
stale breakpoints: smp/stale_int3.c.
"""

from __future__ import annotations

from pathlib import Path

FEWEST, MOST = 2, 64
TIMEOUT = 1800.0  # the default of --timeout, wall time
ACCELERATOR = "tcg,thread=multi"
MACHINE = "pc"  # microvm without ACPI shows the kernel one processor only

MODULE = Path(__file__).parent.parent / "smp"

# Soft lockups are found after twice this time; PID 1 has set a bound for virtual time
WATCHDOG = "echo 60 >/proc/sys/kernel/watchdog_thresh"
COMMAND_LINE = (
    "maxcpus=1 rcupdate.rcu_cpu_stall_timeout=300 rcupdate.rcu_exp_cpu_stall_timeout=300000 "
    "sysctl.kernel.hung_task_timeout_secs=600"
)


def check(text: str) -> int:
    """A number of processors; a ValueError states what is allowed."""
    if not text.isdecimal() or not FEWEST <= int(text) <= MOST:
        raise ValueError(f"{text!r} is not a number of processors: {FEWEST} to {MOST}")
    return int(text)


def command(argv: list[str]) -> list[str]:
    """The command, after what several processors need. The module is in /.vm."""
    script = f"""
    {WATCHDOG} && insmod /.vm/stale_int3.ko || exit
    for cpu in /sys/devices/system/cpu/cpu*/online; do
        echo 1 >"$cpu" || exit
    done
    exec "$@"
    """
    return ["sh", "-c", script, "sh", *argv]
