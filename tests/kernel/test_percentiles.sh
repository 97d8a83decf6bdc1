#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# check: 1/6
# vm: --module lab/slow
#
# The histogram is exact: under bulk TCP, a stream like a call's, and bursts, every percentile
# is within a bucket of that of a full packet trace, which is made of the in-tree tracepoints;
# and the trace agrees with the packet accounting.
#
#	CLIENT --- ROUTER --- 10 Mbit/s ------------- SERVER
#	 3 TCP     htb, or a root qdisc on            netem 20 ms, on the way back
#	 2 UDP     a device whose queue stops
#

# shellcheck disable=SC2119 # functions with optional arguments
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/traffic.sh"
. "$(dirname "$0")/slow.sh"
. "$(dirname "$0")/trace.sh"

lib_require iperf3 python3

SECONDS_OF_TRAFFIC=6

# below_shaper SHAPER KIND [OPTION...]
below_shaper()
{
	ROOT=1
	topo_bottleneck -s "$1" 10mbit "${@:2}"
}

# as_root KIND [OPTION...]
as_root()
{
	ROOT=0x10
	tc -n "$ROUTER" qdisc add dev r1 root handle 10: "$@"
	slow_link "$ROUTER" r1 10000000
}

# watch: all that happens to packets on r1
watch()
{
	local root=$((ROOT << 16))

	trace_start 'net/net_dev_queue name == "r1"' 'net/net_dev_start_xmit name == "r1"' \
		"qdisc/qdisc_enqueue handle == $root" "qdisc/qdisc_dequeue handle == $root" \
		skb/kfree_skb codel_drop codel_mark
}

# load: until all of it has left the queue
load()
{
	local senders=()

	sink_start
	tcp_serve
	tcp_run bulk -P 3 -t "$SECONDS_OF_TRAFFIC" &
	senders+=($!)
	udp_send --size 200 --every 0.02 --time "$SECONDS_OF_TRAFFIC" >/dev/null &
	senders+=($!)
	udp_send --source 6100 --size 1200 --burst 50 --every 1.3 \
		--time "$SECONDS_OF_TRAFFIC" >/dev/null &
	senders+=($!)
	wait "${senders[@]}"
	sink_stop
}

# truthful KIND HOW...: as htb or root; and options. Below a parent that peeks, as tbf, a packet counts as sent when it is peeked
truthful()
{
	local kind=$1 how=$2 said line

	topo_create
	topo_delay 20ms
	in_ns "$CLIENT" sysctl -qw net.ipv4.tcp_ecn=1
	case $how in
	root) as_root "$kind" "${@:3}" ;;
	*) below_shaper "$how" "$kind" "${@:3}" ;;
	esac
	watch
	load
	trace_stop
	said=$(tc -n "$ROUTER" -s -j qdisc show dev r1 | "$LIB_DIR/run.py" fates "$TRACE" 10:)
	sed '/^FAIL/d' <<<"$said"
	while read -r line; do
		fail "$line"
	done < <(sed -n 's/^FAIL: //p' <<<"$said")
	check "percentiles" "$(grep -c 'p[0-9_]*_ns: trace' <<<"$said")" == 4
}

lib_add_each truthful "the histogram is the trace's, root" root
lib_add_each truthful "the histogram is the trace's, htb" htb
lib_add_each truthful "the histogram is the trace's, htb, with marks" htb ecn ce_threshold 30ms
lib_main "$@"
