# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""For each line of standard input: sends 20,000 packets, prints how long one took.

In ns, which are instructions only in virtual time: the median of 200 groups, as the timer's
ticks and other tasks are no packet's.
"""

import socket
import statistics
import sys
import time

GROUPS = 200
PACKETS = 100
DATA = bytes(1000)


def group(sock: socket.socket) -> int:
    begin = time.monotonic_ns()
    for _ in range(PACKETS):
        sock.send(DATA)
    return time.monotonic_ns() - begin


sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
sender.bind(("10.0.0.1", 6000))
sender.connect(("10.0.0.9", 5000))
for _ in sys.stdin:
    print(round(statistics.median(group(sender) for _ in range(GROUPS)) / PACKETS))
