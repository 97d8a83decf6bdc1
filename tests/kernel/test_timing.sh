#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# check: no_gain
#
# A flow gains no bandwidth by timing its packets.
#
#	CLIENT --- ROUTER --- 10 Mbit/s --- SERVER
#	 UDP       htb, qdisc               sink

# shellcheck disable=SC2119 # functions with optional arguments
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/traffic.sh"
. "$(dirname "$0")/served.sh"

lib_require python3

# timed KIND: two flows have a permanent backlog; a third one times its packets. Its share of
# 10 Mbit/s in RATE
timed()
{
	topo_create
	topo_bottleneck 10mbit "$1" noecn target 10s quantum 1514
	sink_start	# or the first reply, "port unreachable", ends the sender
	background in_ns "$CLIENT" "$TRAFFIC" send --port "$UDP_PORT" --flows 2 --size 1500 \
		--rate 14e6 --time 6 "$SERVER_IP"
	sleep 0.5
	read -r RATE WAIT < <(in_ns "$SERVER" python3 -ES "$LIB_DIR/trafficlib/timed.py" \
		"$CLIENT" 1490 0.6 "$SERVER_IP")
	echo "$1: $RATE bit/s, waiting $WAIT ms between two pairs"
}

no_gain()
{
	timed "$1"
	check_time "rate of the flow that times its packets, bit/s" "$RATE" "<=" 3.5e6
}

kernel_gains()
{
	require_in_tree fq_codel
	timed fq_codel
	check "rate of the flow that times its packets, bit/s" "$RATE" ">=" 4e6
}

lib_add no_gain "$FQ_CODEL_KIND: timing gains nothing" "$FQ_CODEL_KIND"
if [[ $(uname -r) == 6.12* ]]; then
	# One kernel shows that the test can fail.
	lib_add kernel_gains "in-tree fq_codel can be gamed"
fi
lib_main "$@"
