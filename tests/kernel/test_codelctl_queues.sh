#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# check: each_queue
#
# codelctl on a device with several transmit queues: a qdisc for each, with one rate. The topology is that of
# test_codelctl.sh; r1 has four queues.
#

# shellcheck source=tests/kernel/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/kernel/traffic.sh
. "$(dirname "$0")/traffic.sh"
# shellcheck source=tests/kernel/ctl.sh
. "$(dirname "$0")/ctl.sh"

# leaves DEV: the root's kind and handle, then of each qdisc below it its parent, kind, rate and whether it is shared
leaves()
{
	tc -n "$ROUTER" -j qdisc show dev "$1" | jq -r 'sort_by(.parent) | (.[] | select(.root) | "\(.kind) \(.handle)"),
		(.[] | select(.kind == "fq_codel_oot" and .parent != null) |
		"\(.parent) \(.kind) \(.options.rate * 8) \(.options.shared)")'
}

# handles DEV: of the qdiscs below the root
handles()
{
	tc -n "$ROUTER" -j qdisc show dev "$1" | jq -r 'sort_by(.parent)[] | select(.parent != null and .kind == "fq_codel_oot") | .handle'
}

# of_rate RATE: what leaves prints of four queues
of_rate()
{
	echo "mq c0d2:"
	printf "c0d2:%d fq_codel_oot $1 true\n" 1 2 3 4
}

each_queue()
{
	local before

	wide 4
	link_state >"$LIB_TMP/before"
	setup --up 200mbit --down 1gbit
	check "egress" "$(leaves r1)" == "$(of_rate 200000000)"
	check "ingress" "$(leaves ifb-r1)" == "$(of_rate 1000000000)"
	check "codelctl show" "$(ctl show r1)" == "r1: up 200mbit, down 1gbit, link ethernet, kind fq_codel_oot: in force"
	check "setup again" "$(setup --up 200mbit --down 1gbit)" == \
		"r1: nothing to change: up 200mbit, down 1gbit, link ethernet, kind fq_codel_oot"
	before=$(handles r1)
	setup --up 300mbit
	check "egress, another rate" "$(leaves r1)" == "$(of_rate 300000000)"
	check "its qdiscs" "$(handles r1)" == "$before"
	# A packet takes longer than a slice
	setup --up 20mbit
	check "a slow egress" "$(leaves r1)" == "fq_codel_oot c0d1:"
	check "a fast ingress beside it" "$(leaves ifb-r1)" == "$(of_rate 1000000000)"
	setup --up 200mbit --down-queues one
	check "egress again" "$(leaves r1)" == "$(of_rate 200000000)"
	check "ingress with one qdisc" "$(leaves ifb-r1)" == "fq_codel_oot c0d1:"
	ctl undo r1
	same_state undo
}

# A queue whose qdisc others have changed differs, and the next setup mends it alone
changed()
{
	local before

	wide 4
	setup --up 200mbit
	before=$(handles r1)
	tc -n "$ROUTER" qdisc change dev r1 parent c0d2:2 fq_codel_oot alone
	check "codelctl show" "$(ctl show r1 | sed 's/.*: //')" == "differs from the setup"
	ctl show --json >"$LIB_TMP/shown"
	check "in words" "$(jq -c '.[].differs' "$LIB_TMP/shown")" == '["shared of queue 2 of r1 is off instead of on"]'
	setup --up 200mbit
	check "egress" "$(leaves r1)" == "$(of_rate 200000000)"
	check "its qdiscs" "$(handles r1)" == "$before"
	tc -n "$ROUTER" qdisc replace dev r1 parent c0d2:3 pfifo limit 5
	ctl show --json >"$LIB_TMP/shown"
	check "in words" "$(jq -c '.[].differs' "$LIB_TMP/shown")" == '["queue 3 of r1 has pfifo instead of fq_codel_oot"]'
	setup --up 200mbit
	check "egress" "$(leaves r1)" == "$(of_rate 200000000)"
	ctl undo r1
}

