# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Traffic from every processor. Each function works until its time is over, whatever happens to the link."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import time
from pathlib import Path
from random import Random

from . import place

PORT = 5000
UDP_SEGMENT, SO_PRIORITY, SO_TIMESTAMP = 103, socket.SO_PRIORITY, 29
SIZES = (18, 200, 1000, 1472)
PKTGEN = "/proc/net/pktgen"
BURST = 1000  # packets of pktgen at a time


def over(end: float) -> bool:
    return time.monotonic() >= end


def ignore(send, *arguments) -> None:  # type: ignore[no-untyped-def] # any call of a socket
    """A link that is down, a full queue: all is expected, and nothing may spin."""
    try:
        send(*arguments)
    except OSError:
        time.sleep(0.001)


def udp(end: float, seed: int) -> None:
    """Many flows and sizes, a tenth of them super-packets, with all priorities."""
    rng = Random(seed)
    sockets = []
    for number in range(40):
        sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        sock.setblocking(False)
        sock.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, rng.randrange(256))
        sock.setsockopt(socket.SOL_SOCKET, SO_PRIORITY, rng.choice((0, 2, 4, 6)))
        if number % 10 == 0:
            sock.setsockopt(socket.IPPROTO_UDP, UDP_SEGMENT, 1200)
        sockets.append(sock)
    data = bytes(40000)
    while not over(end):
        for number, sock in enumerate(sockets):
            size = rng.choice((1200, 12000, 40000)) if number % 10 == 0 else rng.choice(SIZES)
            ignore(sock.sendto, data[:size], (place.ADDRESS[place.B], PORT))


def tcp_serve(end: float) -> None:
    listener = socket.create_server(("", PORT), backlog=100)
    listener.settimeout(0.2)
    readers: list[socket.socket] = []
    while not over(end):
        try:
            sock, _ = listener.accept()
            sock.setblocking(False)
            readers.append(sock)
        except OSError:
            pass
        for sock in readers:
            ignore(sock.recv, 1 << 20)
        readers = readers[-20:]


def tcp(end: float, seed: int) -> None:
    """One connection after another, each for a moment; closed with a reset, so that nothing is sent later."""
    rng = Random(seed)
    while not over(end):
        with socket.socket() as sock:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            sock.settimeout(0.5)
            until = time.monotonic() + rng.uniform(0.1, 3)
            try:
                sock.connect((place.ADDRESS[place.B], PORT))
                while not over(min(end, until)):
                    sock.send(bytes(60000))
            except OSError:
                time.sleep(0.01)


def ping(end: float) -> None:
    while not over(end):
        left = max(1, int(end - time.monotonic()))
        argv = ["ping", "-q", "-n", "-f", "-s", "600", "-w", str(left), place.ADDRESS[place.B]]
        subprocess.run(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(0.05)


def write(name: str, text: str) -> None:
    with open(f"{PKTGEN}/{name}", "w", encoding="ascii") as file:
        file.write(text)


def pktgen_add(device: str, number: int, *options: str) -> None:
    """A sender of pktgen on a processor. The link has to be up: pktgen refuses one that is not."""
    name = f"{device}@{number}"
    write(f"kpktgend_{number}", f"add_device {name}")
    for option in ("clone_skb 0", "delay 0", "xmit_mode queue_xmit", "flag UDPSRC_RND", *options):
        try:
            write(name, option)
        except OSError as error:
            raise RuntimeError(f"pktgen: {option}: {error}") from error


def pktgen_prepare(processors: int) -> None:
    """A device for each processor."""
    for number in range(processors):
        pktgen_add(
            place.DEVICE[place.A], number,
            f"count {BURST}", "burst 1", "min_pkt_size 60", "max_pkt_size 1400", "udp_src_min 7000", "udp_src_max 7200",
            f"udp_dst_min {PORT + number}", f"udp_dst_max {PORT + number}",
            f"dst {place.ADDRESS[place.B]}", f"dst_mac {place.MAC[place.B]}",
        )  # fmt: skip


def pktgen_sent(processors: int) -> int:
    """Packets of the last burst."""
    texts = [Path(f"{PKTGEN}/x0@{number}").read_text() for number in range(processors)]
    return sum(int(re.findall(r"pkts-sofar: (\d+)", text)[0]) for text in texts)


def pktgen(end: float, processors: int) -> None:
    """Packets of pktgen, from all processors at once. A link that goes down ends a burst."""
    sent = 0
    while not over(end):
        write("pgctrl", "start\n")  # kernels before 7.2 take the last character for a newline
        sent += pktgen_sent(processors)
        time.sleep(0.1)
    for number in range(processors):
        write(f"kpktgend_{number}", "rem_device_all")
    if not sent:
        raise RuntimeError("pktgen has sent nothing")


def sink(end: float) -> None:
    """Reads what arrives. With time stamps, whose static key stays switched for the round."""
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sock.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMP, 1)
    sock.bind(("", PORT))
    sock.settimeout(0.2)
    while not over(end):
        ignore(sock.recv, 1 << 16)


def start(rng: Random, end: float, seconds: float) -> list[int]:
    """Processes of all traffic. To be called before anything disturbs the link."""
    processors = os.cpu_count() or 1
    place.call(lambda: pktgen_prepare(processors), place.A)
    # The readers go on for a moment, so that no reply reports a closed port
    late = end + 1
    found = [
        place.spawn("sink", lambda: sink(late), place.B, 0),
        place.spawn("tcp_serve", lambda: tcp_serve(late), place.B, 1),
        place.spawn("pktgen", lambda: pktgen(end - min(1, seconds / 4), processors), place.A, 0),
    ]
    for number in range(processors):
        seeds = rng.randrange(1 << 30), rng.randrange(1 << 30)
        found.append(place.spawn("udp", lambda s=seeds[0]: udp(end, s), place.A, number, nice=5))  # type: ignore[misc]
        found.append(place.spawn("tcp", lambda s=seeds[1]: tcp(end, s), place.A, number, nice=5))  # type: ignore[misc]
        found.append(place.spawn("ping", lambda: ping(end), place.A, number, nice=5))
    return found
