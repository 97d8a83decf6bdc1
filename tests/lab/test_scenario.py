#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# check: all
"""Whether scenarios are read, checked, planned, run and kept as they should be: without a machine."""

from __future__ import annotations

import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "lab"), str(TOP / "vm")]
sys.dont_write_bytecode = True

from unit import cases  # noqa: E402
from unit import (
    test_course,
    test_errors,
    test_estimates,
    test_lines,
    test_plans,
    test_red,
)  # noqa: E402, F401
from unit import test_command, test_loop, test_measure, test_tables  # noqa: E402, F401
from unit import test_units, test_work  # noqa: E402, F401

if __name__ == "__main__":
    cases.main()
