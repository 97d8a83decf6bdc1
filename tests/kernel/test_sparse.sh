#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# check: beside_flood
#
# A sparse flow does not wait for bulk flows: its packets are sent first, and none is lost. The
# state of a flow's CoDel survives a pause for as long as RFC 8289 lets it, and no longer.
#
#	CLIENT ------- ROUTER --- 1 or 10 Mbit/s --- SERVER
#	 TCP or UDP,  htb or tbf,                   50 ms back
#	 ping         qdisc                         or none

# shellcheck disable=SC2119 # functions with optional arguments
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/traffic.sh"

lib_require iperf3 ping python3

FLOWS="flows 65536"	# no two with the same hash

# A ping may have to wait for the packet on the wire, 1.2 ms, and for a quantum of each of
# four flows: 5 ms in all
beside_tcp()
{
	local idle

	topo_create
	topo_delay 50ms
	# shellcheck disable=SC2086 # two words
	topo_bottleneck 10mbit "$1" $FLOWS
	ping_run idle -c 20 -i 0.1
	idle=$(ping_times idle | percentile 50)
	tcp_serve
	tcp_run tcp -t 12 -P 4 &
	sleep 3
	ping_run busy -c 80 -i 0.1
	wait $!

	check "backlog: packets that TCP lost" "$(bottleneck_get .drops)" ">=" 1
	check "pings lost" "$(ping_lost busy)" == 0
	check_time "longest ping beside TCP, $idle ms when idle" \
		"$(ping_times busy | tail -n 1)" "<=" "$(calc "$idle + 5 + 1.21")"
}

# A flow whose queue empties leaves the dropping state: its next packet, which waits behind
# the one that tbf holds, has not waited for an interval. The flood's packets take 12.112 ms,
# so that pings, one in 300 ms, meet them in all phases: some wait for longer than target.
beside_flood()
{
	topo_create
	# shellcheck disable=SC2086 # two words
	topo_bottleneck -s tbf 1mbit "$1" noecn $FLOWS
	sink_start	# or the first reply, "port unreachable", ends the flood
	background in_ns "$CLIENT" "$TRAFFIC" send --port "$UDP_PORT" --size 1500 \
		--rate 2e6 --time 40 "$SERVER_IP"
	sleep 2
	ping_run flood -c 100 -i 0.3 -W 1
	check "flood: packets lost" "$(bottleneck_get .drops)" ">=" 100
	check "of 100 pings lost" "$(ping_lost flood)" == 0
	check_time "longest ping, ms" "$(ping_times flood | tail -n 1)" "<=" 30
}

# Two overloads of 0.6 s with a pause between. The first loses n packets at an increasing
# rate. If the second begins soon enough, its count begins with n - 1: its second loss,
# after interval/sqrt(count), shows the count.
pause()
{
	local kind=$1 pause=$2 one_flow=()

	topo_create
	# Every sender is another flow, because the hash is the socket's
	[[ $kind != "$FQ_CODEL_KIND" ]] || one_flow=(flows 1)
	topo_bottleneck 10mbit "$kind" limit 10000 ceiling off "${one_flow[@]}"
	overload
	FIRST=$(udp_get 6000 lost)
	sleep "$pause"
	overload
	check "lost before the pause" "$FIRST" ">=" 20
	check_near "first lost after the pause" "$(udp_get 6000 first_lost)" 110 5
}

overload()
{
	sink_start
	udp_send --size 1236 --rate 19.8e6 --time 0.6 >/dev/null
	sink_stop
}

# first_step: ms from the first loss to the second
first_step()
{
	awk '{ for (; expected < $4; expected++) if (lost++ == 1) print ($1 - first) / 1e6
			else if (lost == 1) first = $1 }
		{ expected = $4 + 1 }' "$LIB_TMP/udp.log"
}

short_pause()
{
	pause "$1" 0.5
	check_near "first step after 0.5 s, $FIRST lost before, ms" "$(first_step)" \
		"$(calc "100 / sqrt($FIRST - 1)")" 2
}

lib_add beside_tcp "$FQ_CODEL_KIND: ping beside four TCPs" "$FQ_CODEL_KIND"
lib_add beside_flood "$FQ_CODEL_KIND: ping beside a flood, noecn" "$FQ_CODEL_KIND"
lib_add_each short_pause "after a pause of 5 intervals the drop rate is resumed"
lib_main "$@"
