#!/usr/bin/python3 -ES
# SPDX-License-Identifier: GPL-2.0
"""The command of trafficlib/udp.py, which Python compiles only once as it is not the main program."""

import sys

from trafficlib import udp

udp.main(sys.argv[1:])
