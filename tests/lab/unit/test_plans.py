# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The runs of a scenario, and the documents of the guest."""

from __future__ import annotations

import dataclasses
import json
from typing import Any, Iterator

from lablib import plan, scenario, schema, store, tree
from lablib.document import for_guest

from .cases import LAB, case, planned, same, wrong

SCENARIO = """
title = "T"
duration = "2s"
warmup = "500ms"
seeds = [7, 3]
series = "100ms"
nodes = ["a", "r", "b"]
[qdiscs]
pfifo = "pfifo limit {buffer}"
red = "red"
codel = "codel limit {buffer} memory {buffer_bytes} rate {rate}"
[link.lan]
delay = "1ms"
[link.dsl]
delay = "20ms"
buffer = "8 bdp"
mtu = 1000
qdisc = "subject"
[link.dsl.up]
rate = "5mbit"
rates = [["500ms", "1mbit"]]
[link.dsl.down]
rate = "50mbit"
qdisc = "pfifo limit 9"
delay = "30ms"
shaper = "htb"
[traffic.off]
kind = "ping"
from = "a"
to = "b"
enabled = false
[traffic.up]
kind = "uploads"
from = "a"
to = "b"
start = "100ms"
pause = "1s"
[traffic.voice]
kind = "cbr"
from = "b"
to = "a"
stop = "1s"
"""
UP = {"delay": 20_000_000, "rate": 5_000_000, "rates": [[500_000_000, 1_000_000]],
      "shaper": "wire", "measure": True}  # fmt: skip
IDLE = {"delay": 1_000_000, "rate": None, "rates": [], "shaper": "wire", "qdisc": None,
        "measure": False}  # fmt: skip
DOWN = {"delay": 30_000_000, "rate": 50_000_000, "rates": [], "shaper": "htb",
        "qdisc": "pfifo limit 9", "measure": True}  # fmt: skip
ITEMS = [
    {"name": "up", "kind": "uploads", "from": "a", "to": "b", "port": 20000,
     "start": 100_000_000, "stop": 2_000_000_000, "size": 1_000_000,
     "pause": [1_000_000_000, 1_000_000_000], "count": 1, "cc": "cubic", "ecn": False},
    {"name": "voice", "kind": "cbr", "from": "b", "to": "a", "port": 20100,
     "start": 0, "stop": 1_000_000_000, "rate": 64_000, "size": 100, "dscp": 0, "ecn": False},
]  # fmt: skip
# A bdp is 5 Mbit/s x (1 + 1 + 20 + 30) ms: 32 packets of 1014 bytes
BUFFER = 256
ONE = 'duration = "9s"\nnodes = ["a", "b"]\n[link.l]\n[traffic.x]\nkind = "{}"\nfrom = "a"\nto = "b"\n'


def documents(text: str, **options: object) -> list[dict[str, Any]]:
    return [run.document for run in planned(text, **options).runs]


def pick(text: str, path: str, **options: object) -> list[Any]:
    """A value of each run's document."""
    found = []
    for value in documents(text, **options):
        for part in path.split("."):
            value = value[int(part) if part.isdecimal() else part]
        found.append(value)
    return found


@case("plans: the run document has everything, in ns, bit/s and bytes")
def document() -> None:
    text = f"codel limit {BUFFER} memory {BUFFER * 1014} rate 5000000bit"
    made = documents(SCENARIO, only=["codel"], seeds=[7])
    records = made[0].pop("records")
    expected = {
        "seed": 7,
        "duration": 2_000_000_000,
        "warmup": 500_000_000,
        "series": 100_000_000,
        "held_below": None,
        "nodes": ["a", "r", "b"],
        "links": [
            {"name": "lan", "mtu": 1500, "ends": ["a", "r"], "up": IDLE, "down": IDLE},
            {"name": "dsl", "mtu": 1000, "ends": ["r", "b"],
             "up": {**UP, "qdisc": text}, "down": DOWN},
        ],
        "traffic": ITEMS,
    }  # fmt: skip
    same("documents", made, [expected])
    # The uploads up and their acknowledgements down, twice; the voice, at both
    full, voice = (500_000 * 5 + 1_500_000) // (8 * 1014), 88
    same("records", records, 1000 + 2 * (2 * full + voice))
    told = {k: v for k, v in made[0].items() if k not in ("series", "held_below")}
    same("for the guest", for_guest(made[0]), told)


