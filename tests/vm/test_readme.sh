#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The screens of README and doc/statistics.md are what a machine prints: screens.py. out/demo.json and out/demo.png are those of
# `make demo`.
exec /usr/bin/python3 -B "$(dirname "$0")/screens.py"
