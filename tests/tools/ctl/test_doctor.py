# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Findings of doctor: each of a table of facts has these findings and no other."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import shown
from cases import case, check
from codelctllib import doctor
from codelctllib.facts import Link, Machine, Module, Neighbour, Plugin
from codelctllib.offloads import Feature
from codelctllib.marks import Port
from codelctllib.measure import Phase, Pings, Queue

CODEL = Module("sch_codel_oot", "0.9.0", True, "0.9.0")
FQ_CODEL = Module("sch_fq_codel_oot", "0.9.0", True, "0.9.0")
PLUGIN = Plugin("fq_codel_oot", "/usr/lib/tc/q_fq_codel_oot.so", loads=True, works=True)
MACHINE = Machine(
    release="6.12.1",
    modules=[CODEL, FQ_CODEL],
    headers=True,
    secure_boot=False,
    signatures=False,
    default_qdisc="fq_codel",
    dkms=True,
    packaged=True,
    source=None,
    plugins=[PLUGIN, replace(PLUGIN, kind="codel_oot", works=None)],
    served={"codel": "sch_codel_oot", "fq_codel": "built-in", "codel_oot": "sch_codel_oot"},
    forwards=True,
)
LINK = Link(
    device="eth0",
    settings={"up": "19mbit", "down": "95mbit", "link": "docsis"},
    present=True,
    in_force=True,
    up=19_000_000,
    down=95_000_000,
    speed=10**9,
    now=Port(shown.link("eth0")),
    features=shown.SPLITS,
)
GRO = {"generic-receive-offload": Feature(True, False)}
SETUP = "codelctl setup eth0"

# Facts that differ, code of the finding, and its command
MACHINES: list[tuple[dict[str, Any], str, str]] = [
    (
        {"modules": [CODEL, Module("sch_fq_codel_oot")]},
        "module-missing",
        "apt install linux-headers-6.12.1 && dkms autoinstall",
    ),
    (
        {"modules": [replace(CODEL, version="1.0.0"), FQ_CODEL]},
        "module-old",
        "modprobe -r sch_codel_oot && modprobe sch_codel_oot",
    ),
    ({"headers": False}, "headers-missing", "apt install linux-headers-6.12.1"),
    (
        {"signatures": True, "modules": [CODEL, replace(FQ_CODEL, loaded=False)]},
        "signature-needed",
        "mokutil --import /var/lib/dkms/mok.pub",
    ),
    (
        {"plugins": [PLUGIN, replace(PLUGIN, loads=False, works=None)]},
        "plugin-missing",
        "apt install --reinstall codel-oot-tools",
    ),
    (
        {"plugins": [replace(PLUGIN, works=False)]},
        "plugin-old",
        "apt install --reinstall codel-oot-tools",
    ),
    ({"ethtool": False}, "ethtool-missing", "apt install ethtool"),
    (
        {"default_qdisc": "pfifo_fast"},
        "default-qdisc",
        "sysctl -w net.core.default_qdisc=fq_codel",
    ),
]
MADE = {"dkms": False, "packaged": False, "source": "/home/me/my codel"}
# The same after `make install`
MADE_MACHINES: list[tuple[dict[str, Any], str, str | None]] = [
    (
        {"modules": [CODEL, Module("sch_fq_codel_oot")]},
        "module-missing",
        "make -C '/home/me/my codel' && make -C '/home/me/my codel' install",
    ),
    (
        {"modules": [CODEL, Module("sch_fq_codel_oot")], "headers": False, "source": "/src"},
        "module-missing",
        "apt install linux-headers-6.12.1 && make -C /src && make -C /src install",
    ),
    ({"modules": [CODEL, Module("sch_fq_codel_oot")], "source": None}, "module-missing", None),
    (
        {"signatures": True, "modules": [CODEL, replace(FQ_CODEL, loaded=False)]},
        "signature-needed",
        None,
    ),
    (
        {"plugins": [PLUGIN, replace(PLUGIN, loads=False, works=None)], "source": "/src"},
        "plugin-missing",
        "make -C /src install",
    ),
]
LINKS: list[tuple[dict[str, Any], str, str]] = [
    ({"present": False}, "device-gone", "codelctl undo eth0"),
    ({"in_force": False}, "setup-differs", f"{SETUP} --up 19mbit --down 95mbit --link docsis"),
    (
        {"features": GRO},
        "offloads",
        f"{SETUP} --up 19mbit --down 95mbit --link docsis --offloads off",
    ),
    (
        {"features": GRO, "in_force": False},
        "setup-differs",
        f"{SETUP} --up 19mbit --down 95mbit --link docsis",
    ),
    ({"neighbours": [Neighbour("lan0", GRO, 65536)]}, "gro-before", "ethtool -K lan0 gro off"),
    (
        {"features": GRO, "splits": ["down"]},
        "offloads",
        f"{SETUP} --up 19mbit --down 95mbit --link docsis --offloads off",
    ),
    (
        {"neighbours": [Neighbour("lan0", GRO, 65536)], "splits": ["down"]},
        "gro-before",
        "ethtool -K lan0 gro off",
    ),
    ({"flowtables": {"inet fw fast": []}}, "flowtable", "nft delete flowtable inet fw fast"),
    ({"outdated_mtu": 1500}, "mtu-changed", f"{SETUP} --up 19mbit --down 95mbit --link docsis"),
    (
        {"features": {"hw-tc-offload": Feature(True, False)}},
        "hw-offload",
        "ethtool -K eth0 hw-tc-offload off",
    ),
    ({"bypassed": "ifb-eth0"}, "ingress-bypassed", "tc filter show dev eth0 ingress"),
    ({"behind": [60000]}, "filter-behind", "tc filter show dev eth0 ingress"),
    ({"xdp": True}, "xdp", "ip link set dev eth0 xdp off"),
    (
        {"speed": 10_000_000},
        "queue-elsewhere",
        f"{SETUP} --up 9500kbit --down 95mbit --link docsis",
    ),
    (
        {"speed": 20_000_000, "up": 19_500_000, "bql": False},
        "no-bql",
        f"{SETUP} --up 18mbit --down 95mbit --link docsis",
    ),
]
QUEUES: list[tuple[dict[str, Any], str, str]] = [
    (
        {"flowtables": {"ip nat fast": ["ip nat fwd handle 5"]}},
        "flowtable",
        "nft 'delete rule ip nat fwd handle 5; delete flowtable ip nat fast'",
    ),
    ({"bql": False, "shaped": False}, "no-bql", "codelctl setup eth0 --up 900mbit"),
]
QUIET_QUEUES: list[dict[str, Any]] = [
    {},
    {"shaped": False},
    {"bql": False},
    {"bql": False, "shaped": False, "speed": None},
]
QUIET_MACHINES: list[dict[str, Any]] = [{}, {"headers": False, "dkms": False}]
QUIET: list[dict[str, Any]] = [
    {},
    {"speed": None, "bql": False},
    {"speed": 20_000_000, "up": 19_500_000},
    {"bql": False},
    {"features": GRO, "up": 10**9, "down": 10**9},
    {"features": GRO, "splits": ["up", "down"]},
    {"features": GRO, "splits": ["up"], "down": 10**9},
    {"neighbours": [Neighbour("lan0", GRO, 65536)], "splits": ["up"]},
    {"features": GRO, "now": Port({**shown.link("eth0"), "gso_max_size": 1514})},
    {"neighbours": [Neighbour("lan0", GRO, 65536)], "up": 200_000_000},
    {"neighbours": [Neighbour("lan0", shown.SPLITS, 65536)]},
]


