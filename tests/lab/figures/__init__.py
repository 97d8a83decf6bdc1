# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""What the experiments' results are compared with: one file an experiment.

Each has a NAME, the document that it READS (out/lab/READS.json), a TITLE, a SOURCE, the CLAIM of the
source, `targets(results, bounds)`, `table(results)`, and what FOLLOWS; those with a figure have
`draw(results, path)`, a CAPTION, and `describe(results)`, its words for who does not see it. BOUNDS are those of
the sources, CHECK those of the reduced grids that tests/lab/check runs.
"""

from __future__ import annotations

from types import ModuleType

from . import (
    chain,
    fig5,
    fig6,
    fig7,
    fig7_causes,
    fig7_small,
    fig8,
    fig9,
    graph1,
    graph2,
    graph2_flows,
    observer,
    overload,
    ratelimit,
    rrul,
    table1,
)

# In the order of the page
PARTS: dict[str, tuple[ModuleType, ...]] = {
    "The CoDel paper": (fig5, fig6, fig7, fig7_causes, fig7_small, fig8, fig9, table1),
    "The CS244 evaluation": (graph1, graph2, graph2_flows, chain),
    "Requests": (overload, ratelimit),
    "Both directions at once": (rrul,),
    "The laboratory itself": (observer,),
}
EXPERIMENTS = tuple(m for modules in PARTS.values() for m in modules)
BY_NAME = {m.NAME: m for m in EXPERIMENTS}
