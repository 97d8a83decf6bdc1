# SPDX-License-Identifier: GPL-2.0
"""A suite: its root with compiler and headers, and the guest's image from it."""

from __future__ import annotations

import subprocess
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Callable

from . import apt, cache, image, process, sandbox

SUITES = ("bookworm", "trixie", "sid")

GUEST = (
    "bash", "coreutils", "diffutils", "ethtool", "findutils", "grep", "iperf3",
    "iproute2", "iputils-ping", "irtt", "jq", "kmod", "mawk", "nftables",
    "procps", "python3", "sed", "tcpdump", "util-linux",
)  # fmt: skip
BUILD = (
    "bison", "flex", "gcc", "libc6-dev", "libelf-dev", "libmnl-dev",
    "linux-headers-cloud-amd64", "linux-image-cloud-amd64", "make", "patch",
    "pkgconf", "xz-utils",
)  # fmt: skip
LEFT_OUT = ("/usr/share/man/*", "/usr/share/doc/*", "/usr/share/info/*",
            "/usr/share/locale/*", "/usr/share/lintian/*")  # fmt: skip

# Where the tree is built; fixed, as paths end up in what is built.
SOURCES = "/usr/src/codel"

# A kernel package asks for a tool that makes an initramfs.  Here it has no use,
# and takes longer than all the rest: a package without contents stands in.
NO_INITRAMFS = """
set -e
mkdir "$1{sources}"
d="$1/tmp/no-initramfs"
mkdir -p "$d/DEBIAN"
cat >"$d/DEBIAN/control" <<END
Package: no-initramfs
Version: 1
Architecture: all
Maintainer: none <none@localhost>
Provides: linux-initramfs-tool
Description: stands in for a tool that makes an initramfs
END
dpkg-deb -Znone -b "$d" "$1/tmp/no-initramfs.deb" >/dev/null
chroot "$1" dpkg -i /tmp/no-initramfs.deb >/dev/null
rm -r "$d" "$1/tmp/no-initramfs.deb"
"""


@dataclass(frozen=True)
class Suite:
    """Where the parts of a finished suite are."""

    name: str
    path: Path

    @property
    def root(self) -> Path:
        return self.path / "root"

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


def _recipe() -> str:
    here = Path(__file__).parent
    files = ("suite.py", "image.py", "cpio.py", "kernel.py", "../guest/init.c")
    return cache.digest((here / f).read_bytes() for f in files)


def _ticking(what: str, log: Path, step: Callable[[], int]) -> int:
    """Runs a long step; tells every few seconds how far its log has come."""
    done = threading.Event()
    began = time.monotonic()

    def tell() -> None:
        while not done.wait(5):
            lines = log.read_text(errors="replace").splitlines() or [""]
            process.say(f"  {time.monotonic() - began:4.0f} s  {lines[-1][:70]}")

    process.say(what)
    ticker = threading.Thread(target=tell, daemon=True)
    ticker.start()
    try:
        return step()
    finally:
        done.set()
        ticker.join()


def _check(what: str, status: int, log: Path) -> None:
    if status:
        tail = "\n".join(log.read_text(errors="replace").splitlines()[-40:])
        raise process.Failure(f"{tail}\n{what} failed")


def _bootstrap(name: str, root: Path, work: Path, log: Path) -> None:
    sources = work / "sources.list"
    sources.write_text("\n".join(apt.sources(name)) + "\n")
    hook = work / "no-initramfs.sh"
    hook.write_text(NO_INITRAMFS.replace("{sources}", SOURCES))
    argv = [*sandbox.UNSHARE, "mmdebstrap", "--mode=root", "--variant=apt"]
    argv += [f"--aptopt={line}" for line in apt.options()]
    argv += ['--aptopt=APT::Install-Recommends "false"', "--dpkgopt=force-unsafe-io"]
    argv += [f"--dpkgopt=path-exclude={pattern}" for pattern in LEFT_OUT]
    argv += [f"--essential-hook=sh {hook} \"$1\""]
    argv += ["--include=" + ",".join(GUEST + BUILD), name, str(root), str(sources)]
    with log.open("wb") as stream:
        status = _ticking(
            f"{name}: fetching and unpacking the suite (once, about two minutes)",
            log,
            lambda: process.run(argv, stream, {**sandbox.ENVIRONMENT, "TMPDIR": str(work)}),
        )
    _check(f"{name}: mmdebstrap", status, log)


def _manifest(root: Path) -> bytes:
    return subprocess.run(
        ["dpkg-query", f"--admindir={root}/var/lib/dpkg", "-W"],
        check=True,
        stdout=subprocess.PIPE,
    ).stdout


def _build(name: str, made: Path) -> None:
    log = made / "log"
    root = made / "root"
    work = made / "work"
    work.mkdir()
    _bootstrap(name, root, work, log)
    process.say(f"{name}: making the guest's image")
    releases = sorted(p.name for p in (root / "lib/modules").iterdir())
    (made / "release").write_text(releases[-1] + "\n")
    (made / "manifest").write_bytes(_manifest(root))
    image.build(Suite(name, made), GUEST, log)
    for path in work.iterdir():
        path.unlink()
    work.rmdir()
    process.say(f"{name}: ready, kernel {releases[-1]}")


def get(name: str) -> Suite:
    path = cache.entry("suite", f"{name}-{_recipe()}", lambda made: _build(name, made))
    return Suite(name, path)


def sandboxed(
    suite: Suite, what: str, argv: list[str], log: Path, **kwargs: object
) -> None:
    """Runs a command in the suite's root; its output is the message of a failure."""
    with log.open("wb") as stream:
        status = sandbox.run(suite.root, argv, stream, **kwargs)  # type: ignore[arg-type]
    _check(what, status, log)
