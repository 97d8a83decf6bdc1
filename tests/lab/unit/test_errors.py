# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Messages about wrong scenarios."""

from __future__ import annotations

from .cases import case, folder, same, wrong
from lablib import plan, tree

GOOD = """title = "T"
duration = "60s"
nodes = ["a", "r", "b"]
[qdiscs]
pfifo = "pfifo limit {buffer}"
own = { qdisc = "codel", set = { "link.dsl.up.rate" = "2mbit" } }
[link.lan]
[link.dsl]
buffer = 100
[link.dsl.up]
rate = "5mbit"
rates = [["20s", "1mbit"]]
qdisc = "subject"
[traffic.x]
kind = "bulk"
from = "a"
to = "b"
[traffic.y]
kind = "cbr"
from = "b"
to = "a"
[vary]
"link.dsl.up.rate" = ["1mbit", "4mbit"]
[grid.full]
duration = "120s"
set = { "traffic.x.count" = 9 }
"""
KINDS = "bulk, web, uploads, cbr, onoff, frames, requests, ping, probe"
# Text, its replacement, and the messages after that
EDITS: list[tuple[str, str, list[str]]] = [
    ('"60s"', '"60x"', ['2: duration: "60x" is no time (a number and ns, us, ms, s or min)']),
    ('duration = "60s"\n', "", ["1: duration is missing"]),
    ('title = "T"', "title = 1", ["1: title: 1 is no text"]),
    ('title = "T"', 'tilte = "T"', ["1: tilte: no such key (did you mean title?)"]),
    ("[qdiscs]", "[qdisc]", ["4: qdisc: no such key (did you mean qdiscs?)",
     "13: link.dsl.up.qdisc: there are no [qdiscs]"]),
    ("[link.lan]", "", ["8: link: 1 for 3 nodes: a chain of them has 2"]),
    ('"r"', '"a"', ['3: nodes[1]: "a" is there twice']),
    ('"r"', '"wire"', ['3: nodes[1]: a node cannot be called "wire"']),
    (
        '"r"',
        '"r r"',
        [
            '3: nodes[1]: "r r" is no name of a node '
            "(1 to 32 letters, digits, - and _; the first a letter or digit)"
        ],
    ),
    (
        "[link.lan]",
        '[link."l.n"]',
        ['7: link.l.n: "l.n" is no name of a link (letters, digits, - and _)'],
    ),
    ("[link.lan]", "[link.lan]\nup = 5", ["8: link.lan.up: 5 is no table"]),
    ("pfifo =", '"p f" =',
     ['5: qdiscs.p f: "p f" is no name of a qdisc (letters, digits, - and _)']),
    ("[traffic.x]", '[traffic."x y"]',
     ['14: traffic.x y: "x y" is no name of a item of traffic (letters, digits, - and _)',
      "26: traffic.x.count: there is no traffic x (there are x y, y)"]),
    ("buffer = 100", 'buffer = "8"', ['9: link.dsl.buffer: "8" is no buffer (a whole number of '
     'packets, or "8 bdp")']),
    ("buffer = 100", "mtu = 100", ["9: link.dsl.mtu: 100 is too little: at least 128"]),
    ("buffer = 100", "", ["5: qdiscs.pfifo: for link.dsl.up: there is no buffer"]),
    ("{buffer}", "{bufer}", ["5: qdiscs.pfifo: for link.dsl.up: {bufer} stands for nothing "
     "({buffer}, {buffer_bytes} and {rate} do)"]),
    ('[link.lan]', '[link.lan]\nup.qdisc = "cake bandwidth {rate}"',
     ["8: link.lan.up.qdisc: {rate} needs a rate, and there is none"]),
    ('[link.lan]', '[link.lan]\nqdisc = "red"\nrate = "1mbit"',
     ["8: link.lan.qdisc: there is no buffer"]),
    ('[link.lan]', '[link.lan]\nup.qdisc = "red"\nbuffer = 9',
     ["8: link.lan.up.qdisc: red without options needs a rate, and there is none"]),
    ('[link.lan]', '[link.lan]\nup.qdisc = "pfifo limit {buffer}"\nbuffer = "1 bdp"',
     ["8: link.lan.up.qdisc: a buffer in bdp needs a rate, and there is none"]),
    ('[link.lan]', '[link.lan]\nqdisc = "red"\nbuffer = 9\nrate = "10gbit"',
     ["8: link.lan.qdisc: the rate is too high for the kernel's RED with the usual thresholds"]),
    ('qdisc = "subject"\n', "", ['4: qdiscs: no link has qdisc = "subject"']),
    ('"subject"', '"codel"', ['4: qdiscs: no link has qdisc = "subject"']),
    ('"subject"', '"subejct"', ['13: link.dsl.up.qdisc: "subejct": did you mean subject?']),
    ('"subject"', '"Subject"', ['13: link.dsl.up.qdisc: "Subject": did you mean subject?']),
    ('"subject"', '"subjects"', ['13: link.dsl.up.qdisc: "subjects": did you mean subject?']),
    ('"20s"', '"60s"', ["12: link.dsl.up.rates[0]: not before the end, 60s"]),
    ('"20s"', '"0s"', ["12: link.dsl.up.rates[0][0]: 0s is too little: at least 1ns"]),
    ('rate = "5mbit"', "", []),
    ('[link.dsl.up]', '[link.dsl.down]\nrates = [["1s", "1mbit"]]\n[link.dsl.up]',
     ["11: link.dsl.down.rates: there is no rate to start with"]),
    ('[link.lan]', '[link.lan]\ndown = { delay = "5ms", delays = [["9s", "7ms"]] }', []),
    ('[link.lan]', '[link.lan]\ndown.delays = [["9s", "7ms"]]',
     ["8: link.lan.down.delays: only a direction with a delay, and without rate and qdisc, has later ones"]),
    ('[link.lan]', '[link.lan]\ndown = { delay = "5ms", delays = [["9s", "7ms"]], qdisc = "pfifo" }',
     ["8: link.lan.down.delays: only a direction with a delay, and without rate and qdisc, has later ones"]),
    ('rates = [["20s", "1mbit"]]', 'delay = "5ms"\ndelays = [["9s", "7ms"]]',
     ["13: link.dsl.up.delays: only a direction with a delay, and without rate and qdisc, has later ones"]),
    ('[link.lan]', '[link.lan]\ndelay = "5ms"\ndelays = [["60s", "7ms"]]',
     ["9: link.lan.delays[0]: not before the end, 60s"]),
    ('[link.lan]', '[host.r]\ntime_stamps = false\ntunnel = "b"\n[link.lan]', []),
    ('[link.lan]', '[host.R]\n[link.lan]', ["7: host.R: R is no node (there are a, r, b)"]),
    ('[link.lan]', '[host.r]\ntunnel = "a"\n[link.lan]', ["8: host.r.tunnel: a is no node behind r"]),
    ('[link.lan]', '[host.a]\ntunnel = "r"\n[host.r]\ntunnel = "b"\n[link.lan]',
     ["10: host.r.tunnel: a has one, too: there can be one"]),
    ('buffer = 100', 'buffer = 100\nshaper = "hfsc"',
     ['10: link.dsl.shaper: "hfsc" is none of wire, htb, tbf, own']),
    ('buffer = 100', 'buffer = 100\nshaper = "own"',
     ['5: qdiscs.pfifo: for link.dsl.up: pfifo has no shaper: shaper = "own" is for cake, codel_oot, fq_codel_oot',
      '6: qdiscs.own: for link.dsl.up: codel has no shaper: shaper = "own" is for cake, codel_oot, fq_codel_oot']),
    ('[link.lan]', '[link.lan]\nup.shaper = "own"',
     ['7: link.lan.qdisc: pfifo has no shaper: shaper = "own" is for cake, codel_oot, fq_codel_oot']),
    ('[link.lan]', '[link.lan]\nup.shaper = "own"\nup.qdisc = "cake"',
     ['9: link.lan.up.qdisc: shaper = "own" needs a rate, and there is none']),
    ('[link.lan]', '[link.lan]\nup = { shaper = "own", rate = "1mbit", qdisc = "cake bandwidth {rate}" }',
     ['8: link.lan.up.qdisc: shaper = "own" sets bandwidth: leave it out']),
    ('[link.lan]', '[link.lan]\nup = { shaper = "own", rate = "1mbit", qdisc = "codel_oot rate 2mbit" }',
     ['8: link.lan.up.qdisc: shaper = "own" sets rate: leave it out']),
    ('[link.lan]', '[link.lan]\nup = { shaper = "own", rate = "1mbit", qdisc = "fq_codel_oot" }', []),
    ('"60s"', '"60s"\noffloads = "tso"', ['3: offloads: "tso" is neither true nor false']),
    ('"bulk"', '"blk"', [f'15: traffic.x.kind: "blk" is none of {KINDS}']),
    ('kind = "bulk"\n', "", ["14: traffic.x: kind is missing"]),
    ('"bulk"', '"bulk"\ncuont = 2', ["16: traffic.x.cuont: no such key (did you mean count?)"]),
    ('"cbr"', '"cbr"\ncount = 2',
     ["20: traffic.y.count: no such key (traffic of kind bulk, uploads has it)"]),
    ('"cbr"', '"web"', ["18: traffic.y: rate is missing", "18: traffic.y: size is missing"]),
    ('from = "a"', 'from = "aa"', ["16: traffic.x.from: aa is no node (did you mean a?)"]),
    ('to = "b"', 'to = "a"', ["17: traffic.x.to: a is where it comes from"]),
    ('to = "b"', 'to = "b"\nstop = "61s"', ["18: traffic.x.stop: after the end, 60s"]),
    ('to = "b"', 'to = "b"\nstart = "60s"', ["18: traffic.x.start: not before it stops, 60s"]),
    ('to = "b"', 'to = "b"\nstart = "9s"\nspread = "52s"',
     ["19: traffic.x.spread: some would start after 60s"]),
    ('to = "b"', 'to = "b"\nstart = "9s"\nspread = "51s"', []),
    ('to = "b"', 'to = "b"\nstop = "60s"', []),
    ('"cbr"', '"cbr"\nsize = 1500', []),
    ('"cbr"', '"ping"\nsize = 1472', []),
    ('"cbr"', '"onoff"\nsize = 1501', ["20: traffic.y.size: 1501B is too much for a path with an "
     "MTU of 1500: at most 1500B"]),
    ('"cbr"', '"probe"\nsize = 1501', ["20: traffic.y.size: 1501B is too much for a path with an "
     "MTU of 1500: at most 1500B"]),
    ('"cbr"', '"requests"\nrate = 1\nsize = 1501', ["21: traffic.y.size: 1501B is too much for a "
     "path with an MTU of 1500: at most 1500B"]),
    ('"cbr"', '"cbr"\nsize = 1501', ["20: traffic.y.size: 1501B is too much for a path with an "
     "MTU of 1500: at most 1500B"]),
    ('"cbr"', '"ping"\nsize = 1473', ["20: traffic.y.size: 1473B is too much for a path with an "
     "MTU of 1500: at most 1472B"]),
    ('"60s"', '"60s"\nwarmup = "60s"', ["3: warmup: not before the end, 60s"]),
    ('"60s"', '"60s"\nseries = "2min"', ["3: series: not before the end, 60s", "3: series: not before the end, 2min"]),
    ('"60s"', '"60s"\nseeds = []', ["3: seeds: a list of 0: at least 1, at most 1000"]),
    ('"60s"', '"60s"\nrelease = "stretch"',
     ['3: release: "stretch" is none of bookworm, trixie, sid']),
    ('"link.dsl.up.rate" = [', '"link.dls.up.rate" = [',
     ["23: link.dls.up.rate: there is no link dls (did you mean dsl?)"]),
    ('"link.dsl.up.rate" = [', '"link.dsl.up.rat" = [',
     ["23: link.dsl.up.rat: no such key (did you mean rate?)"]),
    ('"4mbit"]', '\n"4mbt"]', ['24: link.dsl.up.rate: "4mbt" is no rate (a number and bit, kbit, '
     'mbit or gbit)']),
    ('["1mbit", "4mbit"]', '"1mbit"', ['23: vary.link.dsl.up.rate: "1mbit" is no list of values']),
    ('["1mbit", "4mbit"]', '["1mbit", "1mbit"]',
     ['23: vary.link.dsl.up.rate[1]: "1mbit" is there twice']),
    ("[vary]", '[vary]\n"a.b" = [{label = "x"}]',
     ['23: vary.a.b: "a.b": a list of tables has a name of its own, without dots']),
    ("[vary]", "[vary]\nl = [1, {a = 1}]",
     ["23: vary.l: either all of these are tables or none is"]),
    ("[vary]", '[vary]\nl = [{"traffic.z.count" = 1}]',
     ["23: traffic.z.count: there is no traffic z (there are x, y)"]),
    ("[vary]", "[vary]\nl = [{label = true}]",
     ["23: vary.l[0]: true is no label (a text or a number)"]),
    ("[vary]", "[vary]\ngrid = [1, 2]",
     ["23: grid: no such key (there are title, duration, warmup, seeds, release, nodes, series, "
      "held_below, offloads, meter, qdiscs, link, host, traffic)"]),
    ('["1mbit", "4mbit"]', '["4mbit"]\n"link.dsl.up.rates" = [[\n["5s", "x"]]]',
     ['25: link.dsl.up.rates[0][1]: "x" is no rate (a number and bit, kbit, mbit or gbit)']),
    ("[grid.full]", "[grid.full.title]\nx = 1\n[grid.full]", ["26: grid.full: title is no table"]),
    ('set = { "traffic.x.count" = 9 }', "set = 9", ["26: grid.full.set: 9 is no table of paths"]),
    ("[vary]", '[vary]\n"title.x" = ["1"]', ["23: title.x: title is no table"]),
    ('"link.dsl.up.rate" = "2mbit"', '"link.dsl.up.rat" = "2mbit"',
     ["6: link.dsl.up.rat: no such key (did you mean rate?)"]),
    ('own = { qdisc = "codel", set = { "link.dsl.up.rate" = "2mbit" } }',
     '[qdiscs.own]\nqdisc = "codel"\n[qdiscs.own.set]\n"link.dsl.up.rate" = "x"',
     ['9: link.dsl.up.rate: "x" is no rate (a number and bit, kbit, mbit or gbit)']),
    ('set = { "link', 'sets = { "link', ["6: qdiscs.own.sets: no such key (did you mean set?)"]),
    ("[grid.full]", "[grid.full]\ndurtion = 1",
     ["25: durtion: no such key (did you mean duration?)"]),
    ("[grid.full]", "[grid.default]",
     ["24: grid.default: this is the name of the scenario without any grid"]),
    ("[grid.full]", "[grid]\nfull = 1\n[old]",
     ["25: grid.full: 1 is no table", "26: old: no such key (there are title, duration, warmup, "
      "seeds, release, nodes, series, held_below, offloads, meter, qdiscs, link, host, traffic, vary, grid)"]),
    ('"traffic.x.count" = 9', '"traffic.x.count" = -9',
     ["26: traffic.x.count: -9 is too little: at least 0"]),
    ('[link.dsl]', 'x = ', ["8: no TOML: Invalid value (at line 8, column 5)"]),
    ('title = "T"', 'title = "T', ["1: no TOML: Illegal character '\\n' (at line 1, column 11)"]),
]  # fmt: skip
OPTIONS: list[tuple[dict[str, object], list[str]]] = [
    ({"sets": ["foo"]}, ['--set: "foo" is no PATH=VALUE (link.dsl.up.rate=3mbit)']),
    ({"sets": ["=3"]}, ['--set: "=3" is no PATH=VALUE (link.dsl.up.rate=3mbit)']),
    ({"sets": ["link.dsl.mtu=3"]}, ["--set: link.dsl.mtu: 3 is too little: at least 128"]),
    ({"sets": ["duration=61"]}, ["--set: duration: 61 is no time (a number and ns, us, ms, s "
     "or min)"]),
    ({"sets": ["link.dls.mtu=3"]}, ["--set: link.dls.mtu: there is no link dls (did you mean "
     "dsl?)"]),
    ({"sets": ["link.dls=3"]}, ["--set: link.dls: there is no link dls (did you mean dsl?)"]),
    ({"sets": ["vary=3"]}, ["--set: vary: 3 is no table"]),
    ({"sets": ["vary.lonk=[1]", "vary.lonk.x=[1]"]}, ["--set: vary.lonk.x: vary.lonk is no table",
     "--set: lonk: no such key (did you mean link?)"]),
    ({"sets": ['link.dsl.up.rates=[["9s", "1mbit"], ["70s", "1mbit"]]']},
     ["--set: link.dsl.up.rates[1]: not before the end, 60s"]),
    ({"sets": ["lnk.dsl.mtu=3"]}, ["--set: lnk.dsl.mtu: no such key (did you mean link?)"]),
    ({"sets": ["duration.x=3"]}, ["--set: duration.x: duration is no table"]),
    ({"sets": ["link.dsl.up.rate=3mbit"]}, ["--set: link.dsl.up.rate: [vary] decides this: use "
     "--set 'vary.link.dsl.up.rate=[...]'"]),
    ({"sets": ["vary.link.dsl.up.rate=3mbit"]}, ['--set: vary.link.dsl.up.rate: "3mbit" is no '
     "list of values"]),
    ({"sets": ["duration=10s"]}, ["s.toml:12: link.dsl.up.rates[0]: not before the end, 10s"]),
    ({"grid": "ful"}, ["s.toml: there is no [grid.ful] (did you mean full?)"]),
    ({"only": ["foo"]}, ["--only: foo is none of [qdiscs] (there are pfifo, own)"]),
    ({"only": ["own", "pfif"]}, ["--only: pfif is none of [qdiscs] (did you mean pfifo?)"]),
    ({"only": ["pfifo", "codel"]}, ["--only: codel is none of [qdiscs] (there are pfifo, own)"]),
    ({"seeds": [2**31]}, ["--seeds: seeds[0]: 2147483648 is too much: at most 2147483647"]),
]  # fmt: skip


