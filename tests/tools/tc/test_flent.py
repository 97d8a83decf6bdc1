#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
"""flent reads the same values from the output of the plugins as from that of the stock tc.

usage: test_flent.py --flent DIR --plugins DIR --fakekernel FILE TC [ARG...]
"""

import argparse
import random
import sys
from typing import Any

from test_plugins import NO_PLUGINS, STOCK_KINDS, ExtStats, Tc, own_statistics, random_stats

# Values that flent must find, by kind: statistics of the kind, not only the common ones
FOUND = {
    "codel": {"dropped", "backlog_bytes", "count", "lastcount", "delay", "maxpacket", "ecn_mark"},
    "fq_codel": {"dropped", "backlog_bytes", "maxpacket", "new_flow_count", "new_flows_len"},
}


def flents(parser: Any, texts: list[str]) -> Any:
    """The values that flent parses from these outputs of tc."""
    lines = "".join(f"Time: {i}.5\n{text}\n---\n" for i, text in enumerate(texts, 1))
    return parser.parse(lines.splitlines(keepends=True), "")


def compare(tc: Tc, parser: Any, kind: str, samples: list[ExtStats]) -> None:
    head, length = own_statistics(kind)
    found = {}
    for name, plugins, oot in (
        ("the stock tc", NO_PLUGINS, True),
        ("the plugins, with an in-tree qdisc", "", False),
        ("the plugins", "", True),
    ):
        texts = []
        for stats in samples:
            tc.dump(kind, b"", head + stats.wire() if oot else head[:length])
            texts.append(tc.text("-s", plugins=plugins))
        found[name] = flents(parser, texts)
    assert "\n  received " in texts[0], texts[0]
    stock = found["the stock tc"]
    for name, what in found.items():
        assert what == stock, f"{kind}, {name}: {what}, not {stock}"
    missing = FOUND[kind] - stock[0].keys()
    assert not missing, f"{kind}: flent has not found {missing}"


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--flent", required=True)
    options.add_argument("--plugins", required=True)
    options.add_argument("--fakekernel", required=True)
    options.add_argument("tc", nargs=argparse.REMAINDER)
    args = options.parse_args()
    sys.path.insert(0, args.flent)
    from flent.runners import TcRunner

    class Parser(TcRunner):
        """Runs nothing."""

        def __init__(self) -> None:
            pass

        def __del__(self) -> None:
            pass

    tc = Tc(args.tc, args.plugins, args.fakekernel)
    rng = random.Random(12)
    for kind in STOCK_KINDS:
        for _ in range(20):
            first = random_stats(rng)
            while not (first.counts[0][0] and any(pair[0] for pair in first.drops)):
                first = random_stats(rng)
            compare(tc, Parser(), kind, [first, random_stats(rng), random_stats(rng)])
    return 0


if __name__ == "__main__":
    sys.exit(main())
