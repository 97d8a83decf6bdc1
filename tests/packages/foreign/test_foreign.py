#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The recipes for Arch Linux and OpenWrt build and install on this machine.

makepkg and OpenWrt's build system are not here: PKGBUILD's functions are called as makepkg calls them, and
stubs (openwrt/) evaluate OpenWrt's Makefile with this machine's compiler. Modules are not built.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOP = HERE.parents[2]
sys.path += [str(TOP / "tests" / "ktap"), str(TOP / "vm")]
sys.dont_write_bytecode = True

from ktap import Skip, case, check, main  # noqa: E402
from vmlib import tree  # noqa: E402

ARCH = TOP / "packaging/arch/PKGBUILD"
OPENWRT = TOP / "packaging/openwrt"
# makepkg reads and sets variables: in a function, pkgname is the name of one package
SHELLCHECK = ["shellcheck", "--shell=bash", "--exclude=SC2034,SC2128,SC2154,SC2164"]
# What makepkg does: each function in $srcdir, in a shell that ends with the first error
MAKEPKG = 'set -e; source "$1"; cd "$srcdir"; pkgname=$3; "$2"'
PLUGINS = ["q_codel.so", "q_codel_oot.so", "q_fq_codel.so", "q_fq_codel_oot.so"]
WORK = tempfile.TemporaryDirectory(prefix="codel-packaging-")


def run(*argv: str, **environment: str) -> str:
    """The output of a command that must succeed."""
    done = subprocess.run(
        argv,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, **environment},
    )
    assert done.returncode == 0, f"status {done.returncode}: {' '.join(argv)}\n{done.stdout}"
    return done.stdout


def version() -> str:
    found = re.search(r'CODEL_VERSION "(.*)"', (TOP / "qdisc/codel_version.h").read_text())
    assert found
    return found[1]


def files(top: Path) -> list[str]:
    return sorted(str(p.relative_to(top)) for p in top.rglob("*") if not p.is_dir())


@cache
def source() -> Path:
    """The folder with the sources, named as in the archive."""
    folder = Path(WORK.name, "src")
    tree.copy(TOP, tree.files(), folder / f"codel-oot-{version()}")
    return folder


def makepkg(function: str, package: str) -> Path:
    """Call a function of PKGBUILD; returns its $pkgdir."""
    pkgdir = Path(WORK.name, package)
    pkgdir.mkdir(exist_ok=True)
    argv = ["bash", "-c", MAKEPKG, "makepkg", str(ARCH), function, package]
    run(*argv, srcdir=str(source()), pkgdir=str(pkgdir))
    return pkgdir


@case("PKGBUILD: bash and shellcheck accept it, and it has the version of the modules")
def arch_text() -> None:
    run("bash", "-n", str(ARCH))
    try:
        run(*SHELLCHECK, str(ARCH))
    except FileNotFoundError as error:
        raise Skip("shellcheck is not installed") from error
    values = run("bash", "-c", 'source "$1"; echo $pkgver ${pkgname[@]} $source', "bash", str(ARCH))
    expected = [version(), "codel-oot-dkms", "codel-oot-tools", f"codel-oot-{version()}.tar.gz"]
    check("pkgver, pkgname, source", values.split(), expected)
    assert f"codel-oot-{version()}.tar.gz HEAD" in ARCH.read_text(), "the command for the archive"


@case("PKGBUILD: codel-oot-dkms has what DKMS builds")
def arch_dkms() -> None:
    pkgdir = makepkg("package_codel-oot-dkms", "codel-oot-dkms")
    found = pkgdir / f"usr/src/codel-oot-{version()}"
    there = {name for name in files(found) if name != "dkms.conf"}
    check("sources", there, module_sources())
    conf = run("bash", "-c", 'source "$1"; echo $PACKAGE_VERSION', "bash", f"{found}/dkms.conf")
    check("version of dkms.conf", conf.strip(), version())
    other = [name for name in files(pkgdir) if not name.startswith("usr/src/")]
    licenses = "usr/share/licenses/codel-oot-dkms"
    expected = ["usr/lib/modprobe.d/codel-oot.conf"]
    expected += [f"{licenses}/{name}" for name in ("BSD-3-Clause.txt", "GPL-2.0.txt")]
    check("other files", other, expected)