@case("errors: a good scenario has none")
def good() -> None:
    same("errors", wrong(GOOD), [])
    same("with a grid", wrong(GOOD, grid="full"), [])


@case("errors: each names the line, the key, what is wrong and what would be right")
def edits() -> None:
    for old, new, expected in EDITS:
        assert GOOD.count(old), old
        text = GOOD.replace(old, new, 1)
        same(f"{old} -> {new}", wrong(text), [f"s.toml:{line}" for line in expected])


@case("errors: those of the command line name the option")
def command_line() -> None:
    for options, expected in OPTIONS:
        same(f"{options}", wrong(GOOD, **options), expected)


@case("errors: a table that --set makes none")
def no_table() -> None:
    for name in ("link", "traffic", "qdiscs"):
        found = wrong(GOOD, sets=[f"{name}=3"])
        assert f"--set: {name}: 3 is no table" in found, found


@case("errors: all are said at once, and each once")
def together() -> None:
    text = GOOD.replace('"a"\n', '"aa"\n').replace("100", "0").replace('"5mbit"', '"5"')
    expected = [
        "s.toml:9: link.dsl.buffer: 0 is too little: at least 1",
        's.toml:11: link.dsl.up.rate: "5" is no rate (a number and bit, kbit, mbit or gbit)',
        "s.toml:16: traffic.x.from: aa is no node (did you mean a?)",
        "s.toml:21: traffic.y.to: aa is no node (did you mean a?)",
    ]
    same("errors", wrong(text.replace("[vary]", "[grid.x]\n[grid.x.vary]")), expected)


