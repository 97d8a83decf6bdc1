# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Four subjects have four servers; with the modules in the wrong order, the runs fail. Boots machines."""

from __future__ import annotations

import dataclasses
import os
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "lab"), str(TOP / "vm")]
sys.dont_write_bytecode = True

from lablib import lab, machine, plan, work  # noqa: E402
from unit import cases  # noqa: E402
from unit.cases import case, folder, same  # noqa: E402

RELEASE = os.environ.get("RELEASE", "trixie")
SCENARIO = f"""
title = "Four subjects"
duration = "2s"
release = "{RELEASE}"
nodes = ["a", "b"]
[qdiscs]
codel = "codel"
fq_codel = "fq_codel"
codel_oot = "codel_oot"
fq_codel_oot = "fq_codel_oot"
[link.l]
rate = "1mbit"
[link.l.up]
qdisc = "subject"
[traffic.call]
kind = "cbr"
from = "a"
to = "b"
"""
SERVERS = {
    "codel": {"module": "sch_codel", "origin": "in-tree"},
    "fq_codel": {"module": None, "origin": "built-in"},
    "codel_oot": {"module": "sch_codel_oot", "origin": "out-of-tree"},
    "fq_codel_oot": {"module": "sch_fq_codel_oot", "origin": "out-of-tree"},
}


def perform(todo: plan.Plan) -> tuple[dict[str, object], dict[str, list[str]]]:
    """By qdisc: the module that served l.up, or the failure of the run. No stored run is used."""
    with folder() as where:
        made = lab.Lab(where, lambda _release, _oot: "anew", work.perform, machine.complaints)
        failed = made.run([todo], 1, fresh=True)
        outcomes = {run.qdisc: made.store.get(key) for run, key in zip(todo.runs, made.keys(todo))}
    queues = {name: done["result"]["queues"] for name, done in outcomes.items() if done}
    for name, queue in queues.items():
        same(f"{name}: l.down", queue["l.down"]["served_by"]["origin"], "built-in")  # pfifo
    found = {name: queue["l.up"]["served_by"] for name, queue in queues.items()}
    return found, {one.job.run.qdisc: one.reason for one in failed}


def reversed_order(run: plan.Run) -> plan.Run:
    """The out-of-tree modules are loaded before the in-tree one."""
    modules = ["sch_codel_oot", "sch_fq_codel_oot"]
    return dataclasses.replace(run, document={**run.document, "modules": modules})


@case("served: four subjects are served by four qdiscs, as the kernel says")
def four() -> None:
    same("served and failed", perform(cases.planned(SCENARIO)), (SERVERS, {}))


@case("served: if an out-of-tree module serves codel, that run fails with one sentence")
def wrong_order() -> None:
    todo = cases.planned(SCENARIO)
    todo = dataclasses.replace(todo, runs=[reversed_order(run) for run in todo.runs])
    sentence = "a: codel is served by the out-of-tree module sch_codel_oot, not by an in-tree qdisc"
    rest = {name: server for name, server in SERVERS.items() if name != "codel"}
    same("served and failed", perform(todo), (rest, {"codel": [sentence]}))


@case("served: dualpi2 is compiled from the kernel's source, where Debian has it not")
def compiled() -> None:
    text = SCENARIO.partition("[qdiscs]")[0].replace(RELEASE, "sid")
    text += '[qdiscs]\ndualpi2 = "dualpi2 limit 77"\n[link.l]' + SCENARIO.partition("[link.l]")[2]
    server = {"module": "sch_dualpi2", "origin": "in-tree"}
    same("served and failed", perform(cases.planned(text)), ({"dualpi2": server}, {}))


if __name__ == "__main__":
    cases.main()
