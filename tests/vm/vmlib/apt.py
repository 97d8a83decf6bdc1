# SPDX-License-Identifier: GPL-2.0
"""What the host's apt knows: where packages come from, and how to fetch them."""

from __future__ import annotations

import re
import urllib.error
import urllib.request
from pathlib import Path

from . import process

ETC = Path("/etc/apt")
FALLBACK = "http://deb.debian.org/debian"
PASSED_ON = re.compile(r"^(Acquire::(http|https|Check-|Max-|Retries|Proxy).*|Acquire::Languages.*) ")


def _uris() -> list[tuple[str, str]]:
    """Pairs of URI and suite, from both formats that apt reads."""
    pairs: list[tuple[str, str]] = []
    lists = [ETC / "sources.list", *sorted((ETC / "sources.list.d").glob("*.list"))]
    for path in filter(Path.is_file, lists):
        for line in path.read_text().splitlines():
            match = re.match(r"deb\s+(?:\[[^]]*\]\s*)?(\S+)\s+(\S+)", line)
            if match:
                pairs.append((match[1], match[2]))
    for path in sorted((ETC / "sources.list.d").glob("*.sources")):
        for stanza in re.split(r"\n\s*\n", path.read_text()):
            fields = dict(re.findall(r"^(URIs|Suites|Types):\s*(.*)$", stanza, re.M))
            if "deb" in fields.get("Types", "").split():
                for uri in fields.get("URIs", "").split():
                    pairs += [(uri, s) for s in fields.get("Suites", "").split()]
    return pairs


def _mirror(pattern: str) -> str | None:
    for uri, _suite in _uris():
        if re.search(pattern, uri.rstrip("/")):
            return uri.rstrip("/")
    return None


def _exists(uri: str, suite: str) -> bool:
    """Whether the mirror has the suite: not all have all of them."""
    try:
        with urllib.request.urlopen(f"{uri}/dists/{suite}/InRelease", timeout=20):
            return True
    except (urllib.error.URLError, OSError):
        return False


def sources(suite: str) -> list[str]:
    """Lines for sources.list: the suite, then its updates where there are any."""
    main = _mirror(r"/debian$") or FALLBACK
    lines = [f"deb {main} {suite} main"]
    if suite == "sid":
        return lines
    if _exists(main, f"{suite}-updates"):
        lines.append(f"deb {main} {suite}-updates main")
    security = _mirror(r"/debian-security$") or re.sub(r"$", "-security", main)
    if _exists(security, f"{suite}-security"):
        lines.append(f"deb {security} {suite}-security main")
    return lines


def options() -> list[str]:
    """The host's settings that say how to reach and how far to trust a mirror."""
    dump = process.output(["apt-config", "dump"]).decode()
    kept = [line.rstrip(";") for line in dump.splitlines() if PASSED_ON.match(line)]
    return [line for line in kept if not line.endswith('""')]
