# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The root of a freshly installed machine: systemd, one kernel without headers, nothing of this project.

The archives of all packages that the test installs later are in apt's cache, so that the test needs no network.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

from vmlib import cache, progress, root, sandbox

# The second kernel of the test is the one without "cloud": a release has one version at a time
FIRST, SECOND = "cloud-amd64", "amd64"
PACKAGES = (
    "dbus", "initramfs-tools", "iperf3", "iproute2", "iputils-ping", f"linux-image-{FIRST}", "kmod",
    "procps", "systemd-sysv", "udev",
)  # fmt: skip
LATER = (
    "dkms", "ethtool", "libmicrohttpd12", "libmnl0", f"linux-headers-{FIRST}", f"linux-headers-{SECOND}",
    f"linux-image-{SECOND}", "openssl", "python3",
)  # fmt: skip
# Sets net.core.default_qdisc; a part of systemd in bookworm
SYSCTL = {"bookworm": ()}
NOT_IN_THE_ROOT = ("/usr/share/locale/*", "/usr/share/info/*")

# Before the kernel is installed: a small initramfs that mounts the folder
EARLY = r"""
set -e
mkdir -p "$1/etc/initramfs-tools/conf.d" "$1/etc/initramfs-tools/scripts" "$1/usr/share/initramfs-tools/modules.d"
echo MODULES=list >"$1/etc/initramfs-tools/conf.d/folder"
printf '%s\n' virtio_pci virtiofs >"$1/usr/share/initramfs-tools/modules.d/folder"
cat >"$1/etc/initramfs-tools/scripts/folder" <<'END'
mountroot() { modprobe virtiofs; mount -t virtiofs folder "$rootmnt"; }
END
"""
LAST = """
export DEBIAN_FRONTEND=noninteractive
apt-get -q update
apt-get -qy --download-only install {later}
echo debian >/etc/hostname
: >/etc/machine-id
cat >/etc/systemd/system/test.service <<END
[Unit]
After=multi-user.target
[Service]
Type=oneshot
ExecStart=/bin/bash /mnt/guest.sh
TimeoutStartSec=infinity
[Install]
WantedBy=multi-user.target
END
systemctl enable test.service
"""


def _packages(release: str) -> list[str]:
    return [*PACKAGES, *SYSCTL.get(release, ("linux-sysctl-defaults",))]


def _build(release: str, made: Path) -> None:
    arguments = root.installing(_packages(release), NOT_IN_THE_ROOT)
    arguments += [f"--essential-hook={EARLY}"]
    top = root.bootstrap("installing a machine (once, three minutes)", release, made, arguments)
    argv = ["sh", "-ec", LAST.format(later=" ".join(LATER))]
    what = f"{release}: fetching what is installed later"
    progress.step(what, made / "log", lambda log: sandbox.run(top, argv, log, writable=True))


def get(release: str) -> Path:
    """The root, which must be copied before it is used."""
    recipe = (*_packages(release), *LATER, *NOT_IN_THE_ROOT, EARLY, LAST)
    name = cache.digest(item.encode() for item in recipe)
    return cache.entry("fresh", f"{release}-{name}", lambda made: _build(release, made)) / "root"


def copy(source: Path, target: Path) -> None:
    subprocess.run(["cp", "-a", "--reflink=auto", source, target], check=True)
