#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# check: one_mtu super_packets
#
# CoDel does not drop while at most one MTU waits behind the packet that leaves: a sender
# cannot shorten such a queue. On a slow link the transmission of one packet takes many
# targets, so without this rule CoDel would drop nearly all packets.
#
#	CLIENT --- ROUTER --- 128 kbit/s --- SERVER
#	   UDP    tbf, qdisc                  sink
#
# A standing queue of a known length: after a head start, a packet comes in the time
# in which one leaves, always half way between two that leave. tbf sends what its bucket
# holds, and asks for the next packet at once, which it then waits for: of a head of 3
# packets of 1514 bytes one is sent, one is with tbf, and whenever tbf takes another
# one, one is left behind; a head of 4 leaves 2.
#

# shellcheck disable=SC2119 # functions with optional arguments
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/traffic.sh"

lib_require iperf3 python3

# stand HEAD IPLENGTH GROUPS: keep that queue standing at 128 kbit/s
stand()
{
	udp_send --head "$1" --size "$2" --every "$(calc "($2 + 14) * 8 / 128e3")" --groups "$3"
}

one_mtu()
{
	topo_create
	topo_bottleneck -s tbf 128kbit "$1" target 5ms interval 100ms
	sink_start
	stand 3 1500 60 >/dev/null
	sink_stop
	check "lost with 1514 bytes waiting" "$(udp_get 6000 lost)" == 0
	check_time "their delay was above target, ms" "$(udp_get 6000 delay_p50_ms)" ">=" 95
}

# One lost packet, and no more than an MTU waits
two_mtu()
{
	topo_create
	topo_bottleneck -s tbf 128kbit "$1" target 5ms interval 100ms
	sink_start
	stand 4 1500 60 >/dev/null
	sink_stop
	check "lost with 3028 bytes waiting" "$(udp_get 6000 lost)" == 1
	check_near "first lost" "$(udp_get 6000 first_lost)" 4 1
}

# Packets of 714 bytes, of which two are in the bucket: a head of 5 leaves 2, 1428 bytes
mtu_shrinks()
{
	local before

	topo_create
	topo_bottleneck -s tbf 128kbit "$1" target 5ms interval 100ms
	sink_start
	stand 5 700 120 >/dev/null &
	sleep 3
	before=$(bottleneck_get .drops)
	ip -n "$ROUTER" link set r1 mtu 700
	wait $!
	sink_stop
	check "lost with 1428 bytes waiting, MTU 1500" "$before" == 0
	check "lost since the MTU is 700" "$(udp_get 6000 lost)" == 1
}

mtu_grows()
{
	topo_create
	ip -n "$ROUTER" link set r1 mtu 700
	topo_bottleneck -s tbf 128kbit "$1" target 5ms interval 100ms
	ip -n "$ROUTER" link set r1 mtu 1500
	sink_start
	stand 5 700 60 >/dev/null
	sink_stop
	check "lost with 1428 bytes waiting, MTU 1500, was 700" "$(udp_get 6000 lost)" == 0
	check_time "their delay was above target, ms" "$(udp_get 6000 delay_p50_ms)" ">=" 60
}

# dummy_create MTU KIND: d0 in ROUTER, which has that MTU when the qdisc is added, 1 ms for
# 1000 bytes. All packets from r0 go to d0, because a device without an MTU has no IP
dummy_create()
{
	ip -n "$ROUTER" link add d0 type dummy
	ip -n "$ROUTER" link set d0 mtu "$1" up
	tc -n "$ROUTER" qdisc add dev d0 root handle 1: tbf rate 8mbit burst 1600 limit 10000000
	tc -n "$ROUTER" qdisc add dev d0 parent 1:1 handle 10: "$2" limit 10000 \
		target 5ms interval 100ms ceiling off
	tc -n "$ROUTER" qdisc add dev r0 clsact
	tc -n "$ROUTER" filter add dev r0 ingress protocol ip matchall \
		action mirred egress redirect dev d0
}

dummy_empty()
{
	[[ $(tc -n "$ROUTER" -s qdisc show dev d0 root) =~ backlog\ 0b\ 0p ]]
}

