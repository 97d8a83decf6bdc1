# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The file of settings: what is written is read again, and an error names the file and the setting."""

from __future__ import annotations

from cases import case, check, refused
from codelctllib import config

WRONG = [
    ("", ("eth0.conf", "[link]")),
    ("# slow\nup = 1mbit\n", ("eth0.conf: line 2", "[link]")),
    ("[link]\nup = 1mbit\n[more]\n", ("eth0.conf", "[link]")),
    ("[link]\nup = fast\n", ("eth0.conf: up", "'fast'", "mbit")),
    ("[link]\nupload = 1mbit\n", ("eth0.conf: upload", "up, down")),
    ("[link]\nlink = docsis\n", ("eth0.conf: up",)),
    ("[link]\nup = 1mbit\nup = 2mbit\n", ("eth0.conf", "up")),
]


@case("file: settings are read as they were written, with comments of an administrator")
def written() -> None:
    settings = {
        "up": "19mbit",
        "down": "95mbit",
        "link": "pppoe-vdsl",
        "vlan": "1",
        "down-ecn": "off",
    }
    found = config.text(settings)
    check("settings", config.parse(found, "eth0.conf"), settings)
    check("a comment", config.parse(f"# slow\n{found}; x = y\n", "eth0.conf"), settings)


@case("file: an error names the file, and what is allowed")
def wrong() -> None:
    for text, words in WRONG:
        refused(repr(text), lambda t=text: config.parse(t, "eth0.conf"), *words)
