#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# check: probe
#
# CoDel keeps the delay of a queue near its target and the link busy, at any rate. TCP tests
# the response of a sender; UDP that does not respond tests the times of the signals.
#
#	CLIENT --- ROUTER --- 1 or 10 Mbit/s --- SERVER
#	 TCP, UDP  htb, qdisc                  50 ms back
#
# The delay of the queue is TCP's round trip time less the 50 ms of the path; with one queue
# for all, a UDP probe beside the TCP measures it, too.

# shellcheck disable=SC2119 # functions with optional arguments
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/traffic.sh"

lib_require iperf3 python3

SKIPPED=4	# seconds of slow start and its consequences
SECONDS_MEASURED=10

# s0_bytes: bytes that have arrived, Ethernet headers included
s0_bytes()
{
	in_ns "$SERVER" cat /sys/class/net/s0/statistics/rx_bytes
}

# link_load MBIT: share of the link that was in use in SECONDS_MEASURED, in percent
link_load()
{
	local start bytes

	sleep "$SKIPPED"
	start=$EPOCHREALTIME
	bytes=$(s0_bytes)
	sleep "$SECONDS_MEASURED"
	calc "($(s0_bytes) - $bytes) * 8e-4 / $1 / ($EPOCHREALTIME - $start)"
}

# queue_delays NAME: ms, of a tcp_run after slow start, sorted
queue_delays()
{
	tcp_get "$1" ".intervals[].streams[] | select(.start >= $SKIPPED) | .rtt / 1000 - 50" |
		sort -n
}

# One sawtooth of a single CUBIC: after a signal it sends at 0.7 times the rate, of
# which the queue, about 1/8 of a round trip at its peak, makes up for little, but it
# is back in less than a second of the four that the sawtooth takes: 98% of the link.
# The delay exceeds the target for an interval and a round trip before the sender
# slows down, in which it grows by three packets.
#
# On a slow link CoDel has to accept three packets: the one that is being sent when a
# packet comes, the MTU's worth that may wait, and the packet itself.
tcp()
{
	local kind=$1 mbit=$2 load packet

	packet=$(calc "1514 * 8e-3 / $mbit")
	topo_create
	topo_delay 50ms
	topo_bottleneck "${mbit}mbit" "$kind" target 5ms interval 100ms
	tcp_serve
	tcp_run tcp -t $((SKIPPED + SECONDS_MEASURED + 1)) &
	load=$(link_load "$mbit")
	wait $!

	check_time "load of the link, %" "$load" ">=" 93
	check "load of the link, %" "$load" "<=" 101
	check_time "median delay, ms" "$(queue_delays tcp | percentile 50)" \
		"<=" "$(calc "5 > $packet ? 5 + 2 * $packet : 3 * $packet")"
	check_time "95th percentile of the delay, ms" "$(queue_delays tcp | percentile 95)" \
		"<=" "$(calc "10 + 3 * $packet")"
	check "drops" "$(bottleneck_get .drops)" ">=" 1
}

# The same seen by packets that wait beside those of the TCP
probe()
{
	topo_create
	topo_delay 50ms
	topo_bottleneck 10mbit "$1" target 5ms interval 100ms
	tcp_serve
	sink_start
	tcp_run tcp -t 11 &
	sleep "$SKIPPED"
	udp_send --size 100 --every 0.02 --time 6 >/dev/null
	sink_end
	wait $!

	check_time "median delay of the probe, ms" "$(udp_get 6000 delay_p50_ms)" "<=" 7.4
	check_time "its 95th percentile, ms" "$(udp_get 6000 delay_p95_ms)" "<=" 13.6
}

# UDP at twice the rate of the link. A packet takes 1 ms; the one that leaves at t has
# waited for t/2. So the delay reaches the target at twice the target, and an interval
# later the packet at the head, about as many as there were milliseconds, is lost. From
# there on the law holds for every single one, to the packet that is leaving.
schedule()
{
	local kind=$1 target=$2 interval=$3 sent

	topo_create
	topo_bottleneck 10mbit "$kind" limit 10000 \
		target "${target}ms" interval "${interval}ms" ceiling off
	sink_start "$(calc "$interval / 1000")"
	sent=$(udp_send --size 1236 --rate 19.8e6 --time 2)
	sink_stop

	check "lost, as tc says" "$(udp_get 6000 lost)" == "$(bottleneck_get .drops)"
	check "lost" "$(udp_get 6000 lost)" ">=" 100
	check_near "first lost" "$(udp_get 6000 first_lost)" $((2 * target + interval)) 5
	check_time "latest loss against the law, ms" \
		"$(udp_get 6000 schedule_latest_ms)" "<=" 2
	check_near "earliest loss against the law, ms" \
		"$(udp_get 6000 schedule_earliest_ms)" 0 2
	account "$ROUTER" r1 10: "$sent"
}

lib_add_each tcp "one TCP at 10 Mbit/s" 10
lib_add_each tcp "one TCP at 1 Mbit/s" 1
lib_add probe "$CODEL_KIND: a probe beside the TCP" "$CODEL_KIND"
lib_add_each schedule "losses at interval/sqrt(count), 5 and 100 ms" 5 100
lib_add_each schedule "losses at interval/sqrt(count), 20 and 50 ms" 20 50
lib_main "$@"
