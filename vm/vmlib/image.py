# SPDX-License-Identifier: GPL-2.0
"""The guest's image: what a stock machine has, out of a root that also has a compiler."""

from __future__ import annotations

import os
import re
import shutil
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING, Iterable

from . import cpio, kernel, process, sandbox
from .root import SYSROOT

if TYPE_CHECKING:
    from .releases import Release

# Depended upon, and of no use to a machine that installs nothing.
NOT_NEEDED = {
    "adduser", "apt", "debconf", "debianutils", "dpkg", "gpgv", "init-system-helpers",
    "install-info", "libdb5.3", "libdb5.3t64", "libpam-modules", "libpam-modules-bin",
    "libpam-runtime", "libperl5.36", "libsqlite3-0", "libsystemd-shared", "media-types",
    "openssl-provider-legacy", "perl", "perl-base", "systemd", "tzdata", "udev", "usrmerge",
}  # fmt: skip
ALWAYS = ("base-files", "base-passwd", "dash", "hostname", "libc-bin", "netbase")
EXCLUDED = (
    "/usr/lib/*/gconv/*", "/usr/lib/*/perl*", "/usr/lib/python3*/ensurepip/*",
    "/usr/lib/python3*/idlelib/*", "/usr/lib/python3*/lib2to3/*",
    "/usr/lib/python3*/pydoc_data/*", "/usr/lib/python3*/test/*",
    "/usr/lib/python3*/_pyrepl/*", "/usr/lib/python3*/turtledemo/*",
    "/usr/share/bash-completion/*", "/usr/share/bug/*", "/usr/share/doc*",
    "/usr/share/i18n/*", "/usr/share/info/*", "/usr/share/lintian/*",
    "/usr/share/locale/*", "/usr/share/man/*", "/usr/share/perl*",
    "/usr/share/python3/*", "/usr/share/zoneinfo/*", "/usr/share/zsh/*",
    "/usr/share/fish/*", "/usr/lib/systemd/*", "/lib/systemd/*", "/usr/share/common-licenses/*",
    "/usr/share/base-files/*", "/usr/share/menu/*", "/usr/share/pixmaps/*",
)  # fmt: skip
ETC_EXCLUDED = (
    "/etc/apt/*", "/etc/resolv.conf", "/etc/hostname", "/etc/machine-id",
    "/etc/*-", "/etc/.pwd.lock", "/etc/systemd/*", "/etc/kernel/*", "/etc/ssl/certs/*",
    "/etc/init.d/*", "/etc/rc?.d/*", "/etc/cron.*", "/etc/dpkg/*", "/etc/perl/*",
    "/etc/emacs/*", "/etc/logrotate.d/*",
)  # fmt: skip

# Of an unpacked package, and of no use in a guest
NOT_UNPACKED = (
    "/boot/*", "/lib/modules/*", "/usr/lib/modules/*", "/usr/include/*", "/usr/src/*", "/var/*", "*.a", "/usr/sbin/init",
    "/usr/lib/linux-image-*", "/usr/share/perl5/*", "/usr/lib/udev/*", "/lib/udev/*",
)  # fmt: skip
# What the set-up of packages would make
SET_UP_LINKS = {
    **{name: f"usr/{name}" for name in ("bin", "lib", "sbin")},
    **{f"usr/bin/{name}": "mawk" for name in ("awk", "nawk")},
}

GUEST = Path(__file__).parent.parent / "guest"
COMPILE_PYTHON = (
    "python3 -m compileall -q -f --invalidation-mode unchecked-hash /usr/lib/python3* || :"
)
HOSTS = b"127.0.0.1 localhost codel\n::1 localhost\n"

# Modules by folder or name; what these need comes along.
MODULES = re.compile(
    r"^kernel/(net/(sched|core|ipv4|ipv6|netfilter|bridge|8021q|packet|netlink|unix|mptcp)/"
    r"|drivers/net/(veth|dummy|ifb|nlmon|tun|tap|macvlan|ipvlan/|netdevsim/|vxlan|bonding/|team/)"
    r"|crypto/(crc32c|sha|md5|hmac|af_alg|algif)|lib/)"
)
# Beside these, the way to the host where the machine has no I/O ports
CHANNELS = re.compile(r"^kernel/drivers/char/virtio_console\.")


