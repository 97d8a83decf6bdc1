# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The chain of nodes: a namespace each, veth pairs between them, qdiscs, rates and delays.

A direction of a link that has a delay and nothing else gets it from netem at the sending end. One that has
a queue as well gets it behind the queue, as a real link has it: in a namespace "wire" between
the two ends, which passes on what arrives at one side, late, to the other.
"""

from __future__ import annotations

import subprocess
from typing import Any, Callable, Iterator

import served
from namespace import inside

Link = dict[str, Any]
Action = tuple[int, Callable[[], None]]  # experiment time in ns, what happens then

WIRE = "wire"
TUNNEL = "vpn"  # the device at both ends of one
TUNNEL_PORT = 4500
TUNNEL_HEADERS = 28  # bytes: IP and UDP
MODULES = "/root"
SLOW = "/sys/module/slow_link/parameters/link"
COURSE = "/sys/module/slow_link/parameters/course"
STEPS = 100  # of a course in one write, which has less than a page
METER = "/sys/kernel/debug/lab_meter/control"
BUFFER = 64 << 20  # bytes: what a socket may grow to, above every path's needs
ETHERNET = 14
DIRECTIONS = ("up", "down")

# Nothing but the experiment's packets is on the links, and no connection learns from an earlier one.
SYSCTLS = {
    "net.ipv4.ip_forward": "1",
    "net.ipv4.tcp_no_metrics_save": "1",
    "net.ipv4.tcp_rmem": f"4096 131072 {BUFFER}",
    "net.ipv4.tcp_wmem": f"4096 16384 {BUFFER}",
    "net.ipv6.conf.all.disable_ipv6": "1",
    "net.ipv6.conf.default.disable_ipv6": "1",
}


class Failure(Exception):
    """A command of the set-up failed."""


def command(*argv: str, text: str | None = None) -> str:
    done = subprocess.run(argv, input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failure(f"{' '.join(argv)}: {done.stderr.strip() or done.returncode}")
    return done.stdout


def in_namespace(name: str, *argv: str) -> str:
    """What `ip netns exec` does, without a program and a mount of its own for each."""
    with inside(name):
        return command(*argv)


def batch(tool: str, namespace: str, lines: list[str]) -> None:
    if lines:
        command(tool, "-n", namespace, "-batch", "-", text="\n".join(lines) + "\n")


def address(node: int) -> str:
    """What traffic uses: on the node's loopback, whichever way its packets take."""
    return f"10.255.{node}.1"


def outer_address(node: int) -> str:
    """Of the packets of a tunnel."""
    return f"10.254.{node}.1"


def hardware(link: int, end: int) -> str:
    return f"02:00:00:00:{link:02x}:{end:02x}"


def device(link: int, direction: str) -> str:
    """The device that sends in a direction."""
    return f"{direction}{link}"


def late(delay: int) -> str:
    """netem with a delay in ns, and never full."""
    return f"netem limit 1000000 delay {delay / 1000:.3f}us"


def has_queue(way: dict[str, Any]) -> bool:
    return bool(way["qdisc"] or way["rate"])


def needs_wire(link: Link) -> bool:
    return any(has_queue(link[d]) and link[d]["delay"] for d in DIRECTIONS)


def ends(link: Link) -> Iterator[tuple[int, str, str, dict[str, Any]]]:
    """Number, node, direction and properties of what each end sends."""
    for end, direction in enumerate(DIRECTIONS):
        yield end, link["ends"][end], direction, link[direction]


def offload(namespace: str, dev: str, **states: bool) -> None:
    words = [word for name, on in states.items() for word in (name, "on" if on else "off")]
    in_namespace(namespace, "ethtool", "-K", dev, *words)


def is_slow(way: dict[str, Any]) -> bool:
    """Whether it is the device that is busy as long as a packet takes."""
    return bool(way["rate"]) and way["shaper"] == "wire"