@case("plans: hosts and later delays are in a document only if there are any")
def rare() -> None:
    text = SCENARIO + '[host.r]\ntunnel = "b"\n[host.a]\ntime_stamps = false\n'
    made = documents(text.replace("[link.dsl]", 'delays = [["1s", "3ms"]]\n[link.dsl]'))[0]
    hosts = {"r": {"time_stamps": True, "tunnel": "b"}, "a": {"time_stamps": False, "tunnel": None}}
    same("hosts", made["hosts"], hosts)
    same("delays", made["links"][0]["up"]["delays"], [[1_000_000_000, 3_000_000]])
    for document in documents(SCENARIO):
        same("none", ("hosts" in document, "delays" in document["links"][0]["up"]), (False, False))


@case("plans: a qdisc that is the shaper gets the rate, and the guest is told of offloads")
def own_shaper() -> None:
    words = {"cake besteffort": "bandwidth", "codel_oot": "rate", "fq_codel_oot ecn": "rate"}
    for text, word in words.items():
        own = SCENARIO.replace('qdisc = "pfifo limit 9"', f'qdisc = "{text}"')
        own = own.replace('"htb"', '"own"').replace('title = "T"', "offloads = true")
        made = documents(own, only=["codel"], seeds=[7])[0]
        same("the words", made["links"][1]["down"]["qdisc"], f"{text} {word} 50000000bit")
        same("the other way", made["links"][1]["up"]["shaper"], "wire")
        same("offloads", made["offloads"], True)
    same("off", "offloads" in documents(SCENARIO)[0], False)


@case("plans: points in the order of the file, then qdiscs, then seeds")
def order() -> None:
    text = SCENARIO + '[vary]\nrtt = ["x", "y"]\n"link.lan.mtu" = [500, 600]'
    text = text.replace('["x", "y"]', '[{label = "x"}, {"link.lan.delay" = "9ms"}]')
    found = [(r.point, r.qdisc, r.seed) for r in planned(text, only=["codel", "pfifo"]).runs]
    expected = [
        ({"rtt": rtt, "link.lan.mtu": mtu}, qdisc, seed)
        for rtt in ("x", 1)
        for mtu in (500, 600)
        for qdisc in ("pfifo", "codel")
        for seed in (7, 3)
    ]
    same("runs", found, expected)
    run = planned(text).runs[-1]
    same("title", run.title, "s codel rtt=1 link.lan.mtu=600 seed=3")


def described() -> Iterator[tuple[str, str, str, dict[str, object], list[Any]]]:
    """Text to add, a path of the document, options, and the expected value in each run."""
    one: dict[str, object] = {"only": ["pfifo"], "seeds": [1]}
    up, lan = "links.1.up.rate", "links.0.mtu"
    later = SCENARIO.replace("rates", "#")
    yield "as it stands", SCENARIO, up, one, [5_000_000]
    yield "--set", SCENARIO, up, {**one, "sets": ["link.dsl.up.rate=3mbit"]}, [3_000_000]
    yield "--set of a number", SCENARIO, lan, {**one, "sets": ["link.lan.mtu = 999"]}, [999]
    yield "--set of a new qdisc", SCENARIO, "links.1.up.qdisc", {
        "sets": ["qdiscs.new=codel target 9ms"], "only": ["new"], "seeds": [1]
    }, ["codel target 9ms"]  # fmt: skip
    yield "--set of a list", SCENARIO, "links.1.up.rates", {
        **one, "sets": ['link.dsl.up.rates=[["1s", "2mbit"]]']
    }, [[[10**9, 2_000_000]]]  # fmt: skip
    yield "the later --set", SCENARIO, lan, {**one, "sets": ["link.lan.mtu=999", "link.lan.mtu=1"
        "000"]}, [1000]  # fmt: skip
    grid = SCENARIO + '[grid.g]\nduration = "9s"\n[grid.g.link.dsl.up]\nrate = "2mbit"\n'
    yield "no grid", grid, "duration", one, [2_000_000_000]
    yield "a grid", grid, "duration", {**one, "grid": "g"}, [9_000_000_000]
    yield "a grid's tables", grid, up, {**one, "grid": "g"}, [2_000_000]
    yield "--set over a grid", grid, up, {**one, "grid": "g", "sets": ["link.dsl.up.rate=4mbit"]}, [
        4_000_000
    ]
    both = SCENARIO + '[grid.g]\nset = {"link.dsl.up.rate" = "6mbit"}\n'
    yield "a grid's paths", both, up, {**one, "grid": "g"}, [6_000_000]
    vary = SCENARIO + "[vary]\n" + 'link.dsl.up.rate = ["1mbit", "2mbit"]\n'
    yield "vary without quotes", vary, up, one, [1_000_000, 2_000_000]
    yield "--set of vary", vary, up, {
        **one, "sets": ['vary.link.dsl.up.rate=["7mbit"]']
    }, [7_000_000]  # fmt: skip
    none = vary + "[grid.g.vary]\n"
    yield "a grid without vary", none, up, {**one, "grid": "g"}, [5_000_000]
    other = vary + '[grid.g.vary]\n"link.lan.mtu" = [500, 501]\n'
    yield "a grid's own vary", other, lan, {**one, "grid": "g"}, [500, 501]
    yield "a grid's own vary is all", other, up, {**one, "grid": "g"}, [5_000_000, 5_000_000]
    less = SCENARIO + '[grid.g.qdiscs]\nx = "pie"\n'
    yield "a grid's own qdiscs", less, "links.1.up.qdisc", {"grid": "g", "seeds": [1]}, ["pie"]
    tables = later + "[[vary.load]]\nlink.dsl.up.rate = '1mbit'\nduration = '9s'\n[[vary.load]]\n"
    yield "an array of tables", tables, up, one, [1_000_000, 5_000_000]
    yield "several keys together", tables, "duration", one, [9 * 10**9, 2 * 10**9]
    own = SCENARIO.replace('"red"', '{qdisc = "red", set = {"link.dsl.up.rate" = "1mbit"}}')
    yield "a qdisc's own setting", own, up, {"seeds": [1]}, [5_000_000, 1_000_000, 5_000_000]
    own = own + '[vary]\n"link.dsl.up.rate" = ["9mbit"]\n'
    yield "which is the last", own, up, {"seeds": [1]}, [9_000_000, 1_000_000, 9_000_000]