def module_sources() -> set[str]:
    folders = ("far/", "fq/", "qdisc/", "uapi/")
    names = (
        "Kbuild",
        "codel.h",
        "codel_shaper.h",
        "codel_shared.h",
        "sch_codel.c",
        "sch_fq_codel.c",
    )
    return {n for n in tree.files() if n in names or n.startswith(folders)}


@case("PKGBUILD: codel-oot-tools has plugins, programs, manual pages and units")
def arch_tools() -> None:
    makepkg("build", "codel-oot")
    pkgdir = makepkg("package_codel-oot-tools", "codel-oot-tools")
    found = files(pkgdir)
    check("plugins", sorted(Path(n).name for n in found if "/tc/" in n), PLUGINS)
    programs = [n for n in found if n.startswith(("usr/bin/", "usr/sbin/"))]
    check("programs", programs, ["usr/bin/codelctl", "usr/bin/codelstat"])
    pages = {Path(n).name for n in found if n.startswith("usr/share/man/")}
    expected = {path.name for path in (TOP / "man").iterdir()} | {"fq_codel_oot.7"}
    check("manual pages", pages, expected)
    units = [Path(n).name for n in found if n.startswith("usr/lib/systemd/system/")]
    check("units", units, ["codelctl@.service", "codelstat-export.service"])
    completions = [Path(n).name for n in found if "/completions/" in n]
    check("completions", completions, ["codelctl", "codelstat"])
    documents = [Path(n).name for n in found if n.startswith("usr/share/doc/")]
    expected_documents = ["codel-alerts.yml", "codel.json", "codel.schema.json", "statistics.md"]
    check("documents", documents, expected_documents)
    outside = [n for n in found if not n.startswith("usr/")]
    check("files outside of /usr", outside, [])


def openwrt(*goals: str) -> str:
    stubs = HERE / "openwrt"
    out = Path(WORK.name, "openwrt")
    places = [f"TOPDIR={stubs}", f"INCLUDE_DIR={stubs}/include", f"OUT={out}"]
    top = source() / f"codel-oot-{version()}/packaging/openwrt"
    return run("make", "--no-print-directory", "-C", str(top), *places, *goals)


@case("OpenWrt: three packages, with their modules and what they require")
def openwrt_packages() -> None:
    build = Path(WORK.name, "openwrt/build", f"codel-oot-{version()}")
    fields = {}
    for line in openwrt("evaluate").splitlines():
        match = re.match(r"(kmod-\S+|tc-mod-\S+|codelstat) ([A-Z]+) (.*)", line)
        if match:
            fields[match[1], match[2]] = match[3]
    module = "kmod-sched-codel-oot"
    check("packages", {name for name, _ in fields}, {module, "tc-mod-codel-oot", "codelstat"})
    expected = [f"{build}/{name}.ko" for name in ("sch_codel_oot", "sch_fq_codel_oot")]
    check("modules", fields[module, "FILES"].split(), expected)
    check("loaded", fields[module, "AUTOLOAD"], "probe sch_codel_oot sch_fq_codel_oot")
    assert "+kmod-sched-core" in fields[module, "DEPENDS"]
    check("for tc", fields["tc-mod-codel-oot", "DEPENDS"], "+tc-full")
    check("for codelstat", fields["codelstat", "DEPENDS"], "+libmnl +libmicrohttpd-no-ssl")
    for name in (module, "tc-mod-codel-oot", "codelstat"):
        assert 0 < len(fields[name, "TITLE"]) <= 60, name


@case("OpenWrt: plugins and codelstat build and install, and the modules' sources are complete")
def openwrt_builds() -> None:
    said = openwrt("compile", "install")
    out = Path(WORK.name, "openwrt")
    build = out / "build" / f"codel-oot-{version()}"
    assert f"KERNEL_MAKE M={build} modules" in said, said
    missing = module_sources() - set(files(build))
    check("sources of the modules that are missing", missing, set())
    expected = [f"usr/lib/tc/{name}" for name in PLUGINS]
    check("tc-mod-codel-oot", files(out / "tc-mod-codel-oot"), expected)
    check("codelstat", files(out / "codelstat"), ["usr/bin/codelstat"])
    for name in PLUGINS:
        assert (out / "tc-mod-codel-oot/usr/lib/tc" / name).is_file(), f"{name} leads nowhere"


if __name__ == "__main__":
    main()
