# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""What the tests of codelctl share: the path of its library, and the functions of tests/ktap."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Callable

TOP = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(TOP / "codelctl"))
sys.path.append(str(TOP / "tests" / "ktap"))

from codelctllib.errors import Refusal  # noqa: E402
from ktap import case, check, main  # noqa: E402, F401


def refused(what: str, test: Callable[[], object], *words: str) -> None:
    """The call is refused, with a message that contains these words."""
    try:
        found = test()
    except Refusal as error:
        missing = [word for word in words if word not in str(error)]
        assert not missing, f"{what}: {str(error)!r} does not contain {missing}"
        return
    raise AssertionError(f"{what}: was accepted: {found!r}")