@case("doctor: nothing is found where nothing is wrong")
def quiet() -> None:
    for facts in QUIET_MACHINES:
        check(f"{facts}", list(doctor.of_machine(replace(MACHINE, **facts))), [])
    for facts in QUIET:
        check(f"{facts}", list(doctor.of_link(replace(LINK, **facts))), [])


@case("doctor: each wrong fact of the machine is one finding, with its command")
def machines() -> None:
    for facts, code, fix in MACHINES:
        found = [(f.code, f.fix) for f in doctor.of_machine(replace(MACHINE, **facts))]
        check(code, found, [(code, fix)])
    for facts, code, fix in MADE_MACHINES:
        found = [(f.code, f.fix) for f in doctor.of_machine(replace(MACHINE, **{**MADE, **facts}))]
        check(f"{code} after make install", found, [(code, fix)])


@case("doctor: each wrong fact of a device that is not set up is one finding, with its command")
def queues() -> None:
    queue = Link("eth0", {}, present=True, speed=10**9, features=shown.SPLITS)
    for facts in QUIET_QUEUES:
        check(f"{facts}", list(doctor.of_queue(replace(queue, **facts))), [])
    for facts, code, fix in QUEUES:
        found = [(f.code, f.fix) for f in doctor.of_queue(replace(queue, **facts))]
        check(code, found, [(code, fix)])


