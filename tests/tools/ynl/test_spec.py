#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# check: all
"""doc/codel_oot.yaml has the numbers, types and structures of uapi/codel_uapi.h and of the modules' policies."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import yaml

TOP = Path(__file__).resolve().parents[3]
HEADER = TOP / "uapi/codel_uapi.h"
SPEC = yaml.safe_load((TOP / "doc/codel_oot.yaml").read_text())
POLICIES = {
    "codel-ext-attrs": "qdisc/codel_config.h",
    "codel-attrs": "sch_codel.c",
    "fq-codel-attrs": "fq/fq_codel_config.h",
}
WIDTHS = {"u8": 1, "u16": 2, "u32": 4, "s32": 4, "u64": 8}
KINDS = {"nest": "NESTED", "pad": "REJECT"}
EXT = "TCA_CODEL_EXT"  # one number for both kinds, without a prefix of its own
ENTRY = re.compile(r"\[(TCA_\w+)\]\s*=\s*(?:\{ \.type = )?(?:NLA_POLICY_\w+\()?NLA_(\w+)")


def constant(prefix: str, name: str) -> str:
    if name == "ext":
        return EXT
    return (prefix + name).replace("-", "_").upper()


def attributes() -> dict[str, tuple[int, str, str]]:
    """By constant: number, type, and name of the set."""
    found = {}
    for group in SPEC["attribute-sets"]:
        number = 0
        for one in group["attributes"]:
            number = one.get("value", number + 1)
            name = constant(group["name-prefix"], one["name"])
            found[f"{group['name']} {name}"] = number, one["type"], name
    return found


def structures() -> dict[str, dict[str, tuple[int, int]]]:
    """By structure: offset and size of each member, as the specification has them."""
    found = {}
    for one in SPEC["definitions"]:
        if one["type"] != "struct":
            continue
        at, members = 0, {}
        for member in one["members"]:
            size = WIDTHS.get(member["type"]) or member["len"]
            members[member["name"].replace("-", "_")] = at, size
            at += size
        found[one["name"].replace("-", "_")] = members
    return found


def asserted() -> str:
    """A program that compiles if the header agrees."""
    lines = ["#include <stddef.h>", f'#include "{HEADER}"']
    for number, _kind, name in attributes().values():
        lines.append(f'_Static_assert({name} == {number}, "{name}");')
    for name, members in structures().items():
        end = 0
        for member, (at, size) in members.items():
            place = f"offsetof(struct {name}, {member}) == {at}"
            width = f"sizeof(((struct {name} *)0)->{member}) == {size}"
            lines.append(f'_Static_assert({place} && {width}, "{name}.{member}");')
            end = at + size
        lines.append(f'_Static_assert(sizeof(struct {name}) == {end}, "{name}");')
    (cells,) = (one for one in SPEC["definitions"] if one["name"] == "codel-cells")
    for number, word in enumerate(cells["entries"]):
        lines.append(f'_Static_assert(CODEL_CELLS_{word.upper()} == {number}, "{word}");')
    (places,) = (one for one in SPEC["definitions"] if one["name"] == "codel-bottleneck")
    for number, word in enumerate(places["entries"]):
        lines.append(f'_Static_assert(CODEL_BOTTLENECK_{word.upper()} == {number}, "{word}");')
    return "\n".join([*lines, ""])


def compiles() -> list[str]:
    with tempfile.NamedTemporaryFile("w", suffix=".c") as source:
        source.write(asserted())
        source.flush()
        argv = ["gcc", "-std=c11", "-fsyntax-only", source.name]
        done = subprocess.run(argv, stderr=subprocess.PIPE, text=True)
    return done.stderr.splitlines() if done.returncode else []


def complete() -> list[str]:
    """Constants of the header that the specification does not have."""
    names = set(re.findall(r"^\t(TCA_CODEL_EXT_\w+)", HEADER.read_text(), re.M))
    names = {name for name in names if not name.endswith(("_UNSPEC", "_MAX"))}
    left = names - {name for _, _, name in attributes().values()}
    return sorted(left) if names else ["the header has no constant"]


def typed() -> list[str]:
    """Types that differ from the modules' policies, and attributes without one."""
    faults = []
    for group, file in POLICIES.items():
        policy = dict(ENTRY.findall((TOP / file).read_text()))
        for label, (_, kind, name) in attributes().items():
            wanted = KINDS.get(kind, kind.upper())
            if label.startswith(f"{group} ") and policy.get(name) != wanted:
                faults.append(f"{name}: {wanted}, and {policy.get(name)} in {file}")
    return faults


def main() -> int:
    tests: dict[str, Any] = {
        "numbers and structures are those of codel_uapi.h": compiles,
        "no attribute of codel_uapi.h is missing": complete,
        "types are those of the policies": typed,
    }
    print(f"TAP version 13\n1..{len(tests)}")
    bad = 0
    for number, (title, test) in enumerate(tests.items(), 1):
        faults = test()
        bad += bool(faults)
        print("\n".join(f"# {fault}" for fault in faults) + "\n" if faults else "", end="")
        print(f"{'not ok' if faults else 'ok'} {number} {title}")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
