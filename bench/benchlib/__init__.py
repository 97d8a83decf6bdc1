# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The host's side of the benchmark."""
