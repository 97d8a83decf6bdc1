#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# check: all
"""codelctl without a machine: settings, framing, numbers of a shaper, commands, what undo can restore."""

from __future__ import annotations

import sys

sys.dont_write_bytecode = True

import cases  # noqa: E402
import test_cake, test_classes, test_completion, test_config, test_doctor, test_install, test_measure, test_picture, test_plan, test_present, test_restore, test_service, test_shaper, test_values  # noqa: E401, E402, F401

if __name__ == "__main__":
    cases.main()
