# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""From plans to results: run missing runs, write complete results."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Iterator, Sequence

from . import results, store, work
from .cost import Cost, span
from .plan import Plan, Run
from .progress import Progress, clock, virtual
from .tree import Errors

Recipe = Callable[[str, bool], str]
Complaints = Callable[[Sequence[str], str, float], list[str | None]]

PATIENCE = 1200  # s for a machine that tries words


@dataclass
class Lab:
    """Where results go, and how runs are made; tests have their own."""

    out: Path
    recipe: Recipe
    execute: work.Execute
    complaints: Complaints

    @property
    def store(self) -> store.Store:
        return store.Store(self.out / "runs")

    @property
    def verdicts(self) -> store.Store:
        """tc's, on words."""
        return store.Store(self.out / "words")

    def path(self, plan: Plan) -> Path:
        return self.out / f"{plan.name}.json"

    def keys(self, plan: Plan) -> list[str]:
        return [store.key(run, self.recipe(run.release, run.out_of_tree)) for run in plan.runs]

    def missing(self, plans: Sequence[Plan], fresh: bool) -> list[work.Job]:
        """One job for each outcome that is not there, however many runs want it."""
        jobs: dict[str, work.Job] = {}
        for plan in plans:
            for key, run in zip(self.keys(plan), plan.runs):
                if key in jobs:
                    continue
                if fresh:
                    self.store.forget(key)
                if self.store.get(key) is None:
                    jobs[key] = work.Job(key, run)
        return work.dearest_first(list(jobs.values()))

    def complaint(self, words: str, release: str) -> str | None:
        verdict = self.verdicts.get(store.verdict_key(words, self.recipe(release, True)))
        return verdict and verdict["complaint"]

    def try_words(self, every: set[str], release: str) -> None:
        """In one machine, those without a verdict."""
        recipe = self.recipe(release, True)
        keys = {words: store.verdict_key(words, recipe) for words in sorted(every)}
        new = [words for words, key in keys.items() if self.verdicts.get(key) is None]
        if new:
            print(f"{release}: trying the words of {len(new)} qdiscs", file=sys.stderr, flush=True)
            for words, said in zip(new, self.complaints(new, release, PATIENCE)):
                self.verdicts.put(keys[words], {"words": words, "complaint": said})

    def check_words(self, runs: Sequence[Run]) -> None:
        """Raise tree.Wrong with tc's messages if it refuses the words of any qdisc."""
        errors = Errors()
        for release in sorted({run.release for run in runs}):
            here = [run for run in runs if run.release == release]
            self.try_words({words for run in here for words in run.written}, release)
            for words, place in (pair for run in here for pair in run.written.items()):
                if said := self.complaint(words, release):
                    errors.add(*place, f'tc refuses "{words}" ({release}): {said}')
        errors.check()

    def run(self, plans: Sequence[Plan], workers: int, fresh: bool) -> list[work.Failed]:
        """Performs missing runs; returns the failed ones in the order of the plans.

        Nothing runs if tc refuses the words of a qdisc.
        """
        jobs = self.missing(plans, fresh)
        self.check_words([job.run for job in jobs])
        order = list(dict.fromkeys(key for plan in plans for key in self.keys(plan)))
        total = len(order)
        progress = Progress(sys.stderr, [job.run for job in jobs], workers)
        if len(jobs) < total:
            progress.say(f"{total - len(jobs)} of {total} runs were done before")
        failed = work.Pool(self.store, self.execute, workers, progress).work(jobs) if jobs else []
        return sorted(failed, key=lambda one: order.index(one.job.key))

    def result(self, plan: Plan) -> results.Outcome | None:
        """The document of a plan; none if a run is missing."""
        outcomes = [self.store.get(key) for key in self.keys(plan)]
        found = [outcome for outcome in outcomes if outcome is not None]
        return results.assemble(plan, found) if len(found) == len(outcomes) else None


def explain(every: Sequence[work.Failed], without: Sequence[str]) -> Iterator[str]:
    """Failed runs and their reasons; repeated reasons are left out."""
    if not every:
        return
    told: list[str] = []
    for failed in every:
        yield f"FAILED {failed.job.run.title}{': the same' if failed.reason == told else ''}"
        if failed.reason != told:
            yield from (f"    {line}" for line in failed.reason)
        told = failed.reason
    yield (
        f"lab/run: failed runs: {len(every)}; no results of {', '.join(without)}; "
        "what is done is kept"
    )


def listing(plans: Sequence[Plan], workers: int) -> Iterator[str]:
    """The runs of --plan."""
    cost = Cost()
    every: list[Run] = [run for plan in plans for run in plan.runs]
    for number, run in enumerate(every, 1):
        seconds = run.document["duration"] / 10**9
        yield f"{number:4}  {seconds:6g} s virtual  {cost.estimate(run):6.0f} s wall  {run.title}"
    dearest = sorted((cost.estimate(run) for run in every), reverse=True)
    yield (
        f"{len(every)} runs, {virtual(every):g} s of virtual time, "
        f"about {clock(span([], dearest, workers))} with {workers} at a time"
    )
