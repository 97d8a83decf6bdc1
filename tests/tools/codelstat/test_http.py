#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
"""Malicious and broken clients of `codelstat export`, each with a time limit."""

from __future__ import annotations

import random
import re
import socket
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path

from cases import CODELSTAT, RECORDING, TOP, case, check, main
from exporter import Answer, Exporter, read_all
from recordings import codel_oot, link, recording

REQUEST = b"GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n"
CONNECTIONS, CLOSING, FILES = 32, 16, 64  # as in http.h
REQUEST_MEMORY, IDLE_SECONDS = 16384, 5
BODIES, SHARED_SECONDS = 3, 1.0
QDISCS = 2000
UNIT = TOP / "debian/codel-oot-tools.codelstat-export.service"
PROMPT = 1.0  # seconds in which an honest client is served


def is_prompt(exporter: Exporter) -> None:
    began = time.monotonic()
    check("an honest client", exporter.get().status, 200)
    took = time.monotonic() - began
    assert took < PROMPT, f"an honest client waited for {took:.1f} s"


def closed_after(sock: socket.socket) -> float:
    """Seconds until the other end closes, with or without an answer."""
    began = time.monotonic()
    sock.settimeout(20)
    try:
        read_all(sock)
    except ConnectionResetError:
        pass
    return time.monotonic() - began


def open_files(exporter: Exporter, expected: int) -> None:
    """No memory is used for closed connections."""
    end = time.monotonic() + 5
    while exporter.open_files() != expected and time.monotonic() < end:
        time.sleep(0.05)
    check("open files", exporter.open_files(), expected)


