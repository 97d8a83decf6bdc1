# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""What the kernel module lab_meter has written: see lab/meter/main.c."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

SENT, MARKED, DROPPED, FILL = range(4)
WAITED_UNIT = 16  # ns
RECORD = np.dtype([("gap", "<u4"), ("waited", "<u4"), ("what", "<u4"), ("length", "<u4")])
FLOW = np.dtype(
    [("saddr", ">u4"), ("daddr", ">u4"), ("sport", ">u2"), ("dport", ">u2"), ("proto", "u1"),
     ("pad", "u1", 3)]
)  # fmt: skip
# Lines of the status that say that records are missing or wrong, and why
MISSING = {
    "overrun": "records did not fit: load the module with a larger `records`",
    "crowded": "packets were not followed, as too many waited: load the module with a larger `packets`",
}
Array = npt.NDArray[np.int64]


class Damaged(ValueError):
    """The files are not whole, or do not belong together."""


@dataclass(frozen=True)
class Records:
    """A row for each packet that ended, in order of time; and a row for each flow."""

    time_ns: Array  # since the origin
    waited_ns: Array  # a multiple of 16
    flow: Array  # row of the table of flows
    queue: Array
    fate: Array  # SENT, MARKED or DROPPED
    length: Array
    saddr: Array
    daddr: Array
    sport: Array
    dport: Array
    proto: Array
    status: dict[str, int]


def _status(text: str) -> dict[str, int]:
    words = [line.split() for line in text.splitlines()]
    if not all(len(pair) == 2 and pair[1].isdecimal() for pair in words):
        raise Damaged(f"status: not lines of a name and a number: {text!r}")
    found = {name: int(value) for name, value in words}
    for name in ("records", "flows", *MISSING):
        if name not in found:
            raise Damaged(f"status: there is no {name}")
    return found


def _table(what: str, data: bytes, layout: np.dtype[Any], count: int) -> npt.NDArray[Any]:
    if len(data) != count * layout.itemsize:
        raise Damaged(
            f"{what}: {len(data)} bytes, and {count} of {layout.itemsize} bytes are expected"
        )
    return np.frombuffer(data, layout)


def _check(rows: npt.NDArray[Any], fate: Array, flow: Array, flows: int) -> None:
    fills = fate == FILL
    wrong = (fate > FILL) | (flow >= flows)
    wrong |= fills & ((rows["gap"] != 0xFFFFFFFF) | (rows["waited"] != 0) | (rows["length"] != 0))
    if wrong.any():
        at = int(np.argmax(wrong))
        raise Damaged(f"records: number {at} cannot be: {rows[at].tobytes().hex(' ', 4)}")


def load(records: bytes, flows: bytes, status: str) -> Records:
    """The module's three files; Damaged tells what is missing."""
    said = _status(status)
    for name, why in MISSING.items():
        if said[name]:
            raise Damaged(f"{said[name]} {why}")
    rows = _table("records", records, RECORD, said["records"])
    table = _table("flows", flows, FLOW, said["flows"])
    what = rows["what"].astype(np.int64)
    flow, queue, fate = what & 0xFFFFFF, what >> 24 & 15, what >> 28
    _check(rows, fate, flow, len(table))
    packets = fate != FILL
    time = np.cumsum(rows["gap"], dtype=np.int64)
    columns = {name: table[name].astype(np.int64) for name in FLOW.names or () if name != "pad"}
    return Records(
        time_ns=time[packets],
        waited_ns=rows["waited"].astype(np.int64)[packets] * WAITED_UNIT,
        flow=flow[packets],
        queue=queue[packets],
        fate=fate[packets],
        length=rows["length"].astype(np.int64)[packets],
        status=said,
        **columns,
    )
