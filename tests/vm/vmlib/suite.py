# SPDX-License-Identifier: GPL-2.0
"""A suite: its root with compiler and headers, and the guest's image from it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from . import cache, image, process, root, sandbox

SUITES = ("bookworm", "trixie", "sid")


@dataclass(frozen=True)
class Suite:
    """Where the parts of a finished suite are."""

    name: str
    path: Path
    root: Path

    @property
    def kernel(self) -> Path:
        return self.path / "vmlinux"

    @property
    def image(self) -> Path:
        return self.path / "guest.cpio"

    @property
    def modules(self) -> Path:
        """A base folder for depmod with the guest's selection of modules."""
        return self.path / "modules"

    @property
    def release(self) -> str:
        return (self.path / "release").read_text().strip()

    @property
    def headers(self) -> str:
        return f"/lib/modules/{self.release}/build"


def _recipe(base: Path) -> str:
    here = Path(__file__).parent
    files = ("image.py", "cpio.py", "kernel.py", "../guest/init.c")
    parts = [base.name.encode(), *((here / f).read_bytes() for f in files)]
    return cache.digest(parts)


def _build(made: Suite) -> None:
    process.say(f"{made.name}: making the guest's image")
    releases = sorted(p.name for p in (made.root / "lib/modules").iterdir())
    (made.path / "release").write_text(releases[-1] + "\n")
    image.build(made, root.GUEST)
    process.say(f"{made.name}: ready, kernel {releases[-1]}")


def get(name: str) -> Suite:
    base = root.get(name)
    path = cache.entry(
        "image",
        f"{name}-{_recipe(base)}",
        lambda made: _build(Suite(name, made, base / "root")),
    )
    return Suite(name, path, base / "root")


def sandboxed(
    suite: Suite, what: str, argv: list[str], log: Path, **kwargs: object
) -> None:
    """Runs a command in the suite's root; its output is the message of a failure."""
    with log.open("wb") as stream:
        status = sandbox.run(suite.root, argv, stream, **kwargs)  # type: ignore[arg-type]
    root.check(what, status, log)
