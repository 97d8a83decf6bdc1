#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
"""codelstat(8) explains every option, verdict, member of the JSON output, and metric."""

from __future__ import annotations

import json
import re
from typing import Any, Iterator

from cases import HERE, RECORDING, TOP, case, check, codelstat, main

MANUAL = (TOP / "man/codelstat.8").read_text()
SHARED = str(HERE / "shared.rec")


def section(name: str) -> str:
    return MANUAL.split(f"\n.Sh {name}\n")[1].split("\n.Sh ")[0]


def objects(*words: str, recording: str = RECORDING) -> list[Any]:
    argv = (*words, "--replay", recording, "--speed", "0", "--json")
    return [json.loads(line) for line in codelstat(*argv).stdout.splitlines()]


def members(value: Any) -> Iterator[str]:
    """Names in an object and in those inside, without causes of drops and marks."""
    if isinstance(value, list):
        for one in value:
            yield from members(one)
    elif isinstance(value, dict):
        for name, inside in value.items():
            yield name
            causes = name in ("dropped", "marked") and isinstance(inside, dict)
            yield from members([*inside.values()] if causes else inside)


@case("the options of every command")
def options() -> None:
    commands = re.findall(r"^  ([a-z]+) ", codelstat("help").stdout, re.M)
    assert commands
    for name in commands:
        for option in re.findall(r"--([a-z]+)", codelstat(name, "--help").stdout):
            assert re.search(rf"^\.\w+.* Fl -{option}\b", MANUAL, re.M), f"{name} --{option}"


@case("the code of every verdict")
def codes() -> None:
    source = (TOP / "tc/codelstat/verdict.c").read_text()
    found = re.findall(r'^\t\[CS_\w+\] = "(\w+)"', source, re.M)
    assert len(found) == len(set(found)) >= 20, found
    explained = set(re.findall(r"^\.Pq Cm (\w+_?\w*)$", MANUAL, re.M)) - {"top", "export"}
    check("codes of the manual", explained, set(found))


def properties(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        yield from schema.get("properties", {})
    for part in schema.values() if isinstance(schema, dict) else schema:
        if isinstance(part, (dict, list)):
            yield from properties(part)


def of_tc() -> set[str]:
    """The members that tc prints, too: the schema describes them."""
    parts = json.loads((TOP / "doc/codel.schema.json").read_text())["$defs"]
    own = ("change", "change_delay", "codelstat_qdisc", "codelstat_flow", "device", "shared_link",
           "list", "top")  # fmt: skip
    return {name for key, part in parts.items() if key not in own for name in properties(part)}


@case("every member of an object that is not tc's")
def json_members() -> None:
    words = " ".join(re.findall(r"^\.(?:It )?Li (.*)", section("JSON"), re.M))
    words += "version"
    documented = set(re.findall(r"[a-z0-9_]+", words)) | of_tc()
    found = {*members(objects("list")), *members(objects("top", "r1", "--handle", "10:"))}
    found |= {*members(objects("list", recording=SHARED))}
    check("members that the manual does not name", sorted(found - documented), [])


@case("every metric")
def metrics() -> None:
    text = codelstat("export", "--replay", RECORDING, "--textfile", "-", "--states").stdout
    declared = set(re.findall(r"^# TYPE (\w+)", text, re.M))
    explained = set(re.findall(r"\bcodel_\w+", MANUAL.split(".Sh METRICS")[1]))
    check("names", explained - {"codel_oot"}, declared)


if __name__ == "__main__":
    main()
