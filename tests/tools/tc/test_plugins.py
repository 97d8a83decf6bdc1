#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
"""The plugins in a real tc, with fakekernel.so in the place of the kernel.

What tc sends is compared with what the options mean, what it prints with
what the same tc prints without the plugins. Prints KTAP.

usage: test_plugins.py --plugins DIR --fakekernel FILE [--builtin] TC [ARG...]

With --builtin the kinds are part of TC itself, and there is no stock front
end to compare them with.
"""

import argparse
import json
import os
import random
import socket
import struct
import subprocess
import sys
import tempfile
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, Callable, NamedTuple, NoReturn

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "ktap"))
sys.dont_write_bytecode = True

import ktap  # noqa: E402

U32 = 2**32 - 1
NESTED = 0x8000
TCA_KIND, TCA_OPTIONS, TCA_STATS2 = 1, 2, 7
TCA_STATS_BASIC, TCA_STATS_QUEUE, TCA_STATS_APP = 1, 3, 4
TCA_CODEL_EXT, CE_THRESHOLD_OFF, CEILING, CEILING_OFF = 64, 1, 3, 4
RATE, RATE_OFF, OVERHEAD, OVERHEAD_OFF, MPU, CELLS, INGRESS, SPLIT_GSO = range(6, 14)
SHARED = 18
TARGET_EFFECTIVE, INTERVAL_EFFECTIVE = 14, 15
NO_PLUGINS = "/nonexistent"

Attrs = dict[int, bytes]


class Option(NamedTuple):
    """The attribute of an option, independent of the plugins' tables."""

    attr: int
    shape: str


CODEL = {
    "target": Option(1, "time"),
    "limit": Option(2, "number"),
    "interval": Option(3, "time"),
    "ecn": Option(4, "flag"),
    "ce_threshold": Option(5, "time"),
}
FQ_CODEL = {
    "target": Option(1, "time"),
    "limit": Option(2, "number"),
    "interval": Option(3, "time"),
    "ecn": Option(4, "flag"),
    "flows": Option(5, "number"),
    "quantum": Option(6, "number"),
    "ce_threshold": Option(7, "time"),
    "drop_batch": Option(8, "number"),
    "memory_limit": Option(9, "size"),
    "ce_threshold_selector": Option(10, "byte"),
    "ce_threshold_mask": Option(11, "byte"),
}
KINDS = {
    "codel": CODEL,
    "fq_codel": FQ_CODEL,
    "codel_oot": CODEL,
    "fq_codel_oot": FQ_CODEL,
}
STOCK_KINDS = ["codel", "fq_codel"]

# struct tc_codel_xstats; drop_next is signed
CODEL_STATS = [
    "maxpacket", "count", "lastcount", "ldelay", "drop_next", "drop_overlimit",
    "ecn_mark", "dropping", "ce_mark",
]  # fmt: skip


def attr(kind: int, payload: bytes) -> bytes:
    raw = struct.pack("=HH", 4 + len(payload), kind) + payload
    return raw + b"\0" * (-len(raw) % 4)


def attrs(raw: bytes) -> Attrs:
    found: Attrs = {}
    while raw:
        length, kind = struct.unpack_from("=HH", raw)
        assert kind not in found, f"attribute {kind} twice"
        found[kind] = raw[4:length]
        raw = raw[(length + 3) & ~3 :]
    return found


def u32(value: int) -> bytes:
    return struct.pack("=I", value)


def wire(option: Option, value: int) -> bytes:
    return bytes([value]) if option.shape == "byte" else u32(value)


class Tc:
    """One tc, and the attributes that it has sent."""

    def __init__(self, command: list[str], plugins: str, preload: str) -> None:
        self.command = command
        self.plugins = plugins
        self.preload = preload
        self.directory = tempfile.TemporaryDirectory()
        self.state = Path(self.directory.name) / "state"

    def run(self, *args: str, plugins: str = "") -> subprocess.CompletedProcess[str]:
        environment = os.environ | {
            "TC_LIB_DIR": plugins or self.plugins,
            "FAKE_STATE": str(self.state),
        }
        # env, as a dynamic loader in front of tc is not to be preloaded into
        command = ["env", f"LD_PRELOAD={self.preload}", *self.command, *args]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    def answer(
        self, kind: str, options: list[str], plugins: str = "", in_tree: str = ""
    ) -> tuple[int, str, str, bytes]:
        """Status, what it says, and what it sends; `in_tree`: see fakekernel.c."""
        self.state.unlink(missing_ok=True)
        os.environ["FAKE_IN_TREE"] = in_tree
        words = ("qdisc", "add", "dev", "lo", "root", kind, *options)
        done = self.run(*words, plugins=plugins)
        del os.environ["FAKE_IN_TREE"]
        sent = self.state.read_bytes() if self.state.exists() else b""
        return done.returncode, done.stdout, done.stderr, sent

    def add(self, kind: str, options: list[str], plugins: str = "", verb: str = "add") -> Attrs:
        """TCA_OPTIONS as tc sends them."""
        self.state.unlink(missing_ok=True)
        done = self.run("qdisc", verb, "dev", "lo", "root", kind, *options, plugins=plugins)
        assert done.returncode == 0, f"{options}: {done.stderr}"
        request = attrs(self.state.read_bytes())
        assert request[TCA_KIND].rstrip(b"\0").decode() == kind
        return attrs(request[TCA_OPTIONS])

    def refusal(self, kind: str, *options: str) -> str:
        """tc's error message; no request may have been sent."""
        self.state.unlink(missing_ok=True)
        done = self.run("qdisc", "add", "dev", "lo", "root", kind, *options)
        assert done.returncode != 0, f"{options}: accepted"
        assert not self.state.exists(), f"{options}: sent"
        return done.stderr

    def dump(self, kind: str, options: bytes | None, xstats: bytes | None = None) -> None:
        """From now on there is this qdisc, or class (which has no options)."""
        state = attr(TCA_KIND, kind.encode() + b"\0")
        if options is not None:
            state += attr(TCA_OPTIONS, options)
        if xstats is not None:
            basic = attr(TCA_STATS_BASIC, struct.pack("=QI4x", 6, 7))
            queue = attr(TCA_STATS_QUEUE, struct.pack("=5I", 1, 2, 3, 4, 5))
            state += attr(TCA_STATS2, basic + queue + attr(TCA_STATS_APP, xstats))
        self.state.write_bytes(state)

    def text(self, *args: str, what: str = "qdisc", plugins: str = "") -> str:
        done = self.run(*args, what, "show", "dev", "lo", plugins=plugins)
        assert done.returncode == 0 and not done.stderr, done.stderr
        return done.stdout

    def json(self, *args: str, what: str = "qdisc", plugins: str = "") -> Any:
        return json.loads(self.text("-j", *args, what=what, plugins=plugins))[0]


def encode(table: dict[str, Option], values: dict[str, int]) -> bytes:
    return b"".join(attr(table[k].attr, wire(table[k], v)) for k, v in values.items())


def ext(*flags: int, ceiling: int | None = None, more: Attrs | None = None) -> bytes:
    payload = b"".join(attr(flag, b"") for flag in flags)
    if ceiling is not None:
        payload += attr(CEILING, u32(ceiling))
    payload += b"".join(attr(number, value) for number, value in (more or {}).items())
    return attr(TCA_CODEL_EXT | NESTED, payload)


