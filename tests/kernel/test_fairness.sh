#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# check: quantum
#
# Flows share a link equally in bytes: with short or long packets, short or long paths, TCP
# or UDP that does not respond. Jain's index of the throughput, (sum x)^2 / (n * sum x^2), is
# 1 if all are equal; it must be at least 0.99.
#
#	CLIENT --- ROUTER --- 10 Mbit/s --- SERVER
#	 TCP, UDP  htb, qdisc                netem per port

# shellcheck disable=SC2119 # functions with optional arguments
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/traffic.sh"

lib_require iperf3 python3 ss

# jain_least NUMBERS: one per line
jain_least()
{
	check "Jain's index of $(tr '\n' ' ' <<<"$1")" "$(jain <<<"$1")" ">=" 0.99
}

# Each flow sends half of the rate of the link. Compare the throughput while all send.
packet_sizes()
{
	local size shares="" pids=()

	topo_create
	topo_bottleneck 10mbit "$1"
	sink_start
	for size in 200 500 1000 1500; do
		udp_send --source $((6000 + size)) --size "$size" --rate 5e6 --time 4 >/dev/null &
		pids+=($!)
	done
	wait "${pids[@]}"
	sink_end
	UDP_FROM=$(awk 'NR == 1 { printf "%.0f", $1 + 1e9 }' "$LIB_TMP/udp.log")
	UDP_TILL=$((UDP_FROM + 2500000000))
	for size in 200 500 1000 1500; do
		shares+=$(bytes_between $((6000 + size)) $((size + 14)))$'\n'
	done
	jain_least "${shares%$'\n'}"
}

now_ns()
{
	date +%s%N
}

# bytes_between PORT LENGTH: bytes received from UDP_FROM to UDP_TILL, in packets
# of that length on the wire
bytes_between()
{
	awk -v port="$1" -v len="$2" -v from="$UDP_FROM" -v till="$UDP_TILL" '
		$3 == port && $1 >= from && $1 < till { n++ }
		END { print n * len }' "$LIB_TMP/udp.log"
}

# tcp_wire PORT: bytes that SERVER has acknowledged to TCP, as packets of the wire
tcp_wire()
{
	in_ns "$CLIENT" ss -Htin "dport = :$1" | grep -o 'bytes_acked:[0-9]*' |
		awk -F: '{ sum += $2 } END { printf "%.0f", sum / 1448 * 1514 }'
}

tcp_against_udp()
{
	local tcp pids

	topo_create
	topo_delay 20ms
	topo_bottleneck 10mbit "$1"
	tcp_serve
	sink_start
	udp_send --size 1236 --rate 12e6 --time 9 >/dev/null &
	pids=$!
	tcp_run tcp -t 8 &
	pids+=" $!"
	sleep 3
	tcp=$(tcp_wire 5201)
	UDP_FROM=$(now_ns)
	sleep 4
	tcp=$(($(tcp_wire 5201) - tcp))
	UDP_TILL=$(now_ns)
	# shellcheck disable=SC2086 # two numbers
	wait $pids
	sink_end
	jain_least "$tcp"$'\n'"$(bytes_between 6000 1250)"
}

# Four paths: the way back from each port has its own delay
paths_create()
{
	local port band=0

	tc -n "$SERVER" qdisc add dev s0 root handle 1: prio bands 4
	for port in 5201 5202 5203 5204; do
		band=$((band + 1))
		tc -n "$SERVER" qdisc add dev s0 parent "1:$band" netem limit 10000 \
			delay "$((band * 20))ms"
		tc -n "$SERVER" filter add dev s0 parent 1: protocol ip prio 1 \
			u32 match ip sport "$port" 0xffff classid "1:$band"
		tcp_serve "$port"
	done
}

tcp_each()
{
	local port

	for port in 5201 5202 5203 5204; do
		tcp_wire "$port"
		echo
	done
}

# The throughput of flows that do not always have a backlog differs between the cycles of
# their windows: 8 s give an index of 0.989 to 0.998, 24 s one of 0.994.
round_trips()
{
	local port before after pids=()

	topo_create
	topo_bottleneck 10mbit "$1"
	paths_create
	for port in 5201 5202 5203 5204; do
		tcp_run "$port" -p "$port" -t 28 &
		pids+=($!)
	done
	sleep 3
	before=$(tcp_each)
	sleep 24
	after=$(tcp_each)
	wait "${pids[@]}"
	jain_least "$(paste <(echo "$before") <(echo "$after") | awk '{ print $2 - $1 }')"
}

# quantum KIND BYTES PACKETS: two flows with a permanent backlog of packets of 1250 bytes on
# the wire. A flow sends PACKETS packets before the turn of the other. Counted in the second
# and the third second.
quantum()
{
	topo_create
	topo_bottleneck 10mbit "$1" quantum "$2"
	sink_start
	udp_send --flows 2 --size 1236 --rate 20e6 --time 3 >/dev/null
	sink_end
	check "packets in a turn" "$(turns | sort -n | uniq -c | awk '{ print $2 }')" == "$3"
}

# turns: the lengths of runs of packets of one flow
turns()
{
	awk 'NR == 1 { start = $1 }
		$1 < start + 1e9 || $1 > start + 3e9 { next }
		port && port != $3 { if (turn++) print n; n = 0 }
		{ port = $3; n++ }' "$LIB_TMP/udp.log"
}

lib_add packet_sizes "$FQ_CODEL_KIND: packets of 200 to 1500 bytes" "$FQ_CODEL_KIND"
lib_add tcp_against_udp "$FQ_CODEL_KIND: TCP beside UDP that does not react" "$FQ_CODEL_KIND"
lib_add round_trips "$FQ_CODEL_KIND: TCP with round trips of 20 to 80 ms" "$FQ_CODEL_KIND"
lib_add quantum "$FQ_CODEL_KIND: a quantum of one packet" "$FQ_CODEL_KIND" 1250 1
lib_add quantum "$FQ_CODEL_KIND: a quantum of ten packets" "$FQ_CODEL_KIND" 12500 10
lib_main "$@"
