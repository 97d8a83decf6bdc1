# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""What is wrong with modules, tc and links: a finding is one sentence and the command that remedies it."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import Iterator

from . import cake, measure, rates, values
from .facts import Link, Machine, Module, Plugin
from .marks import PREFERENCE
from .measure import Phase
from .offloads import SHORT

# A merged packet may hold the link for as long as CoDel's target
HELD_MS = 5.0
# A call stutters when a ping takes so much longer than at its best
ADDED_MS = 30.0
GSO_BYTES = 65536


@dataclass(frozen=True)
class Finding:
    """`code` is for scripts and stays; `fix` is a command, or None if there is none."""

    code: str
    subject: str  # a module, a kind or a device
    text: str
    fix: str | None
    level: str = "problem"  # or "info"


def _make(machine: Machine, *goals: str) -> str | None:
    """The command that installs again what `make install` has installed."""
    if not machine.source:
        return None
    folder = shlex.quote(machine.source)
    return " && ".join(f"make -C {folder}{goal}" for goal in goals)


def _modules_again(machine: Machine) -> str | None:
    headers = f"apt install linux-headers-{machine.release}"
    if machine.dkms:
        return f"{headers} && dkms autoinstall"
    made = _make(machine, "", " install")
    return made if machine.headers or not made else f"{headers} && {made}"


def _module(machine: Machine, module: Module) -> Iterator[Finding]:
    name = module.name
    if module.version is None:
        text = f"there is no module {name} for kernel {machine.release}"
        yield Finding("module-missing", name, text, _modules_again(machine))
    elif module.loaded and module.loaded_version != module.version:
        text = f"version {module.loaded_version} is loaded, version {module.version} is installed"
        fix = f"modprobe -r {name} && modprobe {name}"
        yield Finding("module-old", name, text, fix)


def _server(kind: str, server: str | None) -> str:
    if server is None:
        return "no loaded module serves it"
    if server == "built-in":
        return "served by the in-tree qdisc, which is built into the kernel"
    return f"served by the {'out-of-tree' if server.endswith('_oot') else 'in-tree'} {server}"


def servers(machine: Machine) -> Iterator[Finding]:
    for kind, server in machine.served.items():
        yield Finding("served", kind, _server(kind, server), None, "info")


def _plugin(machine: Machine, plugin: Plugin) -> Iterator[Finding]:
    package = "apt install --reinstall codel-oot-tools"
    fix = package if machine.packaged else _make(machine, " install")
    if not plugin.loads:
        where = f": it looks for {plugin.path}" if plugin.path else ""
        if plugin.others:
            where += f", and the plugin is {plugin.others[0]}"
        text = (
            f"tc has no plugin for {plugin.kind}, sets no options and prints no statistics{where}"
        )
        yield Finding("plugin-missing", plugin.kind, text, fix)
    elif plugin.works is False:
        text = f"tc does not show the options that it sets: {plugin.path} is of another version"
        yield Finding("plugin-old", plugin.kind, text, fix)


def of_machine(machine: Machine) -> Iterator[Finding]:
    for module in machine.modules:
        yield from _module(machine, module)
    if not machine.headers and machine.dkms:
        text = f"DKMS cannot build modules: the headers of kernel {machine.release} are missing"
        fix = f"apt install linux-headers-{machine.release}"
        yield Finding("headers-missing", "kernel", text, fix)
    if machine.signatures and not all(module.loaded for module in machine.modules):
        why = "Secure Boot is on" if machine.secure_boot else "signatures are enforced"
        text = f"{why}: the kernel loads modules only if it trusts the key that signed them"
        if machine.dkms:
            fix = "mokutil --import /var/lib/dkms/mok.pub"
        else:
            text, fix = f"{text}, and `make install` signs none: use the packages", None
        yield Finding("signature-needed", "kernel", text, fix)
    for plugin in machine.plugins:
        yield from _plugin(machine, plugin)
    if not machine.ethtool:
        text = "ethtool is missing: offloads are neither changed nor judged"
        yield Finding("ethtool-missing", "machine", text, "apt install ethtool")
    if machine.default_qdisc in ("pfifo_fast", "pfifo"):
        text = f"net.core.default_qdisc is {machine.default_qdisc}, which has no AQM"
        fix = "sysctl -w net.core.default_qdisc=fq_codel"
        yield Finding("default-qdisc", "kernel", text, fix)


