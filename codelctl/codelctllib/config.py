# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The settings that outlive a reboot: /etc/codelctl/DEV.conf, which an administrator may edit.

[link]
up = 19mbit
down = 95mbit
link = docsis
"""

from __future__ import annotations

import configparser
import io
from pathlib import Path

from . import values
from .errors import Refusal, writing
from .state import replace_file

FOLDER = Path("/etc/codelctl")
SECTION = "link"


def has_units() -> bool:
    """Whether the units of systemd work in this network namespace: it is that of process 1."""
    try:
        return Path("/proc/self/ns/net").samefile("/proc/1/ns/net")
    except OSError:  # without root, a namespace is not known
        return True


def is_here() -> bool:
    """Whether the files are those of this network namespace. `ip netns exec` mounts others, from /etc/netns."""
    mounts = Path("/proc/self/mountinfo").read_text(errors="surrogateescape").splitlines()
    return any(line.split()[4] == str(FOLDER) for line in mounts) or has_units()


def path(device: str) -> Path:
    return FOLDER / f"{device}.conf"


def parse(text: str, name: str) -> dict[str, str]:
    """The settings in a file's text, validated; `name` is for messages."""
    parser = configparser.ConfigParser(interpolation=None)
    try:
        parser.read_string(text, name)
    except configparser.MissingSectionHeaderError as error:
        raise Refusal(
            f"{name}: line {error.lineno}: the settings belong into a section: begin with [{SECTION}]"
        ) from error
    except configparser.Error as error:
        raise Refusal(" ".join(str(error).split())) from error
    if parser.sections() != [SECTION]:
        raise Refusal(f"{name}: the settings belong into one section, [{SECTION}]")
    settings = dict(parser[SECTION])
    values.parse(settings, f"{name}: ")
    return settings


def text(settings: dict[str, str]) -> str:
    parser = configparser.ConfigParser(interpolation=None)
    parser[SECTION] = settings
    stream = io.StringIO()
    parser.write(stream)
    return "# Settings of codelctl(8). Apply changes: systemctl reload codelctl@DEV\n" + (
        stream.getvalue().rstrip("\n") + "\n"
    )


def load(device: str) -> dict[str, str]:
    """The saved settings; empty if there are none."""
    if not is_here():
        return {}
    try:
        found = path(device).read_text()
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeError) as error:
        raise Refusal(f"{path(device)} cannot be read: {error}") from error
    return parse(found, str(path(device)))


def save(device: str, settings: dict[str, str]) -> None:
    with writing(path(device), ": nothing was changed"):
        FOLDER.mkdir(parents=True, exist_ok=True)
        replace_file(path(device), text(settings))


def forget(device: str) -> None:
    with writing(path(device)):
        path(device).unlink(missing_ok=True)
