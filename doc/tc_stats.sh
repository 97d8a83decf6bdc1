#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# README's screen of tc -s: two TCP uploads and a sender that ignores losses, at 10 Mbit/s, over 50 ms.
#
#	tests/vm/run --qdiscs --tests tests/kernel/lib.sh --put doc/tc_stats.sh -- ./tc_stats.sh

set -euo pipefail

. tests/kernel/lib.sh

# upload PORT [OPTION...]: to a server of its own, until the machine stops
upload()
{
	in_ns "$SERVER" iperf3 -s -D -p "$1"
	sleep 0.5
	in_ns "$CLIENT" iperf3 -c "$SERVER_IP" -t 60 -p "$@" >/dev/null &
}

topo_create
topo_delay 50ms
topo_bottleneck 10mbit fq_codel_oot limit 300
upload 5201 -P 2
upload 5202 -u -b 8M
sleep 10
tc -n "$ROUTER" -s qdisc show dev r1 parent 1:1
