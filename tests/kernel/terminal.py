#!/usr/bin/python3 -ES
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""terminal.py COMMAND...: becomes COMMAND, with a terminal of 24 lines as standard output.

What is written to it is thrown away, by a child: COMMAND's own process does nothing else.
"""

from __future__ import annotations

import os
import struct
import sys
import termios
from fcntl import ioctl


def drain(fd: int) -> None:
    try:
        while os.read(fd, 65536):
            pass
    except OSError:  # COMMAND has ended
        pass


def main(argv: list[str]) -> None:
    ours, terminal = os.openpty()
    ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    if os.fork():
        os.close(ours)
        os.dup2(terminal, 1)
        os.close(terminal)
        os.environ["TERM"] = "xterm"
        os.execvp(argv[0], argv)
    os.close(terminal)
    drain(ours)


if __name__ == "__main__":
    main(sys.argv[1:])
