#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# check: victim
#
# A flood from more sources than there are queues collides with itself only: other flows keep
# their packets and their delay.
#
#	CLIENT --- ROUTER --- 20 Mbit/s --- SERVER
#	 UDP       htb, qdisc               sink

# shellcheck disable=SC2119 # functions with optional arguments
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/traffic.sh"
. "$(dirname "$0")/served.sh"

lib_require python3

# A victim sends 1 Mbit/s; 65,536 sources send at ten times the rate of the link
VICTIM="--size 111 --rate 0.888e6"	# 1 Mbit/s with Ethernet headers

# flooded KIND: the packets that the victim loses, LOST; its p99 delay without the flood,
# QUIET, and with the flood, NOISY
flooded()
{
	topo_create
	topo_bottleneck 20mbit "$1" flows 16 quantum 300
	sink_start
	# shellcheck disable=SC2086 # words
	udp_send $VICTIM --time 1 >/dev/null
	sink_stop
	QUIET=$(udp_get 6000 delay_p99_ms)

	sink_start
	background in_ns "$CLIENT" python3 -ES "$LIB_DIR/trafficlib/flood.py" \
		65536 200e6 2 "$SERVER_IP"
	# shellcheck disable=SC2086 # words
	udp_send $VICTIM --time 3 >/dev/null
	sink_stop
	NOISY=$(udp_get 6000 delay_p99_ms)
	LOST=$(udp_get 6000 lost)
	echo "$1: victim lost $LOST, received $(udp_get 6000 packets), p99 $NOISY ms, was $QUIET ms"
	check "collisions" "$(bottleneck_get '.shared // 10000')" ">=" 10000
}

victim()
{
	flooded "$1"
	check "lost" "$LOST" == 0
	check_time "p99 with the flood, ms" "$NOISY" "<=" "$(calc "$QUIET + 2")"
}

kernels_victim()
{
	require_in_tree fq_codel
	flooded fq_codel
	check "lost" "$LOST" ">=" 10
}

# newcomers KIND: a burst of 1,100 sources, of which some have to share queues, waits at a slow link; 16 more sources, which
# share as well, send more than the link carries from then on, and when the burst has left, 250 sources send a packet each
newcomers()
{
	ulimit -n 4096	# a socket for each source
	topo_create
	topo_bottleneck 1mbit "$1"
	sink_start
	udp_send --source 10000 --flows 1100 --burst 3300 --every 1 --groups 1 >/dev/null
	udp_send --source 12000 --flows 16 --rate 26e6 --time 10 >/dev/null &
	SENDER=$!
	sleep 1
	tc -n "$ROUTER" class change dev r1 parent 1: classid 1:1 htb rate 20mbit burst 1600 cburst 1600 quantum 1514
	sleep 3
	check "packets that shared" "$(bottleneck_get '.shared // 0')" ">=" 500
	udp_send --source 20000 --flows 250 --size 200 --every 0.02 --groups 250 >/dev/null
	check "new sources while the flood lasts" "$(jobs -pr | grep -c "^$SENDER$")" == 1
	wait "$SENDER"
	sink_stop
	awk '$3 >= 20000 { print ($1 - $2) / 1e6 }' "$LIB_TMP/udp.log" | sort -n >"$LIB_TMP/delays"
	ARRIVED=$(wc -l <"$LIB_TMP/delays")
	P99=$(percentile 99 <"$LIB_TMP/delays")
	echo "$1: of 250 newcomers $ARRIVED arrived, p99 $P99 ms"
	# In timelines 0 to 5, 250 and 0.5 ms; while hashes stayed until their overflow flow was empty, 203 and 45 ms
	check "of 250 newcomers arrived" "$ARRIVED" ">=" 245
	check_time "their p99, ms" "$P99" "<=" 5
}

lib_add victim "$FQ_CODEL_KIND: a flood from 65,536 sources harms no other flow" "$FQ_CODEL_KIND"
lib_add newcomers "$FQ_CODEL_KIND: after a burst, new sources do not share" "$FQ_CODEL_KIND"
if [[ $(uname -r) == 6.12* ]]; then
	# One kernel shows that the test can fail.
	lib_add kernels_victim "in-tree fq_codel loses packets"
fi
lib_main "$@"