@case("plans: --set, grids, [vary] and a qdisc's own settings")
def settings() -> None:
    for title, text, path, options, expected in described():
        same(title, pick(text, path, **options), expected)


@case("plans: --set of what is no TOML, or a date, is a text")
def texts() -> None:
    for text, title in (
        ("title=A link", "A link"),
        ("title=1979-05-27", "1979-05-27"),
        ("title='5'", "5"),
        ("title=a=b", "a=b"),
        ('title = "x"', "x"),
    ):
        same(text, planned(SCENARIO, sets=[text]).title.strip(), title)
    try:
        planned(SCENARIO, sets=["title=1\nw = 2"])
    except tree.Wrong as error:
        raise AssertionError("two lines are no value of TOML") from error


@case("plans: the scenario in the results is as it was run")
def resolved() -> None:
    text = (
        SCENARIO
        + '[vary]\n"link.lan.mtu" = [500]\n[grid.g]\nduration = "9s"\nset = {"link.lan.mtu" = 700}'
    )
    text = text.replace("[vary]", "[grid.g.vary]")
    found = planned(text, grid="g", sets=["title=New"], only=["red"], seeds=[5])
    same("title", (found.title, found.grid), ("New", "g"))
    values = found.scenario
    same("tables", sorted(values), ["duration", "link", "nodes", "qdiscs", "seeds", "series",
                                    "title", "traffic", "warmup"])  # fmt: skip
    same("values", [values["duration"], values["qdiscs"], values["seeds"], values["link"]["lan"]],
         ["9s", {"red": "red"}, [5], {"delay": "1ms", "mtu": 700}])  # fmt: skip


@case("plans: without [qdiscs] there is one run for each seed")
def no_subject() -> None:
    runs = planned(ONE.format("ping") + '[link.l.up]\nqdisc = "pfifo limit 3"').runs
    same("runs", [(r.qdisc, r.seed, r.release) for r in runs], [(None, 1, "trixie")])
    same("title", runs[0].title, "s seed=1")
    same("title of none", planned(ONE.format("ping")).title, "s")


@case("plans: the buffer in bandwidth-delay products")
def buffers() -> None:
    text = 'duration = "1s"\nnodes = ["a", "b"]\n[link.l]\ndelay = "{}"\n[link.l.up]\nrate = "{}"\n'
    text += 'buffer = "{}"\nqdisc = "pfifo limit {{buffer}}"\n[traffic.x]\nkind = "ping"\nfrom = "a"\nto = "b"'
    for delay, rate, size, expected in (
        ("50ms", "100mbit", "1 bdp", 826),
        ("50ms", "100mbit", "8 bdp", 6605),
        ("50ms", "100mbit", "0.5bdp", 413),
        ("0ms", "100mbit", "8 bdp", 1),
        ("15ms", "128kbit", "1 bdp", 1),
        ("15ms", "128kbit", "8 bdp", 3),
    ):
        found = pick(text.format(delay, rate, size), "links.0.up.qdisc")
        same(f"{delay} {rate} {size}", found, [f"pfifo limit {expected}"])


