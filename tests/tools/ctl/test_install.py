# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""What `make install` installs, and the unit."""

from __future__ import annotations

import re
import subprocess
import tempfile
from pathlib import Path

from cases import TOP, case, check
from codelctllib import service, state

UNIT = TOP / "codelctl" / "codelctl@.service"
PLACES = ("SBINDIR", "LIBDIR", "UNITDIR", "MANDIR", "COMPLETIONS", "SQMDIR")


def output(*argv: str) -> str:
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{argv}: {done.stdout}{done.stderr}"
    return done.stdout


@case("install: the program finds its library, and the unit the program, in any folders")
def places() -> None:
    with tempfile.TemporaryDirectory() as folder:
        variables = [f"{name}={folder}/{name.lower()}" for name in PLACES]
        output("make", "-s", "-C", str(TOP / "codelctl"), "install", "DESTDIR=", *variables)
        program = Path(folder) / "sbindir" / "codelctl"
        assert output(str(program), "--version").startswith("codelctl ")
        source = (Path(folder) / "libdir" / "source").read_text()
        check("the tree, for doctor", source, f"{TOP}\n")
        scripts = sorted(p.name for p in (Path(folder) / "sqmdir").iterdir())
        check("for sqm-scripts", scripts, ["codel_oot.qos", "codel_oot.qos.help"])
        text = (Path(folder) / "unitdir" / UNIT.name).read_text()
        found = set(re.findall(r"^Exec\w+=(\S+)", text, re.M))
        check("programs of the unit", found, {str(program)})
        output("make", "-s", "-C", str(TOP / "codelctl"), "uninstall", "DESTDIR=", *variables)
        left = [p for p in Path(folder).rglob("*") if p.is_file()]
        check("files that are left", left, [])


FAKES = {
    "ip": 'case "$*" in "netns list") printf "blue (id: 0)\\nred\\n" ;; *) shift 2; NS=$1; export NS; shift; "$@" ;; esac',
    "codelctl": 'if [ "$1" = show ]; then echo "${NS:-host}0: up 1mbit"; else echo "$NS $*" >>calls; fi',
    "deb-systemd-invoke": "exit 0",
}


@case("prerm: the links of each network namespace are restored")
def namespaces() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name, text in FAKES.items():
            (Path(folder) / name).write_text(f"#!/bin/sh\n{text}\n")
            (Path(folder) / name).chmod(0o755)
        script = str(TOP / "debian" / "codel-oot-tools.prerm")
        path = f"PATH={folder}:/usr/bin:/bin"
        output("env", "-C", folder, path, "sh", script, "remove")
        found = (Path(folder) / "calls").read_text().splitlines()
        check("calls", found, [" undo host0", "blue undo blue0", "red undo red0"])


@case("unit: a small exposure, and more time to stop than codelctl waits for another one")
def unit() -> None:
    shown = output("systemd-analyze", "security", "--offline=true", "--no-pager", str(UNIT))
    level = re.search(r"exposure level for .*: ([\d.]+)", shown)
    assert level and float(level[1]) <= 2.5, shown
    seconds = re.search(r"^TimeoutStopSec=(\d+)$", UNIT.read_text(), re.M)
    assert seconds and int(seconds[1]) >= state.LOCK_SECONDS + 30, seconds
    assert service.SYSTEMCTL_SECONDS >= int(seconds[1]) + 30, seconds
