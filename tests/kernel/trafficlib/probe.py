# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Hands counted packets to a device and reads its queues; the other end of probe.sh.

It is one process for a whole case because a test that looks after every step looks often: starting
jq or Python for each would take longer than what is tested. It reads a command a line and answers
each with one line:

    send DEV COUNT [size=N] [prio=M:N] [flow=N] [flows=N]    frames of N bytes; their number
    agree DEV [held=M:,N]                          what is wrong, or an empty line
    get DEV HANDLE FIELD...                        of a qdisc, from tc -j -s; a.b for nested fields. A
                                                   field that tc leaves out is an error, but where
                                                   FIELD=VALUE has a value for it
    class DEV CLASSID FIELD...                     of a class: qlen backlog drops deficit count ...
    classes DEV                                    CLASSID,QLEN,BACKLOG of each that has packets
    tx DEV                                         frames that the device was given
    charged                                        memory of the frames of send that are not free yet, bytes
    flood DEV RATE [as for send]                   RATE frames a second from now on
    calm                                           end of the flood; the number of its frames
    listen DEV                                     from now on take down what arrives there
    heard [flow=N]                                 frames of send that did, and how many of them
                                                   after one that was sent later

A frame is UDP over IPv4 to a host that is not there. prio is what SO_PRIORITY sets, and so the class
for a qdisc that has the handle M:; flow is the source port's offset, which a flow's hash depends on.
Either can be given more than once, and flows=N stands for the flows 0 to N-1: the frames take turns.
"""

from __future__ import annotations

import fcntl
import json
import socket
import struct
import subprocess
import sys
import termios
import threading
import time
from functools import cache
from typing import Any

from . import accounting

SO_SNDBUFFORCE = 32
SO_RCVBUFFORCE = 33
ETH_P_IP = 0x0800
ENDLESS = 1 << 30  # packets in a queue must not block the sender
ETHERNET = bytes.fromhex("020000000001 020000000002 0800")
HEADERS = 14 + 20 + 8
PORT = 9  # discard

FIVE = struct.Struct("=IIIII")
FLOW_XSTATS = struct.pack("=I", 1)  # TCA_FQ_CODEL_XSTATS_CLASS

Table = list[dict[str, Any]]


# ---- sending ------------------------------------------------------------------------------------


def checksum(header: bytes) -> int:
    total = sum(struct.unpack(f"!{len(header) // 2}H", header))
    total = (total & 0xFFFF) + (total >> 16)
    return ~(total + (total >> 16)) & 0xFFFF


@cache
def frame(size: int, flow: int) -> bytes:
    length = max(size, HEADERS) - 14
    fields = [0x45, 0, length, 0, 0, 64, 17, 0]
    addresses = socket.inet_aton("10.9.3.1") + socket.inet_aton("10.9.3.2")
    fields[7] = checksum(struct.pack("!BBHHHBBH", *fields) + addresses)
    ip = struct.pack("!BBHHHBBH", *fields) + addresses
    udp = struct.pack("!HHHH", 1024 + flow, PORT, length - 20, 0)
    return ETHERNET + ip + udp + bytes(length - 28)


senders: list[socket.socket] = []


@cache
def opened(dev: str, prio: int) -> socket.socket:
    sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
    sock.setsockopt(socket.SOL_SOCKET, SO_SNDBUFFORCE, ENDLESS)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_PRIORITY, prio)
    sock.bind((dev, 0))
    senders.append(sock)
    return sock


def transmit(sock: socket.socket, data: bytes) -> None:
    try:
        sock.send(data)
    except OSError:
        pass  # ENOBUFS: the queue dropped it; ENETDOWN: no qdisc counts it


def handle(text: str) -> int:
    major, _, minor = text.partition(":")
    return int(major or "0", 16) << 16 | int(minor or "0", 16)


def options(words: list[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for word in words:
        key, _, value = word.partition("=")
        found.setdefault(key, []).append(value)
    return found


def frames(dev: str, words: list[str]) -> list[tuple[socket.socket, bytes]]:
    """One frame for every pair of the priorities and flows that were asked for."""
    given = options(words)
    size = int(given.get("size", ["1000"])[0])
    flows = given.get("flow") or range(int(given.get("flows", ["1"])[0]))
    return [
        (opened(dev, handle(prio)), frame(size, int(flow)))
        for prio in given.get("prio", ["0:0"])
        for flow in flows
    ]


def send(dev: str, count: str, *words: str) -> str:
    turns = frames(dev, list(words))
    for number in range(int(count)):
        sock, data = turns[number % len(turns)]
        transmit(sock, data[:-4] + struct.pack("!I", number))
    return count


ears: list[socket.socket] = []


def listen(dev: str) -> str:
    sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_IP))
    sock.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, ENDLESS)
    sock.bind((dev, ETH_P_IP))
    sock.setblocking(False)
    ears.append(sock)
    return ""


def heard(*words: str) -> str:
    flow = options(list(words)).get("flow")
    port = struct.pack("!H", 1024 + int(flow[0])) if flow else b""
    count = late = 0
    last = -1
    while True:
        try:
            data = ears[-1].recv(65536)
        except BlockingIOError:
            return f"{count} {late}"
        if data[34:36] != (port or data[34:36]):
            continue
        (number,) = struct.unpack("!I", data[-4:])
        count += 1
        late += number < last
        last = max(last, number)


class Sender(threading.Thread):
    """Goes on beside the commands, until `calm`."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.stop = False
        self.sent = 0