@case("plans: every kind of traffic needs no more than what has no default")
def kinds() -> None:
    needed = {"web": 'rate = 2\nsize = "12kB"\n', "requests": "rate = 9\n"}
    for kind, (_help, keys) in schema.TRAFFIC.items():
        (item,) = pick(ONE.format(kind) + needed.get(kind, ""), "traffic.0")
        expected = {"name", "port", *schema.ITEM, *keys} - {"enabled"}
        same(kind, set(item), expected)
        assert json.loads(json.dumps(item)) == item, item


@case("plans: the meter has room, or is off")
def meter() -> None:
    text = ONE.format("bulk") + '[link.l.up]\nrate = "1mbit"\n'
    same("off", pick("meter = false\n" + text, "records"), [0])
    full, most = 9_000_000 // (8 * 1514), 9_000_000 // (8 * 66)
    unlimited = 9 * 10**9 // (8 * 1514)
    other = '[traffic.y]\nkind = "{}"\nfrom = "b"\nto = "a"\n'
    down = '[link.l.down]\nqdisc = "pfifo"\n'
    for title, more, packets, small in (
        ("data one way", "", full, 0),
        ("data both ways", other.format("bulk"), full + most, 0),
        ("a web the other way", other.format("web") + 'rate = 2\nsize = "1kB"\n', full + most, 216),
        ("requests", other.format("requests") + "rate = 1000\n", full, 19800),
        ("a call", other.format("cbr") + 'rate = "80kbit"\n', full, 990),
        ("a call in spurts", other.format("onoff") + 'rate = "80kbit"\n', full, 990),
        ("pings", other.format("ping"), full, 90),
        ("later pings", other.format("ping") + 'start = "5s"\n', full, 40),
        ("a probe", other.format("probe"), full, 900),
        ("both ways measured", down, 2 * full, 0),
        (
            "an unlimited way",
            other.format("bulk") + down,
            2 * full + most + unlimited,
            0,
        ),
    ):
        ways = 2 if down in more else 1
        same(title, pick(text + more, "records"), [1000 + 2 * packets + ways * small])


@case("plans: a run needs the out-of-tree modules if it names a qdisc or a module of theirs")
def out_of_tree() -> None:
    for words, wanted in [("codel", False), ("codel_oot", True), ("fq_codel_oot flows 1", True)]:
        run = planned(SCENARIO, sets=[f"qdiscs.codel={words}"], only=["codel"]).runs[0]
        same(words, run.out_of_tree, wanted)
        loaded = {**run.document, "modules": ["sch_codel_oot"]}
        same("loaded", dataclasses.replace(run, document=loaded).out_of_tree, True)


@case("plans: a run is frozen, and what it is called changes no document")
def frozen() -> None:
    text = SCENARIO.replace("red =", "again =").replace(
        'again = "red"', 'again = "pfifo limit {buffer}"'
    )
    first, second, *_rest = planned(text, seeds=[1]).runs
    same("documents", first.document, second.document)
    try:
        first.seed = 2  # type: ignore[misc]
    except dataclasses.FrozenInstanceError:
        return
    raise AssertionError("a run was changed")


@case("plans: what comes with the laboratory can be planned, each grid of it too")
def shipped() -> None:
    files = [*sorted(LAB.glob("scenarios/*.toml")), *sorted(LAB.glob("experiments/*.toml"))]
    assert files
    for file in files:
        known = scenario.grids(tree.load(file))
        for grid in ["default", *known]:
            assert plan.make(file, plan.Options(grid=grid)).runs, f"{file.name}: {grid}"


@case("plans: no two reduced experiments share a run, because each makes its runs anew")
def reduced_apart() -> None:
    owners: dict[str, str] = {}
    reduced = [
        f for f in sorted(LAB.glob("experiments/*.toml")) if "check" in scenario.grids(tree.load(f))
    ]
    assert reduced
    for file in reduced:
        for run in plan.make(file, plan.Options("check")).runs:
            same(run.title, owners.setdefault(store.key(run, ""), file.name), file.name)


@case("plans: a document is the same whatever else is in the file")
def independent() -> None:
    alone = documents(SCENARIO, only=["codel"], seeds=[3])
    same(
        "of all",
        [r.document for r in planned(SCENARIO).runs if (r.qdisc, r.seed) == ("codel", 3)],
        alone,
    )
    same("errors", wrong(SCENARIO), [])