def shaper(
    rate: int, overhead: int, mpu: int = 0, cells: int = 0, ingress: int = 0, split: int = 0
) -> Attrs:
    """What a module dumps of a shaper; a rate of 0 or an overhead of -65 is off."""
    values = {RATE: struct.pack("=Q", rate)} if rate else {RATE_OFF: b""}
    values |= {OVERHEAD_OFF: b""} if overhead == -65 else {OVERHEAD: struct.pack("=i", overhead)}
    return values | {MPU: u32(mpu), CELLS: u32(cells), INGRESS: u32(ingress), SPLIT_GSO: u32(split)}


NO_SHAPER = shaper(0, -65)


def random_value(rng: random.Random, option: Option) -> int:
    if option.shape == "flag":
        return rng.randrange(2)
    if option.shape == "byte":
        return rng.choice([0, 1, 3, 255, rng.randrange(256)])
    if rng.randrange(3) == 0:
        return rng.choice([0, 1, 999, 1000, 1001, 999999, 1000000, U32 - 1, U32])
    return rng.randrange(2 ** rng.randrange(1, 33))


def random_values(rng: random.Random, table: dict[str, Option]) -> dict[str, int]:
    return {k: random_value(rng, o) for k, o in table.items() if rng.randrange(4)}


def test_kinds_are_served(tc: Tc) -> None:
    for kind in KINDS:
        usage = tc.refusal(kind, "help")
        assert usage.startswith(f"Usage: ... {kind} [ OPTION ]...\n"), usage


def test_help_names_every_option(tc: Tc) -> None:
    for kind, table in KINDS.items():
        words = tc.refusal(kind, "help").split()
        for keyword, option in table.items():
            if keyword != "ce_threshold_mask":
                assert keyword in words, f"{kind}: {keyword}"
            if option.shape == "flag":
                assert "no" + keyword in words, f"{kind}: no{keyword}"
        for line in (
            "ceiling TIME | off", "rate RATE | off", "overhead BYTES | off", "mpu BYTES",
            "noatm | atm | ptm", "alone | shared", "egress | ingress", "no_split_gso | split_gso",
            "bottleneck here | downstream | upstream",
        ):  # fmt: skip
            assert f"\t{line}  " in tc.refusal(kind, "help"), f"{line}: {words}"
        assert not any("effective" in word for word in words), words


def test_requests_are_those_of_the_stock_tc(tc: Tc) -> None:
    common = "limit 1000 target 5ms interval 100ms ecn ce_threshold 1.5ms".split()
    fair = (
        common
        + (
            "flows 256 quantum 0x5ea memory_limit 1.5mb drop_batch 010"
            " ce_threshold_selector 0x1/3"
        ).split()
    )
    for kind, options in (("codel", common), ("fq_codel", fair)):
        for chosen in (options, options[:2], ["noecn"], []):
            stock = tc.add(kind, chosen, plugins=NO_PLUGINS)
            sent = tc.add(kind, chosen)
            assert sent == stock, f"{chosen}: {sent}, not {stock}"


# The stock tc takes the last of two, rounds, and refuses what only the modules have
IN_TREE_WORDS = [
    "", "limit 1000", "limit 0x10", "limit 010", "limit -1", "limit 1.5", "limit", "limit 99999999999",
    "target 5ms", "target 1.0005ms", "target 1e3us", "target 5", "target 5m", "target 0", "target -1ms",
    "interval 100ms target 99999s", "ecn noecn", "noecn", "ce_threshold 1ms", "ce_threshold off",
    "limit 1 limit 2", "ceiling 50ms", "ceiling off", "rate 20mbit", "ecn ingress", "help",
    "limit 5 help", "frob", "target 5ms frob 7",
]  # fmt: skip
FAIR_WORDS = [
    "flows 256", "flows 0x100", "flows -1", "quantum 1514 drop_batch 010", "memory_limit 1.5mb",
    "memory_limit 8mbit", "memory_limit 99gb", "ce_threshold_selector 0x1/3", "ce_threshold_selector 1",
    "ce_threshold_selector 300/1", "flows",
]  # fmt: skip


def test_in_tree_is_parsed_by_the_stock_tc(tc: Tc) -> None:
    for kind in STOCK_KINDS:
        for words in IN_TREE_WORDS + FAIR_WORDS * (kind == "fq_codel"):
            stock = tc.answer(kind, words.split(), plugins=NO_PLUGINS)
            for said_by in ("initstate", "takeover", "modules.builtin"):
                shown = tc.answer(kind, words.split(), in_tree=said_by)
                assert shown == stock, f"{said_by}: {kind} {words}: {shown}, not {stock}"
        own = tc.answer(kind, ["ceiling", "50ms"])
        assert own != tc.answer(kind, ["ceiling", "50ms"], plugins=NO_PLUGINS), own
        assert own == tc.answer(kind, ["ceiling", "50ms"], in_tree="other"), own
        own = tc.answer(f"{kind}_oot", ["ceiling", "50ms"])
        assert own == tc.answer(f"{kind}_oot", ["ceiling", "50ms"], in_tree="initstate"), own


def test_every_value_is_sent(tc: Tc) -> None:
    values = {"number": [0, 1, U32], "time": [0, 1, U32], "size": [0, 1, U32]}
    for kind, table in KINDS.items():
        for keyword, option in table.items():
            for value in values.get(option.shape, []):
                sent = tc.add(kind, [keyword, str(value)])
                assert sent == {option.attr: u32(value)}, f"{keyword} {value}: {sent}"
        assert tc.add(kind, ["noecn"]) == {table["ecn"].attr: u32(0)}
        assert tc.add(kind, ["ecn"]) == {table["ecn"].attr: u32(1)}
    for value, mask in ((0, 0), (255, 255), (255, 0), (0, 3)):
        sent = tc.add("fq_codel", ["ce_threshold_selector", f"{value}/{mask}"])
        assert sent == {
            10: bytes([value]),
            11: bytes([mask]),
        }, f"{value}/{mask}: {sent}"


def test_off_is_sent(tc: Tc) -> None:
    for kind in KINDS:
        for keyword, flag in (("ce_threshold", CE_THRESHOLD_OFF), ("ceiling", CEILING_OFF)):
            sent = tc.add(kind, [keyword, "off"])
            assert sent == {TCA_CODEL_EXT | NESTED: attr(flag, b"")}, sent


def test_ceiling_is_sent(tc: Tc) -> None:
    """In the nest, which in-tree qdiscs ignore, and which there is once."""
    for kind, table in KINDS.items():
        for value in (0, 1, U32):
            sent = tc.add(kind, ["ceiling", str(value)])
            assert sent == {TCA_CODEL_EXT | NESTED: attr(CEILING, u32(value))}, sent
        sent = tc.add(kind, "ceiling 1.5ms target 7 ce_threshold off".split())
        nest = attrs(sent.pop(TCA_CODEL_EXT | NESTED))
        assert nest == {CE_THRESHOLD_OFF: b"", CEILING: u32(1500)}, nest
        assert sent == {table["target"].attr: u32(7)}, sent


