# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The programs that a newly installed machine has after scripts/setup.

A part runs with a PATH of these alone, so that it fails wherever it uses a program of a package that scripts/setup does not list:
a developer's machine has many more.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Iterable, Iterator

TOP = Path(__file__).resolve().parents[2]
DPKG = Path("/var/lib/dpkg")
FOLDERS = ("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin")
CHECK, CHECK_ALL = TIERS = ("check", "check-all")

Packages = dict[str, dict[str, str]]


def parse(status: str) -> Packages:
    """The installed packages of dpkg's status file, and their fields of one line."""
    found = {}
    for stanza in status.split("\n\n"):
        fields = dict(re.findall(r"^([\w-]+): (.*)$", stanza, re.M))
        if fields.get("Status", "").endswith(" installed"):
            found[fields["Package"]] = fields
    return found


def _names(field: str) -> list[str]:
    return [re.split(r"[ (:]", item.strip())[0] for item in re.split(r"[,|]", field) if item]


def _providers(packages: Packages) -> dict[str, list[str]]:
    """The packages that stand for each name: itself, or those that provide it."""
    found: dict[str, list[str]] = {}
    for name, fields in packages.items():
        for provided in _names(fields.get("Provides", "")):
            found.setdefault(provided, []).append(name)
    return found | {name: [name] for name in packages}


def _on_every_machine(fields: dict[str, str]) -> bool:
    required = fields.get("Essential") == "yes" or fields.get("Priority") == "required"
    return required or fields["Package"] == "apt"


def closure(packages: Packages, names: Iterable[str]) -> set[str]:
    """These packages, those of every machine, and what they depend on; nothing that is only recommended."""
    providers = _providers(packages)
    todo = [*names, *(n for n, f in packages.items() if _on_every_machine(f))]
    found: set[str] = set()
    while todo:
        name = todo.pop()
        if name not in packages or name in found:
            continue
        found.add(name)
        needed = (packages[name].get(kind, "") for kind in ("Depends", "Pre-Depends"))
        for alternatives in ",".join(needed).split(","):
            known = (providers[n] for n in _names(alternatives) if n in providers)
            todo += next(known, [])  # the first that is installed
    return found


def _files(name: str, fields: dict[str, str]) -> Iterator[str]:
    """A package's programs, with /bin and /sbin where they are links to: below /usr."""
    info = DPKG / "info"
    lists = [info / f"{name}.list", info / f"{name}:{fields.get('Architecture')}.list"]
    for path in filter(Path.is_file, lists):
        for line in path.read_text().splitlines():
            if "bin/" in line:
                yield os.path.join(os.path.realpath(os.path.dirname(line)), os.path.basename(line))


def _belongs(path: str, files: set[str]) -> bool:
    """Whether a program is one of these files; or an alternative that is one."""
    if os.path.islink(path) and os.readlink(path).startswith("/etc/alternatives/"):
        path = os.path.realpath(path)
    return path in files


def wanted(tier: str) -> dict[str, str]:
    """What scripts/setup looks for, and the package that it installs where it is missing."""
    argv = [str(TOP / "scripts/setup"), "--list", tier]
    lines = subprocess.run(argv, check=True, capture_output=True, text=True).stdout.split()
    return dict(line.split(":") for line in lines)


def programs(tier: str) -> dict[str, str] | None:
    """Names and paths. None: this machine has a listed program that is of no package."""
    status = DPKG / "status"
    packages = parse(status.read_text()) if status.is_file() else {}
    needs = wanted(tier)
    if any(shutil.which(what) and package not in packages for what, package in needs.items()):
        return None
    names = closure(packages, needs.values())
    files = {path for name in names for path in _files(name, packages[name])}
    found: dict[str, str] = {}
    for folder in filter(os.path.isdir, FOLDERS):
        for name in os.listdir(folder):
            if _belongs(f"{folder}/{name}", files):
                found.setdefault(name, f"{folder}/{name}")
    return found


def folder(tier: str, where: Path) -> Path | None:
    """A new folder below `where` with links to them, for all users."""
    found = programs(tier)
    if found is None:
        return None
    made = where / tier
    made.mkdir()
    made.chmod(0o755)
    for name, path in found.items():
        (made / name).symlink_to(path)
    return made
