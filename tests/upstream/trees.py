# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Trees of sid's kernel: prepared once, copied for each prefix of the series, patched, and built.

Each has two configurations: that of sid's kernel, whose modules the virtual machine can load, and the same with mac80211, which
changes the layout of struct net_device.
"""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
from pathlib import Path

from vmlib import cache, process, releases, sandbox, source, tree

TOP = Path(__file__).resolve().parents[2]
RELEASE = "sid"
AUTHOR = {f"GIT_{who}_{what}": "nobody@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}  # fmt: skip
INSIDE = "/opt"  # where the sandbox sees a tree
# By configuration: what is built with W=1 and sparse
OBJECTS = {
    "vm": (
        "net/sched/sch_codel.o",
        "net/sched/sch_fq_codel.o",
        "net/sched/sch_multiq.o",
        "net/sched/sch_tbf.o",
    ),
    "wifi": ("net/mac80211/tx.o",),
}
MODULES = ("sch_codel", "sch_fq_codel", "sch_multiq")
WARNING = re.compile(r"\b(?:warning|error):|^WARNING: ", re.I)
# A note of 20 bytes, of type 3, by "GNU"
BUILD_ID = re.compile(rb"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0(.{20})", re.S)
PLACE = re.compile(r":\d+(?::\d+)?:")

# Modules have no use for pahole, whose version the configuration states. fq_codel is built into sid's kernel: as a module
# it gets another name for its function of initialisation, because that of the kernel's own is left out by its name
BEGIN = f"""
cd {INSIDE}/linux
printf '#!/bin/sh\\necho v1.24\\n' >/tmp/pahole
chmod +x /tmp/pahole
make() {{ command make PAHOLE=/tmp/pahole KERNELRELEASE={{release}} "$@"; }}
"""
PREPARE = """
for out in vm wifi; do
	config=/opt/$out/.config
	cp /boot/config-{release} $config
	scripts/config --file $config -m NET_SCH_CODEL -m NET_SCH_FQ_CODEL
	[ $out = vm ] || scripts/config --file $config -e WIRELESS -m CFG80211 -m MAC80211
	make -s O=/opt/$out olddefconfig
	cp {headers}/Module.symvers /opt/$out/
	make -s -j2 O=/opt/$out modules_prepare
done
grep -q CONFIG_MAC80211=m /opt/wifi/.config
grep -q CONFIG_NET_SCH_FQ_CODEL=m /opt/vm/.config
"""
COMPILE = "make -j2 O=/opt/{out} W=1 C=2 CF=-D__CHECK_ENDIAN__ {objects}\n"
LINK = """
cp net/sched/sch_codel.c net/sched/sch_multiq.c /opt/modules/
sed 's/fq_codel_module_init/fq_codel_init_again/' net/sched/sch_fq_codel.c >/opt/modules/sch_fq_codel.c
cat >/opt/modules/Kbuild <<'END'
obj-m := sch_codel.o sch_fq_codel.o sch_multiq.o
ccflags-y := -include $(src)/intree.h
END
printf '#include <linux/module.h>\\nMODULE_INFO(intree, "Y");\\n' >/opt/modules/intree.h
make -s O=/opt/vm M=/opt/modules modules
cd /opt/modules
strip --strip-debug sch_codel.ko sch_fq_codel.ko sch_multiq.ko
"""
CHECKPATCH = (
    "perl scripts/checkpatch.pl --strict --no-signoff --terse --no-summary --show-types {patch}\n"
)


class Findings(Exception):
    """The compiler, sparse or checkpatch has found something."""


def run(where: releases.Release, folder: Path, what: str, script: str) -> str:
    """The output of a script in the release's root, with the tree in `folder` as /opt."""
    log = folder / "log"
    text = (BEGIN + script).replace("{release}", where.kernel_release)
    text = text.replace("{headers}", where.headers)
    releases.sandboxed(where, what, ["sh", "-ec", text], log, {INSIDE: folder})
    return log.read_text(errors="replace")


def _prepare(where: releases.Release, linux: Path, made: Path) -> None:
    process.say(f"{where.name}: preparing the kernel's tree (once, about two minutes)")
    shutil.copytree(linux, made / "linux", symlinks=True)
    for out in OBJECTS:
        (made / out).mkdir()
    run(where, made, "preparing the kernel's tree", PREPARE)


