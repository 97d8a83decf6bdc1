#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Compare two screens: they must have the same words, and numbers that are near each other.

Prints the lines that differ, and exits with 1 if a difference is too large. The same tree prints the same bytes on
every host, but an update of a package of the guest, its kernel for one, moves every packet of the virtual machine.
A number may differ by a half, and an integer by 10, because some count rare events. tc writes 32Kb for 32768b.
"""

from __future__ import annotations

import argparse
import re
import sys
from itertools import zip_longest
from pathlib import Path

NUMBER = re.compile(r"(\d+(?:\.\d+)?)([KM]?b\b)?")
FACTOR = {"": 1, "b": 1, "Kb": 1024, "Mb": 1024**2}
SHARE = 0.5
EVENTS = 10


def near(document: tuple[str, str], printed: tuple[str, str]) -> bool:
    expected, found = (float(digits) * FACTOR[unit] for digits, unit in (document, printed))
    slack = SHARE * expected
    return abs(expected - found) <= (slack if "." in document[0] else max(slack, EVENTS))


def alike(document: str, printed: str) -> bool:
    words = [NUMBER.sub("0", line).split() for line in (document, printed)]
    numbers = [NUMBER.findall(line) for line in (document, printed)]
    return words[0] == words[1] and all(map(near, *numbers))


def main(document: str, printed: str) -> int:
    status = 0
    lines = (Path(name).read_text().splitlines() for name in (document, printed))
    for shown, now in zip_longest(*lines, fillvalue=""):
        if shown != now:
            status |= not alike(shown, now)
            print(f"-{shown}\n+{now}{'' if alike(shown, now) else '    <- too far apart'}")
    return status


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("document", help="file with the screen of the document")
    parser.add_argument("printed", help="file with the screen that the command has printed")
    sys.exit(main(**vars(parser.parse_args())))
