#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
"""One JSON of tc and codelstat: both print every.rec, a recording of a real kernel (record.sh), and
doc/codel.schema.json describes what they print. tc gets the messages of the recording from fakekernel.so.

usage: test_schema.py TC [ARG...]
"""

from __future__ import annotations

import copy
import json
import os
import struct
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Iterator

import jsonschema

HERE = Path(__file__).resolve().parent
TOP = HERE.parents[2]
sys.path.append(str(TOP / "tests" / "ktap"))
sys.dont_write_bytecode = True

from ktap import case, check, main  # noqa: E402

TC = sys.argv[1:] or ["/usr/sbin/tc"]
CODELSTAT = str(TOP / "tc" / "codelstat" / "codelstat")
RECORDING = HERE / "every.rec"
RECORD_HEADER, RECORD_HEAD, HEADER, TCMSG = 16, 24, 16, 20
NEWQDISC, NEWTCLASS = 36, 40
KINDS = ("codel", "fq_codel", "codel_oot", "fq_codel_oot")
SCHEMA = json.loads((TOP / "doc" / "codel.schema.json").read_text())

# What depends on where fakekernel.so says that the qdisc is
PLACE = {"handle", "dev", "root", "parent"}
CORE = PLACE | {"options", "refcnt"}
# tc -d, and hardware
UNSEEN = {"refcnt", "offloaded"}

Object = dict[str, Any]
Path_ = tuple[str, ...]


def validator(definition: str) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(SCHEMA | {"anyOf": [{"$ref": f"#/$defs/{definition}"}]})


def innermost(error: jsonschema.ValidationError) -> str:
    while error.context:
        error = error.context[0]
    return f"{'.'.join(map(str, error.absolute_path))}: {error.message[:300]}"


def valid(definition: str, value: object) -> None:
    errors = [innermost(e) for e in validator(definition).iter_errors(value)]
    check(f"errors of {definition}", errors, [])


def codelstat(*words: str, recording: Path = RECORDING) -> list[Object]:
    argv = [CODELSTAT, *words, "--replay", str(recording), "--speed", "0"]
    done = subprocess.run(argv, capture_output=True, text=True, check=True)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert found, f"{argv} prints nothing"
    return found


def messages() -> Iterator[tuple[int, bytes]]:
    """Type and body of the messages of the last snapshot."""
    data = RECORDING.read_bytes()
    at, body = RECORD_HEADER, b""
    while at < len(data):
        (length,) = struct.unpack_from("=I", data, at + 16)
        body = data[at + RECORD_HEAD : at + RECORD_HEAD + length]
        at += RECORD_HEAD + length
    while body:
        length, kind = struct.unpack_from("=IH", body)
        yield kind, body[HEADER:length]
        body = body[(length + 3) & ~3 :]


def as_class(shown: Object) -> Object:
    """The tc of bookworm has no JSON of classes, and the plugins print one as a qdisc, too."""
    outside = {"handle": "8001:1", "parent": "8001:", "class": shown.pop("kind")}
    return outside | {"stats": {k: v for k, v in shown.items() if k not in CORE}}