@case("errors: a qdisc that is compared nowhere, and a place without one")
def subjects() -> None:
    head, rest = GOOD.split("[qdiscs]")
    none = head + "[link.lan]" + rest.split("[link.lan]")[1]
    same("no qdiscs", wrong(none), ["s.toml:10: link.dsl.up.qdisc: there are no [qdiscs]"])
    same("nor a subject", wrong(none.replace("subject", "codel")), [])
    same(
        "of the link",
        wrong(none.replace("[link.dsl.up]", 'qdisc = "subject"\n[link.dsl.up]', 1).replace(
            'qdisc = "subject"\n[traffic', "[traffic")),
        ["s.toml:7: link.dsl.qdisc: there are no [qdiscs]"],
    )  # fmt: skip


@case("errors: without any traffic, or with too much")
def traffic() -> None:
    head, _rest = GOOD.split("[traffic.x]")
    same("none", wrong(head), ["s.toml:1: traffic: there is none"])
    off = GOOD.replace('"bulk"', '"bulk"\nenabled = false').replace('"cbr"', '"cbr"\nrate = 0')
    same(
        "none that is enabled",
        wrong(off.partition("[vary]")[0]),
        ["s.toml:14: traffic: there is none"],
    )
    item = '[traffic.t{}]\nkind = "ping"\nfrom = "a"\nto = "b"\n'
    many = head + "".join(item.format(number) for number in range(101))
    same("101 items", wrong(many), ["s.toml:14: traffic: 101 items: at most 100"])
    less = many.replace('[traffic.t100]\nkind = "ping"\nfrom = "a"\nto = "b"\n', "")
    same("100 items", wrong(less), [])


