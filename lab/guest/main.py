#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""One run of the laboratory in the virtual machine.

    main.py DOCUMENT RESULT

The network of the document is built and measured, its traffic sent; what the traffic, the qdiscs and the
tools say is the result. The meter's records stay where the meter shows them.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Callable, Sequence

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.dont_write_bytecode = True

import network  # noqa: E402
import served  # noqa: E402
from traffic import TrafficError, run  # noqa: E402

LEAD = 200_000_000  # ns from the end of the set-up to experiment time 0
NOTE = 5_000_000_000  # ns of the experiment between two notes of how far it is
REFUSED = 3  # the status after an error that one sentence on standard error explains
OURS = ("sch_codel_oot", "sch_fq_codel_oot")
VERSIONS = {
    "iproute2": ("tc", "-V"),
    "irtt": ("irtt", "version"),
    "ping": ("ping", "-V"),
}


def first_line(argv: tuple[str, ...]) -> str:
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    return (done.stdout or done.stderr).splitlines()[0]


def load_qdiscs(kinds: set[str], first: Sequence[str] = ()) -> None:
    """The in-tree modules come first: an out-of-tree module takes the plain name if it is free.

    An in-tree module that cannot be loaded is no error yet: the check of each qdisc's server decides. The in-tree
    codel is always loaded, so that machines differ in nothing but the experiment.
    """
    for module in first:
        network.command("modprobe", module)
    for module in served.in_tree(os.uname().release, sorted(kinds | {"codel"})):
        with contextlib.suppress(network.Failure):  # without the aliases of /etc/modprobe.d
            network.command("modprobe", "-C", "/dev/null", module)
    for module in sorted(f"{network.MODULES}/sch_{kind}.ko" for kind in kinds):
        if Path(module).exists():  # Debian's kernel is configured without it
            network.command("insmod", module)
    if any(kind.endswith(served.OUT_OF_TREE) for kind in kinds):
        network.command("modprobe", "-a", *OURS)


def load(document: dict[str, Any]) -> None:
    """All modules that may be asked for. `modules` is for tests: what is loaded before all others."""
    load_qdiscs(network.kinds(document), document.get("modules", ()))
    network.command("insmod", f"{network.MODULES}/slow_link.ko")
    if document["records"]:
        meter = f"{network.MODULES}/lab_meter.ko"
        network.command("insmod", meter, f"records={document['records']}")


def idle() -> float:
    """Seconds that the processor had nothing to do."""
    return float(Path("/proc/uptime").read_text().split()[1])


def progress(duration: int) -> list[network.Action]:
    """Notes of how far the experiment is, in s, on standard output."""

    def note(time: int) -> Callable[[], None]:
        return lambda: print(f"at {time // 1_000_000_000}", flush=True)

    return [(time, note(time)) for time in range(NOTE, duration, NOTE)]


def perform(document: dict[str, Any]) -> dict[str, Any]:
    load(document)
    metered = bool(document["records"])
    network.build(document, metered)
    addresses = {node: network.address(k) for k, node in enumerate(document["nodes"])}
    origin = time.monotonic_ns() + LEAD
    if metered:
        Path(network.METER).write_text(f"origin {origin}")
    network.start_courses(document, origin)
    before = idle()
    changes = network.rate_changes(document) + network.delay_changes(document)
    notes = progress(document["duration"])
    traffic = run(document, addresses, origin, changes, notes)
    if metered:
        Path(network.METER).write_text("stop")
    return {
        "kernel": Path("/proc/sys/kernel/osrelease").read_text().strip(),
        "versions": {tool: first_line(argv) for tool, argv in VERSIONS.items()},
        "origin": origin,
        "idle": idle() - before,
        "queues": network.queues(document),
        "traffic": traffic,
    }


def main(document: str, result: str) -> None:
    try:
        found = perform(json.loads(Path(document).read_text()))
    except (network.Failure, TrafficError) as error:
        print(error, file=sys.stderr)
        sys.exit(REFUSED)
    Path(result).write_text(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
