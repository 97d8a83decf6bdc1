#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Whether tc and the kernel accept the words of qdiscs.

    words.py WORDS RESULT

WORDS is a JSON list of tc's words for qdiscs, RESULT one of null or tc's message for each.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.dont_write_bytecode = True

import main  # noqa: E402
import network  # noqa: E402

DEVICE = "words"


def complaint(words: str) -> str | None:
    """tc's message on one line, without the command that it answers and without what tc says of its usage."""
    argv = ["tc", "qdisc", "add", "dev", DEVICE, "root", "handle", "1:", *words.split()]
    try:
        network.command(*argv)
    except network.Failure as error:
        said = str(error).removeprefix(f"{' '.join(argv)}: ").partition("Usage:")[0]
        return "; ".join(filter(None, map(str.strip, said.splitlines())))
    network.command("tc", "qdisc", "del", "dev", DEVICE, "root")
    return None


def check(every: list[str]) -> list[str | None]:
    main.load_qdiscs({words.split()[0] for words in every})
    network.command("ip", "link", "add", DEVICE, "type", "dummy")
    network.command("ip", "link", "set", DEVICE, "up")
    return [complaint(words) for words in every]


if __name__ == "__main__":
    Path(sys.argv[2]).write_text(json.dumps(check(json.loads(Path(sys.argv[1]).read_text()))))
