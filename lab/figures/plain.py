# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Tables of any scenario: every compared queue, and every item of its traffic."""

from __future__ import annotations

from . import items, measures, tables
from .results import Results
from .tables import Table


def table(results: Results) -> list[Table]:
    made: list[Table] = []
    for queue in results.compared:
        made += tables.measured(results, f"Queue {queue}", measures.of_queue(queue))
    for item, kind in items.by_name(results):
        made += tables.measured(results, f"Traffic {item}", measures.of_traffic(item, kind))
    return made
