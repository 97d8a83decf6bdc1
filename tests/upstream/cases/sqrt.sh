#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# The signals of a queue that stands are interval/sqrt(count) apart.
#
#	CLIENT --- ROUTER --- 10 Mbit/s --- SERVER
#	 UDP, twice that     htb, qdisc      sink

. "$(dirname "$0")/lib.sh"

lib_require python3

# A packet takes 1 ms, so a loss is late by up to that
law()
{
	local early late

	topo_create
	topo_bottleneck 10mbit "$1" limit 10000 noecn
	sink_start
	udp_send --size 1236 --rate 19.8e6 --time 2 >/dev/null
	sink_stop
	early=$(udp_get 6000 schedule_earliest_ms)
	late=$(udp_get 6000 schedule_latest_ms)
	echo "$1: $(udp_get 6000 lost) losses, $early to $late ms against the law"
	check "losses" "$(udp_get 6000 lost)" ">=" 100
	check_near "earliest loss against the law, ms" "$early" 0 2
	check_near "latest loss against the law, ms" "$late" 0 2
}

for KIND in codel fq_codel; do
	lib_add law "$KIND: losses at interval/sqrt(count)" "$KIND"
done
lib_main "$@"
