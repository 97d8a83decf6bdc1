# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Run commands. Commands of tc that follow one another are one `tc -batch`."""

from __future__ import annotations

import itertools
import re
import subprocess
from typing import Iterable, Sequence

from .errors import Failure

SECONDS = 30
PACKAGES = {"tc": "iproute2", "ip": "iproute2", "ethtool": "ethtool", "modprobe": "kmod"}
# In a batch, tc takes these for comments, quotes and continued lines: a device's name may contain them
SPECIAL = re.compile(r"[#'\"\\]")
BATCH_LINE = re.compile(r"^Command failed -:(\d+)$", re.M)


class CommandFailed(Failure):
    """A command that ended with a failure."""

    def __init__(self, command: Sequence[str], output: str) -> None:
        self.reason = reason(output)
        super().__init__(f"`{' '.join(command)}` failed: {self.reason}")


def reason(output: str) -> str:
    """What a tool printed, in one line, without what is said about tc's batch."""
    lines = [line.strip() for line in BATCH_LINE.sub("", output).splitlines()]
    return " ".join(line for line in lines if line).rstrip(".") or "no message"


def run(
    argv: Sequence[str], text: str = "", seconds: int = SECONDS
) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            argv,
            input=text,
            capture_output=True,
            text=True,
            errors="surrogateescape",
            timeout=seconds,
            check=False,
        )
    except FileNotFoundError as error:
        package = PACKAGES.get(argv[0], argv[0])
        raise Failure(f"{argv[0]} is missing: `apt install {package}`") from error
    except subprocess.TimeoutExpired as error:
        raise Failure(f"`{' '.join(argv)}` did not end within {seconds} s") from error


def output(argv: Sequence[str], seconds: int = SECONDS) -> str:
    done = run(argv, seconds=seconds)
    if done.returncode:
        raise CommandFailed(argv, done.stderr)
    return done.stdout


def _batch(lines: list[list[str]]) -> None:
    done = run(["tc", "-batch", "-"], "".join(f"{' '.join(line[1:])}\n" for line in lines))
    if done.returncode:
        match = BATCH_LINE.search(done.stderr)
        failed = lines[int(match[1]) - 1] if match else lines[0]
        raise CommandFailed(failed, done.stderr)


def _is_for_batch(command: list[str]) -> bool:
    return command[0] == "tc" and not any(map(SPECIAL.search, command))


def all_of(commands: Iterable[list[str]]) -> None:
    """Run commands one after the other, up to the first that fails."""
    for in_batch, group in itertools.groupby(commands, key=_is_for_batch):
        if in_batch:
            _batch(list(group))
        else:
            for command in group:
                output(command)
