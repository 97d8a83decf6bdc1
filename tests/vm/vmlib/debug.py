# SPDX-License-Identifier: GPL-2.0
"""A suite's kernel, built with the checks that no distribution ships.

Debian's source of the suite's own version, configured from almost nothing:
the tests need little of a kernel, and with all its drivers it would take an
hour.  Modules are built against the same folder, under the same name.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from . import cache, process, root, sandbox

HERE = Path(__file__).parent
FRAGMENT = HERE.parent / "debug/kernel.config"
INSIDE = "/opt"  # where a sandbox sees what is built here
HEADERS = f"{INSIDE}/linux"

# What the suite's own configuration decides.
TAKEN_OVER = re.compile(r"^CONFIG_(NET_SCH|DEFAULT_(FQ_CODEL|NET_SCH)|NET_CLS|CLS_U32|NET_ACT|NET_EMATCH|TCP_CONG|NFT)_?\w*=")

BUILD = f"""
cd {HEADERS}
make -s tinyconfig
cat ../fragment >>.config
make -s olddefconfig
make -s -j2 vmlinux modules
make -s modules_install INSTALL_MOD_PATH={INSIDE} DEPMOD=true
rm -f {INSIDE}/lib/modules/*/build {INSIDE}/lib/modules/*/source
make -s kernelrelease >{INSIDE}/release
mv vmlinux {INSIDE}/
# What remains is what builds modules.
find . -name '*.[coSa]' ! -path './scripts/*' -delete
find . -name '*.ko' -delete
rm -rf Documentation sound drivers/*/*/ tools/testing
"""


def _version(release: str) -> str:
    match = re.match(r"\d+\.\d+", release)
    assert match
    return match[0]


def _fetch(name: str, release: str, made: Path) -> None:
    """Unpacks the suite's kernel source into `made`/linux."""
    package = f"linux-source-{_version(release)}"
    with root.scratch_log(made) as log:
        root.extract(name, package, made / "package", log)
    (archive,) = (made / "package/usr/src").glob("linux-source-*.tar.*")
    (made / "linux").mkdir()
    argv = ["tar", "-xf", str(archive), "-C", str(made / "linux"), "--strip-components=1"]
    argv += ["--exclude=*/Documentation/*/*", "--exclude=*/drivers/gpu/*.[ch]"]
    with (made / "log").open("wb") as stream:
        status = process.run(argv, stream)
    root.check(f"unpacking {package}", status, made / "log")
    shutil.rmtree(made / "package")


def _fragment(base: Path, release: str) -> str:
    lines = (base / f"root/boot/config-{release}").read_text().splitlines()
    taken = [line for line in lines if TAKEN_OVER.match(line)]
    return FRAGMENT.read_text() + "\n".join(taken) + "\n"
