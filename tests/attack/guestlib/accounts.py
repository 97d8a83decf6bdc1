#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Prints what devices.accounts() returns, about the namespace in which it runs."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "kernel"))

from trafficlib import accounting  # noqa: E402

faults = accounting.faults(tree=True)
qdiscs = accounting.read()
print(len(qdiscs), sum(one.queued[0] for one in qdiscs), *faults, sep="\n")
