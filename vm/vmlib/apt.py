# SPDX-License-Identifier: GPL-2.0
"""What the host's apt knows: where Debian's packages come from, and how to fetch them."""

from __future__ import annotations

import re
import subprocess
import tempfile
from pathlib import Path
from typing import Iterator

from . import process

ETC = Path("/etc/apt")
HELPER = "/usr/lib/apt/apt-helper"
RELEASES = r"(bullseye|bookworm|trixie|forky|sid|stable|testing|unstable)"
PASSED_ON = re.compile(r"^Acquire::(http|https|Check-|Max-|Retries|Languages)")

Source = tuple[str, str, list[str]]


def _one_line(text: str) -> Iterator[Source]:
    for line in text.splitlines():
        match = re.match(r"deb\s+(?:\[[^]]*\]\s*)?(\S+)\s+(\S+)\s+(.*)", line)
        if match:
            yield match[1].rstrip("/"), match[2], match[3].split()


def _stanzas(text: str) -> Iterator[Source]:
    for stanza in re.split(r"\n\s*\n", text):
        fields = dict(re.findall(r"^(Types|URIs|Suites|Components):\s*(.*)$", stanza, re.M))
        if "deb" not in fields.get("Types", "").split():
            continue
        for uri in fields.get("URIs", "").split():
            for dist in fields.get("Suites", "").split():
                yield uri.rstrip("/"), dist, fields.get("Components", "").split()


def _mirror(dists: str) -> str | None:
    """The first source that has one of these names under dists/, with the component main."""
    found: list[Source] = []
    for path in [
        ETC / "sources.list",
        *sorted((ETC / "sources.list.d").glob("*.list")),
    ]:
        found += _one_line(path.read_text()) if path.is_file() else ()
    for path in sorted((ETC / "sources.list.d").glob("*.sources")):
        found += _stanzas(path.read_text())
    for uri, dist, components in found:
        if re.fullmatch(dists, dist) and "main" in components:
            return uri
    return None


def _exists(uri: str, dist: str) -> bool:
    """Whether the mirror has dists/DIST: not every mirror has updates and security."""
    with tempfile.TemporaryDirectory() as folder:
        argv = [
            HELPER,
            "download-file",
            f"{uri}/dists/{dist}/InRelease",
            f"{folder}/it",
        ]
        quiet = subprocess.DEVNULL
        done = subprocess.run(argv, stdin=quiet, stdout=quiet, stderr=quiet)
        return done.returncode == 0


def sources(name: str) -> list[str]:
    """Lines for sources.list: the release, then its updates where there are any. NAME-base has none, NAME-backports also those.

    None at all on a machine that has no Debian mirror: mmdebstrap knows one.
    """
    release, _, variant = name.partition("-")
    main = _mirror(RELEASES)
    if not main:
        return []
    lines = [f"deb {main} {release} main"]
    if release == "sid" or variant == "base":
        return lines
    if variant:
        lines.append(f"deb {main} {name} main")
    if _exists(main, f"{release}-updates"):
        lines.append(f"deb {main} {release}-updates main")
    security = _mirror(RELEASES + "-security")
    if security and _exists(security, f"{release}-security"):
        lines.append(f"deb {security} {release}-security main")
    return lines


def options() -> list[str]:
    """The host's settings that say how to reach and how far to trust a mirror."""
    dump = process.output(["apt-config", "dump"]).decode()
    kept = [line.rstrip(";") for line in dump.splitlines() if PASSED_ON.match(line)]
    return [line for line in kept if not line.endswith('""')]
