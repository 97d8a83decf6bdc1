# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The exact test and Holm's correction on cases whose results are known, and the words of the page for them."""

from __future__ import annotations

from typing import Iterator, Sequence

from figures import beside, exact, intree
from figures.results import Results
from figures.tables import Better
from figures.verdict import State

Found = tuple[str, object, object]
LOW, HIGH, NEITHER = Better.LOW, Better.HIGH, Better.NEITHER
FIVE = (1.0, 2.0, 3.0, 4.0, 5.0)
MORE = tuple(v + 10 for v in FIVE)
# Samples, and the number of the ways to deal them whose rank sum is as far from the middle, of all ways
P_VALUES: list[tuple[str, Sequence[float], Sequence[float], int, int]] = [
    ("five apart from five", FIVE, MORE, 2, 252),
    ("the other way round", MORE, FIVE, 2, 252),
    ("three apart from three", (1, 2, 3), (4, 5, 6), 2, 20),
    ("one step from apart", (1, 2, 4), (3, 5, 6), 4, 20),
    ("interleaved", (1, 3, 5), (2, 4, 6), 14, 20),
    ("all equal", (5, 5, 5), (5, 5, 5), 20, 20),
    ("ties across", (1, 1, 2), (2, 3, 3), 4, 20),
    ("unequal sizes", (1, 2), (3, 4, 5), 2, 10),
    ("an outlier is one rank", (1, 2, 3, 4, 999), (5, 6, 7, 8, 9), 38, 252),
]
STRATA = [
    ("one stratum is the plain test", [(FIVE, MORE)], 2 / 252),
    ("two that agree", [((1, 2, 3), (4, 5, 6))] * 2, 2 / 400),
    ("two that contradict", [((1, 2, 3), (4, 5, 6)), ((4, 5, 6), (1, 2, 3))], 1.0),
    ("strata are not compared with each other", [((1, 2), (1, 2)), ((91, 92), (91, 92))], 1.0),
    ("ties have half ranks", [((1, 1, 2), (2, 3, 3))], 4 / 20),
]
HOLM = [
    ("in order", [0.01, 0.03, 0.04], [0.03, 0.06, 0.06]),
    ("out of order", [0.04, 0.01, 0.03], [0.06, 0.03, 0.06]),
    ("at most 1", [0.5, 0.9], [1.0, 1.0]),
    ("none", [], []),
]
WORDS: list[tuple[str, Sequence[float], Sequence[float], Better, str]] = [
    ("apart, less delay", (1, 2, 3), (4, 5, 6), LOW, "better"),
    ("apart, more delay", (4, 5, 6), (1, 2, 3), LOW, "worse"),
    ("apart, fewer bytes", (1, 2, 3), (4, 5, 6), HIGH, "worse"),
    ("apart, no preference", (1, 2, 3), (4, 5, 6), NEITHER, "lower"),
    ("the ranges touch", (1, 2, 3), (3, 4, 5), LOW, "not distinguishable"),
    ("equal", (1, 1, 1), (1, 1, 1), LOW, "not distinguishable"),
    ("apart in the sixth digit", (1.00001,) * 3, (1.00002,) * 3, LOW, "not distinguishable"),
    ("two seeds", (1, 2), (4, 5, 6), LOW, "not compared: fewer than 3 seeds"),
]


def overload(values: dict[str, Sequence[float]]) -> Results:
    """Runs of the overload cell, by subject: the 95th percentile of each seed."""
    runs = [
        {
            "qdisc": name,
            "seed": seed,
            "point": {"load": "1000/500"},
            "traffic": {"calls": {"kind": "requests", "time_ms": {"p95": value}}},
        }
        for name, found in values.items()
        for seed, value in enumerate(found, 1)
    ]
    return Results({"schema": 2, "name": "overload", "runs": runs})


def judged(ours: Sequence[float], theirs: Sequence[float]) -> tuple[str, State]:
    found = intree.tests({"overload": overload({"codel_oot": ours, "codel": theirs})})
    return found[0].verdict, intree.targets(found)[0].state


CASES = [
    ("slower in every seed", MORE, FIVE, ("worse", State.MISSED)),
    ("faster in every seed", FIVE, MORE, ("better", State.MET)),
    ("half a step slower", tuple(v + 0.5 for v in FIVE), FIVE, ("no difference found", State.MET)),
    ("equal", FIVE, FIVE, ("no difference found", State.MET)),
    ("four seeds", FIVE[:4], MORE, ("not judged: fewer than 5 seeds", State.UNMEASURED)),
]


def six_cells() -> list[bool]:
    """One cell of six that is apart is found after the correction; with a seventh it could not be."""
    least = exact.smallest_p(5, 5)
    return [exact.holm([least] + [1.0] * n)[0] <= intree.ALPHA for n in (5, 6)]


def tests() -> Iterator[Found]:
    for title, ours, theirs, ways, of in P_VALUES:
        yield f"rank sum: {title}", round(exact.p_value(ours, theirs) * of), ways
    for title, strata, p in STRATA:
        yield f"strata: {title}", round(exact.stratified(strata), 9), round(p, 9)
    for title, ps, want in HOLM:
        yield f"Holm: {title}", [round(p, 12) for p in exact.holm(ps)], want
    for title, ours, theirs, better, said in WORDS:
        yield f"beside: {title}", beside.word(ours, theirs, better), said
    for title, ours, theirs, verdict in CASES:
        yield f"cell: {title}", judged(ours, theirs), verdict
    yield "one cell of six can be found, of seven not", six_cells(), [True, False]
    yield "no more cells than that", len(intree.CELLS) <= 6, True
    yield "no cells, no verdict", [t.state for t in intree.targets([])], [State.UNMEASURED] * 2
