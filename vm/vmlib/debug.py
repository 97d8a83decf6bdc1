# SPDX-License-Identifier: GPL-2.0
"""A release's kernel, built with the checks that no distribution ships.

Debian's source of the release's own version, configured from almost nothing:
the tests need little of a kernel, and with all its drivers it would take an
hour.  Modules are built against the same folder, under the same name.
"""

from __future__ import annotations

import re
from pathlib import Path

from . import cache, cpio, process, progress, sandbox, source

FRAGMENTS = Path(__file__).parent.parent / "debug"
# What finds defects of memory, and what finds data races: no kernel has both.
CHECKS = ("kasan", "kcsan")
KERNEL_RELEASE = "kernel-release"  # a file with the output of make kernelrelease
INSIDE = "/opt"  # where a sandbox sees what is built here
HEADERS = f"{INSIDE}/linux"
MEMORY = 2048

# Options that the release's own configuration decides.
TAKEN_OVER = re.compile(
    r"CONFIG_(NET_SCH|DEFAULT_(FQ_CODEL|NET_SCH)|NET_CLS|CLS_U32|NET_ACT"
    r"|NET_EMATCH|TCP_CONG|NFT)_?\w*="
)
# PVH's entry runs at physical addresses, before there is a shadow of memory: it and the
# memcmp() that it calls cannot be instrumented. With AMD_MEM_ENCRYPT, which every
# distribution has and this kernel has not, lib/Makefile says so itself.
CONFIGURE = f"""
cd {HEADERS}
echo '{{CHECK}}_SANITIZE_enlighten.o := n' >>arch/x86/platform/pvh/Makefile
echo '{{CHECK}}_SANITIZE_string.o := n' >>lib/Makefile
make -s tinyconfig
cat {INSIDE}/fragment >>.config
make -s olddefconfig
"""
BUILD = f"""
cd {HEADERS}
make -j$(nproc) vmlinux modules
make -s modules_install INSTALL_MOD_PATH={INSIDE}/modules DEPMOD=true
rm -f {INSIDE}/modules/lib/modules/*/build {INSIDE}/modules/lib/modules/*/source
make -s kernelrelease >{INSIDE}/{KERNEL_RELEASE}
"""
# What remains is what builds modules; the kernel itself lies beside it.
TRIM = f"""
cd {HEADERS}
mv vmlinux {INSIDE}/
find . -name '*.[coSa]' ! -path './scripts/*' ! -path './tools/objtool/*' -delete
find . -name '*.ko' -delete
rm -rf Documentation sound tools/testing
"""


def _step(base: Path, made: Path, what: str, script: str) -> None:
    argv = ["sh", "-ec", script]
    progress.step(what, made / "log", lambda log: sandbox.run(base, argv, log, {INSIDE: made}))


def _fragment(check: str) -> str:
    text = (FRAGMENTS / "kernel.config").read_text()
    return text if check == CHECKS[0] else text + (FRAGMENTS / f"{check}.config").read_text()


def _configure(check: str) -> str:
    return CONFIGURE.format(CHECK=check.upper())


def _verify(check: str, made: Path) -> None:
    """Kconfig leaves out without a word what a kernel or its compiler does not have."""
    if f"CONFIG_{check.upper()}=y\n" not in (made / "linux/.config").read_text():
        raise process.Failure(f"the debug kernel has no CONFIG_{check.upper()}")


def _build(check: str, name: str, base: Path, kernel_release: str, made: Path) -> None:
    source.fetch(name, kernel_release, made)
    lines = (base / f"boot/config-{kernel_release}").read_text().splitlines()
    taken = [line for line in lines if TAKEN_OVER.match(line)]
    (made / "fragment").write_text(_fragment(check) + "\n".join(taken) + "\n")
    what = f"the debug kernel with {check.upper()}"
    _step(base, made, f"{name}: configuring {what}", _configure(check))
    _verify(check, made)
    _step(base, made, f"{name}: building {what} (once, 10 to 20 minutes)", BUILD)
    _step(base, made, f"{name}: tidying up", TRIM)
    with (made / "modules.cpio").open("wb") as stream:
        archive = cpio.Archive(stream)
        archive.add_tree(made / "modules", "")
        archive.finish()


def get(check: str, name: str, base: Path, kernel_release: str) -> Path:
    """The folder with `vmlinux`, `kernel-release`, `modules`, `modules.cpio` and `linux`."""
    scripts = (_configure(check), BUILD, TRIM, TAKEN_OVER.pattern, _fragment(check))
    recipe = cache.digest(item.encode() for item in (*scripts, base.parent.name, kernel_release))
    return cache.entry(
        "debug", f"{name}-{recipe}", lambda made: _build(check, name, base, kernel_release, made)
    )