@case("doctor: which module serves a kind is stated, and is no problem")
def served() -> None:
    found = {f.subject: (f.level, f.text) for f in doctor.servers(MACHINE)}
    check("codel", found["codel"], ("info", "served by the out-of-tree sch_codel_oot"))
    text = "served by the in-tree qdisc, which is built into the kernel"
    check("fq_codel", found["fq_codel"], ("info", text))
    for server, words in (
        (None, "no loaded module serves it"),
        ("sch_codel", "the in-tree sch_codel"),
    ):
        finding = next(doctor.servers(replace(MACHINE, served={"codel": server})))
        assert words in finding.text, finding


@case("doctor: a plugin that tc does not look for is named")
def plugin_elsewhere() -> None:
    plugin = replace(PLUGIN, loads=False, others=["/usr/lib/x86_64-linux-gnu/tc/q_fq_codel_oot.so"])
    finding = next(doctor.of_machine(replace(MACHINE, plugins=[plugin])))
    for word in (plugin.path, plugin.others[0]):
        assert word and word in finding.text, finding


@case("doctor: what differs from the setup is named")
def differs() -> None:
    words = ["rate of eth0 is 1mbit instead of 19mbit", "mpu of eth0 is 0 instead of 64"]
    finding = next(doctor.of_link(replace(LINK, in_force=False, differs=words)))
    check("text", finding.text, "; ".join(["its qdiscs or offloads differ from the setup", *words]))


@case("doctor: each wrong fact of a link is one finding, with its command")
def links() -> None:
    for facts, code, fix in LINKS:
        found = [(f.code, f.fix) for f in doctor.of_link(replace(LINK, **facts))]
        check(code, found, [(code, fix)])


@case("doctor: a link that is not enabled is mentioned")
def not_enabled() -> None:
    found = [(f.code, f.fix, f.level) for f in doctor.of_link(replace(LINK, enabled=False))]
    check("finding", found, [("not-enabled", "codelctl enable eth0", "info")])


@case("doctor: a delay of the present traffic is told apart by where packets wait")
def delays() -> None:
    fresh = Link("eth0", {}, present=True)
    quiet, waits = Queue(), Queue(3, [(290_000_000, 500)])

    def found(times: list[float], egress: Queue) -> list[tuple[str, str | None, str]]:
        pings = Pings(sorted(times), 0)
        seen = Phase("now", (5.39e6, 0.2e6), pings, egress, quiet)
        return [(f.code, f.fix, f.level) for f in doctor.of_delay(fresh, seen)]

    slow = [20.0] * 10 + [336.0] * 40
    setup = "codelctl setup eth0 --up 5.1mbit"
    check("elsewhere", found(slow, quiet), [("delay-elsewhere", setup, "problem")])
    check("unknown", found(slow, Queue(0, None)), [("delay-elsewhere", setup, "problem")])
    check("here", found(slow, waits), [("delay-here", "codelstat watch eth0", "problem")])
    check("none", found([20.0] * 50, quiet), [("delay", None, "info")])
    check("no answer", found([], quiet), [("delay-unknown", None, "problem")])
    phase = Phase("now", (5.39e6, 0.2e6), Pings(sorted(slow), 0), quiet, quiet)
    text = next(doctor.of_delay(fresh, phase)).text
    follow = "elsewhere (without a rate: `codelctl setup eth0 --follow`)"
    for words in ("20 ms at least", "336 ms", "179 round trips per minute", "5.39 Mbit/s", follow):
        assert words in text, text
    rates = replace(fresh, settings={"up": "5mbit"})
    assert "--follow" not in next(doctor.of_delay(rates, phase)).text
    fast = Phase("now", (2e9, 2e8), Pings([1234.0, 2345.0], 0), quiet, quiet)
    text = next(doctor.of_delay(fresh, fast)).text
    for words in ("1234 ms at least", "2345 ms", "2000 Mbit/s"):
        assert words in text, text


@case("doctor: a link that is followed, or why it is not")
def followed() -> None:
    for state, code, fix, level in (
        ("works", "far-works", None, "info"),
        ("unheard", "far-unheard", None, "info"),
        ("unanswered", "far-unanswered", None, "info"),
        ("silent", "far-silent", None, "info"),
        ("unclear", "far-unclear", None, "info"),
        ("foreign", "far-foreign", None, "info"),
        ("deaf", "far-deaf", "codelctl setup eth0 --follow", "problem"),
    ):
        link = Link("eth0", {"follow": "on"}, present=True, in_force=True, far={"egress": state})
        found = [(f.code, f.fix, f.level) for f in doctor.of_link(link)]
        check(state, found, [(code, fix, level)])
    link = Link("eth0", {"follow": "on"}, present=True)
    phase = Phase("now", (5e6, 0), Pings([20.0] * 10 + [336.0] * 40, 0), Queue(), Queue())
    check("elsewhere", [f.fix for f in doctor.of_delay(link, phase)], ["codelstat watch eth0"])
