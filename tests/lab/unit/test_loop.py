# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The traffic's loop, with a clock that steps by one for each look at it."""

from __future__ import annotations

import sys
from itertools import count
from unittest import mock

from .cases import LAB, case, same

sys.path.append(str(LAB / "guest"))

from traffic import loop as module  # noqa: E402


class NoEvents:
    """An epoll that never has any, and does not wait."""

    def register(self, *_: object) -> None:
        pass

    poll = mock.Mock(return_value=[])
    close = register


def called(until: int) -> list[str]:
    """The calls of two timers at the last instant and one after it."""
    found: list[str] = []
    clock = count()
    with mock.patch.object(module.select, "epoll", NoEvents):
        loop = module.Loop(0)
        for time, name in ((until, "first"), (until, "second"), (until + 1000, "later")):
            loop.at(time, found.append, name)
        with mock.patch.object(module, "monotonic_ns", lambda: next(clock)):
            loop._run(until)
        loop.close()
    return found


@case("loop: the timers of the last instant are called, wherever the clock is looked at")
def last_instant() -> None:
    for until in range(2, 42):
        same(f"until {until}", called(until), ["first", "second"])
