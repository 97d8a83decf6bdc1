# SPDX-License-Identifier: GPL-2.0
"""A release's root folder: the guest's programs, a compiler, the kernel's headers."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Sequence

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
# Where a root with a cross compiler has what the machine contains
SYSROOT = "/srv"

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


def installing(packages: Sequence[str], left_out: Sequence[str] = LEFT_OUT) -> list[str]:
    """Arguments of bootstrap() for a root with these packages, without the paths that match `left_out`."""
    excluded = [f"--dpkgopt=path-exclude={pattern}" for pattern in left_out]
    names = ",".join(packages)
    return ["--variant=apt", "--dpkgopt=force-unsafe-io", *excluded, f"--include={names}"]


def bootstrap(
    what: str, name: str, made: Path, arguments: list[str], lines: list[str] | None = None
) -> Path:
    """Makes `made`/root from `lines`, or the host's own sources; `what` tells the user about it."""
    lines = apt.sources(name) if lines is None else lines
    work = made / "work"
    work.mkdir()
    sources = work / "sources.list"
    sources.write_text("".join(f"{line}\n" for line in lines))
    argv = [*sandbox.unshare(), "mmdebstrap", "--mode=root", *arguments]
    argv += [f"--aptopt={line}" for line in apt.options()]
    argv += ['--aptopt=APT::Install-Recommends "false"']
    argv += [name.partition("-")[0], str(made / "root")]
    argv += [str(sources)] if lines else []
    env = {**sandbox.ENVIRONMENT, "TMPDIR": str(work)}
    progress.step(f"{name}: {what}", made / "log", lambda log: process.run(argv, log, env))
    shutil.rmtree(work)
    return made / "root"


# The kernel of backports, and what depends on its version
BACKPORTS = """
printf 'Package: linux-*\\nPin: release n={suite}\\nPin-Priority: 990\\n' >"$1/etc/apt/preferences.d/kernel"
"""


def _manifest(root: Path) -> bytes:
    return subprocess.run(
        ["dpkg-query", f"--admindir={root}/var/lib/dpkg", "-W"],
        check=True,
        stdout=subprocess.PIPE,
    ).stdout


def _build(name: str, made: Path) -> None:
    arguments = installing(GUEST + BUILD)
    arguments += ["--essential-hook=" + PREPARE.replace("{sources}", SOURCES)]
    if name.endswith("-backports"):
        arguments += ["--essential-hook=" + BACKPORTS.replace("{suite}", name)]
    what = "fetching and unpacking the release (once, about a minute)"
    root = bootstrap(what, name, made, arguments)
    (made / "manifest").write_bytes(_manifest(root))


def get(name: str) -> Path:
    """The folder with `root`, `manifest` (its packages and their versions) and `log`."""
    lists = (GUEST, BUILD, LEFT_OUT, (PREPARE, SOURCES), (BACKPORTS,) * name.endswith("-backports"))
    recipe = cache.digest(item.encode() for items in lists for item in items)
    return cache.entry("root", f"{name}-{recipe}", lambda made: _build(name, made))
