#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# check: one_queue
#
# Each signal that CoDel counts is a packet that was dropped or marked, also if a dequeue
# reaches its maximum number of drops.
#
#   d0 (dummy)   root 1: tbf   leaf 10: under test
#

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/probe.sh"

lib_require python3

# waiting KIND [OPTION...]: a packet of 1514 bytes a second leaves a leaf where all are overdue
waiting()
{
	ns_create n
	probe_start "$NS"
	probe_dummy d0
	tcn qdisc add dev d0 root handle 1: tbf rate 12112bit burst 1600 limit 100000000
	tcn qdisc add dev d0 parent 1:1 handle 10: "$@" noecn target 1us interval 1us \
		ceiling off
	tcn class show dev d0 >/dev/null	# flows are counted from now on
}

# The dropping state is entered once: all signals are in count.
one_queue()
{
	waiting "$1" limit 3000
	probe send d0 2000
	tcn qdisc change dev d0 root handle 1: tbf rate 10mbit burst 1600 limit 100000000
	probe send d0 1
	probe_empty "drained" d0 1:
	probe get d0 10: drops count
	read -r drops count <<<"$REPLY"
	check "drops" "$drops" ">=" 1000
	check "signals" "$count" == "$drops"
}

# wrong_flows: each flow that has a queue, and counted more or fewer signals than drops
wrong_flows()
{
	tcn -s class show dev d0 | awk '
		function value(name, i) { for (i = 1; $i != name && i < NF; i++); return $(i + 1) }
		/^class / { class = $3; count = drops = "" }
		/ lastcount / { count = value("count") }
		/^  sent / { drops = value("drops") }
		/^  sent / && (drops == "" || drops != count) {
			print class ": " count " signals, " drops " drops"
		}
		/^  sent / { flows++ }
		END { print "compared " flows + 0 }'
}

# The first dequeue from a flow delivers a packet, the second drops one and delivers one, and
# the third drops 256 of 257 packets: CoDel is not asked about the last one. Before the others a
# flow is sent that keeps tbf waiting.
many_flows()
{
	local kind=$1 second flow

	waiting "$kind"
	probe send d0 2 size=1514 flow=9
	for flow in {0..3}; do
		probe send d0 260 size=1514 "flow=$flow"
	done
	# The last flow has lost its queue after 13 s
	for second in {1..12}; do
		sleep 1
		check_faults "after $second s" ">=" 1 wrong_flows
	done
	probe_check "dropped" d0 10: drops ">=" 512
}

lib_add one_queue "$CODEL_KIND: each signal is a drop" "$CODEL_KIND"
lib_add many_flows "$FQ_CODEL_KIND: each signal of a flow is a drop" "$FQ_CODEL_KIND"
lib_main "$@"
