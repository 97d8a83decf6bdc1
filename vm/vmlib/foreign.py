# SPDX-License-Identifier: GPL-2.0
"""Other architectures: their kernel headers, and compilers for them, in a root for each; and what their
machines contain.

The root with the compiler is amd64. Of the other architecture it has the headers alone, as its own
compiler would not run here. What a machine contains is only unpacked: no program of it runs on the host.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from . import apt, boards, cache, image, progress, root, sandbox

PACKAGES = ("gcc", "kmod", "make", "perl", "pkgconf")
# Beside the guest's own: what its programs are compiled with
LIBRARIES = ("libc6-dev", "libmicrohttpd-dev", "libmnl-dev")

# In the root with the compiler
HEADERS = "/opt/headers"


@dataclass(frozen=True)
class Target:
    """A kernel to compile for, and the machine that runs it, if one does."""

    release: str
    architecture: str
    headers: str
    triplet: str
    image: str = ""
    board: boards.Board | None = None

    @property
    def environment(self) -> dict[str, str]:
        """What Debian's headers, and pkg-config, take the architecture from."""
        libraries = self.triplet.replace("i686", "i386")
        return {
            "DEB_BUILD_ARCH": "amd64",
            "DEB_HOST_ARCH": self.architecture,
            "DEB_HOST_GNU_TYPE": self.triplet,
            "PKG_CONFIG_LIBDIR": f"{root.SYSROOT}/usr/lib/{libraries}/pkgconfig",
            "PKG_CONFIG_SYSROOT_DIR": root.SYSROOT,
        }

    @property
    def compiler(self) -> str:
        """For programs of the machine."""
        return f"{self.triplet}-gcc --sysroot={root.SYSROOT}"

    @property
    def variables(self) -> list[str]:
        """Of make, for modules and for programs of the machine."""
        return [f"CC={self.compiler}", f"TC={root.SYSROOT}/usr/sbin/tc"]


# Debian has kernels for i386 up to bookworm. Mirrors may lag behind with updates of s390x.
TARGETS = (
    Target("bookworm", "i386", "linux-headers-686-pae", "i686-linux-gnu",
           "linux-image-686-pae", boards.I386),
    Target("bookworm", "armhf", "linux-headers-armmp", "arm-linux-gnueabihf"),
    Target("bookworm", "s390x", "linux-headers-s390x", "s390x-linux-gnu",
           "linux-image-s390x", boards.S390X),
    Target("trixie", "arm64", "linux-headers-cloud-arm64", "aarch64-linux-gnu",
           "linux-image-cloud-arm64", boards.ARM64),
    Target("sid", "armhf", "linux-headers-armmp", "arm-linux-gnueabihf"),
)  # fmt: skip

# Those with a machine, one for each architecture
MACHINES = {target.architecture: target for target in TARGETS if target.board}

# Headers of another architecture depend on a compiler that cannot be installed beside amd64's. So
# they are unpacked, and only what all architectures share is installed.
UNPACK = """
set -e
mkdir "$1{sources}"
chroot "$1" sh -ec '
cd /tmp
package=$(apt-cache depends --important "{meta}" | sed -n "s/^ *Depends: \\(linux-headers-.*\\)/\\1/p")
apt-get download "$package"
common=$(dpkg-deb -f *.deb Depends | tr ", " "\\n\\n" |
	grep -x "linux-headers-.*-common\\|linux-kbuild-.*")
apt-get install -y $common
dpkg-deb --fsys-tarfile *.deb | tar -x --keep-directory-symlink -C /
for deb in *.deb; do
	ln -s /usr/src/"${deb%%_*}" {headers}
done
rm *.deb
'
"""

# A merged /usr, as the set-up of packages would make it
MERGE = """
for name in bin lib sbin; do
	mkdir -p "$1/usr/$name" && ln -s "usr/$name" "$1/$name" || exit
done
"""

# The table of the modules, the same
LIST_MODULES = f"depmod -b {root.SYSROOT} $(ls {root.SYSROOT}/lib/modules)"


def _sources(release: str) -> list[str]:
    """Without updates: a mirror may have them for amd64 first."""
    return apt.sources(release)[:1]


def _packages(target: Target) -> list[str]:
    return [*PACKAGES, f"gcc-{target.triplet}"]


def _build_root(target: Target, made: Path) -> None:
    hook = UNPACK.replace("{sources}", root.SOURCES).replace("{headers}", HEADERS)
    hook = hook.replace("{meta}", f"{target.headers}:{target.architecture}")
    arguments = root.installing(_packages(target))
    arguments += [f"--architectures=amd64,{target.architecture}", f"--customize-hook={hook}"]
    what = f"fetching headers and a compiler for {target.architecture} (once, about a minute)"
    root.bootstrap(what, target.release, made, arguments, _sources(target.release))


def compilers(target: Target) -> Path:
    """The root with the headers and the compiler."""
    recipe = cache.digest(part.encode() for part in (UNPACK, *_packages(target), target.headers))
    name = f"{target.release}-{target.architecture}-{recipe}"
    return cache.entry("foreign", name, lambda made: _build_root(target, made)) / "root"


def _unpacked(target: Target) -> list[str]:
    return [*root.GUEST, *image.ALWAYS, *LIBRARIES, target.image]


def _build_contents(target: Target, made: Path) -> None:
    arguments = root.installing(_unpacked(target))
    arguments = [a for a in arguments if not a.startswith("--variant=")]
    arguments += ["--variant=extract", f"--architectures={target.architecture}"]
    arguments += [f"--setup-hook={MERGE}"]
    what = f"fetching and unpacking the release for {target.architecture} (once, about a minute)"
    root.bootstrap(what, target.release, made, arguments, _sources(target.release))
    folders = {root.SYSROOT: made / "root"}
    progress.step(
        f"{target.release}: listing the modules",
        made / "log",
        lambda log: sandbox.run(compilers(target), ["sh", "-c", LIST_MODULES], log, folders),
    )


def contents(target: Target) -> Path:
    """The folder that a machine's image is made from, and its programs are compiled with."""
    parts = (*_unpacked(target), *root.LEFT_OUT, MERGE, LIST_MODULES)
    recipe = cache.digest(part.encode() for part in parts)
    name = f"{target.release}-{target.architecture}-{recipe}"
    return cache.entry("contents", name, lambda made: _build_contents(target, made)) / "root"
