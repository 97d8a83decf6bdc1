#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""In the machine: the processors are the bottleneck, and pktgen sends from all of them to one qdisc.

    tests/vm/run --smp 4 --release sid --tests tests/parallel -- python3 tests/parallel/crowd.py [SENDERS [SECONDS]]

A qdisc whose answer to the load takes so much of it that nothing is sent any more has collapsed. For each kind and each
second: packets that it sent, and that it dropped, in thousands. Real time: compare rows, and believe no number.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from roundlib import place, traffic  # noqa: E402

DEVICE = "d0"
KINDS = ("pfifo", "fq_codel", "codel_oot", "fq_codel_oot", "cake")
FLOWS = 200


def sh(command: str) -> None:
    subprocess.run(command, shell=True, check=True)


def prepare(senders: int) -> None:
    for module in ("pktgen", "dummy", "sch_codel_oot", "sch_fq_codel_oot", "sch_cake"):
        sh(f"modprobe {module}")
    sh(f"ip link add {DEVICE} type dummy; ip link set {DEVICE} up")
    for number in range(senders):
        traffic.pktgen_add(
            DEVICE, number,
            "count 0", "pkt_size 200", "udp_src_min 7000", f"udp_src_max {7000 + FLOWS}",
            f"dst {place.ADDRESS[place.B]}", f"dst_mac {place.MAC[place.B]}",
        )  # fmt: skip


def counters() -> tuple[int, int]:
    """Packets sent and dropped by the root qdisc."""
    words = ["tc", "-j", "-s", "qdisc", "show", "dev", DEVICE, "root"]
    (found,) = json.loads(subprocess.run(words, check=True, stdout=subprocess.PIPE).stdout)
    return found["packets"], found["drops"]


def start() -> subprocess.Popen[bytes]:
    """Returns at once; the writer itself waits until somebody writes stop."""
    return subprocess.Popen(["sh", "-c", f"echo start >{traffic.PKTGEN}/pgctrl"])


def measure(kind: str, seconds: int) -> None:
    sh(f"tc qdisc replace dev {DEVICE} root {kind}")
    sender = start()
    rows, last = [], counters()
    for _ in range(seconds):
        time.sleep(1)
        now = counters()
        rows.append((now[0] - last[0], now[1] - last[1]))
        last = now
    traffic.write("pgctrl", "stop\n")
    sender.wait()
    for what, index in (("sent", 0), ("dropped", 1)):
        print(f"{kind:13} {what:8}" + "".join(f"{row[index] / 1000:8.1f}" for row in rows))
    sys.stdout.flush()


def main(argv: list[str]) -> None:
    processors = os.cpu_count() or 1
    senders = int(argv[0]) if argv else processors
    prepare(senders)
    print(f"thousands of packets in each second; {senders} senders, {processors} processors")
    for kind in KINDS:
        measure(kind, int(argv[1]) if argv[1:] else 5)


if __name__ == "__main__":
    main(sys.argv[1:])
