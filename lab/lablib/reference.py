# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""All keys of a scenario, as Markdown."""

from __future__ import annotations

import json
from typing import Any, Iterator

from . import schema
from .schema import Key, Keys


def written(key: Key) -> str:
    """A key's default."""
    if key.default is schema.REQUIRED:
        return "**must be given**"
    if key.default in (None, "", [], {}):
        return ""
    return f"`{json.dumps(key.default)}`"


def cell(text: str) -> str:
    return text.replace("|", "\\|")


def table(keys: Keys) -> Iterator[str]:
    yield "| key | is | default | means |"
    yield "|---|---|---|---|"
    for key in keys.values():
        yield f"| `{key.name}` | {cell(key.kind.word)} | {written(key)} | {cell(key.help)} |"


def section(title: str, keys: Keys, text: str = "") -> Iterator[str]:
    yield f"### {title}\n"
    if text:
        yield f"{text}\n"
    yield from table(keys)
    yield ""


def lines() -> Iterator[Any]:
    yield from section("At the top", schema.TOP)
    yield "| table | holds |\n|---|---|"
    yield from (f"| `[{name}]` | {help} |" for name, help in schema.TABLES.items())
    yield ""
    yield from section(
        "[link.NAME], [link.NAME.up] and [link.NAME.down]",
        {**schema.WAY, **schema.LINK},
        "What stands in `[link.NAME]` holds for both directions, but for what `up` (along the "
        "chain of nodes) and `down` (against it) have of their own. `mtu` is always both's.",
    )
    yield from section("[host.NAME]", schema.HOST)
    yield from section("[qdiscs] NAME = { ... }", schema.QDISC)
    yield from section("[traffic.NAME]", schema.ITEM, "Of every kind:")
    for kind, (help, keys) in schema.TRAFFIC.items():
        yield from section(f'kind = "{kind}"', keys, help)
