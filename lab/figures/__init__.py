# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""What the experiments' results are compared with: one file an experiment.

Each has a NAME, a TITLE, a SOURCE, the CLAIM of the source, and `table(results)`. Its document is out/lab/NAME.json,
or that of another experiment, which it READS. Those with a figure have `picture(results)`, a CAPTION, and
`describe(results)`, the alternative text; those with targets `targets(results, bounds)`, and BOUNDS of
the sources. `comparable(results, targets)` marks targets that these runs cannot judge. Those whose document has a reduced
grid have CHECK, the verdicts of lab/check on it. SUBJECTS are those shown, where not all are. WHY is a
mechanism in words that holds whatever is measured, without a number; `headlines(results)` are the measures in which the
page compares out-of-tree with in-tree qdiscs.
"""

from __future__ import annotations

from types import ModuleType

from . import (
    bbr,
    bursts,
    chain,
    ecn,
    falling,
    fig5,
    fig6,
    fig7,
    fig7_small,
    fig8,
    fig9,
    follow,
    follow_both,
    follow_down,
    graph1,
    graph2,
    ingress,
    observer,
    overload,
    pauses,
    ratelimit,
    releases,
    responsive,
    router,
    rrul,
    shortflows,
    slowlinks,
    table1,
    tradeoff,
    unresponsive,
)
from .results import Results
from .verdict import Target

# In the order of the page
PARTS: dict[str, tuple[ModuleType, ...]] = {
    "A queue in another device": (follow, follow_down, follow_both),
    "A ceiling on the delay": (falling, bursts, pauses, unresponsive, responsive, tradeoff),
    "The CoDel paper": (fig5, fig6, fig7, fig7_small, fig8, fig9, table1),
    "The CS244 evaluation": (graph1, graph2, chain),
    "Requests": (overload, ratelimit),
    "Both directions at once": (rrul,),
    "Other senders": (bbr, ecn, shortflows),
    "Slow links": (slowlinks,),
    "A shaper": (router, ingress),
    "The laboratory itself": (releases, observer),
}
EXPERIMENTS = tuple(m for modules in PARTS.values() for m in modules)
BY_NAME = {m.NAME: m for m in EXPERIMENTS}


def document(module: ModuleType) -> str:
    """The name of the document that an experiment reads."""
    return str(getattr(module, "READS", module.NAME))


def shown(module: ModuleType, results: Results) -> Results:
    """The SUBJECTS of an experiment, if it does not show all that its document has."""
    if not hasattr(module, "SUBJECTS"):
        return results
    return results.only(lambda run: run.qdisc in module.SUBJECTS)


def targets(module: ModuleType, results: Results) -> list[Target]:
    """What came of an experiment's targets."""
    if not hasattr(module, "targets"):
        return []
    found: list[Target] = module.targets(results, module.BOUNDS)
    if hasattr(module, "comparable"):
        found = module.comparable(results, found)
    return found