def prepared(where: releases.Release, linux: Path) -> Path:
    """The folder with the tree, and its configurations ready for building."""
    name = cache.digest(part.encode() for part in (str(linux), BEGIN, PREPARE))
    return cache.entry("series", name, lambda made: _prepare(where, linux, made))


class Tree:
    """A fresh copy. Files of the source are links: git and patch replace a file that they change."""

    def __init__(self, where: releases.Release, base: Path, folder: Path) -> None:
        self.where = where
        self.folder = folder
        self.linux = folder / "linux"
        shutil.copytree(base / "linux", self.linux, symlinks=True, copy_function=tree.share)
        for out in OBJECTS:
            shutil.copytree(base / out, folder / out, symlinks=True)
        (folder / "modules").mkdir()

    def apply(self, patch: Path) -> None:
        argv = ["git", "apply", "--whitespace=error-all", str(patch.resolve())]
        env = {**os.environ, "GIT_CEILING_DIRECTORIES": str(self.folder)}
        done = subprocess.run(argv, cwd=self.linux, env=env, capture_output=True, text=True)
        assert done.returncode == 0, f"{patch.name} does not apply:\n{done.stderr}"

    def script(self, what: str, text: str) -> str:
        return run(self.where, self.folder, what, text)

    def compiled(self) -> list[str]:
        """What the compiler with W=1 and sparse say of the objects, without numbers of lines."""
        lines = []
        for out, objects in OBJECTS.items():
            text = COMPILE.format(out=out, objects=" ".join(objects))
            log = self.script(f"compiling {' '.join(objects)}", text)
            for name in objects:
                for step in ("CC [M]  " + name, "CHECK   ", name.replace(".o", ".c")):
                    assert step in log, f"no '{step}' in:\n{log}"
            lines += [PLACE.sub(":", n) for n in log.splitlines() if WARNING.search(n)]
        return lines

    def modules(self) -> list[Path]:
        """The modules, for the virtual machine."""
        log = self.script("building the modules", LINK)
        found = [n for n in log.splitlines() if WARNING.search(n)]
        if found:
            raise Findings("\n".join(found))
        return [self.folder / f"modules/{name}.ko" for name in MODULES]

    def checked(self, patch: Path) -> list[str]:
        """What checkpatch says of a patch."""
        shutil.copy(patch, self.folder / patch.name)
        log = self.folder / "checkpatch"
        script = f"cd {INSIDE}/linux\n" + CHECKPATCH.format(patch=f"{INSIDE}/{patch.name}")
        with log.open("wb") as stream:
            argv = ["sh", "-c", script]
            status = sandbox.run(self.where.root, argv, stream, {INSIDE: self.folder})
        lines = log.read_text(errors="replace").splitlines()
        return lines or ([f"checkpatch.pl ended with status {status}"] if status else [])


def build_id(module: Path) -> str:
    """As /sys/module/NAME/notes has it: it names the very instructions."""
    found = BUILD_ID.search(module.read_bytes())
    assert found, f"{module} has no build ID"
    return found[1].hex()


def source_of(where: releases.Release) -> Path:
    return source.net_sched(where.name, where.kernel_release, where.root.parent.name)


def names() -> list[str]:
    lines = (TOP / "upstream/series").read_text().splitlines()
    return [n.removesuffix(".patch") for n in lines if n and not n.startswith("#")]


class Series:
    """The patches as mails, and a built tree for each prefix."""

    def __init__(self, work: Path) -> None:
        self.work = work
        self.where = releases.get(RELEASE)
        self.base = prepared(self.where, source_of(self.where))

    @functools.cached_property
    def mails(self) -> list[Path]:
        argv = [str(TOP / "scripts/series"), "--to", str(self.work / "mails")]
        done = subprocess.run(argv, env=os.environ | AUTHOR, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert "review it" not in done.stderr, done.stderr
        found = sorted((self.work / "mails").glob("*.patch"))[1:]  # but for the cover letter
        assert len(found) == len(names()), found
        return found

    @functools.cache
    def tree(self, count: int) -> Tree:
        """With the first patches."""
        tree = Tree(self.where, self.base, self.work / f"tree{count}")
        for mail in self.mails[:count]:
            tree.apply(mail)
        return tree

    @functools.cache
    def compiled(self, count: int) -> list[str]:
        return self.tree(count).compiled()

    @functools.cache
    def modules(self, count: int) -> list[Path]:
        return self.tree(count).modules()
