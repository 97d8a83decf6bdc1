# SPDX-License-Identifier: GPL-2.0
"""A suite's root folder: the guest's programs, a compiler, the kernel's headers."""

from __future__ import annotations

import subprocess
import threading
import time
from pathlib import Path
from typing import Callable

from . import apt, cache, process, sandbox

GUEST = (
    "bash", "coreutils", "diffutils", "ethtool", "findutils", "grep", "iperf3",
    "iproute2", "iputils-ping", "irtt", "jq", "kmod", "mawk", "mount", "nftables",
    "procps", "python3", "sed", "tcpdump", "util-linux",
)  # fmt: skip
BUILD = (
    "bc", "bison", "flex", "gcc", "libc6-dev", "libelf-dev", "libmnl-dev",
    "libssl-dev", "linux-headers-cloud-amd64", "linux-image-cloud-amd64", "make",
    "patch", "perl", "pkgconf", "sparse", "xz-utils",
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


def check(what: str, status: int, log: Path) -> None:
    if status:
        tail = "\n".join(log.read_text(errors="replace").splitlines()[-40:])
        raise process.Failure(f"{tail}\n{what} failed")


def _bootstrap(name: str, root: Path, work: Path, log: Path) -> None:
    lines = apt.sources(name)
    sources = work / "sources.list"
    sources.write_text("".join(f"{line}\n" for line in lines))
    hook = work / "no-initramfs.sh"
    hook.write_text(NO_INITRAMFS.replace("{sources}", SOURCES))
    argv = [*sandbox.UNSHARE, "mmdebstrap", "--mode=root", "--variant=apt"]
    argv += [f"--aptopt={line}" for line in apt.options()]
    argv += ['--aptopt=APT::Install-Recommends "false"', "--dpkgopt=force-unsafe-io"]
    argv += [f"--dpkgopt=path-exclude={pattern}" for pattern in LEFT_OUT]
    argv += [f"--essential-hook=sh {hook} \"$1\""]
    argv += ["--include=" + ",".join(GUEST + BUILD), name, str(root)]
    argv += [str(sources)] if lines else []
    with log.open("wb") as stream:
        status = _ticking(
            f"{name}: fetching and unpacking the suite (once, about two minutes)",
            log,
            lambda: process.run(argv, stream, {**sandbox.ENVIRONMENT, "TMPDIR": str(work)}),
        )
    check(f"{name}: mmdebstrap", status, log)


def _manifest(root: Path) -> bytes:
    return subprocess.run(
        ["dpkg-query", f"--admindir={root}/var/lib/dpkg", "-W"],
        check=True,
        stdout=subprocess.PIPE,
    ).stdout


def _build(name: str, made: Path) -> None:
    log = made / "log"
    work = made / "work"
    work.mkdir()
    _bootstrap(name, made / "root", work, log)
    (made / "manifest").write_bytes(_manifest(made / "root"))
    for path in work.iterdir():
        path.unlink()
    work.rmdir()


def get(name: str) -> Path:
    """The folder with `root`, `manifest` (its packages and their versions) and `log`."""
    recipe = cache.digest([Path(__file__).read_bytes()])
    return cache.entry("root", f"{name}-{recipe}", lambda made: _build(name, made))