@case("errors: tables that are none")
def tables() -> None:
    head, _rest = GOOD.split("[vary]")
    for name in ("grid", "vary"):
        same(name, wrong(f"{name} = 5\n{head}"), [f"s.toml:1: {name}: 5 is no table"])


@case("errors: of two nodes, and where there is nothing to choose from")
def small() -> None:
    text = 'duration = "1s"\nnodes = ["a", "b"]\n[link.l]\n[traffic.x]\nkind = "cbr"\n'
    text += 'from = "a"\nto = "b"\nsize = 1501\n'
    message = "1501B is too much for a path with an MTU of 1500: at most 1500B"
    same("size", wrong(text), [f"s.toml:8: traffic.x.size: {message}"])
    text = text.replace("size", "#")
    same("--only", wrong(text, only=["x"]), ["--only: x is none of [qdiscs] (there is none)"])
    same(
        "end",
        wrong(text + 'x = """'),
        ["s.toml: no TOML: Unterminated string (at end of document)"],
    )


@case("errors: a file that cannot be read")
def files() -> None:
    with folder() as where:
        (where / "latin.toml").write_bytes(b'title = "\xe4"')
        for name, why in (("none.toml", "No such file or directory"),
                          ("latin.toml", "it is not in UTF-8")):  # fmt: skip
            try:
                plan.make(where / name, plan.Options())
            except tree.Wrong as error:
                same(name, str(error), f"{where}/{name}: {why}")
            else:
                raise AssertionError(f"{name} was read")
