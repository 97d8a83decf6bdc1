# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""What Python has no call for, or not before 3.13."""

from __future__ import annotations

import ctypes
import os

_LIBC = ctypes.CDLL(None, use_errno=True)
_CLOCK_MONOTONIC = 1
_TFD_TIMER_ABSTIME = 1
_PR_SET_THP_DISABLE = 41
_NSEC = 1_000_000_000


def _checked(what: str, result: int) -> int:
    if result < 0:
        errno = ctypes.get_errno()
        raise OSError(errno, f"{what}: {os.strerror(errno)}")
    return result


def disable_huge_pages(disabled: bool) -> None:
    """Of this process."""
    _checked("prctl", _LIBC.prctl(_PR_SET_THP_DISABLE, int(disabled), 0, 0, 0))


class Timer:
    """A descriptor that becomes ready at a time: epoll's own time-out counts milliseconds."""

    def __init__(self) -> None:
        flags = os.O_NONBLOCK | os.O_CLOEXEC
        self.fd = _checked("timerfd_create", _LIBC.timerfd_create(_CLOCK_MONOTONIC, flags))
        self.due = 0
        self._spec = (ctypes.c_longlong * 4)()  # struct itimerspec: interval, value
        self._pointer = ctypes.c_void_p(ctypes.addressof(self._spec))

    def set(self, due: int) -> None:
        """At `due` of CLOCK_MONOTONIC; what it had told before is forgotten."""
        self.due = due
        self._spec[2], self._spec[3] = divmod(due, _NSEC)
        _LIBC.timerfd_settime(self.fd, _TFD_TIMER_ABSTIME, self._pointer, None)
