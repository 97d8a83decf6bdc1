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
from typing import Iterator

from . import marks, values
from .errors import Failure, Refusal, writing
from .marks import Json
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
    identity: int | None = None  # of the device: see marks


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
    path = _path(state.ifindex)
    with writing(path):
        _made_folder()
        replace_file(path, json.dumps(asdict(state), indent=1) + "\n")


def replace_file(path: Path, text: str) -> None:
    """In one step. Of a file that cannot be written, nothing is left."""
    temporary = path.with_suffix(".new")
    try:
        temporary.write_text(text)
        temporary.chmod(0o644)
        temporary.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


def _before(ifindex: int) -> Path:
    return _path(ifindex).with_suffix(".before")


def keep(ifindex: int) -> None:
    """Keep the file for the way back, which needs no space then."""
    with writing(_path(ifindex), ": nothing was changed"), contextlib.suppress(FileNotFoundError):
        _before(ifindex).unlink(missing_ok=True)
        _before(ifindex).hardlink_to(_path(ifindex))


def back(ifindex: int) -> None:
    """To the file that was kept, or to none."""
    with writing(_path(ifindex)):
        try:
            _before(ifindex).replace(_path(ifindex))
        except FileNotFoundError:
            _path(ifindex).unlink(missing_ok=True)


def done(ifindex: int) -> None:
    """There will be no way back."""
    with contextlib.suppress(OSError):
        _before(ifindex).unlink()


def _require(value: object, kind: type | tuple[type, ...], name: str) -> None:
    if not isinstance(value, kind) or isinstance(value, bool) and kind is not bool:
        raise ValueError(f"{name} is {value!r}")


def _strings(found: object, name: str) -> None:
    _require(found, list, name)
    assert isinstance(found, list)
    for item in found:
        _require(item, str, name)


def _feature(name: str, found: Json) -> Feature:
    for value in found.values():
        _require(value, bool, name)
    return Feature(**found)


def _former(found: Json) -> Former:
    _require(found["root"], list, "root")
    _require(found["hook"], bool, "hook")
    for words in found["root"]:
        _strings(words, "root")
    lists = {name: found.get(name, []) for name in ("stubborn", "lost")}
    for name, value in lists.items():
        _strings(value, name)
    features = {name: _feature(name, feature) for name, feature in found["features"].items()}
    return Former(found["root"], found["hook"], features, **lists)


def _parsed(found: Json, ifindex: int) -> State:
    """A file that somebody has edited may have anything in the place of a value."""
    _require(found["device"], str, "device")
    _strings(list(found["settings"].values()), "settings")
    numbers = {name: found.get(name) for name in ("mtu", "identity")}
    for name, value in numbers.items():
        _require(value, (int, type(None)), name)
    values.parse(found["settings"], "")
    return State(found["device"], ifindex, found["settings"], _former(found["former"]), **numbers)


def load(ifindex: int) -> State | None:
    """A file that cannot be read is lost, as one that is not there."""
    path = _path(ifindex)
    try:
        return _parsed(json.loads(path.read_text()), ifindex)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, Refusal) as error:
        print(f"codelctl: {path} cannot be read: {error}", file=sys.stderr)
        return None


def is_of(known: State, device: Json) -> bool:
    """Another device may have the ifindex of one that is gone."""
    same = marks.same(known.identity, device.get("identity"))
    return known.ifindex == device["ifindex"] and same


def of(device: Json) -> State | None:
    """The state of this device."""
    known = load(device["ifindex"])
    return known if known and is_of(known, device) else None


def forget(ifindex: int) -> None:
    with writing(_path(ifindex)):
        _path(ifindex).unlink(missing_ok=True)


def ifindexes() -> list[int]:
    return sorted(int(path.stem) for path in folder().glob("*.json") if path.stem.isdigit())


def _try_lock(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _end_measurement(holder: str) -> None:
    """A measurement may take longer than systemd waits for a unit to stop; after a signal, it restores the setup."""
    match = MEASUREMENT.fullmatch(holder)
    if match and b"codelctl" in Path(f"/proc/{match[1]}/cmdline").read_bytes():
        print(f"codelctl: ending {holder}", file=sys.stderr, flush=True)
        os.kill(int(match[1]), signal.SIGTERM)


def _holder() -> str:
    with contextlib.suppress(OSError):
        return (folder() / "lock").read_text(errors="surrogateescape") or "another codelctl"
    return "another codelctl"


def _wait(lock: int, ends_measurement: bool) -> None:
    """Until the lock is free; on standard error, say who has it."""
    begin, said, ended = time.monotonic(), "", ""
    while not _try_lock(lock):
        holder = _holder()
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


def _open_lock() -> int:
    """Where the file cannot be written or made, it is read, or the folder above serves: undo must be possible then."""
    with contextlib.suppress(OSError):
        _made_folder()
    path = folder() / "lock"
    for file, flags in ((path, os.O_RDWR | os.O_CREAT), (path, os.O_RDONLY)):
        with contextlib.suppress(OSError):
            return os.open(file, flags | os.O_CLOEXEC, 0o644)
    return os.open(RUN.parent, os.O_RDONLY | os.O_CLOEXEC)


@contextlib.contextmanager
def locked(command: str, ends_measurement: bool = False) -> Iterator[None]:
    """One codelctl at a time changes links."""
    lock = _open_lock()
    try:
        _wait(lock, ends_measurement)
        text = f"`{command}`, process {os.getpid()}"
        with contextlib.suppress(OSError):
            os.ftruncate(lock, 0)
            os.pwrite(lock, text.encode(errors="surrogateescape"), 0)
        yield
    finally:
        os.close(lock)
