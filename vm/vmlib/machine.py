# SPDX-License-Identifier: GPL-2.0
"""One run of the virtual machine, and the verdict on it."""

from __future__ import annotations

import os
import re
import selectors
import struct
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Iterator

from . import boards, exact, process, smp, timeline

MEMORY = 1024

# Wall time without a nanosecond of virtual time: the machine hangs. One on a host with a load of 12 passes milliseconds in a second
STANDSTILL = 30.0
CLOCK = "CODEL_VM_CLOCK"  # host/exact.c writes the virtual time to this descriptor

# One instruction is one nanosecond, idle time is skipped, and nothing the
# guest can see comes from the host: no clock, no entropy, no other device.
VIRTUAL_TIME = ("-icount", "shift=0,sleep=off")

TLB = "CODEL_VM_TLB"  # tells host/exact.c that QEMU's TLB may shrink

# Leaves the name fq_codel, which Debian's kernels have built in, to a module
WITHOUT_FQ_CODEL = "initcall_blacklist=fq_codel_module_init"

RACE = re.compile(r"BUG: KCSAN: .*")
BAD = re.compile(
    # of the data races that KCSAN finds, those of this tree's modules
    r"BUG: KCSAN: .*\[(?:sch_codel_oot|sch_fq_codel_oot|crash)\].*|"
    r"WARNING: |BUG: (?!KCSAN: )|BUG \S+ \(|Oops: |Kernel panic|UBSAN: |refcount_t: |ref_tracker: |"
    r"unregister_netdevice: waiting|INFO: rcu_|INFO: task .* blocked|"
    r"possible recursive locking|possible circular locking|inconsistent lock state|"
    r"suspicious RCU usage|general protection fault|"
    # of this tree's programs: tests send malformed requests on purpose
    r"bytes leftover after parsing attributes in process `(?:codelstat|tc)'"
)


def without_fq_codel() -> dict[str, str]:
    """The environment of vm/run for a kernel without its own fq_codel."""
    append = f"{os.environ.get('CODEL_VM_APPEND', '')} {WITHOUT_FQ_CODEL}"
    return os.environ | {"CODEL_VM_APPEND": append.strip()}


@dataclass
class Result:
    """What the guest told on the control port, and what its kernel wrote."""

    status: int | None = None
    files: dict[str, bytes] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)
    errors: str = ""
    leaks: str = ""
    log: str = ""
    complete: bool = False
    console: str = ""
    timed_out: bool = False
    stands_at: float | None = None  # virtual seconds, where the machine hung


def _frames(data: bytes, order: str) -> Iterator[tuple[str, str, bytes]]:
    at = 0
    while at + 13 <= len(data):
        kind, name_size, size = struct.unpack_from(f"{order}cIQ", data, at)
        at += 13
        name = data[at : at + name_size].decode(errors="replace")
        at += name_size
        if at + size > len(data):
            return
        yield kind.decode(), name, data[at : at + size]
        at += size


def _readable(kmsg: bytes) -> tuple[str, bool]:
    """The messages of the kernel, and whether they are complete.

    A line that a program wrote proves nothing, so those are left out.
    """
    lines = []
    complete = kmsg.partition(b",")[2].startswith(b"0,")
    for line in kmsg.decode(errors="replace").splitlines():
        head, _, text = line.partition(";")
        parts = head.split(",")
        if len(parts) < 4 or not parts[0].isdigit():
            continue
        if int(parts[0]) >> 3 == 0:
            lines.append(f"[{int(parts[2]) / 1e6:12.6f}] {text}")
    return "\n".join(lines), complete


def _arguments(
    kernel: Path,
    initrd: str,
    virtual_time: bool,
    memory: int,
    processors: int,
    outputs: dict[str, int],
    extra: str,
    board: boards.Board,
) -> list[str]:
    several = processors > 1
    argv = [board.qemu]
    argv += ["-M", smp.MACHINE if several else board.machine]
    argv += ["-accel", smp.ACCELERATOR if several else "tcg"]
    argv += ["-cpu", board.cpu, "-smp", str(processors), "-m", str(memory)]
    argv += VIRTUAL_TIME if virtual_time else ()
    argv += ["-rtc", "base=2026-01-01T00:00:00,clock=vm", "-seed", "1"]
    argv += [
        "-nodefaults",
        "-no-user-config",
        "-display",
        "none",
        "-nic",
        "none",
        "-no-reboot",
    ]
    outputs = {n: fd for n, fd in outputs.items() if n != "messages"}
    for name, fd in outputs.items():
        argv += ["-chardev", f"file,id={name},path=/dev/fd/{fd}"]
    argv += ["-serial", "chardev:console", *board.channels]
    argv += ["-kernel", str(kernel), "-initrd", initrd]
    words = (
        board.command_line,
        smp.COMMAND_LINE if several else "",
        timeline.word(),
        extra.strip(),
    )
    argv += ["-append", " ".join(filter(None, words))]
    return argv


