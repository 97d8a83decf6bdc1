# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Settings are validated as a whole; a message names the setting and what is allowed."""

from __future__ import annotations

from dataclasses import replace

from cases import case, check, refused
from codelctllib import rates, tuning, values
from codelctllib.framing import LINKS, Framing

RATES = [
    ("19mbit", 19_000_000, "19mbit"),
    ("1.5Mbit", 1_500_000, "1500kbit"),
    ("64kbit", 64_000, "64kbit"),
    ("64001bit", 64_001, "64001bit"),
    ("0.1gbit", 100_000_000, "100mbit"),
    ("100gbit", 100_000_000_000, "100gbit"),
]
NOT_RATES = ["", "19", "mbit", "19 mbit", "-1mbit", "19mbps", "1e3mbit", "19mbit/s", "1,5mbit"]
OUTSIDE = ["63999bit", "0mbit", "100.1gbit"]

# Setting, value, words of the message
WRONG = [
    ("up", "fast", ("--up", "'fast'", "mbit")),
    ("down", "1kbit", ("--down", "64kbit", "100gbit")),
    ("link", "vdsl2", ("--link", "'vdsl2'", "pppoe-vdsl")),
    ("kind", "red", ("--kind", "fq_codel_oot", "cake")),
    ("overhead", "-1", ("--overhead", "0 to 256")),
    ("overhead", "x", ("--overhead", "'x'")),
    ("mpu", "257", ("--mpu", "0 to 256")),
    ("cells", "adsl", ("--cells", "none, atm, ptm")),
    ("vlan", "3", ("--vlan", "0 to 2")),
    ("offloads", "on", ("--offloads", "auto, off, keep")),
    ("target", "5", ("--target", "'5'", "us, ms or s", "for example 5ms")),
    ("target", "off", ("--target", "'off'")),
    ("interval", "0us", ("--interval", "1us to 10s")),
    ("interval", "11s", ("--interval", "1us to 10s")),
    ("ceiling", "long", ("--ceiling", "'long'", "or off")),
    ("ecn", "yes", ("--ecn", "on, off")),
    ("diffserv", "diffserv5", ("--diffserv", "diffserv4")),
    ("isolation", "host", ("--isolation", "flows, hosts, dual, triple")),
    ("upload", "1mbit", ("--upload", "up, down")),
]
DEVICES = [
    "eth0",
    "enp0s31f6",
    "eth0.7",
    "br-lan",
    "ppp0",
    "a" * 15,
    "a'b#c",
    "-x",
    "ü" * 7,
    "\udcff",
]
NOT_DEVICES = ["", ".", "..", "a/b", "a b", "eth0:1", "a" * 128, "ü" * 64]


@case("rates: every unit, fractions, and the same rate as text")
def rate_values() -> None:
    for written, rate, shown in RATES:
        check(written, rates.parse("--up", written), rate)
        check(f"text of {written}", rates.text(rate), shown)


@case("rates: a rate without a unit, in bytes, or outside the range is refused")
def rate_errors() -> None:
    for written in NOT_RATES:
        refused(written, lambda w=written: rates.parse("--up", w), "--up", f"'{written}'", "19mbit")
    for written in OUTSIDE:
        refused(written, lambda w=written: rates.parse("--up", w), "64kbit to 100gbit")


@case("settings: each wrong value is refused by name, with what is allowed")
def wrong_settings() -> None:
    for name, value, words in WRONG:
        kind = "cake" if name in tuning.OF_KIND["cake"] else "codel_oot"
        given = {"up": "1mbit", "kind": kind, name: value}
        refused(f"{name} {value}", lambda g=given: values.parse(g), *words)
    for name, value, words in WRONG:
        refused(f"{name} alone", lambda g={name: value}: values.validate(g), *words)
    refused("no rate", lambda: values.parse({"link": "adsl"}), "--up", "--down")


