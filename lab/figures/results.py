# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Results of a scenario, as lab/run leaves them in out/lab/NAME.json."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Callable, Sequence

from . import amounts, subjects

SCHEMA = 2
# Keys of points in the order in which a reader expects them
KEYS = ("rate", "rtt", "mtu", "load")

Labels = tuple[tuple[str, str], ...]


class Invalid(Exception):
    """A document that is not what it says it is."""


@dataclass(frozen=True)
class Point:
    """One element of the grid: (key, label) pairs."""

    labels: Labels = ()

    def get(self, key: str) -> str:
        return dict(self.labels).get(key, "")

    def title(self, keys: Sequence[str]) -> str:
        return ", ".join(label(k, v) for k, v in self.labels if k in keys)


def label(key: str, value: str) -> str:
    return f"MTU {value}" if key == "mtu" else amounts.pretty(value)


def dig(data: Any, *path: str | int) -> Any:
    """What is at a path; None where there is nothing."""
    for step in path:
        try:
            data = data[step]
        except (KeyError, IndexError, TypeError):
            return None
    return data


@dataclass(frozen=True)
class Run:
    """One machine's life: one qdisc, one seed, one point."""

    qdisc: str
    seed: int
    point: Point
    queues: dict[str, Any]
    traffic: dict[str, Any]

    def queue(self, name: str, *path: str | int) -> Any:
        return dig(self.queues, name, *path)

    def kinds(self, *kinds: str) -> list[tuple[str, dict[str, Any]]]:
        """Traffic of these kinds by name."""
        return [(n, t) for n, t in sorted(self.traffic.items()) if t.get("kind") in kinds]


Number = Callable[[Run], "float | None"]


def run_of(data: dict[str, Any]) -> Run:
    point = data.get("point") or {}
    keys = [k for k in KEYS if k in point] + sorted(set(point) - set(KEYS))
    labels = tuple((k, str(point[k])) for k in keys)
    queues, traffic = data.get("queues") or {}, data.get("traffic") or {}
    return Run(data["qdisc"] or subjects.DEFAULT, int(data["seed"]), Point(labels), queues, traffic)


class Results:
    """One document. Any part of the grid may be missing from it."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.data = data
        self.name: str = data["name"]
        self.title: str = data.get("title", self.name)
        self.scenario: dict[str, Any] = data.get("scenario") or {}
        self.runs = [run_of(r) for r in data["runs"]]
        self._found = {(r.qdisc, r.point, r.seed): r for r in self.runs}

    def only(self, chosen: Callable[[Run], bool]) -> Results:
        """The same with these runs alone."""
        runs = [d for d, r in zip(self.data["runs"], self.runs) if chosen(r)]
        return Results({**self.data, "runs": runs})

    @property
    def kernels(self) -> dict[str, str]:
        """The kernel of each Debian release; under no name if there is one release."""
        found = self.data.get("kernel", "unknown")
        return dict(found) if isinstance(found, dict) else {"": str(found)}

    @property
    def warmup(self) -> float:
        """Seconds that are left out at the start."""
        return amounts.quantity(str(self.scenario.get("warmup", "0s"))) or 0.0

    @cached_property
    def subjects(self) -> list[str]:
        return subjects.ordered(r.qdisc for r in self.runs)

    @cached_property
    def seeds(self) -> list[int]:
        return sorted({r.seed for r in self.runs})

    @cached_property
    def labels(self) -> dict[str, list[str]]:
        """Every key's labels: by what they amount to, others as they come."""
        found: dict[str, dict[str, None]] = {}
        for run in self.runs:
            for key, value in run.point.labels:
                found.setdefault(key, {})[value] = None
        return {key: in_order(list(values)) for key, values in found.items()}

    @cached_property
    def points(self) -> list[Point]:
        def place(point: Point) -> list[int]:
            return [self.labels[k].index(v) for k, v in point.labels]

        return sorted({r.point for r in self.runs}, key=place)

    @property
    def varied(self) -> list[str]:
        """The keys that tell points apart."""
        return [k for k, values in self.labels.items() if len(values) > 1]

    def title_of(self, point: Point) -> str:
        return point.title(self.varied) or "all"

    def run(self, qdisc: str, point: Point, seed: int) -> Run | None:
        return self._found.get((qdisc, point, seed))

    def of(self, qdisc: str, point: Point) -> list[Run]:
        """The runs of all seeds."""
        found = (self.run(qdisc, point, seed) for seed in self.seeds)
        return [r for r in found if r]

    def values(self, qdisc: str, point: Point, number: Number) -> tuple[float, ...]:
        """One value a seed, those that have one."""
        found = (number(r) for r in self.of(qdisc, point))
        return tuple(v for v in found if v is not None)

    def where(self, run: Run) -> str:
        """Words that tell this run from others of its qdisc."""
        parts = [run.point.title(self.varied)]
        parts += [f"seed {run.seed}"] if len(self.seeds) > 1 else []
        return ", ".join(p for p in parts if p)

    @cached_property
    def queues(self) -> list[str]:
        """Every measured queue, LINK.DIRECTION, in the order of the scenario's nodes."""
        return sorted({name for r in self.runs for name in r.queues}, key=self._queue_place)

    def _queue_place(self, name: str) -> tuple[int, str]:
        links = list(self.scenario.get("link") or {})
        link = name.rpartition(".")[0]
        return (links.index(link) if link in links else len(links), name)

    @cached_property
    def compared(self) -> list[str]:
        """The queues that have the compared qdisc."""
        found = [q for q in self.queues if self._qdisc_at(q) == "subject"]
        return found or self.queues

    def _qdisc_at(self, queue: str) -> str | None:
        link, _, direction = queue.rpartition(".")
        settings = dig(self.scenario, "link", link)
        told: str | None = dig(settings, direction, "qdisc") or dig(settings, "qdisc")
        return told

    @cached_property
    def bottleneck(self) -> str:
        """Of those, the one that carries the most bytes; all runs together decide."""

        def carried(queue: str) -> int:
            return sum(r.queue(queue, "bytes") or 0 for r in self.runs)

        return max(self.compared, key=carried, default="")

    @property
    def missing(self) -> int:
        """Runs of the grid that are not there; a subject or a point may have seeds of its own."""
        of = {(r.qdisc, r.seed) for r in self.runs}
        at = {(r.point, r.seed) for r in self.runs}
        planned = {(q, p, s) for q, s in of for p in self.points if (p, s) in at}
        return len(planned) - len(self._found)