def _initrd(parts: list[Path | bytes]) -> int:
    """The archives one after another, in memory."""
    fd = os.memfd_create("initrd")
    for part in parts:
        if isinstance(part, bytes):
            os.write(fd, part)
            continue
        with part.open("rb") as source:
            size = os.fstat(source.fileno()).st_size
            while size:
                size -= os.sendfile(fd, source.fileno(), None, size)
    return fd


def _read(fd: int) -> bytes:
    os.lseek(fd, 0, os.SEEK_SET)
    with os.fdopen(fd, "rb", closefd=False) as stream:
        return stream.read()


class Clock:
    """The virtual time of a machine, and for how long of wall time it has stood still."""

    def __init__(self) -> None:
        self.file = os.memfd_create("clock")
        self.now = 0
        self.moved = time.monotonic()

    def look(self) -> None:
        now = int.from_bytes(os.pread(self.file, 8, 0), sys.byteorder)
        if now != self.now:
            self.now, self.moved = now, time.monotonic()

    def stands(self) -> bool:
        self.look()
        return time.monotonic() - self.moved > STANDSTILL


def _forward(pipes: dict[int, int], deadline: float, clock: Clock | None, result: Result) -> None:
    """Copies from pipe to descriptor until all ends are closed, the deadline, or the machine stands still."""
    chooser = selectors.DefaultSelector()
    for source in pipes:
        chooser.register(source, selectors.EVENT_READ)
    while chooser.get_map():
        left = deadline - time.monotonic()
        if left <= 0:
            result.timed_out = True
            return
        if clock and clock.stands():
            result.stands_at = clock.now / 1e9
            return
        for key, _events in chooser.select(min(left, 5)):
            data = os.read(key.fd, 1 << 16)
            if not data:
                chooser.unregister(key.fd)
            while data:
                data = data[os.write(pipes[key.fd], data) :]


def run(
    kernel: Path,
    parts: list[Path | bytes],
    timeout: float,
    virtual_time: bool = True,
    memory: int = MEMORY,
    processors: int = 1,
    extra: str = "",
    descriptors: tuple[int, int] = (1, 2),
    board: boards.Board = boards.AMD64,
) -> Result:
    """Boots, and waits for the end; what the command prints goes straight to the descriptors."""
    sys.stdout.flush()
    sys.stderr.flush()
    kept = {name: os.memfd_create(name) for name in ("console", "control", "messages")}
    initrd = _initrd(parts)
    (stdout, stdout_in), (stderr, stderr_in) = os.pipe(), os.pipe()
    outputs = {"stdout": stdout_in, "stderr": stderr_in, **kept}
    argv = _arguments(
        kernel, f"/dev/fd/{initrd}", virtual_time, memory, processors, outputs, extra, board
    )
    messages = kept["messages"]
    result = Result()
    assert not (virtual_time and processors > 1)
    clock = Clock() if virtual_time else None
    inherited = [initrd, *outputs.values()]
    env = None
    if clock:
        env = {**os.environ, "LD_PRELOAD": str(exact.library()), CLOCK: str(clock.file)}
        if not board.accessed_bits:
            env[TLB] = "shrinks"
        inherited.append(clock.file)
    child = process.start(argv, stdout=messages, stderr=messages, pass_fds=inherited, env=env)
    try:
        for fd in (initrd, stdout_in, stderr_in):
            os.close(fd)
        pipes = dict(zip((stdout, stderr), descriptors))
        _forward(pipes, time.monotonic() + timeout, clock, result)
    finally:
        process.stop(child)
    _collect(result, _read(kept["control"]), board.order)
    result.console = _read(kept["console"]).decode(errors="replace").replace("\r", "")
    result.errors += _read(messages).decode(errors="replace")
    return result


def _collect(result: Result, control: bytes, order: str) -> None:
    for kind, name, data in _frames(control, order):
        if kind == "V":
            result.status = data[0]
        elif kind == "G":
            result.files[name] = data
        elif kind == "M":
            result.missing[name] = data.decode()
        elif kind == "K":
            result.log, result.complete = _readable(data)
        elif kind == "L":
            result.leaks = data.decode(errors="replace")
        elif kind == "E":
            result.errors += data.decode(errors="replace")


def complaint(result: Result) -> str | None:
    """Why the machine cannot be trusted, if so."""
    if result.errors:
        return result.errors.strip()
    if result.stands_at is not None:
        return (
            f"the machine hangs: its clock has stood at {result.stands_at:.3f} s of virtual time "
            f"for {STANDSTILL:g} s (QEMU, or vm/host/exact.c)"
        )
    bad = BAD.search(result.log)
    if not bad and not result.complete:
        bad = BAD.search(result.console)
    if bad:
        return f"the kernel's log has '{bad[0].strip()}'"
    if result.leaks:
        return "memory leaks"
    if result.status is None:
        return "the machine ended without a verdict"
    return None


def races(result: Result) -> int:
    """How many data races KCSAN has reported, in any part of the kernel."""
    return len(RACE.findall(result.log or result.console))
