#!/usr/bin/python3 -ES
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The command of trafficlib/fates.py, which Python compiles only once as it is not the main program."""

import sys

from trafficlib import fates

fates.main(sys.argv[1:])
