# SPDX-License-Identifier: GPL-2.0
"""A release's root folder: the guest's programs, a compiler, the kernel's headers."""

from __future__ import annotations

import subprocess
from pathlib import Path

from . import apt, cache, process, progress, sandbox

GUEST = (
    "bash", "coreutils", "diffutils", "ethtool", "findutils", "gojq", "grep",
    "iperf3", "iproute2", "iputils-ping", "irtt", "jq", "kmod", "libmicrohttpd12", "mawk",
    "mount", "nftables", "procps", "python3", "sed", "tcpdump", "util-linux",
)  # fmt: skip
BUILD = (
    "bc", "bison", "flex", "gcc", "libc6-dev", "libelf-dev", "libmicrohttpd-dev",
    "libmnl-dev", "libssl-dev", "linux-headers-cloud-amd64", "linux-image-cloud-amd64", "make",
    "patch", "perl", "pkgconf", "sparse", "xz-utils",
)  # fmt: skip
LEFT_OUT = ("/usr/share/man/*", "/usr/share/doc/*", "/usr/share/info/*",
            "/usr/share/locale/*", "/usr/share/lintian/*")  # fmt: skip

# Where the tree is built; fixed, as paths end up in what is built.
SOURCES = "/usr/src/codel"

# A kernel package asks for a tool that makes an initramfs.  Here it has no use,
# and takes longer than all the rest: a package without contents stands in.
PREPARE = """
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


def debootstrap(
    name: str, root: Path, work: Path, arguments: list[str], lines: list[str] | None = None
) -> list[str]:
    """The command that makes a root from `lines`, or the host's own sources; `work` is scratch."""
    lines = apt.sources(name) if lines is None else lines
    sources = work / "sources.list"
    sources.write_text("".join(f"{line}\n" for line in lines))
    argv = [*sandbox.UNSHARE, "mmdebstrap", "--mode=root", *arguments]
    argv += [f"--aptopt={line}" for line in apt.options()]
    argv += ['--aptopt=APT::Install-Recommends "false"']
    argv += [name, str(root)]
    return argv + ([str(sources)] if lines else [])


def _bootstrap(name: str, root: Path, work: Path, log: Path) -> None:
    hook = work / "prepare.sh"
    hook.write_text(PREPARE.replace("{sources}", SOURCES))
    arguments = ["--variant=apt", "--dpkgopt=force-unsafe-io"]
    arguments += [f"--dpkgopt=path-exclude={pattern}" for pattern in LEFT_OUT]
    arguments += [f'--essential-hook=sh {hook} "$1"']
    arguments += ["--include=" + ",".join(GUEST + BUILD)]
    argv = debootstrap(name, root, work, arguments)
    with log.open("wb") as stream:
        status = progress.ticking(
            f"{name}: fetching and unpacking the release (once, about a minute)",
            log,
            lambda: process.run(argv, stream, {**sandbox.ENVIRONMENT, "TMPDIR": str(work)}),
        )
    progress.check(f"{name}: mmdebstrap", status, log)


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
    lists = (GUEST, BUILD, LEFT_OUT, (PREPARE, SOURCES))
    recipe = cache.digest(item.encode() for items in lists for item in items)
    return cache.entry("root", f"{name}-{recipe}", lambda made: _build(name, made))
