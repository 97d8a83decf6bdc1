#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# check: other_flow
#
# The ceiling bounds the delay of senders that do not slow down, with and without ECN, at any
# rate and any length of packets. Other flows lose nothing. The ceiling can change live.
#
#	CLIENT --- ROUTER --- 2 to 20 Mbit/s --- SERVER
#	  UDP      htb, qdisc
#
# The delays are those that the qdisc measures, of every packet sent.

# shellcheck source=tests/kernel/lib.sh
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/traffic.sh"

lib_require codelstat python3

# measure SECONDS: watch the qdisc under test for an interval
measure()
{
	in_ns "$ROUTER" codelstat --json -c 1 -i "$1" r1 >"$LIB_TMP/interval"
}

# measured EXPRESSION: jq, on what changed in the interval
measured()
{
	jq -r ".qdiscs[] | select(.handle == \"10:\" and .since == \"before\").change | $1" \
		"$LIB_TMP/interval"
}

change()
{
	tc -n "$ROUTER" qdisc change dev r1 handle 10: parent 1:1 "$KIND" "$@"
}

# flood PERCENT MBIT SIZE TOS SECONDS: UDP at that part of the link, for SECONDS
flood()
{
	udp_send --rate "$(calc "$1 * $2 * 1e4 * $3 / ($3 + 42)")" --size "$3" --tos "$4" \
		--time "$5" >/dev/null
}

# The first second is CoDel's: it has to see that the delay persists, and signals.
held()
{
	local KIND=$1 percent=$2 mbit=$3 size=$4 tos=$5

	topo_create
	topo_bottleneck "${mbit}mbit" "$KIND" ecn
	sink_start
	flood "$percent" "$mbit" "$size" "$tos" 3.6 &
	sleep 1.5
	measure 2
	check_time "99th percentile, ms" "$(measured '.delay.p99_ns / 1e6')" "<=" 56.3
	check_time "longest, ms" "$(measured '.delay.max_ns / 1e6')" "<=" 62
	check "drops at the ceiling" "$(measured .dropped.ceiling.packets)" ">" 20
	check "drops for the limit" "$(measured .dropped.limit.packets)" == 0
	wait $!
	sink_end
}

# Without a ceiling the delay exceeds the bound of the case above
unheld()
{
	local KIND=$1

	topo_create
	topo_bottleneck 10mbit "$KIND" ecn ceiling off
	sink_start
	flood 200 10 1400 2 2
	check_time "longest, ms" "$(bottleneck_get '.delay.max_ns / 1e6')" ">" 500
	check "drops at the ceiling" "$(bottleneck_get .dropped.ceiling.packets)" == 0
	sink_end
}

# Options change while the flood runs: no packet is lost for the change.
live()
{
	local KIND=$1 ceiling

	topo_create
	topo_bottleneck 10mbit "$KIND" ceiling off limit 10000
	sink_start
	flood 150 10 1200 0 6 &
	sleep 1
	for ceiling in 20 40; do
		change ceiling "${ceiling}ms"
		sleep 1.2
		measure 0.7
		check_time "99th percentile at ${ceiling}ms, ms" \
			"$(measured '.delay.p99_ns / 1e6')" "<=" "$(calc "$ceiling * 1.125")"
		check_time "median at ${ceiling}ms, ms" \
			"$(measured '.delay.p50_ns / 1e6')" ">=" "$(calc "$ceiling / 2")"
	done
	check "drops for a change" "$(bottleneck_get .dropped.change.packets)" == 0
	wait $!
	sink_end
}

# In fq_codel, a flood loses packets of its own flow only: another flow loses none.
other_flow()
{
	local KIND=$1

	topo_create
	topo_bottleneck 10mbit "$KIND"
	sink_start
	flood 300 10 1472 2 3 &
	udp_send --size 100 --every 0.0103 --source 7000 --time 3 >/dev/null
	wait $!
	sink_stop
	check "lost" "$(udp_get 7000 lost)" == 0
	check_time "99th percentile of its delay, ms" "$(udp_get 7000 delay_p99_ms)" "<=" 5
	check "lost by the flood" "$(udp_get 6000 lost)" ">" 1000
}

# The link stands still for 1.5 s, beside four floods. What a sparse flow sent meanwhile is a burst of ten quanta
lost_after_standstill()
{
	local floods

	sink_start
	udp_send --source 12000 --flows 4 --rate 3e6 --time 5 >/dev/null &
	floods=$!
	udp_send --source 7000 --size 200 --every 0.02 --time 4 >/dev/null &
	sleep 1.5
	change rate 8bit
	sleep 1.5
	change rate 1mbit
	wait "$floods" $!
	sink_stop
	LOST=$(udp_get 7000 lost)
}

standstill()
{
	local KIND=$1 lost

	topo_create
	topo_bottleneck 100mbit "$KIND" rate 1mbit
	lost_after_standstill
	lost=$LOST
	change ceiling off
	lost_after_standstill
	echo "$KIND: of 200, $lost lost, with ceiling off $LOST"
	check "lost of 200, ceiling off $LOST" "$lost" "<=" $((LOST + 2))
}

for percent in 130 200 1000; do
	lib_add_each held "$percent% of 10 Mbit/s" "$percent" 10 1472 0
done
lib_add_each held "twice the link, ECT(0)" 200 10 1472 2
lib_add_each held "twice the link, ECT(1), 300 bytes at 2 Mbit/s" 200 2 300 1
lib_add_each held "three times 20 Mbit/s, 700 bytes" 300 20 700 0
lib_add_each unheld "ceiling off: the delay grows"
lib_add_each live "the ceiling comes and moves during a flood"
lib_add standstill "$FQ_CODEL_KIND: packets that a link has held" "$FQ_CODEL_KIND"
lib_add other_flow "$FQ_CODEL_KIND: another flow loses nothing" "$FQ_CODEL_KIND"
lib_main "$@"