def tc(wanted: int) -> dict[tuple[int, int], Object]:
    """tc's qdiscs or classes by ifindex and handle."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        state = Path(folder) / "state"
        environment = os.environ | {"TC_LIB_DIR": str(TOP / "tc"), "FAKE_STATE": str(state)}
        preload = f"LD_PRELOAD={HERE / 'fakekernel.so'}"
        for kind, body in messages():
            if kind != wanted:
                continue
            state.write_bytes(body[TCMSG:])
            argv = ["env", preload, *TC, "-j", "-s", "qdisc", "show"]
            done = subprocess.run(argv, env=environment, capture_output=True, text=True, check=True)
            (shown,) = json.loads(done.stdout)
            if shown["kind"] in KINDS:
                place = struct.unpack_from("=iI", body, 4)
                found[place] = as_class(shown) if wanted == NEWTCLASS else shown
    assert found, f"the recording has no messages of type {wanted}"
    return found


def handle(text: str) -> int:
    major, minor = text.split(":")
    return int(major, 16) << 16 | int(minor or "0", 16)


def lists() -> list[Object]:
    return codelstat("--json") + codelstat("--json", "--once")


def tops() -> list[Object]:
    devices = {q["dev"] for q in lists()[0]["qdiscs"] if q["kind"].startswith("fq_")} - {"d6"}
    return [
        line for dev in sorted(devices) for line in codelstat("top", dev, "--json")
    ] + codelstat("top", "d0", "--json", "--once")


def keys(value: object, path: Path_ = ()) -> set[Path_]:
    """Paths of all members; all elements of an array have the same."""
    if isinstance(value, list):
        return set().union(*(keys(v, path) for v in value))
    if not isinstance(value, dict):
        return set()
    below = (keys(v, (*path, k)) | {(*path, k)} for k, v in value.items())
    return set().union(*below)


def members(schema: object) -> Iterator[tuple[str, Object]]:
    """All properties in a schema."""
    if isinstance(schema, list):
        for part in schema:
            yield from members(part)
    elif isinstance(schema, dict):
        for name, part in schema.items():
            if name == "properties":
                yield from part.items()
            yield from members(part)


def owner(value: Any, path: Path_) -> Object | None:
    """The first object with this member."""
    for name in path[:-1]:
        while isinstance(value, list):
            value = next((v for v in value if name in v), {})
        value = value.get(name)
        if value is None:
            return None
    while isinstance(value, list):
        value = next((v for v in value if path[-1] in v), {})
    return value if isinstance(value, dict) and path[-1] in value else None


@case("the schema is one, and every member in it has a description")
def _() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    bare = {
        name
        for name, part in members(SCHEMA["$defs"])
        if not {"description", "$ref", "enum"} & set(part)
    }
    check("without a description", bare, set())
    for name, part in SCHEMA["$defs"].items():
        assert "description" in part or name == "place", name


@case("codelstat's list and top")
def _() -> None:
    for line in lists():
        valid("list", line)
    for line in tops():
        valid("top", line)


@case("codelstat's list and top, of recordings of the first modules")
def _() -> None:
    for name, device in (("steady.rec", None), ("shaped.rec", "r1")):
        recording = TOP / "tests/tools/codelstat" / name
        valid("list", codelstat("--json", recording=recording)[-1])
        if device:
            valid("top", codelstat("top", device, "--json", recording=recording)[-1])


@case("tc's arrays, with qdiscs of other kinds")
def _() -> None:
    shown = [*tc(NEWQDISC).values()]
    other = {"kind": "htb", "handle": "1:", "dev": "d0", "root": True, "options": {}}
    valid("tc_list", [*shown, other])
    valid("tc_list", [*tc(NEWTCLASS).values()])
    wrong = {**shown[0], "options": {}}
    assert not validator("tc_list").is_valid([wrong]), "an array with a wrong element is valid"


@case("tc's qdiscs and classes")
def _() -> None:
    for shown in tc(NEWQDISC).values():
        valid("tc_qdisc", shown)
    for shown in tc(NEWTCLASS).values():
        valid("tc_class", shown)


@case("both print the same of a qdisc, and of a class")
def _() -> None:
    expected = tc(NEWQDISC)
    qdiscs = lists()[-1]["qdiscs"]
    check("number", len(qdiscs), len(expected))
    for qdisc in qdiscs:
        of_tc = expected[qdisc["ifindex"], handle(qdisc["handle"])]
        own = {k: v for k, v in qdisc.items() if k in of_tc and k not in PLACE}
        of_tc = {k: v for k, v in of_tc.items() if k not in PLACE | UNSEEN}
        check("qdisc", own, of_tc)
    expected = tc(NEWTCLASS)
    number = 0
    for line in tops():
        for flow in line["flows"] if line["seconds"] else []:
            of_tc = expected[line["qdisc"]["ifindex"], handle(flow["handle"])]
            check("class", flow["stats"], of_tc["stats"])
            check("kind", flow["class"], of_tc["class"])
            number += 1
    check("classes", number, len(expected))


@case("each member of the schema is in an output")
def _() -> None:
    shown = [*tc(NEWQDISC).values(), *tc(NEWTCLASS).values()]
    of_tc = {name for path in keys(shown) for name in path}
    of_codelstat = {name for path in keys(lists() + tops()) for name in path}
    all_of_them = {name for name, _part in members(SCHEMA["$defs"])}
    check("in no output", all_of_them - of_codelstat - (of_tc - UNSEEN), UNSEEN)
    check("only in tc", of_tc - of_codelstat - UNSEEN, set())
    added = {name for name in of_codelstat - of_tc}
    defined = {
        name
        for part in (
            "list",
            "top",
            "device",
            "shared_link",
            "change",
            "codelstat_qdisc",
            "codelstat_flow",
        )  # fmt: skip
        for name, _part in members(SCHEMA["$defs"][part])
    }
    # fakekernel.so shows roots
    check("added by codelstat", added - defined, {"parent"} - of_tc)


# Absent if 0, off, unknown, or of another module
OPTIONAL = {
    "above", "answers", "bottleneck", "bytes_per_second", "ce_mark", "ce_threshold",
    "ce_threshold_mask", "ce_threshold_selector", "change", "delay", "dport", "drop_batch",
    "drop_next", "drop_overmemory", "dropping", "dst", "ecn", "far", "flow", "interval_effective",
    "ip_proto", "link", "memory_used", "shared", "sport", "src", "target_effective", "tuple",
    "wire_bytes",
}  # fmt: skip


def small(value: Any) -> Any:
    """With one bucket of each histogram."""
    if isinstance(value, list):
        return [small(v) for v in value]
    if isinstance(value, dict):
        return {k: small(v[:1] if k == "buckets" else v) for k, v in value.items()}
    return value


def documents() -> list[tuple[str, Object]]:
    """One object of each kind, small, because the validator is slow."""
    (line, *_more), (top, *_others) = small(lists()), small(tops())
    of_kind = {(q["kind"], q["module"]): q for q in line["qdiscs"]}
    of_tc = {q["kind"]: q for q in small(list(tc(NEWQDISC).values()))}
    found = [("codelstat_qdisc", q) for q in of_kind.values()]
    found += [("tc_qdisc", q) for q in of_tc.values()]
    found += [("device", line["devices"][0]), ("codelstat_flow", top["flows"][0])]
    found += [("shared_link", line["links"][0])]
    empty = {"qdiscs": [], "devices": [], "links": []}
    found += [("list", line | empty), ("top", top | {"flows": []})]
    return found


@case("a member that is renamed is not valid, nor is an object without it")
def _() -> None:
    tried = 0
    for definition, document in documents():
        checks = validator(definition)
        assert checks.is_valid(document), definition
        for path in sorted(keys(document)):
            if definition == "top" and len(path) > 1:
                continue
            changed = copy.deepcopy(document)
            found = owner(changed, path)
            assert found is not None, path
            value = found.pop(path[-1])
            if path[-1] not in OPTIONAL | UNSEEN:
                assert not checks.is_valid(changed), f"{definition} without {path}"
            found[f"{path[-1]}_"] = value
            assert not checks.is_valid(changed), f"{definition} with {path} renamed"
            tried += 1
    assert tried > 400, tried


if __name__ == "__main__":
    main()