# Words of the command line, and the attribute in the nest
SHAPER_WORDS: list[tuple[str, int, bytes]] = [
    ("rate off", RATE_OFF, b""),
    ("overhead off", OVERHEAD_OFF, b""),
    *((f"overhead {n}", OVERHEAD, struct.pack("=i", n)) for n in (0, 18, -14, 257, -(2**31) + 1)),
    ("overhead +0x10", OVERHEAD, struct.pack("=i", 16)),
    *((f"mpu {n}", MPU, u32(n)) for n in (0, 64, 257, U32)),
    *((word, CELLS, u32(n)) for n, word in enumerate(("noatm", "atm", "ptm"))),
    *((word, INGRESS, u32(n)) for n, word in enumerate(("egress", "ingress"))),
    *((word, SPLIT_GSO, u32(n)) for n, word in enumerate(("no_split_gso", "split_gso"))),
    *((word, SHARED, u32(n)) for n, word in enumerate(("alone", "shared"))),
]


def test_shaper_is_sent(tc: Tc) -> None:
    for kind, table in KINDS.items():
        for words, number, value in SHAPER_WORDS:
            sent = tc.add(kind, words.split())
            assert sent == {TCA_CODEL_EXT | NESTED: attr(number, value)}, f"{words}: {sent}"
        words = "limit 7 ingress rate 20mbit atm overhead 40 mpu 96 egress ptm overhead -3 rate off split_gso"
        sent = tc.add(kind, words.split())
        wanted = shaper(0, -3, 96, 2, 0, 1)
        assert attrs(sent.pop(TCA_CODEL_EXT | NESTED)) == wanted, sent
        assert sent == {table["limit"].attr: u32(7)}, sent


# Bits per second in one
RATE_UNITS = {"": 1, "bit": 1, "bps": 8} | {
    f"{prefix}{unit}": scale**power * bits
    for power, letter in enumerate("kmgt", 1)
    for prefix, scale in ((letter, 1000), (f"{letter}i", 1024))
    for unit, bits in (("bit", 1), ("bps", 8))
}


def rate_of(tc: Tc, *words: str) -> int:
    nest = attrs(tc.add("codel", ["rate", *words])[TCA_CODEL_EXT | NESTED])
    assert list(nest) == [RATE], nest
    (rate,) = struct.unpack("=Q", nest[RATE])
    return int(rate)


def test_rates_are_exact(tc: Tc) -> None:
    rng = random.Random(12)
    for unit, bits in RATE_UNITS.items():
        for text, value in (("8", 8), ("1.5", Fraction(3, 2)), ("0.125", Fraction(1, 8))):
            assert rate_of(tc, text + unit) == value * bits // 8, text + unit
        assert rate_of(tc, "8" + unit.upper()) == bits, unit
    for _ in range(100):
        rate = rng.randrange(1, 125 * 10**9 + 1)
        bits = rng.choice([rate * 8, rate * 8 + rng.randrange(8)])
        for text in (f"{bits}bit", f"{rate}bps", f"{bits}", f"{bits // 1000}.{bits % 1000:03}kbit",
                     f"{bits // 10**9}.{bits % 10**9:09}Gbit"):  # fmt: skip
            assert rate_of(tc, text) == rate, text
    for text, rate in {
        "1000gbit": 125 * 10**9,
        "0": 0,
        "7bit": 0,
        "1000tbit": 125 * 10**12,
    }.items():
        assert rate_of(tc, text) == rate, text


def test_rates_are_those_of_the_stock_tc(tc: Tc) -> None:
    """The same words give tbf the same rate, and tc prints it alike if it is a round one."""
    for unit in RATE_UNITS:
        for number in ("8", "20", "9.5", "97"):
            tbf = tc.add("tbf", ["rate", number + unit, "burst", "100k", "limit", "1m"])
            (rate,) = struct.unpack_from("=8xI", tbf[1])
            if rate == 2**32 - 1:
                (rate,) = struct.unpack("=Q", tbf[4])
            assert rate_of(tc, number + unit) == rate, number + unit
    for rate in (1, 125, 12500, 187500, 2500000, 15432500, 10**8, 3 * 10**9, 125 * 10**9):
        assert tc.add("tbf", ["rate", f"{rate}bps", "burst", "100k", "limit", "1m"])
        stock = tc.text().split(" rate ")[1].split()[0]
        tc.dump("codel", ext(more=shaper(rate, -65)))
        assert f" rate {stock} noatm overhead off " in tc.text(), f"{tc.text()}, not {stock}"


def test_shaper_is_shown(tc: Tc) -> None:
    effective = {TARGET_EFFECTIVE: u32(18168), INTERVAL_EFFECTIVE: u32(113168)}
    for kind, table in KINDS.items():
        limit = encode(table, {"limit": 7})
        tc.dump(kind, limit + ext(CE_THRESHOLD_OFF, ceiling=50000))
        without = tc.text().removesuffix("\n")
        for values, words, wanted in (
            (NO_SHAPER, "", [None, None, 0, "noatm", False, False]),
            (shaper(2500000, 18, 64, 0, 0, 1), "rate 20Mbit noatm overhead 18 mpu 64 split_gso ",
             [2500000, 18, 64, "noatm", False, True]),
            (shaper(1, -64, 0, 2, 1, 0), "rate 8bit ptm overhead -64 mpu 0 ingress no_split_gso ",
             [1, -64, 0, "ptm", True, False]),
            (shaper(154321, -65), "rate 1234568bit noatm overhead off mpu 0 no_split_gso ",
             [154321, None, 0, "noatm", False, False]),
            (shaper(0, 0), "rate off noatm overhead 0 mpu 0 no_split_gso ",
             [None, 0, 0, "noatm", False, False]),
            (shaper(0, -65, 1), "rate off noatm overhead off mpu 1 no_split_gso ",
             [None, None, 1, "noatm", False, False]),
            (shaper(0, -65, 0, 1), "rate off atm overhead off mpu 0 no_split_gso ",
             [None, None, 0, "atm", False, False]),
            (shaper(0, -65, 0, 0, 1), "rate off noatm overhead off mpu 0 ingress no_split_gso ",
             [None, None, 0, "noatm", True, False]),
            (shaper(0, -65, 0, 0, 0, 1), "rate off noatm overhead off mpu 0 split_gso ",
             [None, None, 0, "noatm", False, True]),
        ):  # fmt: skip
            shaped = RATE in values
            more = values | effective if shaped else values
            tc.dump(kind, limit + ext(CE_THRESHOLD_OFF, ceiling=50000, more=more))
            words += "target_effective 18.2ms interval_effective 113ms " * shaped
            assert tc.text() == f"{without}{words}\n", f"{tc.text()!r}, not {words!r}"
            names = ["rate", "overhead", "mpu", "atm", "ingress", "split_gso"]
            expected = dict(zip(names, wanted)) | {
                "limit": 7,
                "ce_threshold": None,
                "ceiling": 50000,
            }
            if shaped:
                expected |= {"target_effective": 18168, "interval_effective": 113168}
            assert tc.json()["options"] == expected, tc.json()


