#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Compares what the meter says with what tc says, and with what was done; prints KTAP.

    judge.py FOLDER SAID STATUS     what guest.sh has kept, a folder for each case; a file with
                                    what it printed; how it ended
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any, Callable, Iterator

import numpy as np
import numpy.typing as npt

TOP = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(TOP / "lab"), str(TOP / "tests" / "kernel")]
sys.dont_write_bytecode = True

from lablib.records import DROPPED, MARKED, SENT, Damaged, Records, load  # noqa: E402
from trafficlib import fates  # noqa: E402

SECOND = 1_000_000_000
ECHO, PINGS = 4660, 15
OURS = ("codel_oot", "fq_codel_oot", "htb-fq_codel_oot")
FOLLOWED = (*OURS, "htb-fq_codel", "pfifo")
SLOW_LATE_US = 1000  # slow_link.c: what softirqs make late is caught up with
MOST_LOST_US = 20  # in a second or in half of one
MOST_INSTRUCTIONS = 750  # of a packet's three events
MOST_MOVED = 0.002  # of the mean wait
MOST_APART_NS = 100_000  # the meter reads the clock before the qdisc and after it: 1 to 3 us, but for interrupts
Faults = Iterator[str]
Qdisc = dict[str, Any]


class Kept:
    """What there is of the cases."""

    def __init__(self, folder: Path, said: str, status: int) -> None:
        self.folder = folder
        self.said = said
        self.ended = status

    def text(self, case: str, name: str) -> str:
        return (self.folder / case / name).read_text()

    def files(self, case: str) -> tuple[bytes, bytes, str]:
        path = self.folder / case
        return (
            (path / "records").read_bytes(),
            (path / "flows").read_bytes(),
            (path / "status").read_text(),
        )

    def records(self, case: str) -> Records:
        return load(*self.files(case))

    def status(self, case: str) -> dict[str, int]:
        lines = self.text(case, "status").splitlines()
        return {name: int(value) for name, value in map(str.split, lines)}

    def qdisc(self, case: str) -> Qdisc:
        """The one whose statistics are looked at: the leaf below htb, or the root."""
        rows: list[Qdisc] = json.loads(self.text(case, "tc.json"))
        return rows[-1]


def note(text: str) -> None:
    print(f"# {text}")


def differs(what: str, seen: object, expected: object) -> Faults:
    if seen != expected:
        yield f"{what}: {seen}, and not {expected}"


def outside(what: str, value: float, least: float, most: float) -> Faults:
    note(f"{what}: {value:.6g}")
    if not least <= value <= most:
        yield f"{what}: {value:.6g} is not from {least:g} to {most:g}"


def in_the_machine(kept: Kept) -> Faults:
    """What guest.sh has checked itself."""
    for line in kept.said.splitlines():
        note(line)
    yield from differs("status", kept.ended, 0)


# ---- counts, percentiles, flows -----------------------------------------------------------------


def counts(kept: Kept, case: str) -> Faults:
    """Packets and bytes sent, drops and marks: tc's."""
    records, qdisc = kept.records(case), kept.qdisc(case)
    here = records.queue == 0
    sent = here & (records.fate != DROPPED)
    seen = {
        "packets": int(sent.sum()),
        "bytes": int(records.length[sent].sum()),
        "drops": int((here & (records.fate == DROPPED)).sum()),
        "ecn_mark": int((here & (records.fate == MARKED)).sum()),
    }
    note(f"{case}: {seen}")
    said = {name: qdisc.get(name, 0) for name in seen}
    yield from differs(case, seen, said)
    yield from differs(f"{case}: drops, and there are none", seen["drops"] > 0, True)
    if "ecn" in qdisc["options"] and qdisc["options"]["ecn"]:
        yield from differs(f"{case}: marks, and there are none", seen["ecn_mark"] > 0, True)