def _off(device: str, *features: str) -> str:
    """The command that switches features of a device off."""
    return shlex.join(["ethtool", "-K", device, *(w for name in features for w in (name, "off"))])


def _held_ms(size: int, rate: int) -> float:
    return size * 8 * 1000 / rate


def _merging(link: Link) -> Iterator[Finding]:
    """Packets that are merged before they reach a shaper which does not split them."""
    rates_of = {"up": link.up, "down": link.down}
    whole = {name: rate for name, rate in rates_of.items() if rate and name not in link.splits}
    if not whole:
        return
    slowest = min(whole.values())
    size = (link.now.link or {}).get("gso_max_size", GSO_BYTES)
    held = _held_ms(size, slowest)
    names = {**SHORT, "tcp-segmentation-offload": "tso"}
    on = [s for n, s in names.items() if n in link.features and link.features[n].on]
    # A setup that is not in force is another finding
    if on and held > HELD_MS and link.in_force:
        text = f"{'/'.join(on)} merges packets; {size} bytes hold the link for {held:.0f} ms"
        yield Finding("offloads", link.device, text, _setup(link, offloads="off"))
    for other in link.neighbours:
        feature = other.features.get("generic-receive-offload")
        held = _held_ms(other.gro_max_size, whole["up"]) if "up" in whole else 0
        if feature and feature.on and held > HELD_MS:
            text = (
                f"gro of {other.name} merges packets that are forwarded to {link.device}; "
                f"{other.gro_max_size} bytes hold the link for {held:.0f} ms"
            )
            yield Finding("gro-before", link.device, text, _off(other.name, "gro"))


def _bypass(link: Link) -> Iterator[Finding]:
    if link.bypassed:
        text = (
            f"no packet of ingress reaches {link.bypassed}: a tcx program or a filter on ingress "
            "takes them before the redirect"
        )
        fix = shlex.join(["tc", "filter", "show", "dev", link.device, "ingress"])
        yield Finding("ingress-bypassed", link.device, text, fix)
    for preference in link.behind:
        text = f"the filter with preference {preference} on ingress is behind the redirect and sees no packet"
        fix = shlex.join(["tc", "filter", "show", "dev", link.device, "ingress"])
        yield Finding("filter-behind", link.device, f"{text}: give it one below {PREFERENCE}", fix)
    for table, rules in link.flowtables.items():
        text = f"the flow table {table} takes forwarded packets past the shapers of {link.device}"
        # While a rule uses it, it is busy
        words = "; ".join([*(f"delete rule {rule}" for rule in rules), f"delete flowtable {table}"])
        fix = shlex.join(["nft", words]) if rules else f"nft {words}"
        yield Finding("flowtable", link.device, text, fix)
    offload = link.features.get("hw-tc-offload")
    if offload and offload.on:
        text = "hw-tc-offload is on: the hardware may forward packets past the shapers"
        yield Finding("hw-offload", link.device, text, _off(link.device, "hw-tc-offload"))

    if link.xdp:
        text = "an XDP program receives its packets, and may forward them past the shapers"
        fix = shlex.join(["ip", "link", "set", "dev", link.device, "xdp", "off"])
        yield Finding("xdp", link.device, text, fix)


