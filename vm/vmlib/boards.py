# SPDX-License-Identifier: GPL-2.0
"""The machines that QEMU shows a kernel, one for each architecture."""

from __future__ import annotations

from dataclasses import dataclass

CHANNELS = ("stdout", "stderr", "control")  # in the order of guest/ports.h and guest/virtio.h
PORTS, EXIT = (0xE9, 0xEA, 0xEB), 0xF4

EVERYWHERE = (
    "loglevel=5 panic=-1 oops=panic nokaslr mitigations=off audit=0 cryptomgr.notests "
    "random.trust_cpu=off rdinit=/init"
)

# Without a tick, virtual time jumps ahead while a machine waits for a device
TICKS = "nohz=off"


@dataclass(frozen=True)
class Board:
    """A machine without clock, entropy or device of the host's, and its ways to the host."""

    qemu: str
    machine: str
    cpu: str
    channels: tuple[str, ...]
    command_line: str
    order: str = "<"  # of bytes in numbers, as Python's struct has it
    accessed_bits: bool = True  # in the tables of pages, which show what QEMU's TLB held


def _ports() -> tuple[str, ...]:
    """Ports of x86: a write is over within the instruction that does it."""
    argv: list[str] = []
    for name, port in zip(CHANNELS, PORTS):
        argv += ["-device", f"isa-debugcon,chardev={name},iobase={port:#x}"]
    return (*argv, "-device", f"isa-debug-exit,iobase={EXIT:#x}")


def _virtio(bus: str) -> tuple[str, ...]:
    """Ports of a virtio device, which handles a write before the guest goes on."""
    argv = ["-device", f"virtio-serial-{bus},ioeventfd=off"]
    for number, name in enumerate(CHANNELS, 1):
        argv += ["-device", f"virtserialport,chardev={name},nr={number}"]
    return tuple(argv)


AMD64 = Board(
    qemu="qemu-system-x86_64",
    machine="microvm,acpi=off,auto-kernel-cmdline=off,rtc=on,pit=on,pic=on",
    cpu="max,-rdrand,-rdseed,-erms,-fsrm",
    channels=_ports(),
    # Another order of the words would be another course of events: what is recorded has this one
    command_line=(
        "console=ttyS0 loglevel=5 panic=-1 reboot=t oops=panic nokaslr "
        "mitigations=off audit=0 cryptomgr.notests random.trust_cpu=off "
        "tsc=reliable no_timer_check rdinit=/init"
    ),
)
I386 = Board(
    qemu="qemu-system-i386",
    machine="pc",
    cpu="max,-rdrand,-rdseed",
    channels=_ports(),
    command_line=f"console=ttyS0 {EVERYWHERE} reboot=t tsc=reliable no_timer_check",
)
ARM64 = Board(
    qemu="qemu-system-aarch64",
    machine="virt,dtb-randomness=off",
    cpu="cortex-a57",
    channels=_virtio("pci"),
    command_line=f"console=ttyAMA0 {EVERYWHERE} {TICKS}",
)
S390X = Board(
    qemu="qemu-system-s390x",
    machine="s390-ccw-virtio",
    cpu="max,prno-trng=off",
    channels=_virtio("ccw"),
    command_line=f"conmode=sclp {EVERYWHERE} {TICKS}",
    order=">",
    accessed_bits=False,
)
