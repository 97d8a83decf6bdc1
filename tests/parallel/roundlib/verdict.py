# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""After the round: all is quiet, and every packet is accounted for."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import time
from pathlib import Path

from . import disturbances, place, topologies

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "kernel"))

from trafficlib import accounting  # noqa: E402

HERE = Path(__file__).resolve().parents[1]
MEMORY = 32  # offset of fq_codel's memory_usage
QUIET = 90  # seconds in which any queue drains
UNLOADED = 30
failed: list[str] = []
numbers = itertools.count(1)


def result(title: str, faults: list[str]) -> None:
    for fault in faults:
        print(f"  {fault}", flush=True)
    print(f"{'not ok' if faults else 'ok'} {next(numbers)} {title}", flush=True)
    failed.extend(faults)


def output(*words: str) -> str:
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout


def in_namespace(namespace: str, *words: str) -> str:
    return output("ip", "netns", "exec", namespace, *words)


def each(what: str) -> list[str]:
    """The faults of both namespaces, found by a process in each: round.py WHAT."""
    faults = []
    for namespace in (place.A, place.B):
        lines = in_namespace(namespace, "python3", str(HERE / "round.py"), what).splitlines()
        if not lines or lines[-1] == "compared 0" and namespace == place.A:
            faults.append(f"{namespace} has no qdisc under test")
        faults += [f"{namespace} {line}" for line in lines[:-1]]
    return faults


def memory(app: bytes) -> int:
    """Of an fq_codel under test."""
    return int.from_bytes(app[MEMORY : MEMORY + 4], sys.byteorder)


def print_queued() -> None:
    """Every qdisc of this namespace that has packets, bytes or memory, by its own count."""
    compared = 0
    for message in accounting.qdiscs():
        _, index, handle, parent, _ = accounting.TCMSG.unpack_from(message)
        tb = accounting.attributes(message[accounting.TCMSG.size :])
        kind, (qlen, backlog) = accounting.queued(tb)
        stats = accounting.attributes(tb[accounting.TCA_STATS2])
        used = memory(stats[accounting.TCA_STATS_APP]) if kind == "fq_codel_oot" else 0
        compared += kind in topologies.KINDS
        if qlen or backlog or used:
            print(
                f"{kind} {handle:x} of {index}, parent {parent:x}: qlen {qlen}, backlog {backlog}, memory {used}"
            )
    print(f"compared {compared}")


def print_accounts() -> None:
    """The faults of this namespace, and how many qdiscs were read."""
    found = accounting.read()
    for fault in accounting.faults(tree=True):
        print(fault)
    received = sum(one.received[0] for one in found)
    dropped = sum(count[0] for one in found for count in one.dropped.values())
    print(f"{received} received and {dropped} dropped", file=sys.stderr)
    if not received and Path(f"/sys/class/net/{place.DEVICE[place.A]}").exists():
        print("no qdisc under test has received a packet")
    print(f"compared {len(found)}")


def quiet() -> list[str]:
    """What is still queued when nothing moves any more."""
    end = time.monotonic() + QUIET
    while (faults := each("queued")) and time.monotonic() < end:
        time.sleep(0.5)
    return faults


def arrived() -> list[str]:
    """What the device has sent, and what its peer has received."""
    link = json.loads(
        output("ip", "-n", place.A, "-j", "-s", "link", "show", place.DEVICE[place.A])
    )[0]
    sent = link["stats64"]["tx"]["packets"]
    far = ("-n", place.B, "-j", "-s", "filter", "show", "dev", place.DEVICE[place.B], "ingress")
    filters = json.loads(output("tc", *far))
    (count,) = [one["options"]["rule_hit"] for one in filters if "options" in one]
    print(
        f"  {sent} packets sent, {count} arrived, dropped by the device: {link['stats64']['tx']['dropped']}"
    )
    faults = [] if sent == count else [f"sent {sent}, arrived {count}"]
    return faults if sent else ["the device has sent nothing"]


def happened(names: list[str]) -> list[str]:
    """Disturbances of which nothing succeeded."""
    counts = {name: int((disturbances.COUNTS / name).read_text()) for name in names}
    print("  " + ", ".join(f"{name.partition('-')[0]} {count}" for name, count in counts.items()))
    return [f"{name}: nothing succeeded" for name, count in counts.items() if not count]


def references() -> list[str]:
    """What keeps a module, when all namespaces are gone."""
    for namespace in (place.A, place.B):
        place.run("ip", "netns", "del", namespace)
    faults = []
    for module in disturbances.MODULES:
        place.run("modprobe", module)
        end = time.monotonic() + UNLOADED
        while not place.run("rmmod", module, check=False):
            if time.monotonic() > end:
                users = Path(f"/sys/module/{module}/refcnt").read_text().strip()
                faults.append(f"{module} has {users} references")
                break
            time.sleep(0.2)
    return faults


def devices() -> list[str]:
    """Of deleted namespaces, all has to go: what has no reference left does so at once."""
    end = time.monotonic() + UNLOADED
    while users := int(Path("/sys/module/veth/refcnt").read_text()):
        if time.monotonic() > end:
            return [f"veth has {users} references"]
        time.sleep(0.2)
    return [] if place.run("rmmod", "veth", check=False) else ["veth cannot be unloaded"]


def judge(workers: list[str], names: list[str]) -> int:
    result("every process ended well", workers)
    result("each disturbance has had an effect", happened(names))
    result("qlen, backlog and memory are 0 in leaves and parents", quiet())
    result("received packets are sent or dropped, by cause", each("accounts"))
    result("what the device sent has arrived", arrived())
    result("qlen and backlog are still 0", each("queued"))
    result("no reference is left: both modules unload", references())
    result("and the devices are gone", devices())
    return 1 if failed else 0
