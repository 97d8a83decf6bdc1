#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""In the machine: churn.py SEED COUNT. Life cycles of qdiscs under traffic, and the memory before and after.

The kernel is warm after a tenth of the cycles: what it keeps for later is there then.
"""

from __future__ import annotations

import re
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from guestlib import machine  # noqa: E402

WARM = 10  # part of the cycles
SETTLED = 5  # seconds until RCU and the removal of namespaces are done
# One object left behind by every fourth cycle is found. Caches of other users grow by a few
SHARE = 4
AT_LEAST = 60
AREAS = 8  # of vmalloc
KILOBYTES = 256  # of large allocations, above those of the shares
KERNEL = ("SUnreclaim", "Percpu")  # of /proc/meminfo
# Areas that are free, but not yet given back, keep an object of this cache
UNPURGED, AREA = "unpurged vm_area", "vmap_area"
ROW = re.compile(r"^(\S+) +(\d+) +\d+ +(\d+) ", re.M)


def settle() -> None:
    """Frees what is only kept for later."""
    time.sleep(SETTLED)
    Path("/proc/sys/vm/drop_caches").write_text("3")
    for cache in Path("/sys/kernel/slab").glob("*/shrink"):
        if not cache.parent.is_symlink():
            cache.write_text("1")


def memory() -> dict[str, int]:
    """Objects of each cache, areas of vmalloc, kilobytes of the kernel."""
    settle()
    found = {
        f"slab {name}": int(n) for name, n, _ in ROW.findall(Path("/proc/slabinfo").read_text())
    }
    areas = Path("/proc/vmallocinfo").read_text().splitlines()
    found["vmalloc areas"] = sum(UNPURGED not in line for line in areas)
    del found[f"slab {AREA}"]
    for line in Path("/proc/meminfo").read_text().splitlines():
        name, _, value = line.partition(":")
        if name in KERNEL:
            found[f"{name} kB"] = int(value.split()[0])
    return found


def allowed(name: str, cycles: int) -> int:
    if name.startswith("slab"):
        return max(cycles // SHARE, AT_LEAST)
    return AREAS if name.startswith("vmalloc") else KILOBYTES


def grown(before: dict[str, int], after: dict[str, int], cycles: int) -> list[str]:
    """What has more than before, by more than is allowed."""
    missing = [
        name for name in ("vmalloc areas", *(f"{kind} kB" for kind in KERNEL)) if name not in after
    ]
    if len(after) < 50 or missing:
        return [f"{len(after)} numbers of the memory were read, without {missing}"]
    return [
        f"{name}: {before.get(name, 0)} before, {count} after {cycles} cycles"
        for name, count in after.items()
        if count - before.get(name, 0) > allowed(name, cycles)
    ]


def cycles(seed: int, count: int) -> list[str]:
    """Returns faults."""
    argv = [machine.SENDER, "churn", str(seed), str(count)]
    done = subprocess.run(argv, stdout=subprocess.PIPE, text=True)
    for line in done.stdout.splitlines():
        print(f"# {line}", flush=True)
    faults = [line for line in done.stdout.splitlines() if line.startswith("fault:")]
    return faults + ([f"status {done.returncode}"] if done.returncode else [])


def main(argv: list[str]) -> int:
    seed, count = map(int, argv)
    lines = machine.prepare()
    faults = cycles(seed, max(count // WARM, 1))
    before = memory()
    faults += cycles(seed + 1, count)
    after = memory()
    for name in sorted(after, key=lambda name: before.get(name, 0) - after[name])[:8]:
        print(f"# {name}: {before.get(name, 0)}, {after[name]}")
    results = [
        machine.result("all that has to succeed does", faults),
        machine.result("the kernel has as much memory as before", grown(before, after, count)),
        machine.result("the modules unload", machine.unload()),
        machine.result("the kernel has nothing to say", machine.log()[lines:]),
    ]
    return not all(results)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
