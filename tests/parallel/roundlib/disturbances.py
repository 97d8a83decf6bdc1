# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""What other processors do beside the traffic. Each works until its time is over, and counts what succeeded.

A command may fail, because another disturbance has removed what it names. None may fail always: the count of each is
in a file, and the verdict wants it above 0.
"""

from __future__ import annotations

import os
import re
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Callable

from . import place, topologies

COUNTS = Path("/tmp/counts")
EVENTS = Path("/sys/kernel/tracing/events")
DEVICE = place.DEVICE[place.A]
# Seconds without what empties or replaces qdiscs: what is lost in them is to be seen in the end
QUIETER = 8
MODULES = ("sch_codel_oot", "sch_fq_codel_oot")


@dataclass
class Work:
    """A disturbance at work: its random choices, the end of its time, what has succeeded."""

    name: str
    rng: Random
    end: float
    tree: str  # the topology's name
    leaves: list[str]
    shared: bool  # a rate, by the leaves
    done: int = 0

    def goes_on(self) -> bool:
        (COUNTS / self.name).write_text(str(self.done))
        return time.monotonic() < self.end

    def wait(self, least: float, most: float) -> None:
        time.sleep(max(0.0, min(self.rng.uniform(least, most), self.end - time.monotonic())))

    def tc(self, lines: list[str], namespace: str = place.A) -> None:
        """One process for many commands; those that fail are not counted."""
        text = "".join(f"{line.replace('DEV', DEVICE)}\n" for line in lines)
        done = subprocess.run(
            ["tc", "-n", namespace, "-force", "-batch", "-"],
            input=text, capture_output=True, text=True,
        )  # fmt: skip
        self.done += len(lines) - done.stderr.count("Command failed")

    def where(self) -> str:
        return self.rng.choice(self.leaves)

    def leaf(self, where: str) -> str:
        return topologies.leaf(self.rng, where, topologies.SHARED if self.shared else "")


def change(work: Work) -> None:
    """Every option of both kinds, also without all but a few."""
    while work.goes_on():
        lines = []
        for _ in range(20):
            kind = work.rng.choice(topologies.KINDS)
            more = topologies.options(work.rng, kind, many=work.rng.random() < 0.5)
            more = re.sub(r"\bflows \d+", "", more)  # fixed once the qdisc exists
            lines.append(f"qdisc change dev DEV {work.where()} {kind} {more}")
        work.tc(lines)


def replace(work: Work) -> None:
    """One kind by the other, by an in-tree qdisc, by none."""
    while work.goes_on():
        where = work.where()
        other = where.replace("handle ", "handle 5")  # a handle has one kind
        lines = [work.leaf(at) for at in (other, where, other, where)]
        lines.append(
            f"qdisc replace dev DEV {other} {work.rng.choice(('pfifo', 'fq_codel', 'sfq'))}"
        )
        lines.append(work.leaf(where))
        lines.append(f"qdisc del dev DEV {where}")
        lines.append(work.leaf(where))
        work.tc(lines)
        work.wait(0, 0.3)


def rebuild(work: Work) -> None:
    """The whole tree goes, and comes back."""
    while work.goes_on():
        work.wait(3, 8)
        lines, _ = topologies.tree(work.rng, work.tree, work.shared)
        work.tc(["qdisc del dev DEV root", *lines])


def filters(work: Work) -> None:
    """Flows move between the queues of an fq_codel; some packets are dropped or taken elsewhere."""
    actions = ("classid {h}3", "classid {h}9", "classid {h}ffff", "action drop", "action ok",
        "action mirred egress redirect dev lo", "action skbedit priority {h}5")  # fmt: skip
    while work.goes_on():
        lines = []
        for where in work.leaves:
            handle = where.split()[-1]
            lines.append(f"qdisc replace dev DEV {where} fq_codel_oot")
            at = f"dev DEV parent {handle} protocol ip prio {work.rng.randint(1, 3)}"
            what = work.rng.choice(actions).format(h=handle)
            match = work.rng.choice(
                ("matchall", "u32 match ip protocol 17 0xff", "flower ip_proto tcp")
            )
            lines.append(f"filter add {at} {match} {what}")
            lines.append(f"filter del dev DEV parent {handle}" + work.rng.choice(("", " prio 1")))
        work.tc(lines)
        work.wait(0, 0.1)


def dump(work: Work) -> None:
    """tc's readers, one after another."""
    commands = ("qdisc show dev DEV", "-s qdisc show dev DEV", "-s -d qdisc show", "-s class show dev DEV",
        "-s filter show dev DEV parent 10:")  # fmt: skip
    while work.goes_on():
        for command in commands:
            argv = ["tc", "-n", place.A, "-j", *command.replace("DEV", DEVICE).split()]
            work.done += subprocess.run(argv, capture_output=True).returncode == 0


def codelstat(work: Work) -> None:
    """The list, the flows of one, the metrics, a recording."""
    often = "-i 0.05 -c 3"
    commands = (
        "list -1",
        f"list {often}",
        f"top {often} DEV",
        "export -1",
        f"record {often} /tmp/recording DEV",
    )
    while work.goes_on():
        for command in commands:
            argv = ["codelstat", *command.replace("DEV", DEVICE).split(), "-n", place.A]
            work.done += subprocess.run(argv, capture_output=True).returncode == 0


