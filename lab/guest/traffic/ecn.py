# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""ECN for some connections and not for others.

TCP asks for it if the namespace (tcp_ecn) or the route says so. Sockets with a mark get a
route of their own, so that items with and without ECN may share their nodes; the other end agrees, as
tcp_ecn is 2 by default.
"""

from __future__ import annotations

from .programs import run
from .sockets import ECN_MARK, Network


def route_with_ecn(network: Network, node: str, peer: str) -> None:
    """For sockets of this node that connect to the peer with the mark."""
    address = network.addresses[peer]
    table = str(ECN_MARK)
    shown = run(node, ["ip", "route", "get", address]).split()
    way = [word for key in ("via", "dev") if key in shown
           for word in (key, shown[shown.index(key) + 1])]  # fmt: skip
    run(node, ["ip", "route", "replace", address, *way, "table", table, "features", "ecn"])
    if not run(node, ["ip", "rule", "show", "fwmark", table]):
        run(node, ["ip", "rule", "add", "fwmark", table, "table", table])