IN_TREE_KINDS = ("codel", "fq_codel")  # those that an out-of-tree module may serve as well
OUT_OF_TREE = "out-of-tree"


def kind_of(run: Run, queue: str) -> str:
    """tc's name of the qdisc: the first word of what tc was told, or what tc said."""
    told = run.queue(queue, "options")
    said: str = run.queue(queue, "tc", 0, "kind") or ""
    return str(told).split()[0] if told else said


def server_words(server: dict[str, Any]) -> str:
    module, origin = server.get("module"), server.get("origin")
    return f"{module}, {origin}" if module else str(origin)


def complaint(run: Run, queue: str) -> str | None:
    """A comparison needs in-tree kinds from the kernel's modules and out-of-tree kinds from the project's."""
    kind = kind_of(run, queue)
    outer = kind.endswith("_oot")
    if not outer and kind not in IN_TREE_KINDS:
        return None
    server = run.queue(queue, "served_by")
    if not server:
        return f"{kind}: the results do not say which module served it; run the scenario again"
    if (server.get("origin") == OUT_OF_TREE) != outer:
        wanted = OUT_OF_TREE if outer else "in-tree"
        return f"{kind} was served by {server_words(server)}, not by an {wanted} qdisc"
    return None


def in_order(labels: list[str]) -> list[str]:
    found = [amounts.quantity(v) for v in labels]
    if any(f is None for f in found):
        return labels
    return sorted(labels, key=lambda v: amounts.quantity(v) or 0.0)


def load(path: Path) -> Results:
    try:
        data = json.loads(path.read_text())
    except OSError as error:
        raise Invalid(f"{path}: {error}") from error
    except ValueError as error:
        raise Invalid(f"{path}: not JSON: {error}") from error
    if dig(data, "schema") != SCHEMA:
        raise Invalid(f"{path}: schema is {dig(data, 'schema')}, not {SCHEMA}")
    try:
        found = Results(data)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Invalid(f"{path}: not the results of a scenario: {error!r}") from error
    for run in found.runs:
        for queue in run.queues:
            if wrong := complaint(run, queue):
                raise Invalid(f"{path}: {run.qdisc}, seed {run.seed}, {queue}: {wrong}")
    return found
