# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Tables of any scenario: every compared queue, and every item of its traffic."""

from __future__ import annotations

from . import measures, tables
from .results import Results
from .tables import Table


def table(results: Results) -> list[Table]:
    made: list[Table] = []
    for queue in results.compared:
        made += tables.measured(results, f"Queue {queue}", measures.of_queue(queue))
    items = {(n, t.get("kind", "")) for r in results.runs for n, t in r.traffic.items()}
    for item, kind in sorted(items):
        made += tables.measured(results, f"Traffic {item}", measures.of_traffic(item, kind))
    return made
