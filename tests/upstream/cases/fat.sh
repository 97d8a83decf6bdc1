#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Whose packets pay for the limit of fq_codel: not those of a flow with less than half of the largest backlog.
#
#	CLIENT --- ROUTER --- 10 Mbit/s --- SERVER
#	31 UDP flows        htb, qdisc      sink
#	and a thin one

. "$(dirname "$0")/lib.sh"

lib_require python3

# The flood has 20 packets in each queue, the thin flow 1 at most
thin_flow()
{
	topo_create
	topo_bottleneck 10mbit fq_codel limit 640 flows 65536 target 10s interval 100s
	sink_start
	udp_send --flows 31 --rate 20e6 --time 2 --source 7000 >/dev/null &
	udp_send --size 200 --every 0.01 --time 2.5 >/dev/null
	wait $!
	sink_stop
	echo "lost of the flood: $(($(udp_sum lost) - $(udp_get 6000 lost))), of the thin flow: $(udp_get 6000 lost)"
	check "lost of the flood" "$(udp_sum lost)" ">=" 500
	check "lost of the thin flow" "$(udp_get 6000 lost)" == 0
}

lib_add thin_flow "a thin flow loses nothing in a flood (before as well)"
lib_main "$@"