@case("settings: defaults, and a request with all of them")
def settings() -> None:
    simple = values.parse({"up": "19mbit"})
    want = values.Request(19_000_000, None, LINKS["ethernet"], "fq_codel_oot", False, True)
    want = replace(want, spread=frozenset({"up", "down"}))
    check("defaults", simple, want)
    given = {"up": "1mbit", "down": "2gbit", "link": "pppoe-vdsl", "vlan": "1", "kind": "cake"}
    want = values.Request(10**6, 2 * 10**9, Framing(34, 68, "ptm"), "cake", False, False)
    check("vlan adds to the link's overhead", values.parse(given), want)
    given = {**given, "overhead": "10", "mpu": "0", "cells": "atm", "vlan": "2"}
    check("overrides", values.parse(given).framing, Framing(18, 0, "atm"))


PRESENT = {"up": "8mbit", "down": "20mbit", "link": "docsis", "overhead": "20", "vlan": "1"}
# Given, the settings afterwards other than PRESENT (None: not there), and the changes in words
MERGED = [
    ({"up": "7mbit"}, {"up": "7mbit"}, ["up 8mbit becomes 7mbit"]),
    ({"down": "off"}, {"down": None}, ["down 20mbit becomes off"]),
    ({"kind": "cake"}, {"kind": "cake"}, ["kind fq_codel_oot becomes cake"]),
    ({"target": "7ms", "ceiling": "off"}, {"target": "7ms", "ceiling": "off"},
     ["target not set becomes 7ms", "ceiling not set becomes off"]),
    ({"mpu": "90"}, {"mpu": "90"}, ["mpu as of the link becomes 90"]),
    ({"overhead": "20", "kind": "fq_codel_oot"}, {"kind": "fq_codel_oot"}, []),
    # The parts of a link's framing go with it
    ({"link": "docsis"}, {"overhead": None}, ["overhead 20 becomes as of the link"]),
    ({"link": "vdsl", "mpu": "1"}, {"link": "vdsl", "overhead": None, "mpu": "1"},
     ["link docsis becomes vdsl", "overhead 20 becomes as of the link", "mpu as of the link becomes 1"]),
]  # fmt: skip


@case(
    "queues: of both directions or of one, of kinds that share a rate, and not where the link is followed"
)
def queues() -> None:
    for given, spread in (
        ({}, {"up", "down"}),
        ({"queues": "one"}, set()),
        ({"queues": "one", "down-queues": "auto"}, {"down"}),
        ({"up-queues": "one"}, {"down"}),
        ({"follow": "on"}, set()),
    ):
        found = values.parse({"up": "1gbit", "down": "1gbit", **given})
        check(f"{given}", found.spread, frozenset(spread))
        check(f"parameters of the qdiscs with {given}", found.tuning, ({}, {}))
    former = values.parse({"up": "1gbit"}, former=True)
    check("of an earlier version", former.spread, frozenset())
    for kind in ("cake", "fq_codel"):
        check(kind, values.parse({"up": "1gbit", "kind": kind}).spread, frozenset())
    given = {"up": "1gbit", "kind": "cake", "queues": "auto"}
    refused("cake", lambda: values.parse(given), "--queues", "fq_codel_oot, codel_oot have it")


@case("settings: what is not given stays, a word removes a direction, and each change is named")
def kept() -> None:
    for given, others, texts in MERGED:
        found = values.merged(PRESENT, given)
        want = {n: v for n, v in {**PRESENT, **others}.items() if v is not None}
        check(f"{given}", found, want)
        check(f"changes of {given}", values.changes(PRESENT, found), texts)
    check("off", values.parse({"up": "off", "down": "1mbit"}).up, None)
    check("no setup", values.merged({}, {"up": "1mbit"}), {"up": "1mbit"})
    for given in ({"link": "docsis"}, {"up": "off"}, {"nat": "on"}, {"ceiling": "1ms"}):
        values.validate(given)
    off = {"up": "off", "down": "off"}
    refused("no direction", lambda: values.merged(PRESENT, off), "codelctl undo DEV")
    refused("off", lambda: values.parse(off), "--up", "--down")


TUNED = {"up": "8mbit", "kind": "codel_oot", "target": "7ms", "ceiling": "60ms"}


