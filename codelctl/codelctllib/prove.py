# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""codelctl prove and compare: measure the delay of a link, idle and under load."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import Any, Iterator

from . import facts, link, measure, observe, rates, run, values
from .errors import Failure, Refusal
from .measure import PING_SECONDS, Phase
from .present import queues as queues_in_place
from .report import Report

FLOWS = 4
# Until the queues of the phase before are empty, and the server is ready
SETTLE_SECONDS = 2
LOADS = {"upload": [], "download": ["--reverse"]}
CANNOT = (
    "without --server: measured are the ping to the gateway and the sojourn times of the present traffic; "
    "not measured are the delay under load and the rates of the link, because there is no load"
)
NO_ANSWER = "the queue elsewhere is not known: no TCP segment was answered, or none had time stamps"
NO_SETUP = (
    "the link is not set up: with a setup, the table compares the delay before and after, "
    "and splits it into this router's queues and others"
)


def _gateway(device: str) -> str:
    """The first hop, which answers pings in most networks."""
    for family in ("-4", "-6"):
        shown = observe.listed("ip", family, "-json", "route", "show", "default", "dev", device)
        found = next((route["gateway"] for route in shown if "gateway" in route), None)
        if found:
            # An address that is valid on one link only
            return f"{found}%{device}" if found.startswith("fe80:") else str(found)
    raise Refusal(f"{device} has no default route: give --server HOST")


def _require_route(device: str, server: str) -> None:
    """Refuse a server to which packets do not leave through the device, or one above it."""
    try:
        address = socket.getaddrinfo(server, None)[0][4][0]
    except OSError as error:
        raise Refusal(f"--server: {server}: {error.strerror}") from error
    route = observe.listed("ip", "-json", "route", "get", str(address))[0]
    if device not in facts.lowers(route["dev"]):
        raise Refusal(
            f"{server} is reached through {route['dev']}, and not through {device}: "
            f"measure {route['dev']}, or give a server behind {device}"
        )


def _require_server(server: str) -> None:
    """Notice a server that does not answer before anything is measured or changed."""
    asked = ["iperf3", "--client", server, "-n", "1K", "--connect-timeout", "5000"]
    done = run.run(asked)
    if done.returncode:
        why = run.reason(done.stderr or done.stdout)
        raise Failure(f"--server {server}: {why}: nothing was changed: run `iperf3 --server` there")


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
    ifb = observe.ifb(device)
    leaves = facts.leaf(device) or {}, (facts.leaf(ifb) or {}) if ifb else None
    shown = observe.listed("ip", "-statistics", "-json", "link", "show", "dev", device)
    sent, received = (shown[0]["stats64"][name]["bytes"] * 8 for name in ("tx", "rx"))
    return Reading(time.monotonic(), (sent, received), *leaves)


def _progress(name: str, seconds: int, passed: float, shown: str) -> None:
    replies = measure.pings(shown).replies
    last = f", ping {measure.short(replies[-1][1])} ms" if replies else ""
    text = f"{name}: {min(int(passed), seconds)} of {seconds} s{last}"
    print(f"\r{text}\033[K", end="", file=sys.stderr, flush=True)


def _follow(pinging: subprocess.Popen[str], name: str, seconds: int) -> str:
    """What ping prints until it ends. On a terminal, a line shows how far the phase is."""
    assert pinging.stdout
    shown, begin, stream = b"", time.monotonic(), pinging.stdout.fileno()
    on_terminal = sys.stderr.isatty()
    if not on_terminal:
        print(f"{name}: {seconds} s", file=sys.stderr, flush=True)
    while True:
        if select.select([stream], [], [], 1)[0]:
            part = os.read(stream, 65536)
            if not part:
                break
            shown += part
        if on_terminal:
            _progress(name, seconds, time.monotonic() - begin, shown.decode(errors="replace"))
    if on_terminal:
        print("\r\033[K", end="", file=sys.stderr, flush=True)
    return shown.decode(errors="replace")


@contextlib.contextmanager
def _until_here(process: subprocess.Popen[str]) -> Iterator[subprocess.Popen[str]]:
    """The process is stopped if it has not ended by itself."""
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def _require_success(loading: subprocess.Popen[str], seconds: int) -> None:
    try:
        output = loading.communicate(timeout=seconds + 10)
    except subprocess.TimeoutExpired as error:
        raise Failure(f"iperf3 did not end within {seconds + 10} s: try another server") from error
    if loading.returncode:
        raise Failure(f"iperf3: {run.reason(output[1] or output[0])}")


def _measured(
    device: str, load: str, setup: str, target: str, seconds: int
) -> tuple[Reading, str, Reading]:
    """Counters before, what ping printed, and counters after."""
    before = _read(device)
    pinging = _start(["ping", "-n", "-i", str(PING_SECONDS), "-w", str(seconds), target])
    with _until_here(pinging):
        shown = _follow(pinging, f"{setup} {load}".strip(), seconds)
    return before, shown, _read(device)


