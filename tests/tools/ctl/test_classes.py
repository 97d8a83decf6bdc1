# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Classes of HTB, as iproute2 6.1 (text) and 6.15 (JSON) show them."""

from __future__ import annotations

from cases import case, check
from codelctllib import classes, htb
from codelctllib.framing import LINKS
from codelctllib.shaper import Shaper

# Rate in bit/s, and what iproute2 6.1 shows of a class that codelctl has set up
TEXT = "class htb c0de:1 root leaf c0df: prio 0 quantum {2} rate {0} ceil {0} linklayer ethernet "
TEXT += "burst {1}/1 mpu 0b cburst {1}/1 mpu 0b level 0 \n"
SHOWN = [
    (19_000_000, "19Mbit", "2372b", 2375),
    (1_234_567, "1234Kbit", "1537b", 1538),
    (100_000_000_000, "100Gbit", "12500000b", 60000),
    (96_000_000, "96Mbit", "12000b", 12000),
    (122_880_000, "122880Kbit", "15Kb", 15360),
]


def at(rate: int) -> Shaper:
    return Shaper("eth0", rate, LINKS["ethernet"], 1500, "fq_codel", htb=True, header=14)


@case("classes: the text of iproute2 6.1 equals the setup, with its rounding")
def text() -> None:
    for rate, shown, burst, quantum in SHOWN:
        found = classes.parse(TEXT.format(shown, burst, quantum))
        check(f"{rate}: handle", found[0]["handle"], "c0de:1")
        check(f"{rate}: the same", htb.same_class(at(rate), found[0]), True)
        for other in (rate * 2, rate // 2, rate - 10**6):
            check(f"{rate} and {other}", htb.same_class(at(max(other, 64_000)), found[0]), False)


@case("classes: those of other qdiscs are none of HTB")
def others() -> None:
    shown = "class mq :1 root \nclass mq :2 root \nclass fq_codel :2ab parent none \n"
    check("none", classes.parse(shown), [])
    found = classes.parse(shown + TEXT.format("19Mbit", "2375b", 2375))
    check("one", [item["handle"] for item in found], ["c0de:1"])


@case("classes: JSON, and nothing")
def json() -> None:
    check("nothing", classes.parse("\n"), [])
    check("no class", classes.parse("[]"), [])
    shown = '[{"class":"htb","handle":"c0de:1","rate":2375000,"ceil":2375000,"burst":2375,"cburst":2375,"quantum":2375}]'
    check("the same", htb.same_class(at(19_000_000), classes.parse(shown)[0]), True)
    check("another", htb.same_class(at(19_000_008), classes.parse(shown)[0]), False)