@case("settings: a parameter that the new kind does not have goes, or is refused if it is given")
def kinds_of_parameters() -> None:
    found = values.merged(TUNED, {"kind": "fq_codel"})
    check("in-tree", found, {"up": "8mbit", "kind": "fq_codel", "target": "7ms"})
    texts = ["kind codel_oot becomes fq_codel", "ceiling 60ms becomes not set"]
    check("changes", values.changes(TUNED, found), texts)
    check("cake", values.merged(TUNED, {"kind": "cake"}), {"up": "8mbit", "kind": "cake"})
    check(
        "out-of-tree",
        values.merged(TUNED, {"kind": "fq_codel_oot"}),
        {**TUNED, "kind": "fq_codel_oot"},
    )
    for given, words in (
        ({"kind": "fq_codel", "ceiling": "60ms"}, ("--ceiling", "fq_codel has no", "codel_oot")),
        ({"kind": "cake", "ecn": "on"}, ("--ecn", "cake has no", "fq_codel")),
        ({"nat": "on"}, ("--nat", "fq_codel_oot has no", "cake have it")),
        ({"ceiling": "5ms"}, ("--ceiling", "5ms is not longer than the target of 5ms")),
        ({"ceiling": "20ms", "target": "30ms"}, ("20ms is not longer than the target of 30ms",)),
    ):
        refused(f"{given}", lambda g=given: values.parse({"up": "1mbit", **g}), *words)
    values.parse({"up": "1mbit", "ceiling": "2ms", "target": "1ms"})


@case("settings: the words of a command line that has them")
def command_line() -> None:
    given = {"up": "1mbit", "ecn": "off", "nat": "on", "down-ecn": "on", "up-target": "7ms"}
    words = ["--up", "1mbit", "--no-ecn", "--nat", "--down-ecn", "--up-target", "7ms"]
    check("words", values.words(given), words)


BOTH = {"up": "8mbit", "down": "20mbit"}


@case("settings: a parameter of one direction goes before that of both")
def of_one_direction() -> None:
    for given, egress, ingress in (
        ({"up-target": "7ms"}, {"target": 7000}, {}),
        ({"target": "6ms", "down-target": "7ms"}, {"target": 6000}, {"target": 7000}),
        ({"ecn": "on", "down-ecn": "off"}, {"ecn": True}, {"ecn": False}),
        ({"ceiling": "9ms", "up-ceiling": "off"}, {"ceiling": None}, {"ceiling": 9000}),
        ({"kind": "cake", "down-isolation": "dual"}, {}, {"flowmode": "dual-dsthost"}),
        ({"kind": "cake", "isolation": "dual", "down-isolation": "flows"},
         {"flowmode": "dual-srchost"}, {"flowmode": "flows"}),
    ):  # fmt: skip
        found = values.parse({**BOTH, **given})
        check(f"{given}", found.tuning, (egress, ingress))
    for given, words in (
        ({"up-target": "7"}, ("--up-target: '7' is not a time",)),
        ({"down-ceiling": "8ms", "target": "9ms"}, ("--down-ceiling: 8ms", "target of 9ms")),
        ({"ceiling": "8ms", "up-target": "9ms"}, ("--ceiling: 8ms", "target of 9ms")),
        ({"up-nat": "on"}, ("--up-nat: fq_codel_oot has no", "cake have it")),
        ({"down": "off", "down-target": "7ms"}, ("--down-target: ", "no shaper: give --down")),
    ):
        refused(f"{given}", lambda g=given: values.parse({**BOTH, **g}), *words)
    refused("a value", lambda: values.validate({"down-ecn": "no"}), "--down-ecn: 'no'", "on, off")


@case("settings: a parameter of one direction stays, until both, the kind or the direction change")
def of_one_direction_kept() -> None:
    present = {**BOTH, "up-target": "7ms", "down-ceiling": "90ms", "ecn": "off"}
    for given, gone, texts in (
        ({"up": "9mbit"}, set(), ["up 8mbit becomes 9mbit"]),
        ({"up-target": "8ms"}, set(), ["up-target 7ms becomes 8ms"]),
        ({"target": "8ms"}, {"up-target"}, ["target not set becomes 8ms", "up-target 7ms becomes not set"]),
        ({"target": "8ms", "up-target": "9ms"}, set(), ["target not set becomes 8ms", "up-target 7ms becomes 9ms"]),
        ({"down": "off"}, {"down", "down-ceiling"},
         ["down 20mbit becomes off", "down-ceiling 90ms becomes not set"]),
        ({"kind": "fq_codel"}, {"down-ceiling"},
         ["kind fq_codel_oot becomes fq_codel", "down-ceiling 90ms becomes not set"]),
    ):  # fmt: skip
        found = values.merged(present, given)
        want = {n: v for n, v in {**present, **given}.items() if n not in gone}
        check(f"{given}", found, want)
        check(f"changes of {given}", values.changes(present, found), texts)
        values.parse(found)


