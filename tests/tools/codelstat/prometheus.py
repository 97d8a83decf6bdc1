# SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
"""Prometheus and promtool: those installed here, or out of Debian's packages.

The packages are unpacked into the cache and not installed: that would start a service. promtool has a package of its own since Debian 13.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

from cases import TOP, Skip

sys.path.insert(0, str(TOP / "vm"))

from vmlib import cache, process  # noqa: E402

SECONDS = 30  # until it listens

Series = dict[frozenset[tuple[str, str]], float]


def _unpack(made: Path) -> None:
    process.say("fetching Prometheus (once)")
    command = """
        apt-get -qq download prometheus || exit
        ! apt-cache show promtool >/dev/null 2>&1 || apt-get -qq download promtool || exit
        for deb in *.deb; do dpkg-deb -x "$deb" . && rm "$deb" || exit; done
        ls usr/bin/prometheus usr/bin/promtool
    """
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=made,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        process.say(done.stderr)
        raise Skip("prometheus is not installed, and its package cannot be fetched")


def _version() -> str:
    """Of the package that apt would fetch."""
    try:
        shown = process.output(["apt-cache", "policy", "prometheus"]).decode()
    except process.Failure as error:
        raise Skip("prometheus is not installed, and there is no apt") from error
    match = re.search(r"Candidate: ([0-9]\S+)", shown)
    if not match:
        raise Skip("prometheus is not installed, and apt knows no package of it")
    return match[1]


def _program(name: str) -> str:
    found = shutil.which(name)
    if found:
        return found
    return str(cache.entry("prometheus", _version(), _unpack) / "usr" / "bin" / name)


def promtool() -> str:
    return _program("promtool")


class Prometheus:
    """Scrapes one target on loopback while it is a context."""

    def __init__(self, target: str, interval: str) -> None:
        program = _program("prometheus")
        # pylint: disable=consider-using-with # they end in __exit__
        self.folder = tempfile.TemporaryDirectory()
        config = Path(self.folder.name) / "prometheus.yml"
        scrape = {"job_name": "codelstat", "static_configs": [{"targets": [target]}]}
        config.write_text(
            json.dumps({"global": {"scrape_interval": interval}, "scrape_configs": [scrape]})
        )
        self.log = Path(self.folder.name) / "log"
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [
                    program,
                    f"--config.file={config}",
                    f"--storage.tsdb.path={self.folder.name}/data",
                    "--web.listen-address=127.0.0.1:0",
                ],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    def __enter__(self) -> Prometheus:
        try:
            self.url = self._listens()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait(20)
        self.folder.cleanup()

    def _listens(self) -> str:
        end = time.monotonic() + SECONDS
        while time.monotonic() < end and self.process.poll() is None:
            log = self.log.read_text()
            match = re.search(r'msg="Listening on" address=(\S+:\d+)', log)
            if match and "Server is ready" in log:
                return f"http://{match[1]}"
            time.sleep(0.1)
        raise AssertionError(f"Prometheus did not start:\n{self.log.read_text()}")

    def api(self, path: str, **query: str) -> Any:
        url = f"{self.url}/api/v1/{path}?{urllib.parse.urlencode(query)}"
        with urllib.request.urlopen(url, timeout=10) as answer:
            return json.load(answer)["data"]

    def query(self, expression: str) -> Series:
        """The present values, by labels."""
        result = self.api("query", query=expression)["result"]
        return {
            frozenset((k, v) for k, v in row["metric"].items() if k not in ("job", "instance")): (
                float(row["value"][1])
            )
            for row in result
        }
