# SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
"""`codelstat export` as a process on loopback, and a parser of its text."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
from pathlib import Path

from cases import CODELSTAT, RECORDING

SAMPLE = re.compile(r"^(\w+)(?:\{(.*)\})? (\S+)$")
LABEL = re.compile(r'(\w+)="([^"]*)"')
Labels = frozenset[tuple[str, str]]
Samples = dict[tuple[str, Labels], float]


def samples(text: str) -> Samples:
    found: Samples = {}
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        match = SAMPLE.match(line)
        assert match, f"not a sample: {line}"
        key = (match[1], frozenset(LABEL.findall(match[2] or "")))
        assert key not in found, f"twice: {line}"
        found[key] = float(match[3])
    return found


def labels(**given: str) -> Labels:
    return frozenset(given.items())


class Exporter:
    """Listens on a port of its own while it is a context."""

    def __init__(self, *words: str, listen: str = "127.0.0.1:0", replay: str = RECORDING) -> None:
        argv = [CODELSTAT, "export", "--replay", replay, "--listen", listen, *words]
        # pylint: disable=consider-using-with # it ends in __exit__
        self.process = subprocess.Popen(
            argv, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        assert self.process.stderr
        line = self.process.stderr.readline()
        match = re.match(r"codelstat: serving http://(\S+):(\d+)/metrics$", line)
        assert match, f"it does not listen: {line}{self.process.stderr.read()}"
        self.host, self.port = match[1].strip("[]"), int(match[2])

    def __enter__(self) -> Exporter:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        status = self.end()
        assert kind or status == 0, f"it ended with {status}"

    def end(self, signum: int = signal.SIGTERM) -> int:
        """Within two seconds, with any number of connections."""
        self.process.send_signal(signum)
        try:
            status = self.process.wait(2)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise
        finally:
            assert self.process.stderr
            self.process.stderr.close()
        return status

    def open_files(self) -> int:
        return len(list(Path(f"/proc/{self.process.pid}/fd").iterdir()))

    def connect(self, timeout: float = 10) -> socket.socket:
        return socket.create_connection((self.host, self.port), timeout)

    def ask(self, request: bytes, timeout: float = 10) -> Answer:
        """Sends this, and reads until the other end closes."""
        with self.connect(timeout) as sock:
            sock.sendall(request)
            return Answer(read_all(sock))

    def get(self, path: str = "/metrics", accept: str = "", method: str = "GET") -> Answer:
        head = f"{method} {path} HTTP/1.1\r\nHost: {self.host}\r\n"
        if accept:
            head += f"Accept: {accept}\r\n"
        return self.ask(f"{head}\r\n".encode())


def read_all(sock: socket.socket) -> bytes:
    parts = []
    while part := sock.recv(65536):
        parts.append(part)
    return b"".join(parts)


class Answer:
    """The response; status 0 if there was none."""

    def __init__(self, raw: bytes) -> None:
        head, _, self.body = raw.partition(b"\r\n\r\n")
        first, *lines = head.decode().split("\r\n")
        self.status = int(first.split()[1]) if first else 0
        self.headers = {k.lower(): v.strip() for k, _, v in (n.partition(":") for n in lines)}
        self.text = self.body.decode()
