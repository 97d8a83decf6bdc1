# SPDX-License-Identifier: GPL-2.0
"""Debian releases: for each a root with compiler and headers, and the guest's image from it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from pathlib import Path

from . import boards, cache, debug, foreign, image, machine, process, progress, root, sandbox

RELEASES = ("bookworm", "trixie", "sid")
DEFAULT = "trixie"
# The same with the kernel of another suite, so that a test can be tried with more kernels: without updates, or from backports
VARIANTS = ("bookworm-base", "trixie-base", "trixie-backports")
ARCHITECTURES = tuple(foreign.MACHINES)


@dataclass(frozen=True)
class Release:
    """The places of the parts of a release."""

    name: str
    path: Path
    root: Path
    checked: Path | None = None  # the debug kernel's folder, if that is to run
    target: foreign.Target | None = None  # of another architecture

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
        if self.target:
            return foreign.HEADERS
        return debug.HEADERS if self.checked else f"/lib/modules/{self.kernel_release}/build"

    @property
    def packages(self) -> bytes:
        """What changes with the version of any package in the machine."""
        if self.target:
            return hashlib.sha256((self.path / "guest.cpio").read_bytes()).digest()
        return (self.root.parent / "manifest").read_bytes()

    @property
    def board(self) -> boards.Board:
        return (self.target and self.target.board) or boards.AMD64

    @property
    def variables(self) -> list[str]:
        """Of make, to build for this machine."""
        return self.target.variables if self.target else []

    @property
    def tools(self) -> str:
        """What the names of this machine's binutils begin with."""
        return f"{self.target.triplet}-" if self.target else ""


def _recipe(base: Path) -> str:
    here = Path(__file__).parent
    files = [here / name for name in ("image.py", "cpio.py", "kernel.py")]
    files += sorted(image.GUEST.iterdir())
    parts = [base.name.encode(), *(file.read_bytes() for file in files)]
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


def _build_foreign(made: Release, contents: Path) -> None:
    """What mmdebstrap has only unpacked becomes an image."""
    process.say(f"{made.name}: making the guest's image")
    (kernel,) = (contents / "lib/modules").iterdir()
    (made.path / debug.KERNEL_RELEASE).write_text(f"{kernel.name}\n")
    image.build_foreign(made, contents)
    process.say(f"{made.name}: ready, kernel {kernel.name}")


def foreign_machine(architecture: str) -> Release:
    """The machine of another architecture, one of ARCHITECTURES."""
    target = foreign.MACHINES[architecture]
    contents = foreign.contents(target)
    compilers = foreign.compilers(target)
    name = f"{target.release}-{architecture}"
    path = cache.entry(
        "image",
        f"{name}-{_recipe(contents.parent)}",
        lambda made: _build_foreign(Release(name, made, compilers, target=target), contents),
    )
    return Release(name, path, compilers, target=target)


def machine_of(name: str, check: str | None = None) -> Release:
    """That of a release, with its debug kernel if there is a check; or of another architecture."""
    return foreign_machine(name) if name in ARCHITECTURES else get(name, check)


def sandboxed(
    release: Release,
    what: str,
    argv: list[str],
    log: Path,
    folders: dict[str, Path],
    cwd: str = "/",
) -> None:
    """Runs a command in the root of the release; its output is the message of a failure."""
    env = None
    if release.checked:
        folders = {**folders, debug.INSIDE: release.checked}
    if release.target:
        folders = {**folders, root.SYSROOT: foreign.contents(release.target)}
        env = release.target.environment
    with log.open("wb") as stream:
        status = sandbox.run(release.root, argv, stream, folders, cwd, env)
    progress.check(what, status, log)
