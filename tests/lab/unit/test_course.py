# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""A link whose rates are in a file."""

from __future__ import annotations

from pathlib import Path

from lablib import course, load, measure, plan, tree

from .cases import LAB, case, folder, same

SCENARIO = """duration = "4s"
nodes = ["a", "b"]
[link.l]
buffer = "2 bdp"
[link.l.down]
delay = "100ms"
[link.l.up]
qdisc = "pfifo limit {{buffer}}"
{keys}
[traffic.x]
kind = "bulk"
from = "a"
to = "b"
"""
COURSE = "# a comment\n\n0.00 8000000\n1 4000000\n1.5 16000000\n3.000000001 1000\n"
STEPS = [[0, 8000000], [10**9, 4000000], [15 * 10**8, 16000000], [3 * 10**9 + 1, 1000]]
MEAN = 11333333


def made(where: Path, text: str, keys: str = 'course = "c.txt"') -> plan.Plan:
    """The plan of a scenario beside its course."""
    (where / "c.txt").write_text(text, encoding="utf-8")
    (where / "s.toml").write_text(SCENARIO.format(keys=keys), encoding="utf-8")
    return plan.make(where / "s.toml", plan.Options())


def complaint(text: str, keys: str = 'course = "c.txt"') -> str:
    with folder() as where:
        try:
            made(where, text, keys)
        except tree.Wrong as error:
            return str(error).replace(f"{where}/", "")
    return ""


@case("course: the guest gets the steps, and the link's rate is their mean")
def steps() -> None:
    with folder() as where:
        up = made(where, COURSE).runs[0].document["links"][0]["up"]
    same("steps", up["course"], STEPS)
    same("mean", (up["rate"], up["rates"]), (MEAN, []))
    same("buffer", up["qdisc"], "pfifo limit 187")  # 2 x 100 ms x MEAN


@case("course: the capacity is that of the steps until the end, and there is one phase")
def capacity() -> None:
    way = {"rate": MEAN, "rates": [], "course": STEPS}
    same("2 s", measure.capacity(way, 0, 2 * 10**9), 18e6)
    same("from 1.5 to 2 s", measure.capacity(way, 15 * 10**8, 2 * 10**9), 8e6)
    same("bits of 2 s", load.capacity(way, 2 * 10**9), 18_000_000)
    same("bits of 4 s", load.capacity(way, 4 * 10**9), 34_001_000)
    same("spans", measure.phase_spans(way, 10**9), [(0, 10**9, MEAN)])


@case("course: an error names the line, what is wrong and what is allowed")
def errors() -> None:
    at = "s.toml:9: link.l.up.course: c.txt"
    for text, expected in (
        ("0 8 8\n", f'{at}:1: "0 8 8" is no time and rate (seconds and bit/s: "0.02 3633600")'),
        ("0 1e6\n", f'{at}:1: "0 1e6" is no time and rate (seconds and bit/s: "0.02 3633600")'),
        ("1 1000\n", f"{at}:1: 1: the first time is 0"),
        ("0 1000\n\n0.0 2000\n", f"{at}:3: 0.0 is not after the time before it"),
        ("0 999\n", f"{at}:1: 999 is no rate from 1kbit to 10gbit"),
        ("0 10000000001\n", f"{at}:1: 10000000001 is no rate from 1kbit to 10gbit"),
        ("#\n", f"{at}: 0 rates: at least 1, at most 16384"),
        ("".join(f"{n} 1000\n" for n in range(16385)), f"{at}: 16385 rates: at least 1, at most 16384"),
    ):  # fmt: skip
        same(text[:40], complaint(text), expected)
    same("no file", complaint(COURSE, 'course = "none.txt"'),
         "s.toml:9: link.l.up.course: none.txt: No such file or directory")  # fmt: skip
    for key, word in (('rate = "1mbit"', "rate"), ('rates = [["1s", "1mbit"]]', "rates")):
        same(word, complaint(COURSE, f'course = "c.txt"\n{key}'),
             f"s.toml:9: link.l.up.course: the file has the rates: leave out {word}")  # fmt: skip
    same("shaper", complaint(COURSE, 'course = "c.txt"\nshaper = "htb"'),
         's.toml:9: link.l.up.course: only shaper = "wire" has one, not htb')  # fmt: skip


@case("course: the measured courses have the means of their README")
def measured() -> None:
    for name, mean in (
        ("lte-verizon-up", 6.83),
        ("lte-att-up", 1.12),
        ("lte-tmobile-pauses", 3.86),
        ("umts-tmobile-up", 0.63),
        ("evdo-verizon-up", 0.54),
    ):
        found = course.read(LAB / "courses" / f"{name}.txt")
        same(name, round(course.mean(found) / 1e6, 2), mean)
