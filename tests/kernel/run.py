#!/usr/bin/python3 -ES
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""run.py NAME ARGUMENT...: runs trafficlib/NAME.py, which Python compiles only once as it is not the main program."""

import sys
from importlib import import_module

sys.exit(import_module(f"trafficlib.{sys.argv[1]}").main(sys.argv[2:]))