def _status(root: Path) -> dict[str, dict[str, str]]:
    text = (root / "var/lib/dpkg/status").read_text()
    packages = {}
    for stanza in text.split("\n\n"):
        fields = dict(re.findall(r"^([A-Za-z-]+): (.*)$", stanza, re.M))
        if "Package" in fields:
            packages[fields["Package"]] = fields
    return packages


def _names(relation: str) -> list[str]:
    """The names in a dependency field, alternatives included."""
    return re.findall(r"(?:^|[,|]\s*)([a-z0-9][a-z0-9.+-]+)", relation)


def _closure(root: Path, wanted: Iterable[str]) -> list[str]:
    """The packages that these need, out of those that are installed."""
    packages = _status(root)
    providers: dict[str, list[str]] = {}
    for name, fields in packages.items():
        for provided in _names(fields.get("Provides", "")):
            providers.setdefault(provided, []).append(name)
    todo, seen = list(wanted), set(NOT_NEEDED)
    while todo:
        name = todo.pop()
        if name in seen:
            continue
        seen.add(name)
        if name not in packages:
            todo += providers.get(name, [])
            continue
        for field in ("Depends", "Pre-Depends"):
            todo += _names(packages[name].get(field, ""))
    return sorted(name for name in seen - NOT_NEEDED if name in packages)


def _listed(root: Path, package: str) -> list[str]:
    info = root / "var/lib/dpkg/info"
    for path in (info / f"{package}.list", info / f"{package}:amd64.list"):
        if path.exists():
            return path.read_text().splitlines()
    return []


def _alternatives(root: Path, names: set[str]) -> set[str]:
    """Commands that are links by way of /etc/alternatives to what is there."""
    found = set()
    for folder in ("usr/bin", "usr/sbin"):
        for path in (root / folder).iterdir():
            if path.is_symlink() and os.readlink(path).startswith("/etc/alternatives/"):
                target = os.readlink(root / os.readlink(path).lstrip("/"))
                if cpio.merged(target) in names:
                    found.add(f"{folder}/{path.name}")
    return found


def _files(root: Path, packages: list[str]) -> list[str]:
    names = {"usr/bin/sh"}
    for package in packages:
        for name in _listed(root, package):
            if not any(fnmatch(name, pattern) for pattern in EXCLUDED):
                names.add(cpio.merged(name))
    names |= _alternatives(root, names)
    for folder, folders, files in os.walk(root / "etc"):
        for item in files + folders:
            name = "/" + os.path.relpath(os.path.join(folder, item), root)
            if not any(fnmatch(name, pattern) for pattern in ETC_EXCLUDED):
                names.add(name[1:])
    return sorted(name for name in names if name and os.path.lexists(root / name))


def _compiled(root: Path, names: list[str]) -> list[str]:
    """Python's own files, compiled: each start would compile them anew."""
    caches = {os.path.join(os.path.dirname(n), "__pycache__") for n in names if n.endswith(".py")}
    found: list[str] = []
    for folder in sorted(caches):
        if (root / folder).is_dir():
            found += [f"{folder}/{p}" for p in sorted(os.listdir(root / folder))]
    return [n for n in found if not n.endswith((".opt-1.pyc", ".opt-2.pyc"))]


def _dependencies(modules: Path) -> dict[str, list[str]]:
    table = {}
    for line in (modules / "modules.dep").read_text().splitlines():
        name, _, needs = line.partition(":")
        table[name] = needs.split()
    return table


