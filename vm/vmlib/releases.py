# SPDX-License-Identifier: GPL-2.0
"""Debian releases: for each a root with compiler and headers, and the guest's image from it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from . import cache, debug, image, machine, process, progress, root, sandbox

RELEASES = ("bookworm", "trixie", "sid")
DEFAULT = "trixie"
# The same with the kernel of another suite, so that a test can be tried with more kernels: without updates, or from backports
VARIANTS = ("bookworm-base", "trixie-base", "trixie-backports")


@dataclass(frozen=True)
class Release:
    """The places of the parts of a release."""

    name: str
    path: Path
    root: Path
    checked: Path | None = None  # the debug kernel's folder, if that is to run

    @property
    def key(self) -> str:
        """The name under which results that depend on this release are stored."""
        return self.path.name + (self.checked.name if self.checked else "")

    @property
    def kernel(self) -> Path:
        return (self.checked or self.path) / "vmlinux"

    @property
    def memory(self) -> int:
        return debug.MEMORY if self.checked else machine.MEMORY

    @property
    def archives(self) -> list[Path]:
        """The machine without the tree."""
        stock = [self.path / "guest.cpio"]
        return [*stock, self.checked / "modules.cpio"] if self.checked else stock

    @property
    def modules(self) -> Path:
        """A base folder for depmod with the guest's selection of modules."""
        return (self.checked or self.path) / "modules"

    @property
    def kernel_release(self) -> str:
        """The kernel's version as `uname -r` prints it."""
        return ((self.checked or self.path) / debug.KERNEL_RELEASE).read_text().strip()

    @property
    def headers(self) -> str:
        return debug.HEADERS if self.checked else f"/lib/modules/{self.kernel_release}/build"


def _recipe(base: Path) -> str:
    here = Path(__file__).parent
    files = ("image.py", "cpio.py", "kernel.py", "../guest/init.c")
    parts = [base.name.encode(), *((here / f).read_bytes() for f in files)]
    return cache.digest(parts)


def _build(made: Release) -> None:
    process.say(f"{made.name}: making the guest's image")
    kernels = sorted(p.name for p in (made.root / "lib/modules").iterdir())
    (made.path / debug.KERNEL_RELEASE).write_text(kernels[-1] + "\n")
    image.build(made, root.GUEST)
    process.say(f"{made.name}: ready, kernel {kernels[-1]}")


def get(name: str, check: str | None = None) -> Release:
    """A release; with its debug kernel, if there is one of debug.CHECKS."""
    base = root.get(name)
    path = cache.entry(
        "image",
        f"{name}-{_recipe(base)}",
        lambda made: _build(Release(name, made, base / "root")),
    )
    stock = Release(name, path, base / "root")
    if not check:
        return stock
    return replace(stock, checked=debug.get(check, name, stock.root, stock.kernel_release))


def sandboxed(
    release: Release,
    what: str,
    argv: list[str],
    log: Path,
    folders: dict[str, Path],
    cwd: str = "/",
) -> None:
    """Runs a command in the root of the release; its output is the message of a failure."""
    if release.checked:
        folders = {**folders, debug.INSIDE: release.checked}
    with log.open("wb") as stream:
        status = sandbox.run(release.root, argv, stream, folders, cwd)
    progress.check(what, status, log)