def test_shaper_of_another_version(tc: Tc) -> None:
    """Short attributes are absent, and numbers without a word are numbers."""
    for kind, table in KINDS.items():
        limit = encode(table, {"limit": 7})
        for number in (RATE, OVERHEAD, MPU, CELLS, INGRESS, SPLIT_GSO, SHARED, TARGET_EFFECTIVE):
            for value in (b"", b"\1\0\0"):
                tc.dump(kind, limit + ext(more={number: value}))
                assert tc.text().endswith(" limit 7p \n"), f"{number}: {tc.text()}"
                assert tc.json()["options"] == {"limit": 7}, f"{number}: {tc.json()}"
        tc.dump(kind, limit + ext(more={RATE: u32(5)}))
        assert tc.json()["options"] == {"limit": 7}, tc.json()
        tc.dump(kind, limit + ext(more={CELLS: u32(3), SPLIT_GSO: u32(2), 60: u32(1)}))
        assert tc.text().endswith(" limit 7p atm 3 split_gso 2 \n"), tc.text()
        wanted = {"limit": 7, "atm": 3, "split_gso": True}
        assert tc.json()["options"] == wanted, tc.json()


def test_last_value_counts(tc: Tc) -> None:
    for kind, table in KINDS.items():
        threshold = table["ce_threshold"].attr
        assert tc.add(kind, "ce_threshold off ce_threshold 7".split()) == {threshold: u32(7)}
        sent = tc.add(kind, "ce_threshold 7 ce_threshold off limit 3 limit 4 ecn noecn".split())
        assert sent == {
            table["limit"].attr: u32(4),
            table["ecn"].attr: u32(0),
            TCA_CODEL_EXT | NESTED: attr(CE_THRESHOLD_OFF, b""),
        }, sent
        for words, nest in (
            ("ceiling off ceiling 7", attr(CEILING, u32(7))),
            ("ceiling 7 ceiling off", attr(CEILING_OFF, b"")),
        ):
            sent = tc.add(kind, words.split())
            assert sent == {TCA_CODEL_EXT | NESTED: nest}, f"{words}: {sent}"


def test_times_are_exact(tc: Tc) -> None:
    for text, value in (
        ("5000000.000000", 5000000),
        ("1usecs", 1),
        ("0.001MSEC", 1),
        ("4.999999secs", 4999999),
        ("5e-3s", 5000),
        ("1e3", 1000),
        ("0x10ms", 16000),
        ("4294.967295s", U32),
    ):
        assert tc.add("codel", ["target", text]) == {1: u32(value)}, text


def test_sizes_are_exact(tc: Tc) -> None:
    sizes = {
        "0": 0, "1b": 1, "1k": 1024, "1.5KB": 1536, "32Mb": 32 << 20, "3g": 3 << 30,
        "8kbit": 1024, "8mbit": 1 << 20, "8gbit": 1 << 30, "1.3mb": 1363148,
        "3.99999999906867742538452148437500g": U32, "4194303.9990234375k": U32,
    }  # fmt: skip
    for text, value in sizes.items():
        sent = tc.add("fq_codel", ["memory_limit", text])
        assert sent == {9: u32(value)}, f"{text}: {sent}"


def test_sizes_in_bits_are_pointed_out(tc: Tc) -> None:
    for text, size in (("4mbit", 512 << 10), ("12KBIT", 1536), ("4mb", None), ("4096b", None)):
        done = tc.run("qdisc", "add", "dev", "lo", "root", "fq_codel", "memory_limit", text)
        said = f'Warning: fq_codel: memory_limit: "{text}" is in bits: {size} bytes\n'
        assert done.stderr == (said if size else ""), done.stderr


def test_unusual_values_are_pointed_out(tc: Tc) -> None:
    times = "5% to 10% of it is usual (us, ms or s; us without a unit)"
    for words, said in (
        ("limit 0", "limit: the qdisc drops every packet"),
        ("limit 1", ""),
        ("quantum 255", "quantum: raised to the minimum of 256 bytes"),
        ("quantum 256", ""),
        ("drop_batch 0", "drop_batch: raised to the minimum of 1 packet"),
        ("target 5 interval 100ms", f"target: 5us with an interval of 100000us; {times}"),
        ("target 2s interval 1s", f"target: 2000000us with an interval of 1000000us; {times}"),
        ("target 1ms interval 100ms", ""),
        ("target 5", ""),  # nothing is known of the interval
    ):
        done = tc.run("qdisc", "add", "dev", "lo", "root", "fq_codel_oot", *words.split())
        assert done.stderr == (f"Warning: fq_codel_oot: {said}\n" if said else ""), done.stderr


def exact(value: Fraction) -> str:
    """As a decimal number: the denominator is a power of two."""
    whole, rest = divmod(value, 1)
    digits = ""
    while rest:
        digit, rest = divmod(rest * 10, 1)
        digits += str(digit)
    return f"{whole}.{digits}" if digits else str(whole)