def _copy_modules(release: "Release", contents: Path, *patterns: re.Pattern[str]) -> None:
    """The guest's modules, as files that depmod can read."""
    source = contents / "lib/modules" / release.kernel_release
    target = release.modules / "lib/modules" / release.kernel_release
    table = _dependencies(source)
    wanted = {name for name in table if any(pattern.match(name) for pattern in patterns)}
    for name in list(wanted):
        wanted.update(table[name])
    for name in sorted(wanted):
        path = source / name
        plain = target / re.sub(r"\.(xz|zst|gz)$", "", name)
        plain.parent.mkdir(parents=True, exist_ok=True)
        plain.write_bytes(kernel.module(path))
    for name in ("modules.order", "modules.builtin", "modules.builtin.modinfo"):
        shutil.copyfile(source / name, target / name)


def _prepare(
    release: "Release", out: Path, script: str, folders: dict[str, Path], writable: bool = False
) -> None:
    """Runs a script that makes the init, with the release's own tools; `out` is /mnt there."""
    log = release.path / "log"
    shutil.copytree(GUEST, out)
    with log.open("wb") as stream:
        folders = {"/mnt": out, **folders}
        status = sandbox.run(
            release.root, ["sh", "-ec", script], stream, folders, writable=writable
        )
    if status:
        raise process.Failure(f"{log.read_text()}\n{release.name}: the guest's init does not build")


def _init(compiler: str) -> str:
    return f"{compiler} -O2 -Wall -Werror -static -o /mnt/init /mnt/init.c"


def _pack(
    release: "Release",
    contents: Path,
    names: list[str],
    links: dict[str, str],
    made: dict[str, bytes],
    init: Path,
) -> None:
    """The guest's archive: `names` from `contents`, and what is in no package."""
    with (release.path / "guest.cpio").open("wb") as stream:
        archive = cpio.Archive(stream)
        for name in ("dev", "proc", "run", "sys", "tmp", "root", "mnt", "var"):
            archive.folder(name)
        for name, target in links.items():
            archive.link(name, target)
        for name in names:
            archive.add(contents / name, name)
        for name, data in {**made, "etc/hosts": HOSTS}.items():
            archive.file(name, data)
        archive.add_tree(release.modules, "")
        archive.file("init", init.read_bytes(), 0o755)
        archive.finish()


def build(release: "Release", wanted: Iterable[str]) -> None:
    root = release.root
    work = release.path / "work"
    _prepare(release, work, f"{COMPILE_PYTHON}\n{_init('gcc')}", {}, writable=True)
    (boot,) = root.glob(f"boot/vmlinuz-{release.kernel_release}")
    release.kernel.write_bytes(kernel.unpacked(boot))
    _copy_modules(release, root, MODULES)
    names = _files(root, _closure(root, [*wanted, *ALWAYS]))
    links = {n: os.readlink(root / n) for n in cpio.MERGED if (root / n).is_symlink()}
    _pack(release, root, names + _compiled(root, names), links, {}, work / "init")
    shutil.rmtree(work)


def _unpacked(contents: Path) -> list[str]:
    """All that mmdebstrap has unpacked and a guest needs."""
    found = []
    for folder, _folders, files in os.walk(contents):
        for item in files:
            name = "/" + os.path.relpath(os.path.join(folder, item), contents)
            if not any(fnmatch(name, pattern) for pattern in EXCLUDED + NOT_UNPACKED):
                found.append(name[1:])
    return sorted(found)


def build_foreign(release: "Release", contents: Path) -> None:
    """For a machine whose programs cannot run here: no package of it has been set up."""
    assert release.target
    work = release.path / "work"
    _prepare(release, work, _init(release.target.compiler), {SYSROOT: contents})
    (boot,) = contents.glob(f"boot/vmlinuz-{release.kernel_release}")
    shutil.copyfile(boot, release.kernel)
    _copy_modules(release, contents, MODULES, CHANNELS)
    masters = contents / "usr/share/base-passwd"
    users = {f"etc/{n}": (masters / f"{n}.master").read_bytes() for n in ("group", "passwd")}
    _pack(release, contents, _unpacked(contents), SET_UP_LINKS, users, work / "init")
    shutil.rmtree(work)
