#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""debian/ and LICENSES/ agree with the tree."""

from __future__ import annotations

import re
import subprocess
import sys
from fnmatch import fnmatchcase
from pathlib import Path

TOP = Path(__file__).resolve().parents[3]
sys.path += [str(TOP / "tests" / "ktap"), str(TOP / "vm")]
sys.dont_write_bytecode = True

from ktap import Skip, case, check, main  # noqa: E402
from vmlib import tree  # noqa: E402

SPDX = re.compile(r"SPDX-License-Identifier: (.*?)(?: \*/| #})?$", re.M)
# Debian's names of the licenses, by SPDX's
LICENSES = {
    "GPL-2.0": "GPL-2",
    "GPL-2.0-only": "GPL-2",
    "GPL-2.0-only WITH Linux-syscall-note": "GPL-2 with Linux-syscall-note",
    "BSD-3-Clause": "BSD-3-clause",
}
REFUSED = ("4.19.0-27-amd64", "5.10.0-30-amd64", "5.15.0-101-generic", "6.0.0-6-amd64")
ACCEPTED = ("6.1.0-56-cloud-amd64", "6.10.11-amd64", "6.12.117+deb13-amd64", "7.2.13", "10.1.0")
EXPOSURE = 15  # of 100, by systemd-analyze; what remains is the access to the network


def debian(name: str) -> str:
    return (TOP / "debian" / name).read_text()


def licenses() -> list[tuple[list[str], str]]:
    """Patterns and license of each paragraph of debian/copyright that has files."""
    found = []
    for paragraph in debian("copyright").split("\n\n"):
        fields = dict(re.findall(r"^(\w+):\s*((?:.*)(?:\n .*)*)", paragraph, re.M))
        if "Files" in fields:
            found.append((fields["Files"].split(), fields["License"].strip()))
    return found


def stated(name: str) -> str:
    """The license of a file by debian/copyright: the last paragraph that matches counts."""
    return [text for globs, text in licenses() if any(fnmatchcase(name, g) for g in globs)][-1]


def tagged(name: str) -> str | None:
    """The license by the file's own tag, in Debian's words."""
    head = (TOP / name).read_bytes()[:400].decode(errors="replace")
    match = SPDX.search(head)
    if not match:
        return None
    return " or ".join(LICENSES[item.strip("()")] for item in match[1].split(" OR "))


@case("the changelog has the version of the modules")
def versions_agree() -> None:
    header = (TOP / "qdisc/codel_version.h").read_text()
    version = re.search(r'CODEL_VERSION "(.*)"', header)
    newest = re.match(r"codel-oot \((.*?)\)", debian("changelog"))
    assert version and newest
    check("version of debian/changelog", newest[1], version[1])


@case("debian/copyright agrees with the tags of all files")
def copyright_agrees() -> None:
    tags = {name: tagged(name) for name in tree.files()}
    assert sum(tag is not None for tag in tags.values()) > 300, "the tags are not found"
    wrong = {n: (tag, stated(n)) for n, tag in tags.items() if tag and tag != stated(n)}
    check("files with another license than debian/copyright states", wrong, {})


@case("LICENSES has the texts, and debian/copyright the same BSD-3-Clause")
def texts_agree() -> None:
    texts = {path.stem: path.read_text() for path in (TOP / "LICENSES").iterdir()}
    check("texts in LICENSES", set(texts), {"GPL-2.0", "BSD-3-Clause"})
    assert "GNU GENERAL PUBLIC LICENSE\n" in texts["GPL-2.0"]
    owner, _, terms = texts["BSD-3-Clause"].partition("\n")
    stated_terms = debian("copyright").partition("\nLicense: BSD-3-clause\n")[2]
    assert stated_terms.replace("\n .", "\n").split() == terms.split(), "the terms differ"
    assert owner.removeprefix("Copyright (c) ") in debian("copyright"), owner


@case("DKMS builds for kernels since 6.1 alone")
def kernels() -> None:
    script = 'source "$1"; [[ $2 =~ $BUILD_EXCLUSIVE_KERNEL ]]'
    for release in REFUSED + ACCEPTED:
        argv = ["bash", "-c", script, "bash", str(TOP / "debian/codel-oot-dkms.dkms"), release]
        accepted = subprocess.run(argv, stdin=subprocess.DEVNULL).returncode == 0
        check(f"whether {release} is accepted", accepted, release in ACCEPTED)


@case("the unit of the exporter is confined")
def unit_is_confined() -> None:
    argv = ["systemd-analyze", "security", "--no-pager", "--offline=true"]
    argv += [
        f"--threshold={EXPOSURE}",
        str(TOP / "debian/codel-oot-tools.codelstat-export.service"),
    ]
    try:
        done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    except FileNotFoundError as error:
        raise Skip("there is no systemd-analyze") from error
    overall = (done.stdout + done.stderr).strip().splitlines()[-1]
    check(f"status of systemd-analyze security ({overall})", done.returncode, 0)


if __name__ == "__main__":
    main()
