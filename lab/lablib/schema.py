# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The schema of scenarios: every table and key, its kind, default and meaning.

Checking (check.py) and the reference (reference.py) both come from here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from . import kinds
from .kinds import Kind

RELEASES = ("bookworm", "trixie", "sid")
REQUIRED = object()


@dataclass(frozen=True)
class Key:
    """A key; `default` is written as a scenario would."""

    name: str
    kind: Kind
    help: str
    default: Any = None


Keys = dict[str, Key]


def keys(*found: Key) -> Keys:
    return {key.name: key for key in found}


# Tables whose keys are names that the scenario defines, or paths
TABLES = {
    "qdiscs": 'what is compared, a run for each: `NAME = "tc\'s words"`, or a table as below',
    "link": "a table for each link, in the order of the chain",
    "host": "a table for each node that differs from the others",
    "traffic": "a table for each item of traffic",
    "vary": "every combination of these is a run: "
    '`"link.dsl.up.rate" = ["1mbit", "4mbit"]`, or several keys together under a name: '
    '`NAME = [{ label = "slow", "link.dsl.up.rate" = "1mbit", duration = "60s" }, ...]`',
    "grid": "other sizes of the same experiment, chosen with `--grid NAME`: `[grid.NAME]` has what "
    'is different, as above or as `set = { "link.dsl.up.rate" = "1mbit" }`; `vary` and `qdiscs` '
    "are replaced as a whole",
}

TOP = keys(
    Key("title", kinds.text, "what the scenario is about; shown above results", ""),
    Key("duration", kinds.time("1ms"), "virtual time from the start of traffic", REQUIRED),
    Key(
        "warmup",
        kinds.time(),
        "this long at the start is left out of what is measured in queues and of bulk "
        "transfers; all round trips, objects and datagrams count",
        "0s",
    ),
    Key("seeds", kinds.several(kinds.integer(0, 2**31 - 1), 1), "a run for each", [1]),
    Key("release", kinds.choice(*RELEASES), "the Debian release whose kernel runs", "trixie"),
    Key(
        "nodes",
        kinds.several(kinds.name("node"), 2, 32),
        "the chain of hosts: those at the ends, and routers between",
        REQUIRED,
    ),
    Key("series", kinds.time("1ms"), "results over time as well, in steps of this"),
    Key(
        "held_below",
        kinds.time("1us"),
        "the delay below which a queue counts as controlled after a change of rate; none: 50ms, or "
        "what 8 full packets take at that rate if that is longer",
    ),
    Key(
        "offloads",
        kinds.flag,
        "true: senders hand over super-packets (TSO, GSO), and receivers and routers collect them (GRO)",
        False,
    ),
    Key("meter", kinds.flag, "false: no packet is recorded, to see what recording costs", True),
)

WAY = keys(
    Key("rate", kinds.rate(), "none: as fast as the machine"),
    Key("rates", kinds.schedule, "later rates, in order of time", []),
    Key(
        "course",
        kinds.text,
        "in place of rate and rates: a file, beside the scenario's, with lines `SECONDS BIT/S` from 0 on; the "
        "last rate stays. The results have one phase",
    ),
    Key("delay", kinds.time("0s", "100s"), "one way, behind the queue", "0s"),
    Key(
        "delays", kinds.delays, "later delays, in order of time, of a direction without a queue", []
    ),
    Key(
        "shaper",
        kinds.choice("wire", "htb", "tbf", "own"),
        "who is slow: a device that is busy as long as a packet takes, or a qdisc above as on many routers, "
        "or the qdisc itself: its words get the rate",
        "wire",
    ),
    Key(
        "qdisc",
        kinds.text,
        '"subject" for the compared one, or tc\'s words for a fixed one; none: pfifo. {rate} in these '
        "words is the link's first rate",
    ),
    Key(
        "buffer",
        kinds.buffer,
        "what {buffer} and {buffer_bytes} stand for in a qdisc's words, and how long a bare red is",
    ),
)

HOST = keys(
    Key("time_stamps", kinds.flag, "false: its TCP has none (RFC 7323)", True),
    Key(
        "tunnel",
        kinds.name("node"),
        "a node further on: all packets between this node and those before it, and that node and those behind it, are "
        "in one UDP flow, as those of a VPN",
    ),
)

QDISC = keys(
    Key("qdisc", kinds.text, "tc's words", REQUIRED),
    Key("set", kinds.settings, "what else is different in these runs: paths and values", {}),
)

LINK = keys(
    Key("mtu", kinds.integer(128, 65535), "bytes of IP, both directions", 1500),
)

CC = Key("cc", kinds.choice("cubic", "reno", "bbr"), "TCP's congestion control", "cubic")
ECN = Key("ecn", kinds.flag, "packets are marked in place of dropped, where a qdisc does", False)
# A datagram has room for its number and time
DATAGRAM = kinds.size("60B", "65535B")
DSCP = Key("dscp", kinds.integer(0, 63), "the packets' DS field", 0)

