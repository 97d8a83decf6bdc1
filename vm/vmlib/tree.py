# SPDX-License-Identifier: GPL-2.0
"""The project's tree: built and installed as a user does it, for one release."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from pathlib import Path
from typing import Iterable

from . import cache, cpio, process, releases, root

TOP = Path(__file__).resolve().parents[2]
# Of these, --tests places parts in a guest
PLACED = ("tests/", "lab/", "bench/")
# What no module, plugin or manual page is built from.
NOT_BUILT = (*PLACED, "vm/", "proof/", ".ci/", ".git", "out/", "LICENSES/", "debian/", "packaging/")
# Of what is installed, what serves qdiscs
SERVING = re.compile(r"etc/modprobe\.d/|lib/modules/|usr/lib/[^/]+/tc/")
# In a module, the hash of its sources: it changes with comments, and nothing else depends on it
SOURCES = re.compile(rb"(?<=srcversion=)[0-9A-F]+")


def files() -> list[str]:
    """What git tracks or would add; in a tree without git, all but the outputs."""
    if (TOP / ".git").exists():
        argv = ["git", "-c", "safe.directory=*", "-C", str(TOP)]
        argv += ["ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        names = os.fsdecode(process.output(argv)).split("\0")
    else:
        names = [os.path.relpath(p, TOP) for p in TOP.rglob("*")]
    return sorted({n for n in names if n and not n.startswith("out/") and (TOP / n).is_file()})


def belongs(name: str, parts: Iterable[str | Path]) -> bool:
    """Whether a file belongs to one of these files and folders. A library FILE.sh comes with its folder FILE/."""
    places = [place for part in map(Path, parts) for place in (part, part.with_suffix(""))]
    return any(Path(name).is_relative_to(place) for place in places)


def mode(path: Path) -> int:
    """A file's mode, whatever the umask of who checked it out."""
    return 0o755 if os.access(path, os.X_OK) else 0o644


def contents(top: Path, names: list[str]) -> list[bytes]:
    parts: list[bytes] = []
    for name in names:
        path = top / name
        parts += [name.encode(), b"%o" % mode(path), path.read_bytes()]
    return parts


def copy(top: Path, names: list[str], to: Path) -> None:
    for name in names:
        target = to / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(top / name, target)
        target.chmod(mode(top / name))


def share(source: str, target: str) -> str:
    """A link where possible: a cache may be spread over file systems."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)
    return target


def _script(where: releases.Release) -> str:
    """`make install` as a packager calls it, into a folder of its own."""
    variables = shlex.join([f"KDIR={where.headers}", *where.variables])
    return f"""
set -e
if [ -f Makefile ]; then
	make -j2 {variables}
	make install {variables} KERNELRELEASE={where.kernel_release} DESTDIR=/mnt DEPMOD=true
fi
depmod -b /mnt {where.kernel_release}
"""


def _run(where: releases.Release, what: str, script: str, made: Path, src: Path) -> list[Path]:
    """Runs a script on a copy of the machine's modules, the folder dest; returns the files that it has added."""
    dest = made / "work" / "dest"
    src.mkdir(parents=True, exist_ok=True)
    # depmod reads the modules of the machine and of the tree together.
    shutil.copytree(where.modules, dest, copy_function=share)
    before = set(dest.rglob("*"))
    releases.sandboxed(
        where,
        what,
        ["sh", "-c", script],
        made / "log",
        folders={root.SOURCES: src, "/mnt": dest},
        cwd=root.SOURCES,
    )
    return sorted(set(dest.rglob("*")) - before)


def _strip(where: releases.Release, made: Path, paths: list[Path]) -> None:
    dest = made / "work" / "dest"
    names = [f"/mnt/{p.relative_to(dest)}" for p in paths if p.suffix in (".ko", ".so")]
    if names:
        argv = [f"{where.tools}strip", "--strip-debug", *names]
        releases.sandboxed(where, "stripping", argv, made / "log", folders={"/mnt": dest})
    for path in (p for p in paths if p.suffix == ".ko"):
        path.write_bytes(SOURCES.sub(lambda found: b"0" * len(found[0]), path.read_bytes()))


def _build(where: releases.Release, names: list[str], made: Path) -> None:
    work = made / "work"
    dest = work / "dest"
    copy(TOP, names, work / "src")
    installed = _run(where, "building and installing the tree", _script(where), made, work / "src")
    _archive(made / "tree.cpio", dest, installed)
    serving = [p for p in installed if SERVING.match(str(p.relative_to(dest)))]
    _strip(where, made, serving)
    _archive(made / "qdiscs.cpio", dest, serving)
    shutil.rmtree(work)


def _build_tables(where: releases.Release, made: Path) -> None:
    work = made / "work"
    script = f"depmod -b /mnt {where.kernel_release}"
    added = _run(where, "listing the modules", script, made, work / "src")
    _archive(made / "tables.cpio", work / "dest", added)
    shutil.rmtree(work)


def _archive(to: Path, top: Path, paths: list[Path]) -> None:
    with to.open("wb") as stream:
        archive = cpio.Archive(stream)
        for path in paths:
            archive.add(path, str(path.relative_to(top)))
        archive.finish()


def _built(where: releases.Release) -> Path:
    names = [n for n in files() if not n.startswith(NOT_BUILT) and not n.endswith(".md")]
    recipe = Path(__file__).read_bytes()
    name = cache.digest([where.key.encode(), recipe, *contents(TOP, names)])
    path = cache.entry("tree", name, lambda made: _build(where, names, made))
    cache.prune("tree")
    return path


def get(where: releases.Release) -> Path:
    """The archive with what `make install` installs, and with depmod's tables."""
    return _built(where) / "tree.cpio"


def qdiscs(where: releases.Release) -> Path:
    """The part of get() that serves qdiscs: stripped modules and plugins of tc, and depmod's tables."""
    return _built(where) / "qdiscs.cpio"


def tables(where: releases.Release) -> Path:
    """The archive with depmod's tables for the in-tree modules alone."""
    name = cache.digest([where.key.encode(), Path(__file__).read_bytes()])
    path = cache.entry("tables", name, lambda made: _build_tables(where, made))
    return path / "tables.cpio"


def module(where: releases.Release, folder: Path) -> list[Path]:
    """The .ko files from a folder with a Kbuild file."""
    names = sorted(
        str(p.relative_to(folder))
        for p in folder.rglob("*")
        if p.is_file() and p.suffix in ("", ".c", ".h", ".S", ".mk")
        and not p.name.startswith(".")
    )  # fmt: skip

    def build(made: Path) -> None:
        copy(folder, names, made / "src")
        releases.sandboxed(
            where,
            f"building the module in {folder}",
            ["make", "-C", where.headers, "M=/mnt", *where.variables, "modules"],
            made / "log",
            folders={"/mnt": made / "src"},
        )

    name = cache.digest([where.key.encode(), *contents(folder, names)])
    made = cache.entry("module", name, build)
    cache.prune("module")
    found = sorted(made.glob("src/**/*.ko"))
    if not found:
        raise process.Failure(f"building the module in {folder} made no .ko file")
    return found
