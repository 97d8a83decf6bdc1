# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""What codelctl has set up: /run/codelctl/NAMESPACE/DEV.json, one file per device."""

from __future__ import annotations

import contextlib
import fcntl
import json
import socket
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Iterator

from .errors import Refusal
from .former import Former
from .offloads import Feature

RUN = Path("/run/codelctl")
SO_NETNS_COOKIE = 71


@dataclass(frozen=True)
class State:
    """The present setup of a device, and its state before the first setup."""

    device: str
    ifindex: int
    settings: dict[str, str]
    former: Former


def folder() -> Path:
    """Each network namespace has a folder, named by its cookie, which is never used again."""
    with socket.socket() as any_socket:
        cookie = any_socket.getsockopt(socket.SOL_SOCKET, SO_NETNS_COOKIE, 8)
    return RUN / str(int.from_bytes(cookie, sys.byteorder))


def _path(device: str) -> Path:
    return folder() / f"{device}.json"


def save(state: State) -> None:
    """Replace the file in one step."""
    path = _path(state.device)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(".new")
    temporary.write_text(json.dumps(asdict(state), indent=1) + "\n")
    temporary.replace(path)


def load(device: str) -> State | None:
    path = _path(device)
    try:
        found = json.loads(path.read_text())
        features = {n: Feature(**f) for n, f in found["former"]["features"].items()}
        former = Former(found["former"]["qdiscs"], features)
        return State(device, found["ifindex"], found["settings"], former)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Refusal(f"{path} cannot be read ({error}): remove the file and the qdiscs") from error


def forget(device: str) -> None:
    _path(device).unlink(missing_ok=True)


def devices() -> list[str]:
    return sorted(path.stem for path in folder().glob("*.json"))


@contextlib.contextmanager
def locked() -> Iterator[None]:
    """One codelctl at a time changes links."""
    folder().mkdir(parents=True, exist_ok=True)
    with (folder() / "lock").open("w") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        yield
