# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""What prove and compare have measured: as a table and sentences, or as JSON with every sample, and as a picture."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from . import measure, picture
from .errors import Failure
from .marks import Json
from .measure import PING_SECONDS, Phase, Queue

LEGEND = (
    "times in ms; added: by the load, to the median ping; egress and ingress: sojourn times of "
    "all packets; elsewhere: the part of added that these do not explain"
)


@dataclass(frozen=True)
class Report:
    device: str
    server: str | None
    seconds: int  # of each phase
    idle: Phase
    phases: list[Phase]  # under load
    sentences: list[str]


def _queue(queue: Queue) -> Json:
    buckets = None
    if queue.buckets is not None:
        buckets = [{"to_ns": to, "count": n} for to, n in queue.buckets]
    return {"signals": queue.signals, "buckets": buckets}


def _phase(phase: Phase, idle: Phase) -> Json:
    under_load = phase is not idle
    return {
        "setup": phase.setup or None,
        "load": phase.load,
        "rate": dict(zip(("egress", "ingress"), phase.rates)),
        "ping": {
            "interval_ms": PING_SECONDS * 1000,
            "lost": phase.pings.lost,
            "replies": [{"seq": number, "ms": ms} for number, ms in phase.pings.replies],
        },
        "added_ms": measure.added(phase, idle) if under_load else None,
        "elsewhere_ms": measure.elsewhere(phase, idle) if under_load else None,
        "egress": _queue(phase.egress),
        "ingress": _queue(phase.ingress),
        "far": dict(zip(("egress", "ingress"), map(_queue, phase.far))),
    }


def document(found: Report) -> Json:
    """Rates in bit/s; no value is rounded."""
    return {
        "device": found.device,
        "server": found.server,
        "seconds": found.seconds,
        "phases": [_phase(phase, found.idle) for phase in (found.idle, *found.phases)],
        "sentences": found.sentences,
    }


def _draw(found: Report, file: str) -> None:
    try:
        Path(file).write_text(picture.svg(found.phases or [found.idle], found.idle, PING_SECONDS))
    except OSError as error:
        raise Failure(f"{file}: cannot write the picture: {error.strerror}") from error


def give(found: Report, as_json: bool, file: str | None) -> None:
    if as_json:
        print(json.dumps(document(found), indent=1))
    else:
        print(measure.table([found.idle, *found.phases], found.idle))
        print(LEGEND, *found.sentences, sep="\n")
    if file:
        _draw(found, file)