def percentiles(kept: Kept, case: str) -> Faults:
    """Within a bucket of those that the qdisc counts, which the packets past it are not in."""
    records, qdisc = kept.records(case), kept.qdisc(case)
    waits = np.sort(records.waited_ns[(records.queue == 0) & (records.fate != DROPPED)])
    queued = waits[qdisc["bypassed"]["packets"] :].tolist()
    for line in fates.percentiles(queued, qdisc["delay"]):
        if line.startswith("FAIL"):
            yield f"{case}: {line}"
        else:
            note(f"{case}: {line}")
    longest = queued[-1] - qdisc["delay"]["max_ns"]
    yield from outside(f"{case}: maximum less the qdisc's, ns", longest, 0, MOST_APART_NS)


def arrived(records: Records) -> Counter[tuple[int, ...]]:
    """Packets that came to the first queue, by protocol, addresses' last bytes and ports."""
    columns = (
        records.proto,
        records.saddr & 255,
        records.daddr & 255,
        records.sport,
        records.dport,
    )
    flow = records.flow[records.queue == 0]
    return Counter(zip(*(column[flow].tolist() for column in columns)))


def flows(kept: Kept, case: str) -> Faults:
    """Each packet is of the flow that sent it."""
    found = arrived(kept.records(case))
    ways = {key[1:3] for key in found}
    yield from differs(f"{case}: last bytes of addresses", ways, {(2, 2)})
    udp = found[(17, 2, 2, 6000, 5000)]
    yield from differs(f"{case}: UDP", udp, int(kept.text(case, "udp")))
    yield from differs(f"{case}: pings", found[(1, 2, 2, ECHO, 0)], PINGS)
    tcp = [key for key in found if key[0] == 6 and key[4] == 5201]
    yield from differs(f"{case}: connections", len(tcp), 3)
    others = sum(found.values()) - udp - PINGS - sum(found[key] for key in tcp)
    yield from differs(f"{case}: other packets", others, 0)


def second_queue(kept: Kept, case: str) -> Faults:
    """What goes back is delayed by 20 ms, and not by our qdisc."""
    records = kept.records(case)
    waits = records.waited_ns[records.queue == 1]
    yield from outside(f"{case}: queue 1, packets", len(waits), 500, 1e6)
    yield from outside(f"{case}: queue 1, least wait, ms", waits.min() / 1e6, 20, 20.1)
    # The processor may be busy with something else for some ms when the timer has run out
    yield from outside(f"{case}: queue 1, longest wait, ms", waits.max() / 1e6, 20, 40)


def each(check: Callable[[Kept, str], Faults], cases: tuple[str, ...]) -> Callable[[Kept], Faults]:
    return lambda kept: (fault for case in cases for fault in check(kept, case))


# ---- the link -----------------------------------------------------------------------------------


def lateness(
    times: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64], rate: int
) -> npt.NDArray[np.float64]:
    """Of each packet, against a link of that rate that began with the first and never rested; ns"""
    before = np.cumsum(lengths) - lengths
    return times - times[0] - before * 8 * SECOND / rate


