# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Boots a folder as the root of a machine, until the machine switches itself off.

Time is the host's: virtual time would run ahead while the machine waits for its files. Two network devices are
joined by one wire, so that one of them can be the router's and the other one the provider's.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from pathlib import Path

from vmlib import kernel as unpack
from vmlib import machine, process

MEMORY = 1024
SECONDS = 1800
PLACES = ("/usr/libexec/virtiofsd", "/usr/lib/qemu/virtiofsd")
# The timers would use apt beside the test
TIMERS = ("apt-daily", "apt-daily-upgrade", "dpkg-db-backup")
COMMAND_LINE = (
    "console=ttyS0 loglevel=4 panic=-1 boot=folder rw net.ifnames=0 mitigations=off "
    "random.trust_cpu=on systemd.show_status=no "
    + " ".join(f"systemd.mask={name}.timer" for name in TIMERS)
)


def _daemon() -> str:
    for place in PLACES:
        if os.access(place, os.X_OK):
            return place
    raise process.Failure("virtiofsd is missing: apt install virtiofsd")


def _arguments(root: Path, kernel: str, folder: Path, extra: str) -> list[str]:
    wires = []
    for number in (0, 1):
        wires += ["-netdev", f"hubport,id=n{number},hubid=0"]
        wires += ["-device", f"virtio-net-pci,netdev=n{number},addr={number + 4},romfile="]
    return [
        *("qemu-system-x86_64", "-M", "q35", "-accel", "tcg", "-cpu", "max", "-m", str(MEMORY)),
        *("-object", f"memory-backend-memfd,id=memory,size={MEMORY}M,share=on"),
        *("-numa", "node,memdev=memory", "-nodefaults", "-no-user-config", "-display", "none"),
        *("-no-reboot", "-serial", f"file:{folder}/console"),
        *("-chardev", f"socket,id=folder,path={folder}/socket"),
        *("-device", "vhost-user-fs-pci,chardev=folder,tag=folder"),
        *wires,
        *("-kernel", str(folder / "vmlinux")),
        *("-initrd", str(root / f"boot/initrd.img-{kernel}")),
        *("-append", f"{COMMAND_LINE} {extra}".strip()),
    ]


def _wait_for(socket: Path) -> None:
    for _ in range(600):
        if socket.exists():
            return
        time.sleep(0.1)
    raise process.Failure("virtiofsd does not start")


def _end(qemu: subprocess.Popen[bytes]) -> None:
    try:
        qemu.wait(SECONDS)
    except subprocess.TimeoutExpired:
        process.say(f"the machine is stopped after {SECONDS} s")


def run(root: Path, kernel: str, extra: str = "") -> str:
    """Boots the kernel; returns what its console showed."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        socket, console, log = (folder / item for item in ("socket", "console", "log"))
        # The emulated machine would take some seconds to unpack it
        (folder / "vmlinux").write_bytes(unpack.unpacked(root / f"boot/vmlinuz-{kernel}"))
        with log.open("wb") as stream:
            argv = [_daemon(), f"--socket-path={socket}", "-o", f"source={root}"]
            argv += ["-o", "cache=always", "-o", "sandbox=chroot", "-o", "xattr"]
            daemon = process.start(argv, stdout=stream, stderr=stream)
            try:
                _wait_for(socket)
                argv = _arguments(root, kernel, folder, extra)
                qemu = process.start(argv, stdout=stream, stderr=stream)
                try:
                    _end(qemu)
                finally:
                    process.stop(qemu)
            finally:
                process.stop(daemon)
        shown = console.read_text(errors="replace").replace("\r", "") if console.exists() else ""
        if qemu.returncode:
            shown += log.read_text(errors="replace")
    return shown


def complaint(shown: str) -> str | None:
    bad = machine.BAD.search(shown)
    return f"the kernel's log has '{bad[0].strip()}'" if bad else None