def offload_end(link: Link, end: int, dev: str, on: bool) -> None:
    """Off, a packet is a packet: a veth would pass on bundles of 64 KB.

    A slow device takes packets one by one. And the other end of its pair has no GRO: a veth that polls for it wakes
    the device that sends to it.
    """
    own, arriving = link[DIRECTIONS[end]], link[DIRECTIONS[1 - end]]
    states = {"tso": on and not is_slow(own), "gso": on, "gro": on and not is_slow(arriving)}
    offload(link["ends"][end], dev, **states)


# ---- pairs ----------------------------------------------------------------------------------------


def create(number: int, link: Link, offloads: bool) -> None:
    """The devices of a link, at both ends, with neighbours that are known."""
    mtu = link["mtu"]
    names = [device(number, d) for d in DIRECTIONS]
    macs = [hardware(number, end) for end in range(2)]
    sides = [f"{names[e]} mtu {mtu} address {macs[e]} netns {link['ends'][e]}" for e in range(2)]
    if needs_wire(link):
        for end in range(2):
            far = f"w{names[end]} mtu {mtu} netns {WIRE}"
            command("ip", *f"link add {sides[end]} type veth peer {far}".split())
        pass_on(number, link, offloads)
    else:
        command("ip", *f"link add {sides[0]} type veth peer {sides[1]}".split())
    for end in range(2):
        namespace, dev = link["ends"][end], names[end]
        offload_end(link, end, dev, offloads)
        batch(
            "ip",
            namespace,
            [
                f"addr add 10.0.{number}.{end + 1}/24 dev {dev}",
                f"link set {dev} up",
                f"neigh add 10.0.{number}.{2 - end} lladdr {macs[1 - end]} dev {dev} nud permanent",
            ],
        )


def pass_on(number: int, link: Link, offloads: bool) -> None:
    """What comes in at one side of the wire goes out at the other, after the delay."""
    lines = []
    near = [f"w{device(number, d)}" for d in DIRECTIONS]
    for end, direction in enumerate(DIRECTIONS):
        offload(WIRE, near[end], tso=offloads, gso=offloads, gro=False)
        lines += [
            f"qdisc add dev {near[1 - end]} root {late(link[direction]['delay'])}",
            f"qdisc add dev {near[end]} clsact",
            f"filter add dev {near[end]} ingress matchall"
            f" action mirred egress redirect dev {near[1 - end]}",
        ]
    batch("ip", WIRE, [f"link set {dev} up" for dev in near])
    batch("tc", WIRE, lines)


def add_routes(nodes: list[str]) -> None:
    """Along the chain: to those before by the link before, to those after by the link after."""
    for at, node in enumerate(nodes):
        lines = [f"addr add {address(at)}/32 dev lo", "link set lo up"]
        for to in (to for to in range(len(nodes)) if to != at):
            lines.append(f"route add {address(to)} via {gateway(at, to)} src {address(at)}")
        batch("ip", node, lines)


def gateway(at: int, to: int) -> str:
    """The neighbour of a node on the way to another."""
    return f"10.0.{at - 1}.1" if to < at else f"10.0.{at}.2"


def add_tunnel(document: dict[str, Any], begin: str, end: str) -> None:
    """IP in UDP between two nodes, with one pair of ports: without its cipher, a VPN."""
    nodes: list[str] = document["nodes"]
    ends = nodes.index(begin), nodes.index(end)
    for at, node in enumerate(nodes):
        others = (to for to in ends if to != at)
        batch("ip", node, [f"route add {outer_address(to)} via {gateway(at, to)}" for to in others])
    mtu = min(link["mtu"] for link in document["links"]) - TUNNEL_HEADERS
    for at, other in (ends, ends[::-1]):
        beyond = range(len(nodes))[other:] if other > at else range(other + 1)
        ports = f"encap-sport {TUNNEL_PORT} encap-dport {TUNNEL_PORT}"
        remote = f"local {outer_address(at)} remote {outer_address(other)} ttl 64"
        lines = [
            f"addr add {outer_address(at)}/32 dev lo",
            f"fou add port {TUNNEL_PORT} ipproto 4",
            f"link add {TUNNEL} mtu {mtu} type ipip {remote} encap fou {ports}",
            f"link set {TUNNEL} up gso_max_segs 1",
            *(f"route replace {address(to)} dev {TUNNEL} src {address(at)}" for to in beyond),
        ]
        batch("ip", nodes[at], lines)