def phase(device: str, load: str, target: str, seconds: int, setup: str = "") -> Phase:
    """Ping the target for some seconds, beside a load of LOADS if there is one with this name."""
    if load in LOADS:
        with _until_here(_load(target, seconds, LOADS[load])) as loading:
            before, shown, after = _measured(device, load, setup, target, seconds)
            _require_success(loading, seconds)
    else:
        before, shown, after = _measured(device, load, setup, target, seconds)
    return Phase(
        load,
        after.rates_since(before),
        measure.pings(shown),
        measure.queue(before.egress, after.egress),
        measure.queue(before.ingress, after.ingress),
        setup,
        (measure.far(before.egress, after.egress), measure.far(before.ingress, after.ingress)),
    )


def _phases(device: str, server: str | None, seconds: int, setup: str = "") -> list[Phase]:
    """Beside each load, and without a server beside the present traffic."""
    found = []
    for load in LOADS if server else ("now",):
        time.sleep(SETTLE_SECONDS)
        found.append(phase(device, load, server or _gateway(device), seconds, setup))
    return found


def _lifted(device: str, settings: dict[str, str]) -> dict[str, str]:
    """The same setup with shapers that let everything pass. Nothing is removed: rules of others stay, and a power
    cut leaves a link that is set up."""
    rate, follows = rates.text(rates.GREATEST), values.follows(settings)
    names = [name for name in ("up", "down") if follows or name in settings]
    lifted = {**settings, **dict.fromkeys(names, rate), "follow": values.OFF}
    # Each direction keeps its qdiscs: one, or one for each transmit queue
    now = observe.observed(device)
    return {**lifted, **queues_in_place(now, set(names), values.parse(settings).kind)}


@contextlib.contextmanager
def _returning(device: str, settings: dict[str, str]) -> Iterator[None]:
    """These settings return. A child sees to that if this process is killed: its end of the pipe closes then. The child
    keeps the lock until it is done."""
    waiting, ending = os.pipe()
    child = os.fork()
    if not child:
        os.setsid()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        os.close(ending)
        if not os.read(waiting, 1):
            link.apply(device, settings)
        os._exit(0)
    os.close(waiting)
    try:
        yield
    finally:
        try:
            link.apply(device, settings)
        finally:
            os.write(ending, b".")
            os.close(ending)
            os.waitpid(child, 0)


def _with_each(
    device: str, server: str | None, seconds: int, setups: dict[str, dict[str, str]]
) -> list[Phase]:
    """Measure with each setup. The present setup returns."""
    phases = []
    for settings in setups.values():
        link.require(device, settings)
    with _returning(device, link.in_place_of(device)):
        for name, settings in setups.items():
            link.apply(device, settings)
            phases += _phases(device, server, seconds, name)
    return phases


def watch(device: str, server: str | None, seconds: int) -> Phase:
    """The delay of a ping beside the traffic that runs anyway."""
    device = observe.required(observe.links(), device)["ifname"]
    if server:
        _require_route(device, server)
    return phase(device, "now", server or _gateway(device), seconds)


def _beside_traffic(device: str, present: dict[str, str], seconds: int) -> Report:
    """Without a server: before and after the setup if the link is followed, else as it is."""
    if not values.follows(present):
        idle = phase(device, "now", _gateway(device), seconds)
        return Report(device, None, seconds, idle, [], [CANNOT])
    setups = {"before": _lifted(device, present), "after": present}
    before, after = _with_each(device, None, seconds, setups)
    texts = [*map(measure.responsiveness, (before, after)), measure.far_text(after) or NO_ANSWER]
    return Report(device, None, seconds, before, [after], texts)


def prove(device: str, server: str | None, seconds: int) -> Report:
    """Measure the delay, idle and under load; before and after the setup, if there is one."""
    device = observe.required(observe.links(), device)["ifname"]
    if server:
        _require_route(device, server)
        _require_server(server)
    present = link.in_place_of(device)
    if not server:
        return _beside_traffic(device, present, seconds)
    idle = phase(device, "idle", server, seconds)
    if not present:
        phases = _phases(device, server, seconds)
        command = measure.setup(device, measure.of_loads(phases))
        begin = [f"a setup to begin with, from these rates: `{command}`"] if command else []
        texts = [measure.verdict(phases, idle), NO_SETUP, *begin]
        return Report(device, server, seconds, idle, phases, texts)
    setups = {"before": _lifted(device, present), "after": present}
    phases = _with_each(device, server, seconds, setups)
    before, after = phases[: len(LOADS)], phases[len(LOADS) :]
    texts = [measure.effect(old, new, idle) for old, new in zip(before, after)]
    texts += filter(None, map(measure.far_text, after))
    return Report(device, server, seconds, idle, phases, [*texts, measure.verdict(after, idle)])


def compare(device: str, kinds: list[str], server: str, seconds: int) -> Report:
    """Measure with each kind, live; `none` is the link without its rates."""
    device = observe.required(observe.links(), device)["ifname"]
    found = link.in_place_of(device)
    if not found:
        raise Refusal(
            f"{device}: compare needs a setup: `codelctl prove {device} --server {server}` measures "
            "the link and prints one"
        )
    _require_route(device, server)
    _require_server(server)
    idle = phase(device, "idle", server, seconds)
    setups = {
        k: _lifted(device, found) if k == "none" else values.merged(found, {"kind": k})
        for k in kinds
    }
    return Report(device, server, seconds, idle, _with_each(device, server, seconds, setups), [])
