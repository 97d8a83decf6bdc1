# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The report page: HTML of the figures' tables, targets and words."""