def set_hosts(document: dict[str, Any]) -> None:
    for name, host in document.get("hosts", {}).items():
        if not host["time_stamps"]:
            in_namespace(name, "sysctl", "-qw", "net.ipv4.tcp_timestamps=0")
        if host["tunnel"]:
            command("modprobe", "-a", "ipip", "fou")
            add_tunnel(document, name, host["tunnel"])


# ---- queues ---------------------------------------------------------------------------------------


def bucket(rate: int, mtu: int) -> int:
    """Bytes that a token bucket lends: a packet, or what passes in a millisecond."""
    return max(mtu + ETHERNET, rate // 8000)


def shaper_words(way: dict[str, Any], rate: int, mtu: int) -> str:
    size = bucket(rate, mtu)
    if way["shaper"] == "htb":
        return f"htb rate {rate} ceil {rate} burst {size} cburst {size} quantum {mtu + ETHERNET}"
    return f"tbf rate {rate} burst {size} limit 1000000000"


def words_of(way: dict[str, Any]) -> str:
    """tc's words for the qdisc of a direction that has a queue."""
    return str(way["qdisc"] or "pfifo")


def attach(namespace: str, dev: str, parent: str, way: dict[str, Any]) -> None:
    """Add a direction's own qdisc and note its server, which must be of the tree that the kind's name says."""
    words = words_of(way)
    line = f"qdisc add dev {dev} {parent} handle 1: {words}"
    try:
        way["served_by"] = served.by(lambda: batch("tc", namespace, [line]))
    except served.Unknown as error:
        raise Failure(f"{namespace}: {line}: {error}") from error
    if complaint := served.objection(words.split()[0], way["served_by"]):
        raise Failure(f"{namespace}: {complaint}")


def shape(namespace: str, dev: str, way: dict[str, Any], mtu: int) -> None:
    """The root qdisc: the subject itself before a slow device, or a shaper above it."""
    if not way["rate"] or way["shaper"] in ("wire", "own"):
        attach(namespace, dev, "root", way)
        if is_slow(way):
            slow(namespace, dev, way["rate"])
        return
    words = shaper_words(way, way["rate"], mtu)
    if way["shaper"] == "htb":
        lines = [
            f"qdisc add dev {dev} root handle 100: htb default 1",
            f"class add dev {dev} parent 100: classid 100:1 {words}",
        ]
    else:
        lines = [f"qdisc add dev {dev} root handle 100: {words}"]
    batch("tc", namespace, lines)
    attach(namespace, dev, "parent 100:1", way)


def tell(namespace: str, path: str, text: str) -> None:
    """Writes to a file that looks devices up in the namespace of who writes."""
    with inside(namespace), open(path, "w", encoding="ascii") as file:
        file.write(text)


def slow(namespace: str, dev: str, rate: int) -> None:
    tell(namespace, SLOW, f"{dev} {rate}")


def change(namespace: str, dev: str, way: dict[str, Any], rate: int, mtu: int) -> None:
    words = shaper_words(way, rate, mtu)
    if way["shaper"] == "wire":
        slow(namespace, dev, rate)
    elif way["shaper"] == "own":
        kind, word = words_of(way).split()[0], words_of(way).split()[-2]
        words = f"qdisc change dev {dev} root handle 1: {kind} {word} {rate}"
        command("tc", "-n", namespace, *words.split())
    elif way["shaper"] == "htb":
        words = f"class change dev {dev} parent 100: classid 100:1 {words}"
        command("tc", "-n", namespace, *words.split())
    else:
        command("tc", "-n", namespace, *f"qdisc change dev {dev} root handle 100: {words}".split())


def add_queues(number: int, link: Link, meter: bool, offloads: bool) -> None:
    for _end, node, direction, way in ends(link):
        dev = device(number, direction)
        # a qdisc gets TCP's bundles before they are cut up
        if not offloads and (has_queue(way) or way["delay"]):
            command("ip", "-n", node, "link", "set", dev, "gso_max_segs", "1")
        if has_queue(way):
            shape(node, dev, way, link["mtu"])
        elif way["delay"] and not needs_wire(link):
            batch("tc", node, [f"qdisc add dev {dev} root {late(way['delay'])}"])
        if meter and way["measure"]:
            tell(node, METER, f"add {dev}")


# ---- all ------------------------------------------------------------------------------------------


def namespaces(document: dict[str, Any]) -> list[str]:
    """One for each node, and for what is between nodes where that is needed."""
    wires = [WIRE] if any(map(needs_wire, document["links"])) else []
    return [*document["nodes"], *wires]


def build(document: dict[str, Any], meter: bool = True) -> None:
    offloads = document.get("offloads", False)
    for name in namespaces(document):
        command("ip", "netns", "add", name)
        in_namespace(name, "sysctl", "-qw", *(f"{k}={v}" for k, v in SYSCTLS.items()))
    for number, link in enumerate(document["links"]):
        create(number, link, offloads)
    add_routes(document["nodes"])
    set_hosts(document)
    for number, link in enumerate(document["links"]):
        add_queues(number, link, meter, offloads)


def kinds(document: dict[str, Any]) -> set[str]:
    """Of the qdiscs that stand in the document."""
    every = (way for link in document["links"] for _end, _node, _direction, way in ends(link))
    return {words_of(way).split()[0] for way in every if has_queue(way)}


def rate_changes(document: dict[str, Any]) -> list[Action]:
    """What is to be called at which experiment time."""

    def action(node: str, dev: str, way: dict[str, Any], rate: int, mtu: int) -> Callable[[], None]:
        return lambda: change(node, dev, way, rate, mtu)

    return [
        (time, action(node, device(number, direction), way, rate, link["mtu"]))
        for number, link in enumerate(document["links"])
        for _end, node, direction, way in ends(link)
        for time, rate in way["rates"]
    ]


def delay_changes(document: dict[str, Any]) -> list[Action]:
    """The same for delays."""

    def action(node: str, dev: str, delay: int) -> Callable[[], None]:
        return lambda: batch("tc", node, [f"qdisc change dev {dev} root {late(delay)}"])

    return [
        (time, action(node, device(number, direction), delay))
        for number, link in enumerate(document["links"])
        for _end, node, direction, way in ends(link)
        for time, delay in way.get("delays", ())
    ]


def start_courses(document: dict[str, Any], origin: int) -> None:
    """Hand each link's course to its device, which then changes its rate by itself."""
    for number, link in enumerate(document["links"]):
        for _end, node, direction, way in ends(link):
            steps = [f"{origin + time} {rate}" for time, rate in way.get("course", ())]
            for at in range(0, len(steps), STEPS):
                text = " ".join([device(number, direction), *steps[at : at + STEPS]])
                tell(node, COURSE, text)


def queues(document: dict[str, Any]) -> list[dict[str, Any]]:
    """The measured ones in the meter's order, with what tc says of them now."""
    found = []
    for number, link in enumerate(document["links"]):
        for _end, node, direction, way in ends(link):
            if way["measure"]:
                dev = device(number, direction)
                found.append(
                    {
                        "link": link["name"],
                        "direction": direction,
                        "device": dev,
                        "options": words_of(way),
                        "served_by": way["served_by"],
                        "tc": command("tc", "-n", node, "-s", "-j", "qdisc", "show", "dev", dev),
                    }
                )
    return found