@case("settings: a link that is followed needs no rate, and both directions follow")
def follow() -> None:
    found = values.parse({"follow": "on"})
    check("directions", found.directions, {"up", "down"})
    check("rates", (found.up, found.down), (None, None))
    bound = values.parse({"follow": "on", "up": "8mbit", "down-target": "7ms"})
    check("a bound", (bound.up, bound.follow), (8_000_000, {"up", "down"}))
    check("left", bound.without({"up"}), replace(bound, up=None, follow=frozenset({"down"})))
    check("rates alone", values.parse(BOTH).follow, set())
    for given, words in (
        ({"follow": "on", "kind": "cake"}, ("--follow: cake does not follow", "codel_oot do")),
        ({"follow": "yes", **BOTH}, ("--follow: 'yes' is not one of on, off",)),
        ({"link": "docsis"}, ("a rate is missing: give --up, --down or both, or --follow",)),
    ):
        refused(f"{given}", lambda g=given: values.parse(g), *words)
    present = {"follow": "on", "up": "8mbit", "up-target": "7ms"}
    check("no bound", values.merged(present, {"up": "off"}), {"follow": "on", "up-target": "7ms"})
    check("a rate", values.merged(present, {"follow": "off"}), {"up": "8mbit", "up-target": "7ms"})
    refused("nothing", lambda: values.merged({"follow": "on"}, {"follow": "off"}), "no direction")
    check("words", values.words({"follow": "on"}), ["--follow"])
    check("line", values.text({"follow": "on"}), "follow on, link ethernet, kind fq_codel_oot")


@case("settings: HTB is above the kinds that do not shape, and in the setups of an earlier version")
def htb() -> None:
    for kind, now, former in (
        ("fq_codel_oot", False, True),
        ("codel_oot", False, True),
        ("cake", False, False),
        ("fq_codel", True, True),
        ("codel", True, True),
    ):
        given = {"up": "1mbit", "kind": kind}
        check(kind, values.parse(given).htb, now)
        check(f"{kind} of an earlier version", values.parse(given, former=True).htb, former)


@case(
    "settings: packets stay merged where the qdisc splits them, above 1 Gbit/s, or as the user says"
)
def merging() -> None:
    for up, down, kind, offloads, keep in (
        ("1gbit", "1gbit", "fq_codel", "auto", False),
        ("2gbit", "2gbit", "fq_codel", "auto", True),
        ("2gbit", "1gbit", "cake", "auto", False),
        ("2gbit", "2gbit", "fq_codel", "off", False),
        ("1mbit", "1mbit", "fq_codel", "keep", True),
        ("1mbit", "1mbit", "fq_codel_oot", "auto", True),
        ("1mbit", "1mbit", "codel_oot", "auto", True),
        ("1mbit", "1mbit", "codel_oot", "off", False),
    ):
        given = {"up": up, "down": down, "kind": kind, "offloads": offloads}
        check(f"{given}", values.parse(given).keep_offloads, keep)
    former = values.parse({"up": "1mbit"}, former=True)
    check("an earlier version", former.keep_offloads, False)


@case("device names: what the kernel accepts, and nothing that leads to another file")
def devices() -> None:
    for name in DEVICES:
        check(name, values.device(name), name)
    for name in NOT_DEVICES:
        refused(name, lambda n=name: values.device(n), "not a device name")


@case("hosts: names and addresses, and nothing that a program takes for an option")
def hosts() -> None:
    for name in ("server", "a-b.example", "10.9.2.2", "fd00:1::2", "::1", "fe80::1%eth0"):
        check(name, values.host(name), name)
    for name in ("", "-f", "--file=x", "a b", "a;b", "a/b"):
        refused(name, lambda n=name: values.host(n), "--server", f"'{name}'")
