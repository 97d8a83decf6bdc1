# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Tests of the figures, for test_targets.py: each gives (name, result, expected result)."""
