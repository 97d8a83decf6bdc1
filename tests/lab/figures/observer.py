# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""What the meter itself does to the results, in a clock that counts instructions."""

from __future__ import annotations

from . import plain
from .papers import HERE
from .results import Results
from .tables import Table
from .verdict import Bounds, Target

NAME = "observer"
READS = NAME
TITLE = "What measuring costs"
SOURCE = HERE
CLAIM = """A clock that counts instructions runs on while the meter works. The same runs with the meter and without it
show what it moves."""
FOLLOWS = ""

BOUNDS: Bounds = {}
CHECK: Bounds = {}


def targets(_results: Results, _bounds: Bounds = BOUNDS) -> list[Target]:
    return []


def table(results: Results) -> list[Table]:
    return plain.table(results)
