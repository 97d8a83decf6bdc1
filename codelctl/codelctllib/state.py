# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""What codelctl remembers of a link: the settings, and what undo restores. What is codelctl's on the link has
marks, and does not depend on this.

/run/codelctl/NAMESPACE/IFINDEX.json, one file per device.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import signal
import socket
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Iterator, TextIO

from . import values
from .errors import Failure, Refusal
from .offloads import Feature
from .plan import Former

RUN = Path("/run/codelctl")
SO_NETNS_COOKIE = 71
MEASUREMENT = re.compile(r"`codelctl (?:prove|compare) .*`, process (\d+)", re.S)
# Less than systemd's time for a unit to stop, 90 s
LOCK_SECONDS = 60
QUIET_SECONDS = 1


@dataclass(frozen=True)
class State:
    """The present setup of a device, and its state before the first setup."""

    device: str  # its name then
    ifindex: int
    settings: dict[str, str]
    former: Former
    mtu: int | None = None


def folder() -> Path:
    """Each network namespace has a folder, named by its cookie, which is never used again."""
    with socket.socket() as any_socket:
        cookie = any_socket.getsockopt(socket.SOL_SOCKET, SO_NETNS_COOKIE, 8)
    return RUN / str(int.from_bytes(cookie, sys.byteorder))


def _path(ifindex: int) -> Path:
    return folder() / f"{ifindex}.json"


def _made_folder() -> Path:
    """The folder, which everybody may read, whatever the umask is: show needs no root."""
    for path in (RUN, folder()):
        path.mkdir(exist_ok=True)
        path.chmod(0o755)
    return folder()


def save(state: State) -> None:
    """Replace the file in one step."""
    _made_folder()
    path = _path(state.ifindex)
    temporary = path.with_suffix(".new")
    temporary.write_text(json.dumps(asdict(state), indent=1) + "\n")
    temporary.chmod(0o644)
    temporary.replace(path)


def load(ifindex: int) -> State | None:
    """A file that cannot be read is lost, as one that is not there."""
    path = _path(ifindex)
    try:
        found = json.loads(path.read_text())
        former = found["former"]
        features = {name: Feature(**feature) for name, feature in former["features"].items()}
        values.parse(found["settings"], "")
        former = Former(former["root"], former["hook"], features, former.get("stubborn", []))
        return State(found["device"], ifindex, found["settings"], former, found.get("mtu"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, Refusal) as error:
        print(f"codelctl: {path} cannot be read: {error}", file=sys.stderr)
        return None


def forget(ifindex: int) -> None:
    _path(ifindex).unlink(missing_ok=True)


def ifindexes() -> list[int]:
    return sorted(int(path.stem) for path in folder().glob("*.json") if path.stem.isdigit())


def _try_lock(stream: TextIO) -> bool:
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _end_measurement(holder: str) -> None:
    """A measurement may take longer than systemd waits for a unit to stop; after a signal, it restores the setup."""
    match = MEASUREMENT.fullmatch(holder)
    if match and b"codelctl" in Path(f"/proc/{match[1]}/cmdline").read_bytes():
        print(f"codelctl: ending {holder}", file=sys.stderr, flush=True)
        os.kill(int(match[1]), signal.SIGTERM)


def _wait(stream: TextIO, path: Path, ends_measurement: bool) -> None:
    """Until the lock is free; on standard error, say who has it."""
    begin, said, ended = time.monotonic(), "", ""
    while not _try_lock(stream):
        holder = path.read_text(errors="surrogateescape") or "another codelctl"
        passed = time.monotonic() - begin
        if passed > LOCK_SECONDS:
            raise Failure(
                f"gave up after {LOCK_SECONDS} s of waiting for {holder}: nothing was changed"
            )
        if ends_measurement and holder != ended:
            with contextlib.suppress(OSError):  # it has just ended
                _end_measurement(holder)
            ended = holder
        if passed > QUIET_SECONDS and holder != said:
            print(f"codelctl: waiting for {holder}", file=sys.stderr, flush=True)
            said = holder
        time.sleep(0.1)


@contextlib.contextmanager
def locked(command: str, ends_measurement: bool = False) -> Iterator[None]:
    """One codelctl at a time changes links."""
    path = _made_folder() / "lock"
    with path.open("a", errors="surrogateescape") as stream:
        _wait(stream, path, ends_measurement)
        stream.truncate(0)
        stream.write(f"`{command}`, process {os.getpid()}")
        stream.flush()
        yield