class Flood(Sender):
    """At a rate of frames, which take turns."""

    def __init__(self, dev: str, rate: float, words: list[str]) -> None:
        super().__init__()
        self.turns = frames(dev, words)
        self.interval = len(self.turns) / rate

    def run(self) -> None:
        due = time.monotonic()
        while not self.stop:
            for sock, data in self.turns:
                transmit(sock, data)
            self.sent += len(self.turns)
            due = max(due + self.interval, time.monotonic() - 0.1)
            time.sleep(max(0.0, due - time.monotonic()))


running: list[Sender] = []


def flood(dev: str, rate: str, *words: str) -> str:
    running.append(Flood(dev, float(rate), list(words)))
    running[-1].start()
    return ""


def calm() -> str:
    sent = 0
    while running:
        one = running.pop()
        one.stop = True
        one.join()
        sent += one.sent
    return str(sent)


# ---- reading ------------------------------------------------------------------------------------


def fields(row: dict[str, Any], names: tuple[str, ...]) -> str:
    values = []
    for name in names:
        name, _, default = name.partition("=")
        value: Any = row
        for part in name.split("."):
            value = value.get(part) if isinstance(value, dict) else None
        if value is None and not default:
            raise LookupError(f"there is no {name}")
        values.append(default if value is None else json.dumps(value).strip('"'))
    return " ".join(values)


def get(dev: str, wanted: str, *names: str) -> str:
    command = ["tc", "-j", "-s", "qdisc", "show", "dev", dev]
    table: Table = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    rows = [row for row in table if row["handle"] == wanted]
    if not rows:
        raise LookupError(f"there is no qdisc {wanted} on {dev}")
    return fields(rows[0], names)


def class_row(tcmsg: bytes) -> dict[str, Any]:
    (classid,) = struct.unpack_from("=I", tcmsg, 8)
    tb = accounting.attributes(tcmsg[accounting.TCMSG.size :])
    stats = accounting.attributes(tb.get(accounting.TCA_STATS2, b""))
    row: dict[str, Any] = {"handle": f"{classid >> 16:x}:{classid & 0xFFFF:x}"}
    queue = stats.get(accounting.TCA_STATS_QUEUE, bytes(20))
    row |= zip(("qlen", "backlog", "drops", "requeues", "overlimits"), FIVE.unpack(queue))
    app = stats.get(accounting.TCA_STATS_APP, b"")
    if len(app) >= 28 and app[:4] == FLOW_XSTATS:
        names = ("deficit", "ldelay", "count", "lastcount", "dropping", "drop_next")
        row |= zip(names, struct.unpack_from("=iIIIIi", app, 4))
    return row


def class_rows(dev: str) -> Table:
    """Not from tc, which does not print all classes as JSON before 6.2."""
    found = accounting.dump(accounting.RTM_GETTCLASS, socket.if_nametoindex(dev))
    return [class_row(message) for message in found]


def one_class(dev: str, wanted: str, *names: str) -> str:
    rows = [row for row in class_rows(dev) if row["handle"] == wanted]
    return fields(rows[0], names) if rows else "none"


def classes(dev: str) -> str:
    rows = [row for row in class_rows(dev) if row["qlen"]]
    return " ".join(f"{row['handle']},{row['qlen']},{row['backlog']}" for row in rows)


def tx(dev: str) -> str:
    command = ["ip", "-j", "-s", "link", "show", "dev", dev]
    link = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)[0]
    return str(link["stats64"]["tx"]["packets"])


def charged() -> str:
    """The kernel charges a socket for a packet until the packet is freed."""
    answers = (fcntl.ioctl(sock, termios.TIOCOUTQ, bytes(4)) for sock in senders)
    return str(sum(struct.unpack("i", answer)[0] for answer in answers))


def agree(dev: str, *words: str) -> str:
    """A dump is not atomic, but a real difference does not go away."""
    given = options(list(words))
    held: dict[int, accounting.Count] = {}
    for word in given.get("held", []):
        where, _, size = word.partition(",")
        held[handle(where)] = (1, int(size))
    index = socket.if_nametoindex(dev)
    for _ in range(accounting.FOREVER):
        shown = accounting.qdiscs(index)
        found = accounting.drifts(shown, held)
        if not found or ("maybe" in given and not accounting.drifts(shown, {})):
            return " ".join(accounting.faults())
    return " ".join(found)


COMMANDS = {
    "send": send,
    "flood": flood,
    "calm": calm,
    "listen": listen,
    "heard": heard,
    "agree": agree,
    "get": get,
    "class": one_class,
    "classes": classes,
    "tx": tx,
    "charged": charged,
}


def main(_words: list[str]) -> None:
    for line in sys.stdin:
        name, *words = line.split()
        try:
            answer = COMMANDS[name](*words)
        except Exception as error:  # report any exception to the test
            answer = f"error: {error}"
        print(answer, flush=True)
