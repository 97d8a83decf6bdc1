# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The two ways in which codelctl ends without success."""

from __future__ import annotations


class Refusal(Exception):
    """A value or a link is not acceptable; nothing was changed. Status 2."""


class Failure(Exception):
    """A command failed. The message states how the link was left. Status 1."""