ITEM = keys(
    Key(
        "kind",
        kinds.choice(
            "bulk", "web", "uploads", "cbr", "onoff", "frames", "requests", "ping", "probe"
        ),
        "what it is: see below",
        REQUIRED,
    ),
    Key("from", kinds.name("node"), "the node that data comes from", REQUIRED),
    Key("to", kinds.name("node"), "the node that data goes to", REQUIRED),
    Key("start", kinds.time(), "nothing is sent before this time", "0s"),
    Key("stop", kinds.time(), "nor after this; none: until the end"),
    Key("enabled", kinds.flag, "false: left out", True),
)

CBR = (
    Key("rate", kinds.rate("0bit"), "of IP packets; 0bit: none", "64kbit"),
    Key("size", DATAGRAM, "of each IP packet", 100),
    DSCP,
    Key("ecn", kinds.codepoint, "the packets' ECN field; true: ECT(0)", False),
)

TRAFFIC: dict[str, tuple[str, Keys]] = {
    "bulk": (
        "TCP transfers that send as much as they can.",
        keys(
            Key("count", kinds.integer(0, 1000), "how many; 0: none", 1),
            CC,
            ECN,
            Key("spread", kinds.time(), "each starts within this after `start`, at random", "1s"),
            Key("bytes", kinds.size(), "of each; none: until `stop`"),
        ),
    ),
    "web": (
        "Objects fetched over TCP, a connection each, at random times (Poisson): "
        "`to` asks, `from` answers.",
        keys(
            Key("rate", kinds.number(0, 10000), "connections a second; 0: none", REQUIRED),
            Key("size", kinds.size(), "mean size of an object", REQUIRED),
            Key(
                "shape", kinds.number(above=1, high=1000), "of the sizes' Pareto distribution", 1.2
            ),
            CC,
            ECN,
        ),
    ),
    "uploads": (
        "Files sent over TCP one after the other, with pauses.",
        keys(
            Key("size", kinds.size(), "of a file", "1MB"),
            Key("pause", kinds.spell, "between files", ["5s", "15s"]),
            Key("count", kinds.integer(0, 1000), "how many do this; 0: none", 1),
            CC,
            ECN,
        ),
    ),
    "cbr": ("UDP at a constant bit rate, one way: a call, a stream.", keys(*CBR)),
    "onoff": (
        "UDP at a constant bit rate in talk spurts: exponential times with these means.",
        keys(
            *CBR,
            Key("on", kinds.time("1us"), "mean", "1s"),
            Key("off", kinds.time(), "mean", "1s"),
        ),
    ),
    "frames": (
        "UDP in frames of several packets at once, with larger frames in between: a video call, a game.",
        keys(
            Key("size", DATAGRAM, "of each IP packet", 1250),
            Key("frame", kinds.integer(1, 1000), "packets of a frame", 3),
            Key("interval", kinds.time("1ms"), "between frames", "33ms"),
            Key("key_frame", kinds.integer(1, 1000), "packets of a larger frame", 40),
            Key("key_interval", kinds.time("1ms"), "between larger frames", "3s"),
            DSCP,
            Key("ecn", kinds.codepoint, "the packets' ECN field; true: ECT(0)", False),
        ),
    ),
    "requests": (
        "UDP requests at random times (Poisson), whatever becomes of them, to a server.",
        keys(
            Key("rate", kinds.number(0, 1000000), "requests a second; 0: none", REQUIRED),
            Key("size", DATAGRAM, "of a request's IP packet; exponential: the mean", "100B"),
            Key("distribution", kinds.choice("fixed", "exponential"), "of sizes", "fixed"),
            Key("clients", kinds.integer(1, 1000), "ports that ask in turn", 1),
            Key("deadline", kinds.time("1us"), "a later answer is a failure", "1s"),
            Key(
                "workers",
                kinds.integer(0, 1000),
                "requests that are served at the same time; 0: the arrival is the answer",
                0,
            ),
            Key("service", kinds.time(), "mean time that a worker needs", "25ms"),
            Key(
                "service_distribution",
                kinds.choice("exponential", "fixed", "uniform"),
                "of these times; uniform: from 0 to twice the mean",
                "exponential",
            ),
        ),
    ),
    "ping": (
        "ping(8).",
        keys(
            Key("interval", kinds.time("1ms"), "between pings", "200ms"),
            Key("size", kinds.size("16B", "65507B"), "of the payload", 56),
        ),
    ),
    "probe": (
        "Small UDP packets to and fro, with the delay of each way: irtt at a constant rate, or Poisson arrivals.",
        keys(
            Key("interval", kinds.time("1ms"), "between packets; poisson: the mean", "20ms"),
            Key(
                "arrivals",
                kinds.choice("periodic", "poisson"),
                "poisson: at random times, so that no probe keeps step with a queue",
                "periodic",
            ),
            Key("size", DATAGRAM, "of each IP packet", 172),
            DSCP,
        ),
    ),
}

# An item with one of these at 0 is left out
QUANTITIES = ("count", "rate")
