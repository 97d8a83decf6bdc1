# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Tests of the laboratory's host side, which need no machine."""
