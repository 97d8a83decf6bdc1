#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# CoDel compares the backlog with the device's present MTU, not with the one at the time when the qdisc was created.
#
#	CLIENT --- ROUTER --- 2 Mbit/s or 128 kbit/s --- SERVER
#	               htb or tbf, qdisc

. "$(dirname "$0")/lib.sh"

lib_require iperf3 python3

# mtu_of_link BYTES: at both ends
mtu_of_link()
{
	ip -n "$ROUTER" link set r1 mtu "$1"
	ip -n "$SERVER" link set s0 mtu "$1"
}

# TCP with packets of 9000 bytes, each 36 ms long, through a qdisc from the time before jumbo frames
grows()
{
	local goodput drops

	topo_create
	ip -n "$CLIENT" link set c0 mtu 9000
	ip -n "$ROUTER" link set r0 mtu 9000
	topo_delay "${2:-20ms}"
	topo_bottleneck 2mbit "$1" noecn
	mtu_of_link 9000
	tcp_serve
	tcp_run one -t 60
	goodput=$(tcp_get one '.end.sum_received.bits_per_second / 1000 | floor')
	drops=$(bottleneck_get .drops)
	echo "$1: MTU 1500, then 9000: $drops drops in 60 s of one TCP at $goodput kbit/s"
	check "goodput, kbit/s" "$goodput" ">=" 1850
	check "drops" "$drops" "<=" 200
}

# Packets of 714 bytes, of which two wait behind the one that leaves, for a long time: above an MTU of 700
shrinks()
{
	topo_create
	topo_bottleneck -s tbf 128kbit "$1" target 5ms interval 100ms noecn
	ip -n "$ROUTER" link set r1 mtu 700
	sink_start
	udp_send --head 5 --size 700 --every "$(calc "(700 + 14) * 8 / 128e3")" --groups 120 >/dev/null
	sink_stop
	echo "$1: MTU 1500, then 700: $(udp_get 6000 lost) lost, sojourn $(udp_get 6000 delay_p50_ms) ms (median)"
	check "lost with 1428 bytes waiting" "$(udp_get 6000 lost)" ">=" 1
}

for KIND in codel fq_codel; do
	lib_add grows "$KIND: after an MTU has become larger, one waiting packet gets no signal" "$KIND"
	lib_add shrinks "$KIND: a queue above an MTU that has become smaller gets a signal" "$KIND"
done
lib_main "$@"
