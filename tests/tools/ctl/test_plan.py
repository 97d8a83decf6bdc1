# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The commands that lead from a state to a request."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import shown
from cases import case, check, refused
from codelctllib import marks, offloads, plan, values
from codelctllib.marks import Port
from codelctllib.offloads import Feature, Features
from codelctllib.plan import Former, Observed
from shown import CLSACT, DEFAULT_ROOT, FORMER, FRESH, MERGES, SPLITS

BOTH = {"up": "19mbit", "down": "95mbit"}
RESTORE = "tc qdisc del dev eth0 root"
NO_REDIRECT = "tc filter del dev eth0 ingress protocol all pref 49374 handle 0xc0df matchall"
NO_HOOK = "tc qdisc del dev eth0 clsact"
NO_IFB = "ip link del dev ifb-eth0"

SETUP = """\
tc qdisc replace dev eth0 root handle c0d1: fq_codel_oot rate 19000000bit overhead 38 mpu 84 noatm egress
modprobe ifb numifbs=0
ip link add codelctl-7 type ifb
ip link set dev codelctl-7 name ifb-eth0 alias codelctl: ingress of device 7 (eth0) mtu 1500 up
tc qdisc replace dev ifb-eth0 root handle c0d1: fq_codel_oot rate 95000000bit overhead 38 mpu 84 noatm ingress
tc qdisc add dev eth0 clsact
tc filter add dev eth0 ingress protocol all pref 49374 handle 0xc0df matchall action mirred egress redirect dev ifb-eth0
"""
# Of a kind that does not shape, in place of the first line and of the fifth
HTB = """\
ethtool -K eth0 gro off gso off tso off
tc qdisc replace dev eth0 root handle c0de: stab linklayer ethernet overhead 24 mpu 84 mtu 2047 tsize 2048 htb default 1
tc class add dev eth0 parent c0de: classid c0de:1 htb rate 19000000bit ceil 19000000bit burst 2375 cburst 2375 quantum 2375
tc qdisc add dev eth0 parent c0de:1 handle c0df: fq_codel target 5000us interval 100000us
"""
HTB_OF_IFB = """\
tc qdisc replace dev ifb-eth0 root handle c0de: stab linklayer ethernet overhead 24 mpu 84 mtu 2047 tsize 2048 htb default 1
tc class add dev ifb-eth0 parent c0de: classid c0de:1 htb rate 95000000bit ceil 95000000bit burst 11875 cburst 11875 quantum 11875
tc qdisc add dev ifb-eth0 parent c0de:1 handle c0df: fq_codel target 5000us interval 100000us
"""


def after(given: dict[str, str], former: bool = False) -> Observed:
    """The state of eth0 after a setup, or one of an earlier version."""
    request = values.parse(given, former=former)
    up, down = plan.shapers(FRESH, request)
    device = shown.shaped(up, "eth0") if up else FRESH.device
    ifb = Port()
    if down:
        ifb = shown.shaped(down, "ifb-eth0")
        device = hooked(device, "ifb-eth0")
    return Observed(device, ifb, "ifb-eth0", MERGES if request.keep_offloads else SPLITS, False)


def hooked(device: Port, to: str) -> Port:
    return replace(device, qdiscs=[*device.qdiscs, CLSACT], ingress=shown.redirect(to))


# What tc shows after a setup with BOTH: the size table of HTB, the options of a kind that shapes, and HTB's bytes per
# second. These are not made by the code under test, which would have a mistake on both sides.
TABLE = {"mtu": 2047, "tsize": 2048}
SHOWN: dict[str, tuple[dict[str, Any], dict[str, Any], tuple[int, int]]] = {
    "raw": ({"linklayer": "ethernet", "overhead": -14}, {"atm": "noatm"}, (2375000, 11875000)),
    "ethernet": (
        {"linklayer": "ethernet", "overhead": 24, "mpu": 84, **TABLE},
        {"atm": "noatm", "overhead": 38, "mpu": 84},
        (2375000, 11875000),
    ),
    "pppoe-vdsl": (
        {"linklayer": "ethernet", "overhead": 16, "mpu": 68, **TABLE},
        {"atm": "ptm", "overhead": 30, "mpu": 68},
        (2338461, 11692307),
    ),
    "pppoe-adsl": (
        {"linklayer": "atm", "overhead": 26, **TABLE},
        {"atm": "atm", "overhead": 40},
        (2375000, 11875000),
    ),
}


