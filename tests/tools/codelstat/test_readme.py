#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
"""The screens of codelstat in doc/statistics.md equal the output of codelstat for its recordings."""

from __future__ import annotations

import re

from cases import HERE, TOP, case, check, codelstat, main

BLOCK = re.compile(r"^```\n(.*?)^```$", re.M | re.S)
# A recording, and the first words of the line with which its screen begins there
SCREENS = (
    (("replay", "shaped.rec"), "2026-01-01 00:00:37, "),
    (("replay", "shared.rec"), "2026-01-01 00:00:06, "),
    (("replay", "far.rec"), "v0  fq_codel_oot   10M "),
    (("top", "r1", "--replay", "shaped.rec"), "r1  fq_codel_oot 10:  "),
    (("watch", "r1", "--replay", "steady.rec"), "r1  codel_oot 10:  htb "),
)


def printed(words: tuple[str, ...]) -> str:
    found = [str(HERE / w) if w.endswith(".rec") else w for w in words]
    return codelstat(*found, "--speed", "0").stdout.rstrip("\n")


def in_document(begin: str) -> list[str]:
    blocks = BLOCK.findall((TOP / "doc" / "statistics.md").read_text())
    return [b for b in blocks if b.startswith(begin)]


@case("each screen is in doc/statistics.md, once")
def present() -> None:
    for words, begin in SCREENS:
        check(f"screens of {' '.join(words)}", len(in_document(begin)), 1)


@case("the output of each ends as it does there")
def same() -> None:
    for words, begin in SCREENS:
        (screen,) = in_document(begin)
        shown = printed(words).splitlines()[-len(screen.splitlines()) :]
        check(" ".join(words), shown, screen.splitlines())


if __name__ == "__main__":
    main()
