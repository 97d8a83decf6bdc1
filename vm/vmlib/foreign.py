# SPDX-License-Identifier: GPL-2.0
"""32-bit architectures: their kernel headers, and compilers for them, in a root per release.

The modules are only compiled; no 32-bit machine is booted. The root is amd64. Of the other
architectures it has the headers alone, as their own compilers would not run here.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from . import apt, cache, root, sandbox, tree

PACKAGES = ("gcc", "gcc-arm-linux-gnueabihf", "make", "perl")


@dataclass(frozen=True)
class Target:
    """A kernel to compile for: its Debian release, architecture, headers and compiler."""

    release: str
    architecture: str
    headers: str
    compiler: str


# Debian has kernels for i386 up to bookworm.
TARGETS = (
    Target("bookworm", "i386", "linux-headers-686-pae", "gcc"),
    Target("bookworm", "armhf", "linux-headers-armmp", "arm-linux-gnueabihf-gcc"),
    Target("sid", "armhf", "linux-headers-armmp", "arm-linux-gnueabihf-gcc"),
)

# Headers of another architecture depend on a compiler that cannot be installed beside amd64's. So
# they are unpacked, and only the parts that all architectures share are installed.
UNPACK = """
set -e
mkdir "$1{sources}"
chroot "$1" sh -ec '
cd /tmp
for meta in {metas}; do
	package=$(apt-cache depends --important "$meta" | sed -n "s/^ *Depends: \\(linux-headers-.*\\)/\\1/p")
	apt-get download "$package"
done
for deb in *.deb; do
	common=$(dpkg-deb -f "$deb" Depends | tr ", " "\\n\\n" |
		grep -x "linux-headers-.*-common\\|linux-kbuild-.*")
	apt-get install -y $common
	dpkg-deb --fsys-tarfile "$deb" | tar -x --keep-directory-symlink -C /
	mkdir -p "/opt/${deb##*_}"
	ln -s /usr/src/"${deb%%_*}" "/opt/${deb##*_}/headers"
done
rm *.deb
'
"""


def _build_root(release: str, made: Path) -> None:
    targets = [t for t in TARGETS if t.release == release]
    metas = " ".join(f"{t.headers}:{t.architecture}" for t in targets)
    hook = UNPACK.replace("{sources}", root.SOURCES).replace("{metas}", metas)
    architectures = ",".join(["amd64", *(t.architecture for t in targets)])
    arguments = root.installing(PACKAGES)
    arguments += [f"--architectures={architectures}", f"--customize-hook={hook}"]
    what = f"fetching headers and compilers for {architectures} (once, about a minute)"
    # Without updates: a mirror may have them for amd64 first.
    root.bootstrap(what, release, made, arguments, apt.sources(release)[:1])


def _root(release: str) -> Path:
    parts = [UNPACK, *PACKAGES, *(str(t) for t in TARGETS if t.release == release)]
    recipe = cache.digest(part.encode() for part in parts)
    return cache.entry("foreign", f"{release}-{recipe}", lambda made: _build_root(release, made))


def build(target: Target, work: Path) -> tuple[int, str]:
    """Compiles the modules with W=1. Returns make's status and output."""
    base = _root(target.release) / "root"
    names = [n for n in tree.files() if not n.startswith(tree.NOT_BUILT)]
    source = work / f"{target.release}-{target.architecture}"
    tree.copy(tree.TOP, names, source)
    headers = f"/opt/{target.architecture}.deb/headers"
    argv = ["make", "-C", headers, f"M={root.SOURCES}", "W=1", f"CC={target.compiler}", "modules"]
    env = {"DEB_BUILD_ARCH": "amd64", "DEB_HOST_ARCH": "amd64"}
    if target.compiler != "gcc":
        triplet = target.compiler.removesuffix("-gcc")
        env |= {"DEB_HOST_ARCH": target.architecture, "DEB_HOST_GNU_TYPE": triplet}
    log = source / "log"
    with log.open("wb") as stream:
        status = sandbox.run(base, argv, stream, {root.SOURCES: source}, env=env)
    return status, log.read_text(errors="replace")
