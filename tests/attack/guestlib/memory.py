# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The kernel's memory: objects of each slab cache, areas of vmalloc, kilobytes."""

from __future__ import annotations

import re
import time
from pathlib import Path

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


def read() -> dict[str, int]:
    """All of it, by name."""
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
        f"{name}: {before.get(name, 0)} before, {count} afterwards"
        for name, count in after.items()
        if count - before.get(name, 0) > allowed(name, cycles)
    ]


def show(before: dict[str, int], after: dict[str, int]) -> None:
    """What has grown most."""
    for name in sorted(after, key=lambda name: before.get(name, 0) - after[name])[:8]:
        print(f"# {name}: {before.get(name, 0)}, {after[name]}")
