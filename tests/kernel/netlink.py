#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Sends qdisc requests with attributes that no tc would send.

netlink.py DEV KIND reads requests from standard input, a line each:

    VERB ATTRIBUTE...

VERB is create (as root, only if there is none), change or replace. An ATTRIBUTE is
one of TCA_OPTIONS:

    NUMBER=u32:VALUE  NUMBER=u8:VALUE  NUMBER=hex:BYTES  NUMBER=nest:ATTRIBUTE,...
    raw:BYTES  bytes that need not be an attribute

NUMBER may carry flags: 64N is 64 with NLA_F_NESTED. For every request a line of
JSON is printed: errno and message are the kernel's answer, at is the NUMBER of the
attribute that it blames (64.3 is attribute 3 in nest 64), and changed tells whether
the root qdisc is another one than before, or has other options.

netlink.py DEV dump prints the root qdisc: its kind, and TCA_OPTIONS as an object
of numbers and bytes.
"""

from __future__ import annotations

import errno
import json
import socket
import struct
import sys

from trafficlib.accounting import (
    HEADER,
    NLMSG_ERROR,
    TC_H_ROOT,
    TCA_KIND,
    TCMSG,
    attributes,
    qdiscs,
)

RTM_NEWQDISC = 36
NLM_F_REQUEST, NLM_F_ACK = 0x1, 0x4
NLM_F_REPLACE, NLM_F_EXCL, NLM_F_CREATE = 0x100, 0x200, 0x400
NLM_F_ACK_TLVS = 0x200
SOL_NETLINK, NETLINK_CAP_ACK, NETLINK_EXT_ACK = 270, 10, 11
NLMSGERR_ATTR_MSG, NLMSGERR_ATTR_OFFS = 1, 2
NLA_F_NESTED = 0x8000
TCA_OPTIONS = 2
HANDLE = 0x10000

VERBS = {
    "create": NLM_F_CREATE | NLM_F_EXCL,
    "change": 0,
    "replace": NLM_F_CREATE | NLM_F_REPLACE,
}


def attribute(number: int, payload: bytes) -> bytes:
    size = 4 + len(payload)
    return struct.pack("=HH", size, number) + payload + b"\0" * (-size % 4)


def encode(spec: str) -> bytes:
    """One ATTRIBUTE."""
    if spec.startswith("raw:"):
        return bytes.fromhex(spec[4:])
    name, _, value = spec.partition("=")
    kind, _, text = value.partition(":")
    number = int(name.rstrip("N")) | (NLA_F_NESTED if name.endswith("N") else 0)
    if kind == "u32":
        return attribute(number, struct.pack("=L", int(text)))
    if kind == "u8":
        return attribute(number, struct.pack("=B", int(text)))
    if kind == "hex":
        return attribute(number, bytes.fromhex(text))
    if kind == "nest":
        return attribute(number, b"".join(encode(s) for s in text.split(",") if s))
    raise ValueError(f"attribute '{spec}'")


class Netlink:
    """Requests for one device."""

    def __init__(self, device: str) -> None:
        self.index = socket.if_nametoindex(device)
        self.socket = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
        for option in (NETLINK_CAP_ACK, NETLINK_EXT_ACK):
            self.socket.setsockopt(SOL_NETLINK, option, 1)

    def dump(self) -> tuple[str, bytes]:
        """Kind and TCA_OPTIONS of the root qdisc."""
        for message in qdiscs(self.index):
            _, _, _, parent, _ = TCMSG.unpack_from(message)
            if parent == TC_H_ROOT:
                tb = attributes(message[TCMSG.size :])
                return tb[TCA_KIND].rstrip(b"\0").decode(), tb.get(TCA_OPTIONS, b"")
        return "", b""

    def ask(self, message: int, flags: int, body: bytes) -> tuple[str, dict[int, bytes]]:
        """Sends one request; the name of the error ("" for none), and what the kernel says about it."""
        flags |= NLM_F_REQUEST | NLM_F_ACK
        self.socket.send(HEADER.pack(HEADER.size + len(body), message, flags, 1, 0) + body)
        answer = self.socket.recv(1 << 16)
        _, kind, flags, _, _ = HEADER.unpack_from(answer)
        assert kind == NLMSG_ERROR
        data = answer[HEADER.size :]
        number = -struct.unpack_from("=i", data)[0]
        tlvs = attributes(data[20:]) if flags & NLM_F_ACK_TLVS else {}
        return errno.errorcode.get(number, str(number)) if number else "", tlvs

    def request(self, qdisc: str, verb: str, specs: list[str]) -> dict[str, object]:
        """Asks for a root qdisc; returns the kernel's answer."""
        parts = [encode(spec) for spec in specs]
        head = attribute(TCA_KIND, qdisc.encode() + b"\0")
        payload = head + attribute(TCA_OPTIONS, b"".join(parts))
        body = TCMSG.pack(0, self.index, HANDLE, TC_H_ROOT, 0) + payload
        error, tlvs = self.ask(RTM_NEWQDISC, VERBS[verb], body)
        first = HEADER.size + TCMSG.size + len(head) + 4
        return {
            "errno": error or 0,
            "message": tlvs.get(NLMSGERR_ATTR_MSG, b"").rstrip(b"\0").decode(),
            "at": blamed(tlvs.get(NLMSGERR_ATTR_OFFS), first, specs, parts),
        }


def blamed(offset: bytes | None, first: int, specs: list[str], parts: list[bytes]) -> str | None:
    """The NUMBER of the attribute at an offset into the request."""
    if offset is None:
        return None
    at = struct.unpack("=L", offset)[0]
    if at == first - 4:
        return "options"
    for spec, part in zip(specs, parts):
        name, _, value = spec.partition("=")
        number = name.rstrip("N")
        if at == first:
            return number
        if value.startswith("nest:") and first < at < first + len(part):
            inner = value.removeprefix("nest:").split(",")
            found = blamed(offset, first + 4, inner, [encode(spec) for spec in inner])
            return f"{number}.{found}"
        first += len(part)
    return f"offset {at}"


def serve(link: Netlink, qdisc: str) -> None:
    for line in sys.stdin:
        fields = line.split()
        if not fields:
            continue
        before = link.dump()
        answer = link.request(qdisc, fields[0], fields[1:])
        answer["changed"] = link.dump() != before
        print(json.dumps({"request": line.strip(), **answer}), flush=True)


def main(argv: list[str]) -> None:
    link = Netlink(argv[0])
    if argv[1] != "dump":
        serve(link, argv[1])
        return
    kind, options = link.dump()
    values = {str(n): data.hex() for n, data in attributes(options).items()}
    print(json.dumps({"kind": kind, "options": values}))


if __name__ == "__main__":
    main(sys.argv[1:])