def htb(name: str, kind: str, stab: dict[str, Any], rate: int, **other: int) -> Port:
    """A device with HTB and a leaf; `other` numbers than those of a link with BOTH."""
    burst = other.get("burst", rate // 1000)
    less = 0 if kind.endswith("_oot") else 1
    times = {
        "target": other.get("target", 5000) - less,
        "interval": other.get("interval", 100000) - less,
    }
    root = {"kind": "htb", "handle": "c0de:", "root": True, "options": {"r2q": 10}, "stab": stab}
    leaf = {"kind": kind, "handle": "c0df:", "parent": "c0de:1", "options": times}
    item = {"class": "htb", "handle": "c0de:1", "root": True, "rate": rate, "ceil": rate,
            "burst": burst, "cburst": burst, "quantum": other.get("quantum", burst)}  # fmt: skip
    return Port(device(name), [root, leaf], [item])


def device(name: str) -> dict[str, Any]:
    return shown.ifb(name) if name.startswith("ifb") else shown.link(name)


def own(name: str, kind: str, options: dict[str, Any], rate: int, ingress: bool) -> Port:
    """A device with a kind that shapes. cake leaves out an overhead and an mpu of 0."""
    if kind == "cake":
        shown, handle = {"bandwidth": rate, "diffserv": "diffserv3"}, "c0ca:"
    else:
        shown = {"limit": 1000, "target": 5000, "rate": rate, "overhead": 0, "mpu": 0}
        handle = {"codel_oot": "c0d0:", "fq_codel_oot": "c0d1:"}[kind]
    options = {**shown, **options, "ingress": ingress, "split_gso": True}
    return Port(device(name), [{"kind": kind, "handle": handle, "root": True, "options": options}])


def as_shown(up: Port | None, down: Port | None, features: Features = MERGES) -> Observed:
    found = up or Port(shown.link("eth0"), [DEFAULT_ROOT])
    if down:
        found = hooked(found, "ifb-eth0")
    return Observed(found, down or Port(), "ifb-eth0", features, False)


def commands(given: dict[str, str], now: Observed, former: Former = FORMER) -> list[str]:
    found = plan.commands(values.parse(given), now, former)
    return [" ".join(command) for command in found]


def undo_commands(now: Observed, former: Former = FORMER) -> list[str]:
    return [" ".join(command) for command in plan.undo_commands(now, former)]


def refuse(given: dict[str, str], now: Observed) -> None:
    plan.refuse(values.parse(given), now)


def brief(given: dict[str, str], now: Observed) -> list[str]:
    """Program, object, verb and device of each command."""
    return [" ".join(c.split()[:5]) for c in commands(given, now)]


@case("setup: the commands for a device with its default qdisc: one qdisc per direction")
def setup() -> None:
    check("commands", "".join(f"{c}\n" for c in commands(BOTH, FRESH)), SETUP)
    lines = SETUP.splitlines()
    expected = [*HTB.splitlines(), *lines[1:4], *HTB_OF_IFB.splitlines(), *lines[5:]]
    check("a kind that does not shape", commands({**BOTH, "kind": "fq_codel"}, FRESH), expected)


@case("setup again: no commands, for every kind and link")
def again() -> None:
    check("kinds", len(values.KINDS), 5)
    for kind in values.KINDS:
        for framing, (stab, options, rates) in SHOWN.items():
            given = {**BOTH, "kind": kind, "link": framing}
            if kind in ("codel", "fq_codel"):
                up = htb("eth0", kind, stab, rates[0])
                down = htb("ifb-eth0", kind, stab, rates[1])
            else:
                up = own("eth0", kind, options, 2375000, False)
                down = own("ifb-eth0", kind, options, 11875000, True)
            now = as_shown(up, down, MERGES if kind.endswith("_oot") else SPLITS)
            check(f"{given}", commands(given, now), [])


@case("setup again: no commands, for slow and fast links")
def again_rates() -> None:
    stab, options, _ = SHOWN["ethernet"]
    # A packet takes 192.25 ms: the target is one and a half of them
    slow = htb("eth0", "fq_codel", stab, 8000, burst=1538, target=288375, interval=383375)
    given = {"up": "64kbit", "kind": "fq_codel"}
    check("HTB, 64 kbit/s", commands(given, as_shown(slow, None, SPLITS)), [])
    fast = htb("ifb-eth0", "fq_codel", stab, 12500000000, quantum=60000)
    # A link so fast keeps its offloads
    given = {"down": "100gbit", "kind": "fq_codel"}
    check("HTB, 100 Gbit/s", commands(given, as_shown(None, fast)), [])
    slow = own("eth0", "fq_codel_oot", options, 8000, False)
    check("64 kbit/s", commands({"up": "64kbit"}, as_shown(slow, None)), [])
    fast = own("ifb-eth0", "fq_codel_oot", options, 12500000000, True)
    check("100 Gbit/s", commands({"down": "100gbit"}, as_shown(None, fast)), [])


@case("setup again: times and bursts of HTB that the kernel rounded count as equal")
def rounded() -> None:
    given = {"up": "19mbit", "kind": "fq_codel"}
    now = after(given)
    up = plan.shapers(FRESH, values.parse(given))[0]
    assert up
    root, burst = now.device.qdiscs[0], {**now.device.classes[0], "burst": 2374, "cburst": 2374}
    for less, same in ((1, True), (2, True), (3, False)):
        port = Port(now.device.link, [root, shown.leaf(up, less)], [burst])
        check(f"{less} us less", commands(given, replace(now, device=port)) == [], same)
    port = replace(now.device, classes=[{**burst, "burst": 2300}])
    check("another burst", brief(given, replace(now, device=port)), ["tc class change dev eth0"])


FAST = {"up": "200mbit", "down": "1gbit"}
# Three transmit queues
WIDE = replace(FRESH, device=Port(shown.link("eth0", queues=3), [DEFAULT_ROOT]))
OF_QUEUES = """\
tc qdisc replace dev eth0 root handle c0d2: mq
tc qdisc replace dev eth0 parent c0d2:1 fq_codel_oot rate 200000000bit overhead 38 mpu 84 noatm egress shared
tc qdisc replace dev eth0 parent c0d2:2 fq_codel_oot rate 200000000bit overhead 38 mpu 84 noatm egress shared
tc qdisc replace dev eth0 parent c0d2:3 fq_codel_oot rate 200000000bit overhead 38 mpu 84 noatm egress shared
modprobe ifb numifbs=0
ip link add codelctl-7 numtxqueues 3 type ifb
ip link set dev codelctl-7 name ifb-eth0 alias codelctl: ingress of device 7 (eth0) mtu 1500 up
tc qdisc replace dev ifb-eth0 root handle c0d2: mq
tc qdisc replace dev ifb-eth0 parent c0d2:1 fq_codel_oot rate 1000000000bit overhead 38 mpu 84 noatm ingress shared
tc qdisc replace dev ifb-eth0 parent c0d2:2 fq_codel_oot rate 1000000000bit overhead 38 mpu 84 noatm ingress shared
tc qdisc replace dev ifb-eth0 parent c0d2:3 fq_codel_oot rate 1000000000bit overhead 38 mpu 84 noatm ingress shared
tc qdisc add dev eth0 clsact
tc filter add dev eth0 ingress protocol all pref 49374 handle 0xc0df matchall action mirred egress redirect dev ifb-eth0
"""


def of_queues(link: dict[str, Any], rate: int, ingress: bool, kind: str = "fq_codel_oot") -> Port:
    """As tc shows mq and its leaves after a setup; `rate` in bytes/s."""
    options = {"rate": rate, "overhead": 38, "mpu": 84, "atm": "noatm", "ingress": ingress}
    options = {"target": 5000, **options, "shared": True, "split_gso": True}
    leaves = [
        {
            "kind": kind,
            "handle": f"{0x8001 + n:x}:",
            "parent": f"c0d2:{n + 1:x}",
            "options": options,
        }
        for n in range(link["queues"])
    ]
    root = {"kind": "mq", "handle": "c0d2:", "root": True, "options": {}}
    return Port(link, [root, *leaves])


def spread(queues: int = 3) -> Observed:
    """After a setup with FAST."""
    device = of_queues(shown.link("eth0", queues=queues), 25_000_000, False)
    ifb = of_queues(shown.ifb("ifb-eth0", queues=queues), 125_000_000, True)
    return Observed(hooked(device, "ifb-eth0"), ifb, "ifb-eth0", MERGES, False)


def with_leaf(now: Observed, parent: str, **other: Any) -> Observed:
    """The same, where one leaf of the device is another one."""
    changed = [{**q, **other} if q.get("parent") == parent else q for q in now.device.qdiscs]
    return replace(now, device=replace(now.device, qdiscs=changed))


@case("queues: the commands for a device with several: a qdisc for each, with one rate")
def queues_setup() -> None:
    check("commands", "".join(f"{c}\n" for c in commands(FAST, WIDE)), OF_QUEUES)
    for given in ({"queues": "one"}, {"kind": "cake"}, {"kind": "fq_codel"}, {"follow": "on"}):
        found = [c for c in commands({**FAST, **given}, WIDE) if "shared" in c or " mq" in c]
        check(f"one qdisc with {given}", found, [])
    # A full packet and the overhead are 1538 bytes, 123.04 Mbit/s in 100 us
    for rate, kind in (("123mbit", "fq_codel_oot"), ("124mbit", "mq")):
        root = commands({"up": rate}, WIDE)[0].split()
        check(rate, root[root.index("handle") + 2], kind)


@case("queues: setup again has no commands, and each change those of the queues that differ")
def queues_again() -> None:
    # Parents are hexadecimal
    for queues in (3, 17):
        check(f"{queues} queues", commands(FAST, spread(queues)), [])
    check("differences", plan.differences(values.parse(FAST), spread(17)), [])
    change = "tc qdisc change dev eth0 parent c0d2:{} fq_codel_oot rate 150000000bit overhead 38 mpu 84 noatm egress"
    found = commands({**FAST, "up": "150mbit"}, spread())
    check("another rate", found, [change.format(n) for n in (1, 2, 3)])
    default = with_leaf(spread(), "c0d2:2", handle="0:")
    found = brief(FAST, default)
    check("a default qdisc", found, ["tc qdisc replace dev eth0"])
    texts = plan.differences(values.parse(FAST), default)
    check("in words", texts, ["queue 2 of eth0 has a default qdisc instead of fq_codel_oot"])
    options = {**spread().device.qdiscs[1]["options"], "shared": False}
    alone = with_leaf(spread(), "c0d2:3", options=options)
    check("a queue alone", [c.split()[-1] for c in commands(FAST, alone)], ["shared"])
    texts = plan.differences(values.parse(FAST), alone)
    check("in words", texts, ["shared of queue 3 of eth0 is off instead of on"])
    kinds = brief({**FAST, "kind": "codel_oot"}, spread())
    check(
        "another kind",
        kinds,
        ["tc qdisc replace dev eth0"] * 3 + ["tc qdisc replace dev ifb-eth0"] * 3,
    )


@case("queues: to one qdisc and back, and undo")
def queues_back() -> None:
    to_one = commands({**FAST, "queues": "one"}, spread())
    words = [c.split() for c in to_one]
    check("to one", [w[:9] for w in words], [
        ["tc", "qdisc", "replace", "dev", d, "root", "handle", "c0d1:", "fq_codel_oot"] for d in ("eth0", "ifb-eth0")
    ])  # fmt: skip
    check("undo", undo_commands(spread())[:4], [NO_REDIRECT, NO_HOOK, NO_IFB, RESTORE])
    # The ifb of an earlier version has one queue
    narrow = replace(spread(), ifb=Port(shown.ifb("ifb-eth0")))
    found = [c for c in commands(FAST, narrow) if "ifb-eth0" in c]
    check("an ifb with one queue", [c.split()[8] for c in found], ["fq_codel_oot"])


# Other settings than BOTH, and the commands with HTB
HTB_CHANGES = [
    ({"up": "18mbit"}, ["tc class change dev eth0"]),
    ({"down": "10mbit"}, ["tc class change dev ifb-eth0"]),
    ({"link": "docsis"}, ["tc qdisc change dev eth0", "tc qdisc change dev ifb-eth0"]),
    ({"up": "1mbit"}, ["tc class change dev eth0", "tc qdisc change dev eth0"]),
    ({"offloads": "keep"}, ["ethtool -K eth0 tx-tcp-segmentation on"]),
]
# The same with a kind that shapes
CHANGES = [
    ({"up": "18mbit"}, ["tc qdisc change dev eth0"]),
    ({"down": "10mbit"}, ["tc qdisc change dev ifb-eth0"]),
    ({"link": "docsis"}, ["tc qdisc change dev eth0", "tc qdisc change dev ifb-eth0"]),
    ({"up": "1mbit", "link": "adsl", "down": "95mbit"},
     ["tc qdisc change dev eth0", "tc qdisc change dev ifb-eth0"]),
    ({"offloads": "off"}, ["ethtool -K eth0 gro off"]),
]  # fmt: skip


@case("live change: only what differs, and no qdisc is made anew")
def live() -> None:
    for kind in ("fq_codel_oot", "codel_oot"):
        given = {**BOTH, "kind": kind}
        for more, expected in CHANGES:
            check(f"{kind} {more}", brief({**given, **more}, after(given)), expected)
    given = {**BOTH, "kind": "fq_codel"}
    for more, expected in HTB_CHANGES:
        check(f"HTB {more}", brief({**given, **more}, after(given)), expected)
    given = {**BOTH, "kind": "cake"}
    check("cake", brief({**given, "up": "9mbit"}, after(given)), ["tc qdisc change dev eth0"])


@case("live change: the command names the handle, the kind and every number")
def words() -> None:
    found = commands({"up": "18mbit", "link": "pppoe-vdsl"}, after({"up": "19mbit"}))
    words = "fq_codel_oot rate 18000000bit overhead 30 mpu 68 ptm egress"
    check("commands", found, [f"tc qdisc change dev eth0 root handle c0d1: {words}"])


@case("live change of the size table: HTB refuses options, so the command names no kind")
def size_table() -> None:
    given = {"up": "19mbit", "kind": "fq_codel"}
    found = commands({**given, "link": "docsis"}, after(given))
    words = "tc qdisc change dev eth0 root handle c0de: stab linklayer ethernet overhead 4 mpu 64"
    check("commands", found, [f"{words} mtu 2047 tsize 2048"])


# From a kind to another, and the commands for egress
KINDS = [
    ("fq_codel_oot", "codel_oot", ["qdisc replace"]),
    ("codel_oot", "cake", ["qdisc replace"]),
    ("cake", "fq_codel_oot", ["qdisc replace"]),
    ("fq_codel_oot", "fq_codel", ["qdisc replace", "class add", "qdisc add"]),
    ("fq_codel", "codel", ["qdisc del", "qdisc replace"]),
    ("fq_codel", "fq_codel_oot", ["qdisc replace"]),
]


@case("another kind: the root is replaced in one step; between kinds that do not shape, the leaf")
def kinds() -> None:
    for old, new, expected in KINDS:
        given = {"up": "19mbit", "offloads": "keep"}
        found = brief({**given, "kind": new}, after({**given, "kind": old}))
        check(f"{old} to {new}", found, [f"tc {words} dev eth0" for words in expected])


@case("takeover: in the place of HTB of an earlier version comes one qdisc; hook and ifb stay")
def takeover() -> None:
    for kind, handle in (("fq_codel_oot", "c0d1:"), ("codel_oot", "c0d0:")):
        given = {**BOTH, "kind": kind}
        now = after(given, former=True)
        check("it was HTB", [q["handle"] for q in now.ifb.qdiscs], ["c0de:", "c0df:"])
        place = f"root handle {handle} {kind} rate"
        expected = [
            "ethtool -K eth0 tx-tcp-segmentation on gso on gro on",
            f"tc qdisc replace dev eth0 {place} 19000000bit overhead 38 mpu 84 noatm egress",
            f"tc qdisc replace dev ifb-eth0 {place} 95000000bit overhead 38 mpu 84 noatm ingress",
        ]
        check("commands", commands(given, now), expected)
        back = plan.commands(values.parse(given, former=True), now, FORMER)
        check("the way back, where nothing was changed", back, [])
        check("what undo restores", plan.former(now, FORMER, values.parse(given)), FORMER)
        words = [f"is htb c0de: instead of {kind} {handle}"] * 2
        found = plan.differences(values.parse(given), now)
        check("differences", [w in f for w, f in zip(words, found)], [True, True])
        features = "ethtool -K eth0 tx-tcp-segmentation on gso on gro on"
        check("undo", undo_commands(now), [NO_REDIRECT, NO_HOOK, NO_IFB, RESTORE, features])


@case("parameters: those of each direction; the way back has those that the qdiscs had")
def tuned() -> None:
    given = {**BOTH, "kind": "cake"}
    found = commands({**given, "isolation": "dual", "diffserv": "diffserv4"}, after(given))
    check("egress", found[0].split(" egress ")[1], "diffserv4 dual-srchost")
    check("ingress", found[1].split(" ingress ")[1], "diffserv4 dual-dsthost")
    now = after({**BOTH, "target": "7ms", "ecn": "off"})
    had = plan.tuned(values.parse({**BOTH, "interval": "70ms"}), now)
    want = {"target": 7000, "ecn": False, "interval": 70000}
    check("both directions", had.tuning, (want, want))
    check(
        "another kind",
        plan.tuned(values.parse({**BOTH, "kind": "codel_oot"}), now).tuning,
        ({}, {}),
    )
    given = {**BOTH, "kind": "fq_codel", "ecn": "on", "target": "7ms"}
    had = plan.tuned(values.parse({**BOTH, "kind": "fq_codel"}), after(given))
    check("HTB", had.tuning, ({"ecn": True}, {"ecn": True}))


@case("one direction less: its part is removed, the redirect before the ifb")
def less() -> None:
    check("no ingress", commands({"up": "19mbit"}, after(BOTH)), [NO_REDIRECT, NO_HOOK, NO_IFB])
    check("no egress", commands({"down": "95mbit"}, after(BOTH)), [RESTORE])


@case("another MTU: the numbers of HTB follow it, and the ifb")
def mtu() -> None:
    changed = ["tc class change dev eth0", "tc qdisc change dev eth0"]
    for kind, expected in (("fq_codel", changed), ("fq_codel_oot", [])):
        given = {**BOTH, "kind": kind}
        now = after(given)
        port = replace(now.device, link=shown.link("eth0", mtu=9000))
        found = brief(given, replace(now, device=port))
        check(kind, found, [*expected, "ip link set dev ifb-eth0"])


@case("ingress: a hook of others is shared, unless their filters would be behind the redirect")
def hook() -> None:
    bare = replace(FRESH.device, qdiscs=[*FRESH.device.qdiscs, CLSACT])
    before = replace(bare, ingress=shown.rule(7), egress=shown.rule(60000))
    for port in (bare, before):
        found = commands(BOTH, replace(FRESH, device=port), Former(hook=True))
        lines = [c for c in SETUP.splitlines() if not c.endswith(" clsact")]
        check("commands", found, [line.replace("0xc0df", "0xc0de") for line in lines])
    behind = replace(FRESH, device=replace(bare, ingress=shown.rule(60000)))
    refused("behind", lambda: refuse(BOTH, behind), "eth0", "60000", "below 49374")
    check("egress alone", len(commands({"up": "19mbit"}, behind)), 1)


@case("ingress: a filter that takes all packets before the redirect is refused, and others are not")
def taken() -> None:
    bare = replace(FRESH.device, qdiscs=[*FRESH.device.qdiscs, CLSACT])

    def device(control: str, kind: str = "gact", **more: Any) -> Observed:
        action = {"kind": kind, "control_action": {"type": control}, **more.pop("action", {})}
        item = {**shown.redirect("x")[1], "pref": 10, "options": {"actions": [action]}, **more}
        return replace(FRESH, device=replace(bare, ingress=[item]))

    for now in (
        device("pass"),
        device("drop"),
        device("stolen", "mirred"),
        device("pipe", "mirred"),
        device("pass", options={}),
    ):
        refused("taken", lambda n=now: refuse(BOTH, n), "preference 10", "without --down")
        refuse({"up": "1mbit"}, now)
    for now in (
        device("continue"),
        device("goto"),
        device("drop", chain=5),
        device("drop", protocol="ip"),
        device("drop", kind="police"),
        device("drop", action={"prob": {}}),
        device("drop", pref=60000, chain=5),
    ):
        refuse(BOTH, now)
    beside = device("pass")
    beside.device.ingress.extend(shown.redirect("ifb-eth0"))
    check("before", beside.device.before, [10])
    refuse(BOTH, beside)


@case("ingress: a redirect to a device that is gone is removed first")
def dead() -> None:
    now = after(BOTH)
    gone = replace(
        now, device=hooked(replace(now.device, qdiscs=now.device.qdiscs[:2]), "*"), ifb=Port()
    )
    found = commands(BOTH, gone)
    check("first", found[0], NO_REDIRECT)
    check("last", found[-1], SETUP.splitlines()[-1])
    check("undo", undo_commands(gone)[:2], [NO_REDIRECT, NO_HOOK])
    check("no ingress", commands({"up": "19mbit"}, gone), [NO_REDIRECT, NO_HOOK])


@case("ifb: one that was just created, and one of a device that is gone, get their name and alias")
def ifbs() -> None:
    now = after(BOTH)
    alias = "alias codelctl: ingress of device 7 (eth0)"
    for link, words in (
        ({**shown.link("codelctl-7"), "linkinfo": {"info_kind": "ifb"}}, f"name ifb-eth0 {alias}"),
        (shown.ifb("ifb-eth0", of=5), alias),
    ):
        found = commands(BOTH, replace(now, ifb=replace(now.ifb, link=link)))
        check(words, found, [f"ip link set dev {link['ifname']} {words}"])


@case(
    "ifb: it is that of a device with its ifindex and identity; an earlier version wrote no identity"
)
def identities() -> None:
    device = {**shown.link("eth0"), "identity": 1234}
    link = {**shown.ifb("ifb-eth0"), "ifalias": marks.alias(device)}
    check("alias", link["ifalias"], "codelctl: ingress of device 7/1234 (eth0)")
    check("its name", marks.served_name(link), "eth0")
    for other, expected in (
        ({}, True),
        ({"identity": 99}, False),
        ({"identity": None}, True),
        ({"ifindex": 8}, False),
        ({"ifname": "wan0"}, True),
    ):
        check(f"{other}", marks.serves(link, {**device, **other}), expected)
    check("of an earlier version", marks.serves(shown.ifb("ifb-eth0"), device), True)
    later = {**device, "identity": 99}
    check("without a device", marks.without_device([link, later]), [link])
    check("with a device", marks.without_device([link, device]), [])
    check("a device that returns", marks.orphan([link, later], "eth0"), link)


@case(
    "HTB: a type of link whose header is unknown is refused; other kinds count from the IP header"
)
def link_types() -> None:
    for kind, overhead in (("ether", 24), ("ppp", 38), ("none", 38)):
        device = replace(FRESH.device, link=shown.link("eth0", kind=kind))
        found = commands({"up": "1mbit", "kind": "fq_codel"}, replace(FRESH, device=device))
        assert f"overhead {overhead} " in found[1], found
    device = replace(FRESH.device, link=shown.link("gre0", kind="gre"))
    now = replace(FRESH, device=device)
    refused("gre", lambda: commands({**BOTH, "kind": "fq_codel"}, now), "type gre", "ether")
    assert " overhead 38 " in commands(BOTH, now)[0]


@case("undo: everything of a complete setup, and of one that failed half way")
def undo() -> None:
    features = "ethtool -K eth0 tx-tcp-segmentation on gso on gro on"
    now = after(BOTH)
    check("complete", undo_commands(now), [NO_REDIRECT, NO_HOOK, NO_IFB, RESTORE])
    htb = after({**BOTH, "kind": "fq_codel"})
    check("HTB", undo_commands(htb), [NO_REDIRECT, NO_HOOK, NO_IFB, RESTORE, features])
    half = replace(FRESH, ifb=Port(shown.ifb("ifb-eth0")))
    check("an ifb alone", undo_commands(half), [NO_IFB])
    bare = replace(FRESH.device, qdiscs=[*FRESH.device.qdiscs, CLSACT])
    check("a hook without a filter", undo_commands(replace(half, device=bare)), [NO_HOOK, NO_IFB])
    check("the user's hook", undo_commands(replace(half, device=bare), Former(hook=True)), [NO_IFB])
    check("nothing", undo_commands(FRESH), [])
    check("a hook alone", undo_commands(replace(FRESH, device=bare)), [])
    check("without a memory", undo_commands(now, Former()), [NO_REDIRECT, NO_HOOK, NO_IFB, RESTORE])


@case("undo: whose clsact it is can be seen at the redirect")
def owned_hook() -> None:
    now = after(BOTH)
    check("its own", undo_commands(now, plan.unknown(now)), [NO_REDIRECT, NO_HOOK, NO_IFB, RESTORE])
    redirect = shown.redirect("ifb-eth0")
    redirect[1]["options"]["handle"] = marks.HANDLE
    other = replace(now, device=replace(now.device, ingress=redirect))
    check("of others", plan.unknown(other).hook, True)
    expected = [NO_REDIRECT.replace("0xc0df", "0xc0de"), NO_IFB, RESTORE]
    check("undo", undo_commands(other, plan.unknown(other)), expected)
    chained = replace(now, device=replace(now.device, chains=[5]))
    check("a chain", undo_commands(chained), [NO_REDIRECT, NO_IFB, RESTORE])


@case("undo: filters of others keep the hook")
def others() -> None:
    now = after(BOTH)
    expected = [NO_REDIRECT, NO_IFB, RESTORE]
    for port in (
        replace(now.device, ingress=[*shown.rule(7), *now.device.ingress]),
        replace(now.device, egress=shown.rule(7)),
        # The place of codelctl's filter, with another handle or in another chain
        replace(now.device, egress=[{**shown.redirect("lo")[1], "options": {"handle": 1}}]),
        replace(now.device, ingress=[*now.device.ingress, {**shown.redirect("lo")[1], "chain": 5}]),
    ):
        check("undo", undo_commands(replace(now, device=port), Former()), expected)
        check("no ingress", commands({"up": "19mbit"}, replace(now, device=port)), expected[:2])


@case("filters on a root qdisc that would go are those of others: setup and undo are refused")
def on_the_root() -> None:
    def with_filter(now: Observed, handle: str) -> Observed:
        item = {"parent": handle, "pref": 5, "kind": "u32"}
        return replace(now, device=replace(now.device, filters=[item]))

    fresh = with_filter(FRESH, "0:")
    refused("a default root", lambda: refuse(BOTH, fresh), "u32, preference 5", "del dev eth0`")
    refuse({"down": "1mbit"}, fresh)
    plan.refuse_undo(fresh)
    ours = with_filter(after(BOTH), "c0d1:")
    words = ("u32, preference 5", "`tc filter del dev eth0 parent c0d1:`")
    refuse({**BOTH, "up": "1mbit"}, ours)
    refused("another kind", lambda: refuse({**BOTH, "kind": "cake"}, ours), *words)
    refused("no egress", lambda: refuse({"down": "1mbit"}, ours), *words)
    refused("undo", lambda: plan.refuse_undo(ours), *words)


@case("classes below HTB, and an ingress with a block that devices share, are those of others")
def classes() -> None:
    given = {**BOTH, "kind": "fq_codel"}
    now = after(given)
    other = {"class": "htb", "handle": "c0de:7", "rate": 1, "leaf": "77:"}
    now = replace(now, device=replace(now.device, classes=[*now.device.classes, other]))
    refuse({**given, "up": "1mbit"}, now)
    refuse({**given, "kind": "codel"}, now)
    words = ("c0de:7", "`tc class del dev eth0 classid c0de:7`")
    refused("another kind", lambda: refuse(BOTH, now), *words)
    refused("undo", lambda: plan.refuse_undo(now), *words)
    block = [*FRESH.device.qdiscs, {**CLSACT, "ingress_block": 22}]
    shared = replace(FRESH, device=replace(FRESH.device, qdiscs=block))
    refused("a block", lambda: refuse(BOTH, shared), "block 22", "without --down")
    refuse({"up": "1mbit"}, shared)


@case("undo: a root, a filter and an ifb without the mark are those of others")
def unmarked() -> None:
    root = {"kind": "htb", "handle": "1:", "root": True, "options": {"r2q": 10}}
    redirect = [{**f, "pref": 49152} for f in shown.redirect("ifb-eth0")]
    port = Port(shown.link("eth0"), [root, CLSACT], [], redirect)
    check("nothing", undo_commands(replace(FRESH, device=port)), [])
    dummy = {**shown.ifb("ifb-eth0"), "linkinfo": {"info_kind": "dummy"}}
    check("a device with the alias of an ifb", marks.served(dummy), None)
    check("an ifb with another alias", marks.served({**shown.ifb("x"), "ifalias": "mine"}), None)
    check("an ifb", marks.served(shown.ifb("x", of=5)), 5)


@case("the qdisc with the queue of a direction: the root that shapes, or the leaf of HTB")
def measured() -> None:
    for kind, handle in (
        ("fq_codel_oot", "c0d1:"),
        ("codel_oot", "c0d0:"),
        ("cake", "c0ca:"),
        ("fq_codel", "c0df:"),
        ("codel", "c0df:"),
    ):
        now = after({"up": "19mbit", "kind": kind})
        found = [q["handle"] for q in now.device.qdiscs if marks.is_measured(q)]
        check(kind, found, [handle])
    check("no setup", [q for q in FRESH.device.qdiscs if marks.is_measured(q)], [])


@case("former: what codelctl replaces is noted when it is replaced, and not later")
def former() -> None:
    pfifo = {"kind": "pfifo", "handle": "8:", "root": True, "options": {"limit": 7}}
    words = [["root", "handle", "8:", "pfifo", "limit", "7"]]
    up, down = values.parse({"up": "1mbit"}), values.parse({"down": "1mbit"})
    port = Port(shown.link("eth0"), [pfifo, CLSACT])
    now = replace(FRESH, device=port)
    check("first", plan.former(now, None, up), Former(words, True))
    check("ingress alone", plan.former(now, None, down).root, [])
    known = Former(words, False)
    check("later", plan.former(after(BOTH), known, up), known)
    check("a root that was replaced since", plan.former(now, Former(), up).root, words)
    lost = Former([], False, lost=[plan.ROOT, plan.OFFLOADS])
    check("without a memory", plan.former(after(BOTH), None, up), lost)
    check("later", plan.former(after(BOTH), lost, up), lost)
    check(
        "ingress, without a memory",
        plan.former(after({"down": "1mbit"}), None, down).lost,
        [plan.OFFLOADS],
    )
    check(
        "another root since", plan.former(now, lost, up), Former(words, True, lost=[plan.OFFLOADS])
    )
    htb = replace(FRESH, device=Port(shown.link("eth0"), [{**pfifo, "kind": "htb"}]))
    refused("htb", lambda: plan.former(htb, None, up), "htb 8:")
    check("a root that stays", plan.former(htb, None, down).root, [])


@case("ifb: the name of the device, or its ifindex where that has more than 15 bytes")
def names() -> None:
    check("short", plan.ifb_names("enp0s31f6", 7), ["ifb-enp0s31f6", "ifb-7"])
    check("15 bytes", plan.ifb_names("üplinkport", 7)[0], "ifb-üplinkport")
    for name in ("enx001122334455", "üplinkports"):
        check(name, plan.ifb_names(name, 7), ["ifb-7"])


@case("offloads: names that ethtool prints, and those that it takes")
def features() -> None:
    text = (
        "Features for eth0:\nrx-checksumming: on\ntcp-segmentation-offload: on\n"
        "\ttx-tcp-segmentation: on\n\ttx-tcp-ecn-segmentation: off [fixed]\n"
        "generic-segmentation-offload: on\ngeneric-receive-offload: on [fixed]\n"
        "udp-fragmentation-offload: off [requested on]\n"
    )
    found = offloads.parse(text)
    check("names", len(found), 7)
    check("off", offloads.commands("eth0", False, found, {}),
          [["ethtool", "-K", "eth0", "gso", "off", "tso", "off"]])  # fmt: skip
    check("kept", offloads.commands("eth0", True, found, found), [])


@case("offloads: what codelctl switches off is remembered, and what others switch is not")
def switched() -> None:
    on, off, fixed = Feature(True, False), Feature(False, False), Feature(True, True)
    before = {"generic-receive-offload": on, "tx-tcp-segmentation": on, "tx-udp-segmentation": on,
              "rx-gro-list": off, "rx-vlan-filter": fixed}  # fmt: skip
    after = {**before, "generic-receive-offload": off, "tx-tcp-segmentation": off}
    found = offloads.switched_off({}, before, after)
    check("first", sorted(found), ["generic-receive-offload", "tx-tcp-segmentation"])
    again = {**after, "tx-tcp-segmentation": on, "tx-udp-segmentation": off}
    check("later", sorted(offloads.switched_off(found, {}, again)), ["generic-receive-offload"])
    now = replace(FRESH, features=before)
    given = values.parse({"up": "1mbit", "kind": "fq_codel"})
    risk = plan.former(now, None, given).features
    check("at risk before a change", sorted(risk), sorted(found))
    check("a kind that splits", plan.former(now, None, values.parse({"up": "1mbit"})).features, {})
    check(
        "none is forced back",
        plan.commands(values.parse({"up": "1mbit"}), now, Former())[0][0],
        "tc",
    )


@case("plan: undo takes back what a device has refused, as a macvlan does")
def refused_offloads() -> None:
    had = offloads.parse("generic-segmentation-offload: on\ntx-gso-list: on [requested off]\n")
    now = offloads.parse(
        "generic-segmentation-offload: on [requested off]\ntx-gso-list: on [requested off]\n"
    )
    check("on", offloads.restore("mv0", now, had), [["ethtool", "-K", "mv0", "gso", "on"]])
    check("as before", offloads.restore("mv0", had, had), [])


FOLLOW = """\
tc qdisc replace dev eth0 root handle c0d1: fq_codel_oot rate off overhead 38 mpu 84 noatm egress bottleneck downstream
modprobe ifb numifbs=0
ip link add codelctl-7 type ifb
ip link set dev codelctl-7 name ifb-eth0 alias codelctl: ingress of device 7 (eth0) mtu 1500 up
tc qdisc replace dev ifb-eth0 root handle c0d1: fq_codel_oot rate off overhead 38 mpu 84 noatm ingress bottleneck upstream answers eth0
tc qdisc add dev eth0 clsact
tc filter add dev eth0 ingress protocol all pref 49374 handle 0xc0df matchall action mirred egress redirect dev ifb-eth0
"""


@case("plan: a link that is followed, its bounds, and back to rates, live")
def followed() -> None:
    given = {"follow": "on"}
    check("fresh", commands(given, FRESH), FOLLOW.splitlines())
    now = after(given)
    check("again", commands(given, now), [])
    check("a bound", commands({**given, "up": "8mbit"}, now),
          ["tc qdisc change dev eth0 root handle c0d1: fq_codel_oot rate 8000000bit overhead 38 mpu 84 noatm egress"])  # fmt: skip
    back = [c.split("noatm ")[1] for c in commands(BOTH, now)]
    check("rates", back, ["egress bottleneck here", "ingress bottleneck here"])
    check("from rates", [c.split("noatm ")[1] for c in commands(given, after(BOTH))],
          ["egress bottleneck downstream", "ingress bottleneck upstream answers eth0"])  # fmt: skip
    check("undo", undo_commands(now), [NO_REDIRECT, NO_HOOK, NO_IFB, RESTORE])
