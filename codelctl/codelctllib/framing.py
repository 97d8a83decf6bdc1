# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Bytes that a link adds to an IP packet, and the cells that it cuts packets into.

Overheads count from the IP header. A qdisc counts the header of its device as part of the packet,
so the qdisc's overhead is smaller by that header.
"""

from __future__ import annotations

from dataclasses import dataclass

CELLS = ("none", "atm", "ptm")
VLAN_TAG = 4


@dataclass(frozen=True)
class Framing:
    """The wire format of a link."""

    overhead: int  # bytes per IP packet
    mpu: int  # least bytes per packet, overhead included
    cells: str  # one of CELLS

    def wire(self, length: int) -> int:
        """Bytes on the wire for an IP packet of this length. A shaper counts PTM in its rate."""
        size = max(length + self.overhead, self.mpu)
        return -(-size // 48) * 53 if self.cells == "atm" else size

    def shaped(self, rate: int) -> int:
        """The rate of a shaper that knows no PTM: 64 of 65 bytes are payload."""
        return rate * 64 // 65 if self.cells == "ptm" else rate


# Preamble 8, header 14, FCS 4, gap 12; a frame has 64 bytes at least.
ETHERNET = Framing(38, 84, "none")
# Header and FCS.
DOCSIS = Framing(18, 64, "none")

# Fibre: active Ethernet has 38 bytes. A passive one carries frames without preamble and gap: 18, a VLAN tag 4 and a
# header of GEM 5 (G.984.3) or of XGEM 8 and padding 3 (G.9807.1) are at most 33.
# LTE: PDCP 3, RLC 3 and MAC 3 are less than the Ethernet of the modem. Starlink: its framing is not published; the
# router sees the Ethernet of the dish. The rates of both change by far more than a header.
# PTM: header, FCS and 4 of VDSL; the least frame is the Ethernet's. PPPoE: 8, inside the frame.
# ATM: AAL5's trailer 8, LLC/SNAP 10 with a bridged header 14, PPPoE 8, PPP with VC-MUX 2.
LINKS = {
    "raw": Framing(0, 0, "none"),
    "ethernet": ETHERNET,
    "fibre": ETHERNET,
    "pppoe-fibre": Framing(46, 84, "none"),
    "lte": ETHERNET,
    "starlink": ETHERNET,
    "docsis": DOCSIS,
    "cable": DOCSIS,
    "vdsl": Framing(22, 68, "ptm"),
    "pppoe-vdsl": Framing(30, 68, "ptm"),
    "adsl": Framing(32, 0, "atm"),
    "pppoe-adsl": Framing(40, 0, "atm"),
    "pppoa-adsl": Framing(10, 0, "atm"),
    "ipoa-adsl": Framing(16, 0, "atm"),
    "conservative": Framing(48, 0, "atm"),
}
