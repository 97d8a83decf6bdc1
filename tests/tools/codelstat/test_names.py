#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
"""Names of devices may have any bytes but blanks and slashes: all of them stay apart."""

from __future__ import annotations

import csv
from contextlib import AbstractContextManager
from io import StringIO
from urllib.parse import unquote_to_bytes

import short
from cases import case, check, codelstat, main
from exporter import samples
from recordings import link, qdisc, recording

ORDINARY = [b"eth0", b"br-lan", b"eth0.5@x", b"veth'1+2", b"a,b{c}:d", b"~!#$&()*;<=>?"]
ODD = [b'a"b', b"a\\b", b"a\xffb", b"a\xfeb", b"a\xc3\xbcb", b"a\x7fb", b"a?b", b"a%b", b"a%22b",
       b"a%FFb", b"\x01" * 15, b"\x02" * 15, b'"' * 15, b'"' * 14]  # fmt: skip
NAMES = ORDINARY + ODD


def with_names() -> AbstractContextManager[str]:
    return recording(b"".join(link(n, s) + qdisc(n, 1 << 16) for n, s in enumerate(NAMES, 1)))


def is_each(shown: list[str]) -> None:
    check("names", [unquote_to_bytes(name) for name in shown], NAMES)
    check("ordinary names", shown[: len(ORDINARY)], [name.decode() for name in ORDINARY])
    for name in shown:
        assert name.isascii() and name.isprintable() and not set(name) & set(' "\\'), name


@case("JSON and CSV")
def lists() -> None:
    with with_names() as path:
        words = ["--replay", path, "--speed", "0"]
        shown = {name: codelstat(f"--{name}", *words).stdout for name in ("json", "csv")}
    is_each([q["dev"] for q in short.loads(shown["json"])["qdiscs"]])
    is_each([row["dev"] for row in csv.DictReader(StringIO(shown["csv"]))])


@case("metrics: a series to each device, and none twice")
def series() -> None:
    with with_names() as path:
        text = codelstat("export", "--replay", path, "--textfile", "-").stdout
    names = [dict(key)["device"] for name, key in samples(text) if name == "codel_qdisc_info"]
    is_each(names)


@case("--dev takes the name itself")
def by_name() -> None:
    with with_names() as path:
        for name in (b'a"b', b"a%22b", b"eth0"):
            words = ("-1", "--json", "--replay", path, "--dev", name.decode())
            found = short.loads(codelstat(*words).stdout)["qdiscs"]
            check("devices", [unquote_to_bytes(q["dev"]) for q in found], [name])


@case("the table")
def table() -> None:
    with with_names() as path:
        text = codelstat("-1", "--replay", path).stdout
    for name in ("a%22b ", "a%FFb ", "a%25FFb ", "eth0 "):
        check(name, sum(line.startswith(name) for line in text.splitlines()), 1)


if __name__ == "__main__":
    main()
