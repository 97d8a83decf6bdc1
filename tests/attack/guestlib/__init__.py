# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""In the machine: what the programs that attack share."""
