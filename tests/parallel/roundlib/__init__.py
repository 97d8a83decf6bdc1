# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""A round on several processors: tests/parallel/README.md."""
