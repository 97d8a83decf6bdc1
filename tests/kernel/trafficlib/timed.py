# SPDX-License-Identifier: GPL-2.0
"""A sender that times its packets to find its queue empty and forgotten.

    timed.py FROM_NAMESPACE SIZE SECONDS ADDRESS

Sends two packets of SIZE bytes at once; when both have arrived it waits, and again. Prints the largest
rate, in bit/s, that any of several waits achieved. Run in the receiver's namespace.
"""

from __future__ import annotations

import ctypes
import os
import socket
import sys
import time

PORT = 7100
WAITS_MS = (0.3, 0.9, 1.5, 2.1, 2.7, 3.3, 3.9)


def enter(namespace: str) -> None:
    with open(f"/run/netns/{namespace}", "rb") as file:
        if ctypes.CDLL(None, use_errno=True).setns(file.fileno(), 0):
            raise OSError(ctypes.get_errno(), f"setns {namespace}")


def rate(
    sender: socket.socket, receiver: socket.socket, size: int, seconds: float, wait: float
) -> float:
    payload = bytes(size - 28)
    start = time.monotonic()
    arrived = 0
    while time.monotonic() - start < seconds:
        sender.send(payload)
        sender.send(payload)
        for _ in range(2):
            try:
                arrived += len(receiver.recv(65536)) + 28
            except TimeoutError:  # dropped
                pass
        time.sleep(wait)
    return arrived * 8 / (time.monotonic() - start)


def main(namespace: str, size: int, seconds: float, address: str) -> None:
    receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    receiver.bind(("", PORT))
    receiver.settimeout(0.05)
    enter(namespace)
    sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sender.connect((address, PORT))
    os.nice(-10)
    rates = {wait: rate(sender, receiver, size, seconds, wait / 1e3) for wait in WAITS_MS}
    best = max(rates, key=rates.__getitem__)
    print(f"{rates[best]:.0f} {best}")


main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), sys.argv[4])