# fewer: a device whose number of queues changes
fewer()
{
	wide 4
	setup --up 200mbit
	in_ns "$ROUTER" ethtool -L r1 tx 2
	check "two queues" "$(ctl show r1 | sed 's/.*: //')" == "in force"
	in_ns "$ROUTER" ethtool -L r1 tx 4
	setup --up 200mbit
	check "four queues" "$(leaves r1)" == "$(of_rate 200000000)"
	ctl undo r1
}

# /run may be lost: what is in place is read from the qdiscs
forgotten()
{
	wide 4
	setup --up 200mbit --down 1gbit
	find /run/codelctl -name '*.json' -delete
	check "codelctl show" "$(ctl show r1 | sed 's/, link.*: /: /')" == "r1: up 200mbit, down 1gbit: in force"
	setup --down 900mbit
	check "egress" "$(leaves r1)" == "$(of_rate 200000000)"
	check "ingress" "$(leaves ifb-r1)" == "$(of_rate 900000000)"
	setup --queues one
	find /run/codelctl -name '*.json' -delete
	check "codelctl show with one qdisc" "$(ctl show r1 | sed 's/.*: //')" == "in force"
	check "one qdisc" "$(leaves r1)" == "fq_codel_oot c0d1:"
	ctl undo r1
	check "the root qdisc of r1" "$(queue_get r1 .kind)" != fq_codel_oot
}

# Packets of ingress are spread over the queues of the ifb by their flows. Linux 7.2 takes the queue by which a packet has left the
# veth's other end for one more than the queue by which it came in: the last one of the ifb has none
ingress()
{
	local sent

	wide 4
	setup --down 200mbit
	SINK_NS=$CLIENT sink_start
	sent=$(in_ns "$SERVER" "$TRAFFIC" send --port "$UDP_PORT" --flows 64 --size 1236 --burst 256 --groups 1 "$CLIENT_IP")
	busywait 10 all_passed "$sent" || fail "of $sent packets: $(packets)"
	check "packets" "$sent" == 256
	check "queues with packets" "$(packets | jq -s "map(select(. > 0)) | length")" ">=" 3
	ctl undo r1
}

# packets: that each queue of the ifb has sent
packets()
{
	tc -n "$ROUTER" -s -j qdisc show dev ifb-r1 | jq '.[] | select(.parent != null) | .packets'
}

all_passed()
{
	[[ $(packets | jq -s add) == "$1" ]]
}

# prove lifts the rates, and each direction keeps its qdiscs: several at 200 Mbit/s, and one at 20
proved()
{
	wide 4
	setup --up 200mbit --down 20mbit
	link_state >"$LIB_TMP/before"
	tcp_serve
	ctl @fault none 0
	ctl prove r1 --seconds 2 --server "$SERVER_IP" --json >"$LIB_TMP/proved" 2>/dev/null || fail "prove: status $?"
	check "qdiscs that were made anew" "$(ctl @commands | awk "/replace/ { n++ } END { print n + 0 }")" == 0
	check "rates that were set" "$(ctl @commands | grep -c "rate 100000000000bit")" == 5
	same_state prove
	check "phases with a histogram of egress" \
		"$(jq '[.phases[] | select(.egress.buckets | map(.count) | add > 0)] | length' "$LIB_TMP/proved")" == 5
	ctl undo r1
}

lib_add each_queue "a qdisc for each queue of a fast link, its changes, and undo"
lib_add changed "a queue that others have changed is mended alone"
lib_add fewer "queues that go and come back"
lib_add forgotten "without its memory, the setup is read from the qdiscs of the queues"
lib_add ingress "what comes in is spread over the queues of the ifb"
lib_add proved "prove lifts the rates of all queues, and makes no qdisc anew"
lib_main "$@"
