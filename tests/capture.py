#!/usr/bin/python3 -ES
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The command of trafficlib/capture.py, which Python compiles only once as it is not the main program."""

import sys

from trafficlib import capture

capture.command(sys.argv[1])