def _elsewhere(link: Link) -> Iterator[Finding]:
    """A shaper controls the delay only if it is the slowest part of the path."""
    if link.up and link.speed and link.up > link.speed:
        shown, least = rates.text(link.up), rates.text(link.speed * 95 // 100)
        text = f"the shaper's {shown} exceed the device's {rates.text(link.speed)}"
        yield Finding("queue-elsewhere", link.device, text, _setup(link, up=least))
    elif link.up and link.speed and link.up * 20 > link.speed * 19 and not link.bql:
        text = "the driver has no BQL, and the shaper is hardly slower: its rings become the queue"
        lower = rates.text(link.speed * 9 // 10)
        yield Finding("no-bql", link.device, text, _setup(link, up=lower))


# Why a queue elsewhere is not known
NOT_FOLLOWED = {
    "deaf": "the device of the answers is gone",
    "unheard": "no TCP segment has passed",
    "unanswered": "no TCP segment was answered; downloads need time stamps (RFC 7323), or data of the client",
    "silent": "answers have stopped",
    "unclear": "both directions are busy, and answers have no time stamps (RFC 7323)",
    "foreign": "packets that do not pass it fill the queue",
}


def _far(link: Link) -> Iterator[Finding]:
    """The queue elsewhere. Without traffic, nothing is known of it."""
    for name, state in link.far.items():
        text = f"{name} follows the link"
        if state != "works":
            text = f"{name} does not follow the link: {NOT_FOLLOWED.get(state, state)}"
        if state == "deaf":
            yield Finding(f"far-{state}", link.device, text, _setup(link))
        else:
            yield Finding(f"far-{state}", link.device, text, None, "info")


def _cakes(link: Link) -> Iterator[Finding]:
    for found in link.cakes:
        speed = link.speed if found.device == link.device else None
        text, details = cake.text(found, speed), cake.details(found)
        yield Finding("cake", found.device, text, details, "info")


def _setup(link: Link, **changed: str) -> str:
    """The command that sets the link up as it was, but for the changed settings."""
    settings = {**link.settings, **changed}
    return shlex.join(["codelctl", "setup", link.device, *values.words(settings)])


def of_delay(link: Link, phase: Phase) -> Iterator[Finding]:
    """What a ping met beside the present traffic. `link` has the settings, if there is a setup."""
    least, slow = phase.pings.percentile(0.0), phase.pings.percentile(0.95)
    if least is None or slow is None:
        text = "no ping was answered: give another host with --server"
        yield Finding("delay-unknown", link.device, text, None)
        return
    up, down = (measure.short(rate / 1e6) for rate in phase.rates)
    text = (
        f"a ping takes {measure.short(least)} ms at least and {measure.short(slow)} ms at the 95th percentile "
        f"({measure.round_trips(phase)} round trips per minute) beside {up} Mbit/s of egress and "
        f"{down} Mbit/s of ingress"
    )
    here = [queue.percentile(0.95) or 0 for queue in (phase.egress, phase.ingress)]
    if slow - least <= ADDED_MS:
        yield Finding("delay", link.device, text, None, "info")
    elif sum(here) * 2 >= slow - least:
        egress, ingress = map(measure.short, here)
        text += f"; packets wait in this router, egress {egress} ms and ingress {ingress} ms"
        yield Finding("delay-here", link.device, text, _status(link.device))
    else:
        text += "; packets wait elsewhere"
        if not link.settings:
            text += f" (without a rate: `{_setup(link, follow='on')}`)"
        yield Finding("delay-elsewhere", link.device, text, _remedy(link, phase))


def _remedy(link: Link, phase: Phase) -> str | None:
    """Against a queue elsewhere: a rate that was measured. Where the link is followed, its statistics say more."""
    if values.follows(link.settings):
        return _status(link.device)
    return measure.setup(link.device, measure.loaded(phase))


def _status(device: str) -> str:
    return shlex.join(["codelstat", "watch", device])


def of_link(link: Link) -> Iterator[Finding]:
    if not link.present:
        text = "the device is gone; its setup is kept until it is undone"
        yield Finding(
            "device-gone", link.device, text, shlex.join(["codelctl", "undo", link.device])
        )
        return
    if not link.in_force:
        text = "; ".join(["its qdiscs or offloads differ from the setup", *link.differs])
        yield Finding("setup-differs", link.device, text, _setup(link))
    if link.outdated_mtu:
        text = f"its MTU was {link.outdated_mtu} at the setup, and is another one now"
        yield Finding("mtu-changed", link.device, text, _setup(link))
    if link.in_force and not link.enabled:
        text = "its setup does not return after a reboot"
        fix = shlex.join(["codelctl", "enable", link.device])
        yield Finding("not-enabled", link.device, text, fix, "info")
    yield from _merging(link)
    yield from _bypass(link)
    yield from _elsewhere(link)
    yield from _far(link)
    yield from _cakes(link)


def of_queue(link: Link) -> Iterator[Finding]:
    """Of a device whose qdiscs codelctl has not made."""
    yield from _bypass(link)
    if link.speed and not link.bql and not link.shaped:
        text = "the driver has no BQL: packets wait in its rings, and not in the qdisc"
        rate = rates.text(link.speed * 9 // 10)
        yield Finding("no-bql", link.device, text, _setup(link, up=rate))
    for found in link.cakes:
        if link.speed and found.rate and found.rate > link.speed:
            shown, speed = rates.text(found.rate), rates.text(link.speed)
            text = f"the shaper's {shown} exceed the device's {speed}"
            fix = cake.slower(found, link.speed * 95 // 100)
            yield Finding("queue-elsewhere", link.device, text, fix)
    yield from _cakes(link)