def kept_up(kept: Kept) -> Faults:
    """A link that is always busy may be late for a moment, but loses no time and gains none."""
    records = kept.records("rate")
    changed, stopped = SECOND // 2, SECOND  # or a little later
    for queue, rate, begin, end in (
        (0, 100_000_000, 0, stopped),
        (1, 50_000_000, 0, changed),
        (1, 37_000_000, changed + SECOND // 20, stopped),
    ):
        here = (records.queue == queue) & (records.fate != DROPPED)
        here &= (records.time_ns >= begin) & (records.time_ns < end)
        late = lateness(records.time_ns[here], records.length[here], rate) / 1000
        name = f"{rate // 1_000_000} Mbit/s"
        most = float(np.ptp(late))
        yield from outside(f"{name}: latest less earliest, us", most, 0, SLOW_LATE_US)
        tenth = len(late) // 10
        lost = float(np.median(late[-tenth:]) - np.median(late[:tenth]))
        yield from outside(f"{name}: lost, us", lost, -MOST_LOST_US, MOST_LOST_US)


def changes_with_the_next(kept: Kept) -> Faults:
    """Packets are 1514 bytes: the gaps between two are of one rate or of the other."""
    records = kept.records("rate")
    here = (records.queue == 1) & (records.fate != DROPPED)
    gaps = np.diff(records.time_ns[here])
    slow = gaps > (1514 * 8 * 1000 // 50 + 1514 * 8 * 1000 // 37) // 2
    # Wherever the change was: those on the wrong side of it
    wrong = int((np.cumsum(slow) + np.cumsum(~slow[::-1])[::-1]).min()) - 1
    yield from outside("gaps of the other rate, %", 100 * wrong / len(gaps), 0, 0.5)
    yield from outside("slow gaps, %", float(slow.mean()) * 100, 30, 50)


# ---- the meter's limits -------------------------------------------------------------------------


def refused(kept: Kept, case: str, word: str) -> Faults:
    """Files that are not whole are not read."""
    try:
        kept.records(case)
        yield f"{case}: is taken"
    except Damaged as error:
        note(f"{case}: {error}")
        if word not in str(error):
            yield f"{case}: {error}: does not say {word}"


def overrun(kept: Kept) -> Faults:
    yield from refused(kept, "overrun", "`records`")
    status = kept.status("overrun")
    yield from differs("records", status["records"], 100)
    yield from differs("and beyond", 300 <= 100 + status["overrun"] <= 310, True)


def crowded(kept: Kept) -> Faults:
    yield from refused(kept, "crowded", "`packets`")
    status = kept.status("crowded")
    yield from differs("more than were followed", 190 <= status["crowded"] <= 200, True)
    yield from differs("left unfollowed", status["unknown"], status["crowded"])


def segmented(kept: Kept) -> Faults:
    """Each segment is a record."""
    records, status = kept.records("segmented"), kept.status("segmented")
    sent = records.fate == SENT
    yield from differs(
        "cut, and all segments known", (status["segmented"] > 100, status["unknown"]), (True, 0)
    )
    # iperf3 may end with a full send buffer: timelines had 1.02 and 1.05, all is 1.10. With super-packets, too: 2
    yield from outside(
        "bytes, of 8 MB and headers", int(records.length[sent].sum()) / 8e6, 0.5, 1.12
    )
    yield from outside("longest", int(records.length.max()), 1514, 1514)
    status = kept.status("whole")
    yield from differs("with gso_max_segs 1", (status["segmented"], status["unknown"]), (0, 0))
    yield from outside("packets", len(kept.records("whole").time_ns), 1000, 1e9)


def split(kept: Kept) -> Faults:
    """Segments are counted as the qdisc counts them, and have waited as long as it says."""
    status = kept.status("split")
    yield from differs(
        "cut, and all segments known", (status["segmented"] > 100, status["unknown"]), (True, 0)
    )
    yield from counts(kept, "split")
    yield from percentiles(kept, "split")


def gone(kept: Kept) -> Faults:
    """What waited when the device went was dropped."""
    records, status = kept.records("gone"), kept.status("gone")
    yield from differs("waiting", status["waiting"], 0)
    dropped = int((records.fate == DROPPED).sum())
    yield from differs("packets, and dropped", (len(records.fate), dropped >= 45), (50, True))


def apart(kept: Kept) -> Faults:
    records, status = kept.records("apart"), kept.status("apart")
    yield from differs("packets", len(records.time_ns), 4)
    yield from differs("records", status["records"], 4 + 6)
    for gap in np.diff(records.time_ns):
        yield from outside("s between pings", float(gap) / SECOND, 9.99, 10.5)


def many(kept: Kept) -> Faults:
    """65,535 flows have a number; the others share one."""
    records = kept.records("many")
    sizes = np.bincount(records.flow)
    yield from differs("flows", len(sizes), 65536)
    yield from differs("packets of no flow", int(sizes[0]), 70000 - 65535)
    yield from differs("of any flow", (int(sizes[1:].min()), int(sizes[1:].max())), (1, 1))
    pairs = set(zip(records.sport[1:].tolist(), records.dport[1:].tolist()))
    yield from differs("flows that differ", len(pairs), 65535)


def damaged(kept: Kept) -> Faults:
    """Whatever is wrong is found, and said."""
    records, flow_table, status = kept.files("pfifo")
    wrong = {
        "a record too many": (records + records[-16:], flow_table, status),
        "a record cut off": (records[:-1], flow_table, status),
        "a record missing": (records[:-16], flow_table, status),
        "a flow missing": (records, flow_table[:-16], status),
        "a number of a flow": (records[:8] + b"\xff\xff\xff" + records[11:], flow_table, status),
        "a fate": (records[:11] + b"\x40" + records[12:], flow_table, status),
        "no status": (records, flow_table, ""),
        "words in the status": (records, flow_table, status.replace("waiting 0", "waiting x")),
    }
    for name, files in wrong.items():
        try:
            load(*files)
            yield f"{name}: is taken"
        except Damaged as error:
            note(f"{name}: {error}")


# ---- what it costs ------------------------------------------------------------------------------


def cost(kept: Kept) -> Faults:
    """Instructions a packet: all that is sent, received and freed elsewhere is looked at, too."""
    lines = (kept.folder / "cost").read_text().splitlines()
    found = {name: int(value) for name, value in map(str.split, lines)}
    note(f"instructions a packet: {found}")
    elsewhere = found["elsewhere"] - found["without"]
    measured = found["measured"] - found["without"]
    yield from outside("of another device", elsewhere, 0, MOST_INSTRUCTIONS / 3)
    yield from outside("of a measured device", measured, 0, MOST_INSTRUCTIONS)


def undisturbed(kept: Kept) -> Faults:
    """Waits and drops of an overload are the same with the meter and without it."""
    for kind in ("codel_oot", "fq_codel_oot"):
        alone, watched = (kept.qdisc(f"disturb-{kind}-{how}") for how in ("without", "with"))
        means = [qdisc["delay"]["sum_ns"] / qdisc["packets"] for qdisc in (alone, watched)]
        longest = [qdisc["delay"]["max_ns"] for qdisc in (alone, watched)]
        note(f"{kind}, without it: mean {means[0]:.0f} ns, longest {longest[0]} ns")
        yield from outside(f"{kind}: drops without it", alone["drops"], 100, 1000)
        apart = watched["drops"] - alone["drops"]
        yield from outside(f"{kind}: drops more with it", apart, -1, 1)
        moved = means[1] / means[0] - 1
        yield from outside(f"{kind}: mean longer by", moved, -MOST_MOVED, MOST_MOVED)
        late_us = (longest[1] - longest[0]) / 1e3
        yield from outside(f"{kind}: longest longer by, us", late_us, -SLOW_LATE_US, SLOW_LATE_US)


CHECKS: dict[str, Callable[[Kept], Faults]] = {
    "no packet is lost sight of, and limits hold": in_the_machine,
    "sent, dropped and marked are tc's": each(counts, FOLLOWED),
    "the percentiles are the qdisc's": each(percentiles, OURS),
    "packets are of their flows": each(flows, FOLLOWED),
    "another namespace's queue has a number of its own": each(second_queue, FOLLOWED),
    "links are as fast as they should be": kept_up,
    "a link's new rate holds at once": changes_with_the_next,
    "packets of a device that goes are dropped": gone,
    "records that are far apart": apart,
    "records that do not fit are counted": overrun,
    "packets that do not fit are counted": crowded,
    "flows that do not fit share a number": many,
    "packets that are cut are recorded by segment": segmented,
    "packets that a qdisc cuts are counted and timed as it does": split,
    "damaged files are refused": damaged,
    "what the meter costs": cost,
    "the meter does not change what it measures": undisturbed,
}


def judged(number: int, title: str, check: Callable[[Kept], Faults], kept: Kept) -> bool:
    faults: list[str] = []
    try:
        faults.extend(check(kept))
    except (OSError, KeyError, IndexError, ValueError) as error:
        faults.append(f"{type(error).__name__}: {error}")
    for fault in faults:
        note(f"FAIL: {fault}")
    print(f"{'not ' if faults else ''}ok {number} {title}", flush=True)
    return not faults


def main(argv: list[str]) -> int:
    folder, said, status = argv[1:]
    kept = Kept(Path(folder) / "meter", Path(said).read_text(), int(status))
    print(f"TAP version 13\n1..{len(CHECKS)}")
    results = [judged(n, title, CHECKS[title], kept) for n, title in enumerate(CHECKS, 1)]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv))