def test_sizes_that_do_not_fit_are_refused(tc: Tc) -> None:
    scales = {
        "": 0, "b": 0, "k": 10, "kb": 10, "kbit": 7, "m": 20, "mb": 20, "mbit": 17, "g": 30,
        "gb": 30, "gbit": 27,
    }  # fmt: skip
    for unit, shift in scales.items():
        scale = 1 << shift
        largest = exact(Fraction(U32, scale))
        assert tc.add("fq_codel", ["memory_limit", largest + unit]) == {9: u32(U32)}, unit
        # the first that does not fit, and products that a register of 32 to 66 bits wraps
        too_large = [exact(Fraction(1 << bits, scale)) for bits in (32, 33, 63, 64, 65, 66)]
        too_large += [f"{(1 << 64) // scale + n}.5" for n in range(2)]
        too_large += [hex((1 << bits) // scale) for bits in (32, 64)]
        too_large += [f"{n}{e}" for n in ("1", "0.017179869185") for e in ("e12", "e99999")]
        for text in too_large:
            said = tc.refusal("fq_codel", "memory_limit", text + unit)
            expected = f'"{text}{unit}" is out of range (0 to 4294967295 bytes; b, k, m or g)'
            assert said == f"fq_codel: memory_limit: {expected}\n", said


def test_errors_name_keyword_and_value(tc: Tc) -> None:
    time = "0us to 4294967295us; us, ms or s"
    count = "0 to 4294967295"
    rates = "bit, kbit, mbit, gbit or tbit; bps, kbps, ... in bytes"
    both = ("ceiling", "rate", "overhead", "mpu")
    cases = [
        (["target", "5 parsecs"], 'target: "5 parsecs" is not a time (us, ms or s)'),
        (["target", ""], 'target: "" is not a time (us, ms or s)'),
        (["target", "off"], 'target: "off" is not a time (us, ms or s)'),
        (["target", "1e"], 'target: "1e" is not a time (us, ms or s)'),
        (["target", "nan"], 'target: "nan" is not a time (us, ms or s)'),
        (["target", "."], 'target: "." is not a time (us, ms or s)'),
        (["target", "1.5us"], 'target: "1.5us" is not a whole number of microseconds'),
        (["interval", "0.0000001s"], 'interval: "0.0000001s" is not a whole number of microseconds'),
        (["interval", "4294.967296s"], f'interval: "4294.967296s" is out of range ({time})'),
        (["interval", "1e999999999999"], f'interval: "1e999999999999" is out of range ({time})'),
        (["ce_threshold", "-1ms"], f'ce_threshold: "-1ms" is out of range ({time})'),
        (["limit", "4294967296"], f'limit: "4294967296" is out of range ({count})'),
        (["limit", "99999999999999999999"], f'limit: "99999999999999999999" is out of range ({count})'),
        (["limit", "-1"], f'limit: "-1" is out of range ({count})'),
        (["limit", "10p"], 'limit: "10p" is not a number'),
        (["limit", "08"], 'limit: "08" is not a number'),
        (["limit"], "limit: PACKETS is missing"),
        (["ce_threshold"], 'ce_threshold: TIME or "off" is missing'),
        (["ceiling"], 'ceiling: TIME or "off" is missing'),
        (["ceiling", "none"], 'ceiling: "none" is not a time (us, ms or s)'),
        (["ceiling", "1.5us"], 'ceiling: "1.5us" is not a whole number of microseconds'),
        (["ceiling", "-1"], f'ceiling: "-1" is out of range ({time})'),
        (["rate"], 'rate: RATE or "off" is missing'),
        *((["rate", text], f'rate: "{text}" is not a rate ({rates})')
          for text in ("20x", "", "none", "20 mbit", "50%", "20mbits", "nan", "1kb", "1e")),
        *((["rate", text], f'rate: "{text}" is out of range (8bit to 1000gbit)')
          for text in ("-1", "-8bit", "1000.001tbit", "125.1tbps", "1e99999", "18446744073709551616")),
        (["overhead"], 'overhead: BYTES or "off" is missing'),
        *((["overhead", text], f'overhead: "{text}" is not a number of bytes')
          for text in ("", "1.5", "18b", "-", "--1", "none")),
        *((["overhead", text], f'overhead: "{text}" is out of range (-64 to 256)')
          for text in ("2147483648", "-2147483648", "-4294967296", "99999999999999999999")),
        (["mpu"], "mpu: BYTES is missing"),
        (["mpu", "off"], 'mpu: "off" is not a number of bytes'),
        (["mpu", "64b"], 'mpu: "64b" is not a number of bytes'),
        *((["mpu", text], f'mpu: "{text}" is out of range (0 to 256)') for text in ("-1", "4294967296")),
        (["memory_limit", "4g"], 'memory_limit: "4g" is out of range (0 to 4294967295 bytes; b, k, m or g)'),
        (["memory_limit", "1tb"], 'memory_limit: "1tb" is not a size (b, k, m or g)'),
        (["ce_threshold_selector", "1"], 'ce_threshold_selector: "1" is not of the form VALUE/MASK'),
        (["ce_threshold_selector", "256/1"],
         'ce_threshold_selector: "256/1" is out of range (0/0 to 255/255)'),
        (["ce_threshold_selector", "1/256"],
         'ce_threshold_selector: "1/256" is out of range (0/0 to 255/255)'),
        (["ce_threshold_selector", "1/"], 'ce_threshold_selector: "1/" is not of the form VALUE/MASK'),
    ]  # fmt: skip
    for kind in KINDS:
        for options, message in cases:
            if options[0] in KINDS[kind] or options[0] in both:
                said = tc.refusal(kind, *options)
                assert said == f"{kind}: {message}\n", said
        for word in (
            "bogus",
            "target_effective",
            "interval_effective",
            "cells",
            "noingress",
            "nosplit_gso",
        ):
            said = tc.refusal(kind, "limit", "5", word, "7")
            assert said.startswith(f'{kind}: "{word}" is not an option\nUsage: '), said


def test_in_tree_is_printed_as_by_the_stock_tc(tc: Tc) -> None:
    rng = random.Random(2)
    for kind in STOCK_KINDS:
        for _ in range(60):
            tc.dump(kind, encode(KINDS[kind], random_values(rng, KINDS[kind])))
            for flags in ([], ["-j"], ["-d", "-o"]):
                stock = tc.text(*flags, plugins=NO_PLUGINS)
                assert tc.text(*flags) == stock, stock


def test_words_of_the_stock_tc_come_first(tc: Tc) -> None:
    rng = random.Random(3)
    for kind in STOCK_KINDS:
        for _ in range(60):
            table = KINDS[kind]
            values = random_values(rng, table)
            off = "ce_threshold" not in values
            ceiling = rng.choice([None, 0, 50000])
            flags = [CE_THRESHOLD_OFF] * off + [CEILING_OFF] * (ceiling == 0)
            tc.dump(kind, encode(table, values) + ext(*flags, ceiling=ceiling or None))
            stock = tc.text(plugins=NO_PLUGINS).removesuffix("\n")
            more = ["ce_threshold off"] * off + ["noecn"] * (values.get("ecn") == 0)
            if ceiling is not None:
                more.append("ceiling 50ms" if ceiling else "ceiling off")
            wanted = stock + "".join(word + " " for word in more) + "\n"
            assert tc.text() == wanted, f"{tc.text()!r}, not {wanted!r}"
            stock_json = tc.json(plugins=NO_PLUGINS)
            shown = tc.json()
            assert stock_json["options"].items() <= shown["options"].items()


def test_json_shows_what_is_off(tc: Tc) -> None:
    for kind, table in KINDS.items():
        limit = encode(table, {"limit": 7, "ecn": 0})
        tc.dump(kind, limit + ext(CE_THRESHOLD_OFF, CEILING_OFF))
        options = tc.json()["options"]
        wanted = {"limit": 7, "ecn": False, "ce_threshold": None, "ceiling": None}
        assert options == wanted, options


def test_ceiling_is_shown(tc: Tc) -> None:
    for kind, table in KINDS.items():
        limit = encode(table, {"limit": 7})
        for value, word in ((1, "1us"), (50000, "50ms"), (U32, "4.29e+03s")):
            tc.dump(kind, limit + ext(ceiling=value))
            assert tc.text().endswith(f" limit 7p ceiling {word} \n"), tc.text()
            assert tc.json()["options"] == {"limit": 7, "ceiling": value}, tc.json()
        tc.dump(kind, limit + ext(CEILING_OFF))
        assert tc.text().endswith(" limit 7p ceiling off \n"), tc.text()
        # a module without a ceiling; an attribute that is too short; attribute 0 of the options
        short = attr(TCA_CODEL_EXT | NESTED, attr(CEILING, b"\1\0\0"))
        for nest in (ext(), short, attr(0, u32(1)) + ext(), attr(0, u32(1))):
            tc.dump(kind, limit + nest)
            assert tc.text().endswith(" limit 7p \n"), tc.text()
            assert tc.json()["options"] == {"limit": 7}, tc.json()


def jq(options: Any) -> list[str]:
    done = subprocess.run(
        ["jq", "-rf", str(HERE / "options_from_json.jq")],
        input=json.dumps(options), capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout.split()


def nested(sent: Attrs) -> list[Attrs]:
    """The options, and those of the nest."""
    return [{k: v for k, v in sent.items() if k != TCA_CODEL_EXT | NESTED},
            attrs(sent[TCA_CODEL_EXT | NESTED])]  # fmt: skip


def test_text_round_trips(tc: Tc) -> None:
    """The text of a shaper, without the values in force, gives tc the same shaper."""
    rng = random.Random(13)
    for _ in range(40):
        values = shaper(
            rng.randrange(1, 125 * 10**9), rng.randrange(-65, 257), rng.randrange(257),
            rng.randrange(3), 1, rng.randrange(2),
        )  # fmt: skip
        tc.dump("codel_oot", ext(more=values | {TARGET_EFFECTIVE: u32(5000)}))
        words = tc.text().split(" refcnt 0 ")[-1].split()
        assert words[-2:] == ["target_effective", "5ms"], words
        sent = tc.add("codel_oot", words[:-2])
        assert attrs(sent[TCA_CODEL_EXT | NESTED]) == values, f"{words}: {sent}"


def test_json_round_trips(tc: Tc) -> None:
    rng = random.Random(4)
    for kind, table in KINDS.items():
        for _ in range(25):
            values = {k: random_value(rng, o) for k, o in table.items()}
            off = rng.randrange(2)
            if off:
                del values["ce_threshold"]
            if values.get("drop_batch") == 0:
                values["drop_batch"] = 1  # no qdisc has 0
            flags, ceiling = [CE_THRESHOLD_OFF] * off, random_value(rng, CODEL["target"])
            if rng.randrange(2):
                flags, ceiling = flags + [CEILING_OFF], None
            shaped = shaper(
                rng.choice([0, rng.randrange(1, 125 * 10**9)]), rng.randrange(-65, 257),
                rng.randrange(257), *(rng.randrange(n) for n in (3, 2, 2)),
            )  # fmt: skip
            raw = encode(table, values) + ext(*flags, ceiling=ceiling, more=shaped)
            tc.dump(kind, raw)
            before = tc.text("-j")
            sent = tc.add(kind, jq(json.loads(before)[0]["options"]))
            assert nested(sent) == nested(attrs(raw)), f"{before}: {sent}"
            tc.dump(kind, b"".join(attr(k, v) for k, v in sent.items()))
            assert tc.text("-j") == before, before


def random_xstats(rng: random.Random, kind: str, length: int) -> bytes:
    """Numbers of all magnitudes, negative ones and zeros among them."""
    words = [rng.choice([0, 1, 5000, rng.getrandbits(32), -rng.getrandbits(31) & U32])
             for _ in range(16)]  # fmt: skip
    if kind.startswith("fq_codel"):
        words[0] = rng.randrange(3)  # qdisc, class, neither
    return struct.pack("=16I", *words)[:length]


def test_statistics_are_those_of_the_stock_tc(tc: Tc) -> None:
    rng = random.Random(5)
    for kind in STOCK_KINDS:
        for length in range(0, 48):  # the extended statistics begin after the in-tree ones
            tc.dump(kind, None, random_xstats(rng, kind, length))
            for what in ("qdisc", "class"):
                for flags in (["-s"], ["-s", "-j"]):
                    stock = tc.text(*flags, what=what, plugins=NO_PLUGINS)
                    shown = tc.text(*flags, what=what)
                    assert shown == stock, f"{length} bytes: {shown!r}, not {stock!r}"


def test_shared_is_shown_if_it_is_there(tc: Tc) -> None:
    stats = struct.pack("=10I", 0, *range(1, 10))
    for shared in (0, 5, 2**40 + 1):
        more = stats + struct.pack("=Q", shared)
        tc.dump("fq_codel", None, more)
        stock = tc.text("-s", plugins=NO_PLUGINS)
        assert tc.text("-s") == stock, tc.text("-s")
        word = f" shared {shared}" * (shared > 0)
        tc.dump("fq_codel_oot", None, more)
        stock = stock.replace("fq_codel", "fq_codel_oot")
        assert tc.text("-s") == stock.removesuffix("\n") + word + "\n", tc.text("-s")
        shown = tc.json("-s")
        assert shown.get("shared", 0) == shared, shown


def test_statistics_are_raw_in_json(tc: Tc) -> None:
    for kind in ("codel", "codel_oot"):
        values = dict(zip(CODEL_STATS, range(1, 10))) | {
            "drop_next": -(2**31),
            "ldelay": U32,
        }
        raw = b"".join(u32(v & U32) for v in values.values())
        tc.dump(kind, None, raw + b"\xff" * 8)
        shown = tc.json("-s")
        wanted = values | {"dropping": True}
        assert wanted.items() <= shown.items(), shown
        tc.dump(kind, None, raw[:16])
        shown = tc.json("-s")
        assert shown["ldelay"] == U32 and shown["drop_next"] == 0, shown
    for kind in ("fq_codel", "fq_codel_oot"):
        tc.dump(kind, None, struct.pack("=IiIIIIi", 1, -5, 8, 6, 7, 9, -10))
        if not tc.text("-j", "-s", what="class").startswith("["):
            return  # older versions of tc have no JSON of classes
        shown = tc.json("-s", what="class")["stats"]
        wanted = {"deficit": -5, "count": 6, "lastcount": 7, "ldelay": 8}
        assert (wanted | {"drop_next": -10}).items() <= shown.items(), shown


# struct codel_ext_stats, by its members' names in JSON
COUNTS = ["received", "sent", "queued", "bypassed"]
DROPS = ["codel", "limit", "memory", "change", "filter", "taken", "reset", "ceiling"]
MARKS = ["codel", "ce_threshold"]
Pair = tuple[int, int]  # packets and bytes
PERCENTILES = {"p50": 500, "p90": 900, "p99": 990, "p99.9": 999}

# The buckets: 16 of 64 ns, then eight to each power of two, the last one open
BOUNDS = [64 * i for i in range(16)]
BOUNDS += [(8 + i) << (k - 3) for k in range(10, 37) for i in range(8)]
# Those of a flow: to each power of two from 2^20 on
FLOW_BOUNDS = [0, *(1 << k for k in range(20, 32))]


class Histogram(NamedTuple):
    """The histogram as the module sends it, and as the plugins must print it."""

    bounds: list[int]
    packets: list[int]
    longest: int | None = None

    def end(self, i: int) -> int | None:
        return self.bounds[i + 1] if i + 1 < len(self.bounds) else None

    def percentile(self, permille: int) -> int | None:
        total = sum(self.packets)
        if not total:
            return None
        reached = 0
        for i, count in enumerate(self.packets):
            reached += count
            if reached * 1000 >= total * permille:
                break
        ends = [end for end in (self.end(i), self.longest) if end is not None]
        return min(ends) if ends else None

    def place(self) -> tuple[int, int]:
        """From where to where they are not 0."""
        full = [i for i, count in enumerate(self.packets) if count]
        return (full[0], full[-1] + 1) if full else (0, 0)

    def json(self) -> dict[str, Any]:
        shown: dict[str, Any] = {
            f"{name.replace('.', '_')}_ns": self.percentile(p) for name, p in PERCENTILES.items()
        }
        shown["buckets"] = [
            {"from_ns": self.bounds[i], "to_ns": self.end(i), "count": self.packets[i]}
            for i in range(*self.place())
        ]
        return shown

    def text(self) -> str:
        if not any(self.packets):
            return ""
        words = ["\n  delay"]
        for name, p in PERCENTILES.items():
            value = self.percentile(p)
            words.append(name)
            words.append(">" + spell(self.bounds[-1]) if value is None else spell(value))
        if self.longest is not None:
            words += ["max", spell(self.longest)]
        return " ".join(words)


def spell(ns: int) -> str:
    """A time in three digits, as people read it."""
    for unit, scale in (("s", 10**9), ("ms", 10**6), ("us", 10**3), ("ns", 1)):
        if ns >= scale or scale == 1:
            value = ns / scale
            return (f"{value:.3g}" if value < 999.5 else f"{value:.0f}") + unit
    raise AssertionError


def random_count(rng: random.Random) -> int:
    return rng.choice([0, 0, rng.randrange(100), rng.getrandbits(rng.randrange(1, 55))])


def random_histogram(rng: random.Random, bounds: list[int], bits: int) -> Histogram:
    packets = [0] * len(bounds)
    first = rng.randrange(len(bounds))
    for i in range(first, rng.randrange(first, len(bounds) + 1)):
        packets[i] = rng.choice([0, 1, rng.getrandbits(rng.randrange(1, bits))])
    return Histogram(bounds, packets)


class ExtStats(NamedTuple):
    """The extended statistics of a qdisc: packet accounting and histogram."""

    counts: list[Pair]
    drops: list[Pair]
    marks: list[Pair]
    delay_sum: int
    delays: Histogram
    wire_bytes: int | None = None  # older modules do not send it
    other: list[Pair] | None = None  # the same; drops and marks by causes without a word

    def wire(self) -> bytes:
        pairs = self.counts + self.drops + self.marks
        numbers = [n for pair in pairs for n in pair]
        fixed = struct.pack(f"={len(numbers)}Q2Q", *numbers, self.delay_sum, self.delays.longest)
        first, end = self.delays.place()
        more = b"" if self.wire_bytes is None else struct.pack("=Q", self.wire_bytes)
        if self.other is not None:
            more += struct.pack("=12Q", *(n for pair in self.other for n in pair))
        place = struct.pack("=4H", len(fixed + more) + 8, first, end - first, 0) + more
        return fixed + place + struct.pack(f"={end - first}Q", *self.delays.packets[first:end])

    def json(self) -> dict[str, Any]:
        def named(names: list[str], pairs: list[Pair]) -> dict[str, Any]:
            return {n: dict(zip(("packets", "bytes"), p)) for n, p in zip(names, pairs)}

        known = {} if self.wire_bytes is None else {"wire_bytes": self.wire_bytes}
        return (
            named(COUNTS, self.counts)
            | known
            | {
                "dropped": named(DROPS, self.drops) | named(["other"], self.unknown()),
                "marked": named(MARKS, self.marks),
                "delay": {"sum_ns": self.delay_sum, "max_ns": self.delays.longest}
                | self.delays.json(),
            }
        )

    def unknown(self) -> list[Pair]:
        """The sum of the drops whose causes have no word, if there are any."""
        drops = (self.other or [])[:4]
        packets, size = (sum(pair[i] for pair in drops) for i in (0, 1))
        return [(packets, size)] if packets else []

    def text(self) -> str:
        text = self.delays.text()
        received, bypassed = self.counts[0][0], self.counts[3][0]
        if received or bypassed:
            text += f"\n  received {received}" + f" bypassed {bypassed}" * (bypassed > 0)
        drops = [f" {name} {pair[0]}" for name, pair in zip(DROPS, self.drops) if pair[0]]
        drops += [f" other {pair[0]}" for pair in self.unknown()]
        text += ("\n  drops" + "".join(drops)) * bool(drops)
        return text + f"\n  on the wire {self.wire_bytes} bytes" * bool(self.wire_bytes)


def random_stats(rng: random.Random) -> ExtStats:
    def pairs(n: int) -> list[Pair]:
        return [(random_count(rng), random_count(rng)) for _ in range(n)]

    delays = random_histogram(rng, BOUNDS, 54)
    end = delays.place()[1]
    low = BOUNDS[end - 1] if end else 0
    high = BOUNDS[end] if end < len(BOUNDS) else 2**40
    longest = rng.randrange(low, high) if end else 0
    wire = rng.choice([None, 0, rng.getrandbits(63)])
    other = None if wire is None else rng.choice([None, [(0, 0)] * 6, pairs(6)])
    return ExtStats(
        pairs(4), pairs(8), pairs(2), rng.getrandbits(63), delays._replace(longest=longest),
        wire, other,
    )  # fmt: skip


def own_statistics(kind: str) -> tuple[bytes, int]:
    """The in-tree statistics up to the extended ones; the length of the former alone."""
    if kind.startswith("fq_codel"):
        return struct.pack("=10IQ", 0, *range(1, 10), 0), 40
    return struct.pack("=10I", *range(1, 10), 0), 36


def test_ext_stats_are_shown(tc: Tc) -> None:
    rng = random.Random(7)
    for kind in STOCK_KINDS:
        for _ in range(60):
            head, length = own_statistics(kind)
            tc.dump(kind, None, head[:length])
            before, before_json = tc.text("-s"), tc.json("-s")
            stats = random_stats(rng)
            tc.dump(kind, None, head + stats.wire() + rng.randbytes(rng.randrange(40)))
            wanted = before.removesuffix("\n") + stats.text() + "\n"
            assert tc.text("-s") == wanted, f"{tc.text('-s')!r}, not {wanted!r}"
            assert tc.json("-s") == before_json | stats.json(), tc.json("-s")
            assert list(tc.json("-s"))[: len(before_json)] == list(before_json)


def test_ext_stats_are_shown_whole_or_not(tc: Tc) -> None:
    rng = random.Random(8)
    for kind in KINDS:
        head, length = own_statistics(kind)
        tc.dump(kind, None, head[:length])
        before, before_json = tc.text("-s"), tc.json("-s")
        stats = random_stats(rng)
        full = stats._replace(delays=Histogram(BOUNDS, [1] * len(BOUNDS), 2**38), other=None)
        fixed = len(head) + len(full.wire()) - 8 * len(BOUNDS)
        fixed -= 8 * (full.wire_bytes is not None)  # which the rest does not need
        for cut in [*range(length, fixed, 7), fixed - 1]:
            tc.dump(kind, None, (head + full.wire())[:cut])
            assert tc.text("-s") == before, f"{cut} bytes: {tc.text('-s')}"
            assert tc.json("-s") == before_json, f"{cut} bytes: {tc.json('-s')}"
        for cut in (fixed, fixed + 8, len(head + full.wire()) - 1):
            tc.dump(kind, None, (head + full.wire())[:cut])
            assert "  delay" not in tc.text("-s"), f"{cut} bytes: {tc.text('-s')}"
            shown = tc.json("-s")
            assert "delay" not in shown and "received" in shown, f"{cut} bytes: {shown}"
        cut = fixed + 7
        tc.dump(kind, None, (head + full._replace(wire_bytes=5).wire())[:cut])
        assert "wire_bytes" not in tc.json("-s") and "wire" not in tc.text("-s"), tc.text("-s")


def test_misplaced_histogram_is_not_shown(tc: Tc) -> None:
    rng = random.Random(9)
    for kind in KINDS:
        head, _length = own_statistics(kind)
        stats = random_stats(rng)._replace(wire_bytes=None, other=None)
        wire = stats._replace(delays=Histogram(BOUNDS, [1] * 232, 5)).wire()
        at = len(wire) - 8 * 232 - 8
        right = (at + 8, 0, 232)
        for place in (right, (at, 0, 232), (0, 0, 232), (at + 16, 0, 232), (65535, 0, 1),
                      (at + 8, 1, 232), (at + 8, 232, 1), (at + 8, 65535, 65535),
                      (at + 8, 0, 65535)):  # fmt: skip
            moved = wire[:at] + struct.pack("=4H", *place, 0) + wire[at + 8 :]
            tc.dump(kind, None, head + moved)
            assert ("delay" in tc.json("-s")) == (place == right), place
            assert ("  delay" in tc.text("-s")) == (place == right), place


class Flow(NamedTuple):
    """The statistics of a flow, and the words for its tuple."""

    numbers: list[int]  # bytes, packets, drops, marks
    delays: Histogram
    tuple: bytes
    words: str
    json_tuple: dict[str, Any] | None

    def wire(self) -> bytes:
        return (
            struct.pack("=2Q2I", *self.numbers)
            + struct.pack("=13I", *self.delays.packets)
            + self.tuple
            + bytes(4)
        )

    def json(self) -> dict[str, Any]:
        shown: dict[str, Any] = dict(zip(("bytes", "packets", "drops", "marks"), self.numbers))
        if self.json_tuple:
            shown["tuple"] = self.json_tuple
        return shown | {"delay": self.delays.json()}

    def text(self) -> str:
        sent, packets, drops, marks = self.numbers
        return (
            (f"\n  flow {self.words}" if self.words else "")
            + f"\n  sent {sent}b {packets}p drops {drops} marks {marks}"
            + self.delays.text()
        )


def flow_tuple(protocol: int, ip: int, src: str, sport: int, dst: str, dport: int) -> bytes:
    family = socket.AF_INET6 if ":" in src else socket.AF_INET
    ends = [socket.inet_pton(family, end).ljust(16, b"\0") for end in (src, dst)]
    return b"".join(ends) + struct.pack("!3H2B", sport, dport, protocol, ip, 0)


# Ethernet type, protocol above IP, source, port, destination, port; the words for it
TUPLES = [
    ((0x800, 6, "10.0.0.1", 5201, "10.0.0.2", 443), "tcp 10.0.0.1:5201 > 10.0.0.2:443"),
    ((0x800, 17, "255.255.255.255", 65535, "0.0.0.0", 0), "udp 255.255.255.255:65535 > 0.0.0.0:0"),
    ((0x800, 1, "10.0.0.1", 0, "10.0.0.2", 0), "icmp 10.0.0.1 > 10.0.0.2"),
    ((0x800, 132, "10.0.0.1", 0, "10.0.0.2", 9), "sctp 10.0.0.1:0 > 10.0.0.2:9"),
    ((0x800, 253, "10.0.0.1", 0, "10.0.0.2", 0), "protocol 0xfd 10.0.0.1 > 10.0.0.2"),
    ((0x86DD, 6, "2001:db8::1", 22, "fe80::2", 1024), "tcp [2001:db8::1]:22 > [fe80::2]:1024"),
    ((0x86DD, 58, "::1", 0, "ff02::1", 0), "icmpv6 [::1] > [ff02::1]"),
    ((0x806, 0, "0.0.0.0", 0, "0.0.0.0", 0), "arp"),
    ((0x88CC, 0, "0.0.0.0", 0, "0.0.0.0", 0), "ethertype 0x88cc"),
    ((0, 6, "10.0.0.1", 1, "10.0.0.2", 2), ""),
]


def random_flow(rng: random.Random) -> Flow:
    fields, words = rng.choice(TUPLES)
    json_tuple: dict[str, Any] | None = None
    if fields[0]:
        json_tuple = {"protocol": fields[0]}
    if fields[0] in (0x800, 0x86DD):
        names = ("ip_proto", "src", "sport", "dst", "dport")
        json_tuple = {"protocol": fields[0]} | dict(zip(names, fields[1:]))
    numbers = [rng.getrandbits(rng.randrange(1, 54)) for _ in range(2)]
    numbers += [rng.getrandbits(rng.randrange(1, 32)) for _ in range(2)]
    delays = random_histogram(rng, FLOW_BOUNDS, 32)
    return Flow(numbers, delays, flow_tuple(*fields), words, json_tuple)


def test_flows_are_shown(tc: Tc) -> None:
    rng = random.Random(10)
    head = struct.pack("=IiIIIIi4I", 1, -5, 8, 6, 7, 1, -10, 0, 0, 0, 0)[:40]
    for kind in ("fq_codel", "fq_codel_oot"):
        tc.dump(kind, None, head)
        before = tc.text("-s", what="class")
        for _ in range(60):
            flow = random_flow(rng)
            wire = head + flow.wire()
            tc.dump(kind, None, wire[:-1])
            assert tc.text("-s", what="class") == before, tc.text("-s", what="class")
            tc.dump(kind, None, wire + rng.randbytes(rng.randrange(9)))
            wanted = before.removesuffix("\n") + flow.text() + "\n"
            shown = tc.text("-s", what="class")
            assert shown == wanted, f"{shown!r}, not {wanted!r}"
            if tc.text("-j", "-s", what="class").startswith("["):
                stats = tc.json("-s", what="class")["stats"]
                assert stats["flow"] == flow.json(), stats


def test_ext_stats_leave_the_stock_tc_alone(tc: Tc) -> None:
    rng = random.Random(11)
    flow = struct.pack("=10I", 1, *range(2, 11))
    for kind, what, own in [
        *((kind, "qdisc", own_statistics(kind)) for kind in STOCK_KINDS),
        ("fq_codel", "class", (flow, len(flow))),
    ]:
        head, length = own
        for flags in (["-s"], ["-s", "-j"]):
            tc.dump(kind, None, head[:length])
            before = tc.text(*flags, what=what, plugins=NO_PLUGINS)
            more = random_stats(rng) if what == "qdisc" else random_flow(rng)
            tc.dump(kind, None, head + more.wire())
            assert tc.text(*flags, what=what, plugins=NO_PLUGINS) == before


def test_stock_tc_shows_oot_kinds_without_plugins(tc: Tc) -> None:
    for kind in STOCK_KINDS:
        table = KINDS[kind]
        values = encode(table, {"limit": 10, "target": 5000, "ecn": 0})
        tc.dump(kind, values + ext(CE_THRESHOLD_OFF))
        assert tc.text(plugins=NO_PLUGINS).endswith("limit 10p target 5ms \n")


# These compare with the tc's own front ends, which --builtin has replaced
NEED_STOCK = {
    test_requests_are_those_of_the_stock_tc,
    test_in_tree_is_parsed_by_the_stock_tc,
    test_in_tree_is_printed_as_by_the_stock_tc,
    test_words_of_the_stock_tc_come_first,
    test_statistics_are_those_of_the_stock_tc,
    test_rates_are_those_of_the_stock_tc,
    test_shared_is_shown_if_it_is_there,
    test_ext_stats_leave_the_stock_tc_alone,
    test_stock_tc_shows_oot_kinds_without_plugins,
}


def attempt(test: Callable[[Tc], None], tc: Tc, builtin: bool) -> None:
    if builtin and test in NEED_STOCK:
        raise ktap.Skip("no stock front end in this tc")
    test(tc)


def main() -> NoReturn:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plugins", required=True)
    parser.add_argument("--fakekernel", required=True)
    parser.add_argument("--builtin", action="store_true")
    parser.add_argument("tc", nargs=argparse.REMAINDER)
    args = parser.parse_args()

    plugins = NO_PLUGINS if args.builtin else args.plugins
    tc = Tc(args.tc, plugins, args.fakekernel)
    print(f"# {tc.run('-V').stdout.strip()}")
    for name, test in globals().items():
        if name.startswith("test_"):
            ktap.case(name.removeprefix("test_"))(partial(attempt, test, tc, args.builtin))
    ktap.main()


if __name__ == "__main__":
    main()
