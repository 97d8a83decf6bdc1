# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""A namespace with the devices that netlink/place.c names: a root, a qdisc below htb, and one below tbf."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from . import machine

SPACE = "attack"
INSIDE = ["ip", "netns", "exec", SPACE]
BUILD = """
ip netns add attack
ip -n attack link set lo up
for dev in d0 d1 d2; do
    ip -n attack link add $dev type dummy
    ip -n attack link set $dev arp off up
done
ip netns exec attack sh -c 'echo d0 {bps} >/sys/module/slow_link/parameters/link'
tc -n attack qdisc add dev d1 root handle 1: htb default 1
tc -n attack class add dev d1 parent 1: classid 1:1 htb rate {bps} burst 3000
tc -n attack qdisc add dev d2 root handle 1: tbf rate {bps} burst 20000 limit 1000000
"""
# A packet that waits holds its socket, and that the namespace: the devices go first
REMOVE = """
for dev in d0 d1 d2; do
    ip -n attack link del $dev
done
ip netns del attack
"""
READER = Path(__file__).with_name("accounts.py")


def build(bps: int) -> None:
    """Makes the namespace, in which each device sends `bps` bit/s."""
    machine.sh(BUILD.format(bps=bps))


def remove() -> None:
    machine.sh(REMOVE)


def accounts() -> tuple[int, int, list[str]]:
    """How many qdiscs there are, the packets in all of them, and their sums that do not add up."""
    argv = [*INSIDE, sys.executable, str(READER)]
    found = subprocess.run(argv, check=True, stdout=subprocess.PIPE, text=True).stdout
    count, queued, *faults = found.splitlines()
    return int(count), int(queued), faults
