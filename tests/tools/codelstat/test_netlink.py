#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
"""In a network namespace of its own, without qdiscs: there is nothing to record; and the root of a container
sends messages to an exporter that looks into the container."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

from cases import CODELSTAT, Skip, case, check, codelstat, main
from recordings import DONE, link, message, qdisc

UNSHARE = ["unshare", "--map-root-user", "--net"]
INSIDE = "--inside"  # this script was started again, in a namespace of its own


def forged(sequence: int) -> bytes:
    """A whole answer: a device, its qdisc with handle bad:, and the end."""
    return (
        link(77, b"forged0", sequence)
        + qdisc(77, 0xBAD0000, sequence=sequence)
        + message(DONE, bytes(4), sequence)
    )


def ports() -> list[int]:
    """Addresses of all sockets of rtnetlink here: the exporter's."""
    rows = [line.split() for line in Path("/proc/net/netlink").read_text().splitlines()[1:]]
    return [int(row[2]) for row in rows if row[1] == "0" and row[2] != "0"]


def attack() -> int:
    """Answers before they are asked for; returns how many sockets took them."""
    taken = 0
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as sock:
        for port in ports():
            try:
                for sequence in range(1, 9):
                    sock.sendto(forged(sequence), (port, 0))
                taken += 1
            except ConnectionRefusedError:
                pass
    return taken


@case("record without qdiscs fails, creates no file, and leaves one that is there as it is")
def nothing_to_record() -> None:
    if INSIDE not in sys.argv:
        raise Skip("no user namespace can be made here")
    with tempfile.TemporaryDirectory() as folder:
        new, old = Path(folder) / "new.rec", Path(folder) / "old.rec"
        old.write_text("old")
        for path in (new, old):
            for dev, reason in ((), "here"), (("lo",), "on lo"):
                error = codelstat("record", str(path), *dev, status=1).stderr
                check("said", error, f"codelstat: no codel or fq_codel qdisc {reason}\n")
        check("files", os.listdir(folder), ["old.rec"])
        check("the old one", old.read_text(), "old")
    check("standard output", codelstat("record", "-", status=1).stdout, "")


@case("the exporter takes no messages but the kernel's")
def hostile() -> None:
    if INSIDE not in sys.argv:
        raise Skip("no user namespace can be made here")
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    argv = [CODELSTAT, "export", "--listen", "127.0.0.1:0"]
    with subprocess.Popen(argv, stderr=subprocess.PIPE, text=True) as exporter:
        assert exporter.stderr
        url = re.search(r"http://\S+", exporter.stderr.readline())
        assert url, "it does not listen"
        check("sockets", len(ports()), 2)
        taken = attack()
        with urllib.request.urlopen(url[0], timeout=10) as answer:
            text = answer.read().decode()
        exporter.terminate()
    check("forged", [n for n in text.splitlines() if "bad:" in n or "forged0" in n], [])
    check("sockets that took them", taken, 0)


if __name__ == "__main__":
    if (
        INSIDE not in sys.argv
        and not subprocess.run([*UNSHARE, "true"], stderr=subprocess.DEVNULL).returncode
    ):
        os.execvp(UNSHARE[0], [*UNSHARE, sys.executable, __file__, INSIDE])
    main()