# dummy_burst PACKETS: at once; prints how many d0 has sent since
dummy_burst()
{
	local before

	before=$(in_ns "$ROUTER" cat /sys/class/net/d0/statistics/tx_packets)
	udp_send --size 986 --burst "$1" --groups 1 >/dev/null
	busywait 30 dummy_empty || fail "d0 does not drain"
	echo $(($(in_ns "$ROUTER" cat /sys/class/net/d0/statistics/tx_packets) - before))
}

# 1500 packets: more than 1 MiB waits for 450 ms, in which losses are due at 105, 205,
# 276, 334, 384 and 428 ms
mtu_huge()
{
	topo_create
	dummy_create 2147483647 "$1"
	check "sent of 1000000 bytes" "$(dummy_burst 1000)" == 1000
	check_near "sent of 1500000 bytes" "$(dummy_burst 1500)" 1494 1
}

# As test_burst.sh has it: one is lost
mtu_none()
{
	topo_create
	dummy_create 0 "$1"
	check "sent of 150 packets" "$(dummy_burst 150)" == 149
	[[ $1 != "$FQ_CODEL_KIND" ]] ||
		check "quantum" "$(qdisc_get "$ROUTER" d0 10: .options.quantum)" == 256
}

# 50 flows, each with a packet waiting, and one coming in the time in which all of them
# leave: no flow has an MTU, but the queue has 41 of them. It takes a packet more than it sends, so
# some flows have to lose one. A flow keeps its only packet: the link is busy, although a round
# takes five intervals.
many_flows()
{
	local most=$2

	set -- "$1" "${@:3}"
	topo_create
	topo_bottleneck 1mbit "$1" target 5ms interval 100ms flows 65536 "${@:2}"
	sink_start
	udp_send --flows 50 --size 1236 --head 50 --burst 50 --every 0.5 --groups 12 >/dev/null
	sink_stop
	check "lost, in about half of the flows" "$(udp_sum lost)" ">=" 20
	check "dropped, of 650" "$(bottleneck_get .drops)" "<=" "$most"
}

# Super-packets of 40 datagrams, of which the bucket holds two: a head of 4 leaves one
# behind, 50000 bytes. That is one packet, but more than an MTU.
super_packets()
{
	local sent

	topo_create offloads
	tc -n "$ROUTER" qdisc add dev r1 root handle 1: tbf rate 1mbit burst 102000 limit 10000000
	tc -n "$ROUTER" qdisc add dev r1 parent 1:1 handle 10: "$1" target 5ms interval 100ms
	sink_start
	sent=$(udp_send --segments 40 --head 4 --size 1236 --every 0.4 --groups 15)
	sink_stop
	check "dropped" "$(bottleneck_get .drops)" "==" 1
	check "lost" $((sent - $(udp_get 6000 packets))) == 40
}

# tbf segments packets that exceed its bucket. The delay that CoDel has to accept is that of
# test_delay.sh, three packets, and the one that is with tbf: 4 * 12.1 ms.
super_tcp()
{
	topo_create offloads
	topo_delay 50ms
	topo_bottleneck -s tbf 1mbit "$1" target 5ms interval 100ms
	tcp_serve
	tcp_run tcp -t 10
	check "dropped" "$(bottleneck_get .drops)" ">=" 1
	check_time "median delay, ms" "$(tcp_get tcp \
		'.intervals[].streams[] | select(.start >= 3) | .rtt / 1000 - 50' |
		sort -n | percentile 50)" "<=" 48.5
}

lib_add_each one_mtu "an MTU waits at 128 kbit/s, nothing is lost"
lib_add_each two_mtu "two MTUs wait, one packet is lost"
lib_add_each mtu_shrinks "the MTU shrinks under a standing queue"
lib_add_each mtu_grows "the MTU has grown on a live qdisc"
lib_add_each mtu_huge "MTU 2147483647: CoDel acts above 1 MiB"
lib_add_each mtu_none "MTU 0: CoDel acts"
lib_add many_flows "$FQ_CODEL_KIND: 50 flows keep their only packets" \
	"$FQ_CODEL_KIND" 50
lib_add many_flows "$FQ_CODEL_KIND: the same, without a ceiling" "$FQ_CODEL_KIND" 50 ceiling off
lib_add_each super_packets "one GSO packet waits at 1 Mbit/s, CoDel acts"
lib_add_each super_tcp "TCP with segmentation offload through tbf at 1 Mbit/s"
lib_main "$@"
