#!/usr/bin/python3 -ES
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The command of trafficlib/probe.py, which Python compiles only once as it is not the main program."""

from trafficlib import probe

probe.main()