def trace(work: Work) -> None:
    """Tracepoints of both modules; they may be unloaded at any time."""
    while work.goes_on():
        for system in ("codel", "fq_codel"):
            for value in "10":
                try:
                    (EVENTS / system / "enable").write_text(value)
                    work.done += 1
                except OSError:
                    pass
                work.wait(0.01, 0.3)


def links(work: Work) -> None:
    """Down and up, another MTU, another length of the queue."""
    while work.goes_on():
        work.wait(0.5, 3)
        near = work.rng.choice((place.A, place.B))
        device = place.DEVICE[near]
        choice = work.rng.choice(("down", "mtu", "txqueuelen"))
        if choice == "down":
            work.done += place.run("ip", "-n", near, "link", "set", device, "down", check=False)
            work.wait(0, 0.1)
            place.link_up()
        else:
            value = work.rng.choice(("600", "1500", "9000") if choice == "mtu" else ("1", "1000"))
            work.done += place.run(
                "ip", "-n", near, "link", "set", device, choice, value, check=False
            )


def sharing(work: Work) -> None:
    """The leaves come back to the link, at another rate. Counted are the times that several were in it a moment later."""
    seen = 0
    while work.goes_on():
        rate = work.rng.choice(("50mbit", "200mbit", "1gbit"))
        done = work.done
        work.tc([f"qdisc change dev DEV {where} {kind} rate {rate} shared"
            for where in work.leaves for kind in topologies.KINDS])  # fmt: skip
        work.wait(0, 0.1)
        argv = ["tc", "-n", place.A, "-j", "-s", "qdisc", "show", "dev", DEVICE]
        found = re.findall(
            r'"queues":(\d+)', subprocess.run(argv, capture_output=True, text=True).stdout
        )
        work.done = done + any(int(number) > 1 for number in found)
        seen += 1
    print(f"  several queues shared a rate in {work.done} of {seen} samples", flush=True)


def one_link(rng: Random, kind: str) -> list[str]:
    """A leaf for each queue of a device, and one rate for all."""
    return ["qdisc add dev d0 root handle 1: mq", *(
        f"qdisc add dev d0 parent 1:{n} {kind} {topologies.options(rng, kind)} rate 1mbit shared"
        for n in range(1, place.QUEUES + 1))]  # fmt: skip


def namespaces(work: Work) -> None:
    """Namespaces with a qdisc under traffic are deleted, packets and all. With `shared`, with those of a link."""
    number = 0
    while work.goes_on():
        number += 1
        name = f"par-{number}"
        place.run("ip", "netns", "add", name)
        kind = work.rng.choice(topologies.KINDS)
        many = ("numtxqueues", str(place.QUEUES)) if work.shared else ()
        place.run("ip", "-n", name, "link", "add", "d0", *many, "type", "dummy")
        place.run("ip", "-n", name, "link", "set", "d0", "up")
        place.run("ip", "-n", name, "addr", "add", "10.8.0.1/24", "dev", "d0")
        work.tc(one_link(work.rng, kind) if work.shared else
            [f"qdisc add dev d0 root handle 10: {kind} {topologies.options(work.rng, kind)}",
            "qdisc change dev d0 handle 10: root " + kind + " rate 1mbit"], name)  # fmt: skip
        sender = subprocess.Popen(
            ["ip", "netns", "exec", name, "ping", "-q", "-f", "-b", "-w", "1", "10.8.0.2"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        work.wait(0.05, 0.4)
        work.done += place.run("ip", "netns", "del", name)
        sender.kill()
        sender.wait()


def modules(work: Work) -> None:
    """Unloaded whenever the kernel allows it, and loaded."""
    while work.goes_on():
        for module in MODULES:
            work.done += place.run("rmmod", module, check=False)
            work.wait(0, 0.05)
            work.done += place.run("modprobe", module, check=False)


ALL: tuple[Callable[[Work], None], ...] = (
    change, change, replace, rebuild, filters, dump, codelstat, trace, links, namespaces, modules,
)  # fmt: skip


def start(
    rng: Random, end: float, tree: str, leaves: list[str], shared: bool
) -> tuple[list[int], list[str]]:
    """A process for each, on the processors in turn; and the names of their counts."""
    COUNTS.mkdir(exist_ok=True)
    found, names = [], []
    acts = [act for act in ALL if act != trace or EVENTS.is_dir()] + [sharing] * shared
    if trace not in acts:
        print("  this kernel has no tracepoints", flush=True)
    for number, act in enumerate(acts):
        name = f"{act.__name__}-{number}"
        stop = end - QUIETER if act in (replace, rebuild, links) else end
        work = Work(name, Random(rng.randrange(1 << 30)), stop, tree, leaves, shared)
        names.append(name)
        found.append(place.spawn(name, lambda a=act, w=work: a(w), None, number, nice=-15))  # type: ignore[misc]
    return found, names