@case("a head is refused once it is too long")
def too_long() -> None:
    start = b"GET / HTTP/1.1\r\nHost: a\r\nA: "
    with Exporter() as exporter:
        for head in (b"GET /" + b"a" * REQUEST_MEMORY, start + b"b" * REQUEST_MEMORY):
            try:
                status = exporter.ask(head + b"\r\n\r\n").status
            except ConnectionResetError:
                continue  # it closes although not all is read: the answer may be lost
            assert status in (413, 414, 431), f"status {status}"
        fits = start + b"b" * (REQUEST_MEMORY // 2) + b"\r\n\r\n"
        check("half as long", exporter.ask(fits).status, 200)
        is_prompt(exporter)


@case("what is sent without an end is not read without an end")
def endless() -> None:
    with Exporter() as exporter, exporter.connect(2) as sock:
        sent, began = 0, time.monotonic()
        try:
            while time.monotonic() < began + 20:
                sent += sock.send(b"A" * 65536)
        except (ConnectionError, TimeoutError):
            pass
        took = time.monotonic() - began
        assert took < 10, f"it took {took:.1f} s"
        is_prompt(exporter)


@case("a client that sends nothing is cut off after five seconds")
def silent() -> None:
    with Exporter() as exporter:
        files = exporter.open_files()
        with exporter.connect() as sock:
            took = closed_after(sock)
        assert IDLE_SECONDS - 1 < took < IDLE_SECONDS + 2, f"after {took:.1f} s"
        open_files(exporter, files)


@case("clients that send a byte at a time do not keep other clients out")
def dripping() -> None:
    with Exporter() as exporter, ExitStack() as stack:
        files = exporter.open_files()
        count = CONNECTIONS + CLOSING
        socks = [stack.enter_context(exporter.connect()) for _ in range(count)]
        for byte in REQUEST[: 2 * IDLE_SECONDS]:
            for sock in socks:
                try:
                    sock.sendall(bytes([byte]))
                except ConnectionError:
                    pass  # this one made room
            time.sleep(1)
            is_prompt(exporter)
        held = exporter.open_files() - files
        assert CONNECTIONS - 2 * IDLE_SECONDS <= held <= CONNECTIONS, f"{held} are held"


@case("idle connections do not block other clients, and are closed")
def many() -> None:
    with Exporter() as exporter, ExitStack() as stack:
        files = exporter.open_files()
        socks = [stack.enter_context(exporter.connect()) for _ in range(200)]
        for sock in socks[::3]:
            sock.sendall(b"GET /metrics HTTP/1.1\r\n")
        is_prompt(exporter)
        with exporter.connect() as late:
            for _ in range(CONNECTIONS // 2):
                socks.append(stack.enter_context(exporter.connect()))
            late.sendall(REQUEST)
            check("the oldest makes room, not the last", Answer(read_all(late)).status, 200)
        assert exporter.open_files() <= files + CONNECTIONS + CLOSING, "more than there is room for"
        for sock in socks:
            assert closed_after(sock) < IDLE_SECONDS + 2
        open_files(exporter, files)


@case("a client that closes its half is answered, or forgotten")
def half_closed() -> None:
    with Exporter() as exporter:
        files = exporter.open_files()
        with exporter.connect() as sock:
            sock.sendall(REQUEST)
            sock.shutdown(socket.SHUT_WR)
            check("asked first", Answer(read_all(sock)).status, 200)
        with exporter.connect() as sock:
            sock.sendall(b"GET /metrics HT")
            sock.shutdown(socket.SHUT_WR)
            assert closed_after(sock) < 1
        for _ in range(50):
            exporter.connect().close()
        open_files(exporter, files)


@case("an answer arrives whole although the client goes on sending")
def talks_on() -> None:
    with Exporter() as exporter:
        expected = len(exporter.get("/").body)
        for _ in range(20):
            answer = exporter.ask(REQUEST.replace(b"/metrics", b"/") + b"x" * 100000)
            check("length", len(answer.body), expected)


@case("clients that do not read their answer do not keep other clients out, and are let go")
def does_not_read() -> None:
    with Exporter("--buckets", "8") as exporter, ExitStack() as stack:
        files = exporter.open_files()
        for _ in range(2 * CONNECTIONS):
            sock = stack.enter_context(socket.socket())
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
            sock.connect((exporter.host, exporter.port))
            sock.sendall(REQUEST)
        is_prompt(exporter)
        time.sleep(IDLE_SECONDS)
        open_files(exporter, files)


def many_qdiscs() -> bytes:
    numbers = range(1, QDISCS + 1)
    return b"".join(link(n, b"eth%d" % n) + codel_oot(n, 0x100000, b"", 9) for n in numbers)


def high_water(exporter: Exporter) -> int:
    """The most memory that it had at a time, bytes."""
    status = Path(f"/proc/{exporter.process.pid}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) * 1024


def asks_slowly(exporter: Exporter, stack: ExitStack) -> socket.socket:
    """A client that has begun to get its answer, and reads no more of it."""
    sock = stack.enter_context(socket.socket())
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
    sock.connect((exporter.host, exporter.port))
    sock.sendall(REQUEST)
    check("it begins", sock.recv(8), b"HTTP/1.1")
    return sock


def check_whole(sock: socket.socket, body: int) -> None:
    """The client reads the rest of its answer, now as fast as it can."""
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
    sock.settimeout(10)
    check("the whole answer", len(read_all(sock).partition(b"\r\n\r\n")[2]), body)


@case(f"{CONNECTIONS} slow clients who ask within a second share one answer of {QDISCS} qdiscs")
def one_body() -> None:
    with recording(many_qdiscs(), 9) as path, Exporter(replay=path) as exporter:
        body = [len(exporter.get().body) for _ in range(8)][-1]  # with all its snapshots
        alone = high_water(exporter)
        with ExitStack() as stack:
            began = time.monotonic()
            slow = [asks_slowly(exporter, stack) for _ in range(CONNECTIONS)]
            more = int((time.monotonic() - began) / SHARED_SECONDS)
            most = high_water(exporter)
            check_whole(slow[-1], body)
            # On a busy host, the first one may have been closed for being idle
            if time.monotonic() - began < IDLE_SECONDS / 2:
                check_whole(slow[0], body)
    print(f"# {body} bytes; {alone >> 10} KiB with one client, {most >> 10} KiB with {CONNECTIONS}")
    bound = alone + min(more, BODIES) * body + CONNECTIONS * 2 * REQUEST_MEMORY
    assert most <= bound, f"{most} bytes, more than {bound}"


@case(f"clients who ask for a new answer all the time keep {BODIES} of them in memory")
def few_bodies() -> None:
    with recording(many_qdiscs(), 9) as path, Exporter(replay=path) as exporter:
        body = [len(exporter.get().body) for _ in range(8)][-1]  # with all its snapshots
        alone = high_water(exporter)
        with ExitStack() as stack:
            for _ in range(3 * BODIES):
                slow = asks_slowly(exporter, stack)
                time.sleep(SHARED_SECONDS)
            most = high_water(exporter)
            assert exporter.get().status == 200
            slow.settimeout(10)
            length = len(read_all(slow))
    print(f"# {body} bytes; {alone >> 10} KiB with one client, {most >> 10} KiB in the end")
    bound = alone + BODIES * body + CONNECTIONS * 2 * REQUEST_MEMORY
    assert most <= bound, f"{most} bytes, more than {bound}"
    assert length > body, f"the youngest got {length} bytes of {body}"
    (limit,) = re.findall(r"^MemoryMax=(\d+)M$", UNIT.read_text(), re.M)
    assert most < int(limit) << 19, f"{most} bytes, more than half of the unit's limit"


@case("without descriptors for all connections it does not start, and says why")
def few_descriptors() -> None:
    for limit in (8, FILES - 1, FILES):
        argv = ["prlimit", f"--nofile={limit}", CODELSTAT, "export", "--replay", RECORDING,
                "--listen", "127.0.0.1:0"]  # fmt: skip
        with subprocess.Popen(argv, stderr=subprocess.PIPE, text=True) as process:
            assert process.stderr
            said = process.stderr.readline()
            if limit == FILES:
                assert said.startswith("codelstat: serving"), said
                process.terminate()
            else:
                assert f"it needs {FILES} descriptors" in said, said
            rest = process.stderr.read()
            status = 0 if limit == FILES else 3
            check(f"with {limit}, after '{said}'", (process.wait(5), rest), (status, ""))


@case("noise is answered with an error or not at all, and does no harm")
def noise() -> None:
    rng = random.Random(8289)
    words = [b"GET", b" ", b"/", b"/metrics", b"HTTP/1.1", b"\r\n", b"\n", b"\r", b"\0", b"http://",
             b"Accept:", b"application/openmetrics-text", b";q=", b",", b"1e999", b"\xff" * 9]  # fmt: skip
    with Exporter() as exporter:
        files = exporter.open_files()
        for _ in range(400):
            raw = b"".join(rng.choices(words, k=rng.randrange(1, 30))) + b"\r\n\r\n"
            with exporter.connect() as sock:
                sock.sendall(raw)
                sock.shutdown(socket.SHUT_WR)
                status = Answer(read_all(sock)).status
            assert status in (0, 200, 400, 404, 405, 505), f"{status}: {raw!r}"
        is_prompt(exporter)
        open_files(exporter, files)
        status = Path(f"/proc/{exporter.process.pid}/status").read_text()
        assert int(status.split("VmRSS:")[1].split()[0]) < 20000, "memory grows"


if __name__ == "__main__":
    main()
