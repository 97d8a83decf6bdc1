# SPDX-License-Identifier: GPL-2.0
"""The parts of tests/vm/run, one concern per file."""
