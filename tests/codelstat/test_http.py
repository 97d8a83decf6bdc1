#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
"""Clients that mean harm to `codelstat export`, or know no better; each within a time."""

from __future__ import annotations

import os
import random
import re
import resource
import select
import socket
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path

from cases import CODELSTAT, RECORDING, case, check, main
from exporter import Answer, Exporter, read_all

REQUEST = b"GET /metrics HTTP/1.1\r\n\r\n"
CONNECTIONS, ANSWERS = 32, 8  # as in http.h
REQUEST_MAX, REQUEST_SECONDS, ANSWER_SECONDS = 8192, 5, 10
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
    """Nothing is kept of those who have gone."""
    end = time.monotonic() + 5
    while exporter.open_files() != expected and time.monotonic() < end:
        time.sleep(0.05)
    check("open files", exporter.open_files(), expected)


@case("a head without an end is refused once it is too long")
def too_long() -> None:
    with Exporter() as exporter:
        for start in (b"GET /" + b"a" * 9000, b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 2000):
            answer = exporter.ask(start)
            check("status", answer.status, 431)
        head = b"GET / HTTP/1.1\r\nA: "
        fits = head + b"b" * (REQUEST_MAX - len(head) - 4) + b"\r\n\r\n"
        check("the longest", exporter.ask(fits).status, 200)
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


@case("who sends nothing, or a byte at a time, is cut off after five seconds")
def slow() -> None:
    with Exporter() as exporter:
        files = exporter.open_files()
        with exporter.connect() as silent, exporter.connect() as dripping:
            began = time.monotonic()
            try:
                for byte in REQUEST * 10:
                    dripping.sendall(bytes([byte]) if byte not in b"\r\n" else b"x")
                    if select.select([dripping], [], [], 0.2)[0]:
                        break
            except ConnectionError:
                pass
            took = time.monotonic() - began
            assert REQUEST_SECONDS - 1 < took < REQUEST_SECONDS + 2, f"after {took:.1f} s"
            assert closed_after(silent) < 1
        open_files(exporter, files)


@case("idle connections keep nobody out, and are let go")
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
        assert exporter.open_files() <= files + CONNECTIONS, "more than there is room for"
        for sock in socks:
            assert closed_after(sock) < REQUEST_SECONDS + 2
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


@case("who does not read the answer is cut off after ten seconds, and keeps nobody out")
def does_not_read() -> None:
    with Exporter("--buckets", "8") as exporter, ExitStack() as stack:
        files = exporter.open_files()
        socks = []
        for _ in range(2 * ANSWERS):
            sock = stack.enter_context(socket.socket())
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
            sock.connect((exporter.host, exporter.port))
            sock.sendall(REQUEST)
            socks.append(sock)
        time.sleep(0.5)
        held = exporter.open_files() - files
        assert 0 < held <= ANSWERS + 1, f"{held} of {len(socks)} connections are held"
        is_prompt(exporter)
        time.sleep(ANSWER_SECONDS)
        check("open files", exporter.open_files(), files)


def limit_files(exporter: Exporter, limit: int) -> None:
    hard = resource.prlimit(exporter.process.pid, resource.RLIMIT_NOFILE)[1]
    resource.prlimit(exporter.process.pid, resource.RLIMIT_NOFILE, (limit, hard))


def cpu_seconds(exporter: Exporter) -> float:
    fields = Path(f"/proc/{exporter.process.pid}/stat").read_text().rsplit(") ", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@case("without descriptors it waits, and serves again once there are some")
def no_descriptors() -> None:
    with Exporter() as exporter, ExitStack() as stack:
        files = exporter.open_files()
        before = cpu_seconds(exporter)
        limit_files(exporter, files)
        socks = [stack.enter_context(exporter.connect()) for _ in range(3)]
        for sock in socks:
            sock.sendall(REQUEST)
        time.sleep(3)
        used = cpu_seconds(exporter) - before
        assert used < 0.3, f"{used:.2f} s of processor time in 3 s"
        limit_files(exporter, files + 1)
        for sock in socks:
            check("those who waited", Answer(read_all(sock)).status, 200)
        open_files(exporter, files)


@case("with one descriptor to spare, idle connections keep nobody out")
def one_descriptor() -> None:
    with Exporter() as exporter, ExitStack() as stack:
        files = exporter.open_files()
        limit_files(exporter, files + 1)
        for _ in range(10):
            stack.enter_context(exporter.connect())
        is_prompt(exporter)
        check("open files", exporter.open_files() <= files + 1, True)


@case("with any limit of descriptors it serves, or says in a line why not")
def few_descriptors() -> None:
    served = 0
    for limit in range(4, 13):
        argv = ["prlimit", f"--nofile={limit}", CODELSTAT, "export", "--replay", RECORDING,
                "--listen", "127.0.0.1:0"]  # fmt: skip
        with subprocess.Popen(argv, stderr=subprocess.PIPE, text=True) as process:
            assert process.stderr
            said = process.stderr.readline()
            match = re.match(r"codelstat: serving http://127.0.0.1:(\d+)/metrics$", said)
            if match:
                with socket.create_connection(("127.0.0.1", int(match[1])), 5) as sock:
                    sock.sendall(REQUEST)
                    check(f"status with {limit}", Answer(read_all(sock)).status, 200)
                process.terminate()
                served += 1
            rest = process.stderr.read()
            check(f"with {limit}, after '{said}'", (process.wait(5), rest), (0 if match else 3, ""))
            assert match or re.match("codelstat: .*Too many open files", said), said
    assert 6 <= served < 9, f"served with {served} of 9 limits"


@case("noise is answered with an error or not at all, and does no harm")
def noise() -> None:
    rng = random.Random(8289)
    words = [b"GET", b" ", b"/", b"/metrics", b"HTTP/1.1", b"\r\n", b"\n", b"\r", b"\0", b"http://",
             b"Accept:", b"application/openmetrics-text", b";q=", b",", b"1e999", b"\xff" * 9]  # fmt: skip
    with Exporter() as exporter:
        files = exporter.open_files()
        for _ in range(400):
            raw = b"".join(rng.choices(words, k=rng.randrange(1, 30))) + b"\r\n\r\n"
            answer = exporter.ask(raw)
            assert answer.status in (200, 400, 404, 405, 505), f"{answer.status}: {raw!r}"
        is_prompt(exporter)
        open_files(exporter, files)
        status = Path(f"/proc/{exporter.process.pid}/status").read_text()
        assert int(status.split("VmRSS:")[1].split()[0]) < 20000, "memory grows"


if __name__ == "__main__":
    main()
