# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""A Debian machine whose root is a folder of the host: made by apt, changed in a sandbox, booted in between."""
