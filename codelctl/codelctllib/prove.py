# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""codelctl prove and compare: measure the delay of a link, idle and under load."""

from __future__ import annotations

import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import facts, link, measure, observe, plan, run, state
from .errors import Failure, Refusal
from .measure import Phase

PING_SECONDS = 0.2
FLOWS = 4
# Until the queues of the phase before are empty, and the server is ready
SETTLE_SECONDS = 2
LOADS = {"upload": [], "download": ["--reverse"]}
CANNOT = (
    "without --server there is no load: the phase shows the present traffic, and a delay under load "
    "is not measured"
)


def _gateway(device: str) -> str:
    """The first hop, which answers pings in most networks."""
    shown = observe.listed("ip", "-json", "route", "show", "default", "dev", device)
    found = next((route["gateway"] for route in shown if "gateway" in route), None)
    if not found:
        raise Refusal(f"{device} has no default route: give --server HOST")
    return str(found)


def _start(argv: list[str]) -> subprocess.Popen[str]:
    try:
        return subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
    except FileNotFoundError as error:
        package = {"ping": "iputils-ping"}.get(argv[0], argv[0])
        raise Failure(f"{argv[0]} is missing: `apt install {package}`") from error


def _load(server: str, seconds: int, words: list[str]) -> subprocess.Popen[str]:
    # Without reports, which would fill the pipe in a long phase
    count = ["--parallel", str(FLOWS), "--time", str(seconds + 1), "--interval", "0"]
    return _start(["iperf3", "--client", server, *count, *words])


@dataclass(frozen=True)
class Reading:
    """The counters of a device and of the qdiscs of both directions."""

    when: float
    bits: tuple[int, int]
    # An empty qdisc is one without a histogram; None: nothing queues
    egress: dict[str, Any]
    ingress: dict[str, Any] | None

    def rates_since(self, before: Reading) -> tuple[float, float]:
        seconds = self.when - before.when
        egress, ingress = (new - old for new, old in zip(self.bits, before.bits))
        return egress / seconds, ingress / seconds


def _read(device: str) -> Reading:
    ifb = plan.ifb_name(device)
    leaves = facts.leaf(device) or {}, (facts.leaf(ifb) or {}) if observe.link(ifb) else None
    counters = Path(f"/sys/class/net/{device}/statistics")
    sent, received = (int((counters / f"{name}_bytes").read_text()) * 8 for name in ("tx", "rx"))
    return Reading(time.monotonic(), (sent, received), *leaves)


def phase(device: str, name: str, target: str, seconds: int, load: list[str] | None) -> Phase:
    """Ping the target for some seconds; `load` are options of iperf3, None: no load."""
    print(f"{name}: {seconds} s", file=sys.stderr, flush=True)
    loading = None if load is None else _load(target, seconds, load)
    try:
        before = _read(device)
        pinging = _start(["ping", "-n", "-i", str(PING_SECONDS), "-w", str(seconds), target])
        shown = pinging.communicate()[0]
        after = _read(device)
        if loading and loading.wait(seconds + 10):
            output = loading.communicate()
            raise Failure(f"iperf3: {run.reason(output[1] or output[0])}")
    finally:
        if loading and loading.poll() is None:
            loading.kill()
            loading.wait()
    egress = measure.queue(before.egress, after.egress)
    ingress = measure.queue(before.ingress, after.ingress)
    return Phase(name, after.rates_since(before), measure.pings(shown), egress, ingress)


def _phases(device: str, server: str, seconds: int, prefix: str = "") -> list[Phase]:
    found = []
    for name, words in LOADS.items():
        time.sleep(SETTLE_SECONDS)
        found.append(phase(device, f"{prefix}{name}", server, seconds, words))
    return found


def _report(phases: list[Phase], idle: Phase) -> None:
    print(measure.table([idle, *phases], idle))
    print(
        "times in ms; egress and ingress: sojourn times of all packets; elsewhere: the rest of the ping"
    )


def prove(device: str, server: str | None, seconds: int) -> None:
    if not observe.link(device):
        raise Refusal(f"{device}: there is no such device: `ip link` lists the devices")
    target = server or _gateway(device)
    idle = phase(device, "idle" if server else "now", target, seconds, None)
    phases = _phases(device, server, seconds) if server else []
    _report(phases, idle)
    print(measure.verdict(phases, idle) if phases else CANNOT)


def compare(device: str, kinds: list[str], server: str, seconds: int) -> None:
    """Measure with each kind, live; `none` is the link without the setup. The setup returns."""
    found = state.load(device)
    if not found:
        raise Refusal(f"{device}: compare needs a setup: run `codelctl setup {device}` first")
    idle, phases = phase(device, "idle", server, seconds, None), []
    try:
        for kind in kinds:
            if kind == "none":
                link.undo(device, dry_run=False)
            else:
                link.setup(device, {**found.settings, "kind": kind}, dry_run=False)
            phases += _phases(device, server, seconds, f"{kind} ")
    finally:
        link.setup(device, found.settings, dry_run=False)
    _report(phases, idle)
