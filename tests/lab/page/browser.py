# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Chromium without a screen, told what to do over a pipe in its DevTools protocol."""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless",
    "--remote-debugging-pipe",
    "--disable-gpu",
    "--disable-dev-shm-usage",  # small in containers
    "--disable-background-networking",
    "--host-resolver-rules=MAP * ~NOTFOUND",  # nothing is fetched from anywhere
    "--no-first-run",
    "--force-color-profile=srgb",
)
PATIENCE = 300.0  # seconds for one answer, on a machine that does much else
FAR = 50  # file descriptors from here on are nobody's


class Failure(Exception):
    """The browser does not do what it is told."""


def program() -> str | None:
    """$CHROMIUM, or one that is installed."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """One page at a time, of any width, in light and dark, on screen and on paper."""

    def __init__(self) -> None:
        name = program()
        if not name:
            raise Failure("there is no chromium: scripts/setup check installs it")
        self.buffer = b""
        self.number = 0
        self.events: list[dict[str, Any]] = []
        self.profile = tempfile.mkdtemp(prefix="lab-page-")
        theirs_in, self.output, self.input, theirs_out = pipes()
        sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
        argv = [name, *FLAGS, *sandbox, f"--user-data-dir={self.profile}", "about:blank"]
        # 3 and 4 are where Chromium reads and writes
        moves = f'exec "$@" 3<&{theirs_in} 4>&{theirs_out} {theirs_in}<&- {theirs_out}>&-'
        self.process = subprocess.Popen(
            ["bash", "-c", moves, "browser", *argv],
            pass_fds=(theirs_in, theirs_out),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "TMPDIR": self.profile},  # what it leaves goes with its profile
            start_new_session=True,
        )
        os.close(theirs_in)
        os.close(theirs_out)
        self.session: str | None = None

    def __enter__(self) -> Browser:
        try:
            target = self.call("Target.createTarget", url="about:blank")["targetId"]
            attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
            self.session = attached["sessionId"]
            for domain in ("Page", "Network", "Log", "Runtime"):
                self.call(f"{domain}.enable")
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """All of its processes: they are a session of their own."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        os.close(self.input)
        os.close(self.output)
        shutil.rmtree(self.profile, ignore_errors=True)

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        try:
            os.write(self.output, json.dumps(message).encode() + b"\0")
        except BrokenPipeError as error:
            raise Failure("chromium ended") from error
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                break
            self.events.append(answer)
        if "error" in answer:
            raise Failure(f"{method}: {answer['error']['message']}")
        result: dict[str, Any] = answer["result"]
        return result

    def receive(self) -> dict[str, Any]:
        deadline = time.monotonic() + PATIENCE
        while b"\0" not in self.buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.input], [], [], left)[0]:
                raise Failure(f"chromium said nothing for {PATIENCE:g} s")
            some = os.read(self.input, 1 << 20)
            if not some:
                raise Failure("chromium ended")
            self.buffer += some
        one, self.buffer = self.buffer.split(b"\0", 1)
        message: dict[str, Any] = json.loads(one)
        return message

    def open(self, page: Path) -> None:
        """Returns when everything that the page asked for is there."""
        self.events.clear()
        error = self.call("Page.navigate", url=page.resolve().as_uri()).get("errorText")
        if error:
            raise Failure(f"{page}: {error}")
        while not any(e.get("method") == "Page.loadEventFired" for e in self.events):
            self.events.append(self.receive())

    def look(self, width: int, dark: bool = False, paper: bool = False) -> None:
        """How the page is seen from now on."""
        phone = width < 700
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=800,
            deviceScaleFactor=2 if phone else 1,
            mobile=phone,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call(
            "Emulation.setEmulatedMedia", media="print" if paper else "screen", features=[scheme]
        )

    def evaluate(self, script: str) -> Any:
        found = self.call("Runtime.evaluate", expression=script, returnByValue=True)
        if "exceptionDetails" in found:
            raise Failure(found["exceptionDetails"]["exception"]["description"])
        return found["result"].get("value")

    def asked_for(self) -> list[str]:
        """Addresses that the page wanted, itself included."""
        requests = (e for e in self.events if e.get("method") == "Network.requestWillBeSent")
        return [e["params"]["request"]["url"] for e in requests]

    def complaints(self) -> list[str]:
        entries = (e["params"]["entry"] for e in self.events if e.get("method") == "Log.entryAdded")
        return [f"{e['level']}: {e['text']} {e.get('url', '')}" for e in entries]

    def pdf(self) -> bytes:
        answer = self.call("Page.printToPDF", preferCSSPageSize=True, printBackground=True)
        return base64.b64decode(answer["data"])

    def screenshot(self, target: Path, width: int, top: int = 0, height: int = 1600) -> None:
        clip = {"x": 0, "y": top, "width": width, "height": height, "scale": 1}
        answer = self.call("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)
        target.write_bytes(base64.b64decode(answer["data"]))


def pipes() -> list[int]:
    """Two pipes whose ends are none of the numbers that Chromium wants."""
    ends = [*os.pipe(), *os.pipe()]
    found = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, FAR) for end in ends]
    for end in ends:
        os.close(end)
    return found
