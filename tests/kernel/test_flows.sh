#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# check: collisions
#
# The flow table: each flow has a queue of its own while one is idle, and all options change
# while packets wait.
#
#	CLIENT --- ROUTER --- 10 Mbit/s --- SERVER
#	 UDP       htb, qdisc               sink

# shellcheck disable=SC2119 # functions with optional arguments
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/traffic.sh"
. "$(dirname "$0")/probe.sh"

lib_require python3

# 16 flows do not collide in 16 queues; some of 100 more do
collisions()
{
	topo_create
	topo_bottleneck 10mbit "$1" flows 16
	sink_start
	udp_send --flows 16 --size 500 --rate 12e6 --time 0.3 >/dev/null
	check "collisions of 16 flows" "$(bottleneck_get '.shared // 0')" == 0
	udp_send --source 8000 --flows 100 --size 500 --rate 12e6 --time 0.3 >/dev/null
	sink_stop
	check "collisions of 100 more" "$(bottleneck_get '.shared // 0')" ">=" 50
	check "out of order" "$(udp_sum bad_order)" == 0
}

# not_ip KIND: frames of an unknown protocol, from 40 addresses, wait in 40 queues
not_ip()
{
	probe_waiting "$1"
	in_ns "$NS" python3 -c '
import socket
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
s.bind(("d0", 0x88B5))
for n in range(120):
    s.send(bytes((2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 1, n % 40, 0x88, 0xB5)) + bytes(100))'
	probe classes d0
	# One of them is the shaper'"'"'s, one packet it has sent or peeked at.
	QUEUES=$(wc -w <<<"$REPLY")
}

spread()
{
	not_ip "$1"
	check "queues that hold packets" "$QUEUES" ">=" 40
}

kernel_spreads_not()
{
	require_in_tree fq_codel
	not_ip fq_codel
	check "queues that hold packets" "$QUEUES" "<=" 3
}

# changes COUNT: of every option, in turn
changes()
{
	local i quantum=(1514 300 6000) ecn=(ecn noecn)

	for ((i = 0; i < $1; i++)); do
		echo "qdisc change dev r1 handle 10: parent 1:1 $2" \
			"quantum ${quantum[i % 3]} limit $((5000 + i)) memory_limit $((30 + i % 3))m" \
			"target $((10 + i % 2))s interval $((10 + i % 3))s ${ecn[i % 2]}" \
			"drop_batch $((1 + i % 64))"
	done
}

# 1,000 changes while 200 flows send more than the link carries
live()
{
	local i

	topo_create
	topo_bottleneck 10mbit "$1" target 10s interval 10s
	changes 100 "$1" >"$LIB_TMP/changes"
	sink_start
	udp_send --flows 200 --size 500 --rate 14e6 --time 1 >"$LIB_TMP/sent" &
	SENDER=$!
	for i in 1 2 3 4 5 6 7 8 9 10; do
		sleep 0.1
		tc -n "$ROUTER" -batch "$LIB_TMP/changes" || fail "change"
	done
	wait "$SENDER"
	sink_stop
	check "limit in force" "$(bottleneck_get .options.limit)" == 5099
	check "drops" "$(bottleneck_get .drops)" == 0
	check "arrived" "$(udp_sum packets)" == "$(cat "$LIB_TMP/sent")"
	check "out of order" "$(udp_sum bad_order)" == 0
	account "$ROUTER" r1
}

lib_add collisions "$FQ_CODEL_KIND: flows collide only if no queue is idle" "$FQ_CODEL_KIND"
lib_add spread "$FQ_CODEL_KIND: not IP, 40 addresses" "$FQ_CODEL_KIND"
lib_add live "$FQ_CODEL_KIND: 1,000 changes under traffic" "$FQ_CODEL_KIND"
if [[ $(uname -r) == 6.12* ]]; then
	# One kernel shows that the test can fail.
	lib_add kernel_spreads_not "in-tree fq_codel does not spread them"
fi
lib_main "$@"
