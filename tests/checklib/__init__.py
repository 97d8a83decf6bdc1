# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The parts of tests/check, one concern per file."""
