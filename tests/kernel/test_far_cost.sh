#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# check: up200
#
# What the option `bottleneck` costs: four flows of TCP over a link with a round trip of 40 ms and a FIFO of a second. ftrace times
# each call of a function, one function at a time; in virtual time, a nanosecond is an instruction. What the compiler has put into
# enqueue and dequeue is not in the figures.

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/traffic.sh"

lib_require iperf3

TRACEFS=/sys/kernel/tracing
PERIOD=2	# s for each function

# trace_start: or the case is skipped. What the tracer takes for a call is the time of an empty function, in TRACER
trace_start()
{
	[[ -e $TRACEFS/trace ]] || mount -t tracefs tracefs "$TRACEFS" 2>/dev/null || skip "there is no tracefs"
	grep -qw function_graph "$TRACEFS/available_tracers" || skip "this kernel has no function_graph"
	echo 16384 >"$TRACEFS/buffer_size_kb"
	trace_calls read_null read_nothing
	TRACER=$((TIME / CALLS))
}

# trace_calls FUNCTION COMMAND...: calls during the command, and the sum of their times in ns
trace_calls()
{
	echo "$1" >"$TRACEFS/set_ftrace_filter"
	echo function_graph >"$TRACEFS/current_tracer"
	"${@:2}"
	echo 0 >"$TRACEFS/tracing_on"
	read -r CALLS TIME < <(awk '/ us +\|/ { match($0, /[0-9.]+ us/); n++; us += substr($0, RSTART, RLENGTH - 3) }
		END { printf "%d %d\n", n, 1000 * us }' "$TRACEFS/trace")
	echo nop >"$TRACEFS/current_tracer"
	echo >"$TRACEFS/set_ftrace_filter"
	echo 1 >"$TRACEFS/tracing_on"
}

read_nothing()
{
	local i

	for i in {1..100}; do
		read -r </dev/null || :
	done
}

# sent NS DEV: packets that have left the qdisc, in SENT
sent()
{
	[[ $(tc -n "$1" -s qdisc show dev "$2" root) =~ \ ([0-9]+)\ pkt ]] || fail "no packets"
	SENT=${BASH_REMATCH[1]}
}

# period NS DEV: packets that leave the qdisc in this time, in PACKETS
period()
{
	local before

	sent "$1" "$2"
	before=$SENT
	sleep "$PERIOD"
	sent "$1" "$2"
	PACKETS=$((SENT - before))
}

# cost NS DEV FUNCTION...: what they take for a packet of the qdisc, in COST
cost()
{
	local function

	COST=0
	for function in "${@:3}"; do
		trace_calls "$function" period "$1" "$2"
		TIME=$((TIME - CALLS * TRACER))
		printf '%s: %d calls for %d packets, %d instructions each\n' "${function%\*}" "$CALLS" "$PACKETS" \
			$((TIME / (CALLS + !CALLS)))
		COST=$((COST + TIME / PACKETS))
	done
	echo "in all $COST for a packet"
}

# link MBIT: the options of its FIFO
link()
{
	echo "rate ${1}mbit burst $(($1 * 250 + 3000)) limit $((125000 * $1))"
}

# downstream KIND MBIT BOUND
downstream()
{
	trace_start
	topo_create
	topo_delay 40ms
	# shellcheck disable=SC2046 # words
	tc -n "$ROUTER" qdisc add dev r1 root tbf $(link "$2")
	tc -n "$CLIENT" qdisc add dev c0 root handle 10: "$1" bottleneck downstream
	tcp_serve
	background in_ns "$CLIENT" iperf3 -c "$SERVER_IP" -t 60 -P 4
	sleep 10
	cost "$CLIENT" c0 codel_far_receive 'codel_far_mark_packet*' 'codel_far_holds_window*'
	check_instructions "for a data packet" "$COST" "$3"
}

# upstream KIND MBIT BOUND
upstream()
{
	trace_start
	topo_create
	tc -n "$CLIENT" qdisc add dev c0 root handle 1: netem delay 40ms limit 100000
	# shellcheck disable=SC2046 # words
	tc -n "$CLIENT" qdisc add dev c0 parent 1: handle 2: tbf $(link "$2")
	tc -n "$ROUTER" qdisc add dev r1 root handle 10: "$1" bottleneck upstream
	tcp_serve
	background in_ns "$CLIENT" iperf3 -c "$SERVER_IP" -t 60 -P 4
	sleep 10
	cost "$ROUTER" r1 codel_far_receive 'codel_far_drops_up*'
	check_instructions "for a data packet" "$COST" "$3"
}

down20()
{
	downstream "$1" 20 690
}

down200()
{
	downstream "$1" 200 225
}

up20()
{
	upstream "$1" 20 715
}

up200()
{
	upstream "$1" 200 455
}

lib_add_each down20 "downstream, 20 Mbit/s"
lib_add_each down200 "downstream, 200 Mbit/s"
lib_add_each up20 "upstream, 20 Mbit/s"
lib_add_each up200 "upstream, 200 Mbit/s"
lib_main "$@"
