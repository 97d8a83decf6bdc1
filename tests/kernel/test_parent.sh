#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# check: last_packet
# vm: --module tests/kernel/strict
#
# A qdisc that drops packets in ->dequeue() and returns its last one reports the drops at once,
# but does not report that it is empty: its parent is about to notice that itself.
#
#   d0 (dummy)   root 1: tbf   2: strict_parent, like sch_htb of Linux 6.14   leaf 10: under test
#
# tbf peeks, and strict_parent answers with ->dequeue() of the leaf, as sch_htb does.

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/probe.sh"
. "$(dirname "$0")/strict.sh"

lib_require python3

# waiting KIND [OPTION...]: 10: of KIND below strict_parent, which sends a packet a second
waiting()
{
	strict_load
	ns_create n
	probe_start "$NS"
	probe_dummy d0
	tcn qdisc add dev d0 root handle 1: tbf rate 8kbit burst 1600 limit 100000000
	tcn qdisc add dev d0 parent 1:1 handle 2: strict_parent
	tcn qdisc add dev d0 parent 2:1 handle 10: "$@"
}

# Every packet is overdue. With an MTU far below the packets' length, a single packet that
# waits is a standing queue: CoDel drops the last packet but one, and delivers the last.
last_packet()
{
	local kind=$1 flow

	shift
	waiting "$kind" noecn target 1us interval 1us
	for flow; do
		probe send d0 12 "flow=$flow"
	done
	probe_agree "before" d0 "held=2:,$PROBE_SIZE"
	ip -n "$NS" link set d0 mtu 100
	tcn qdisc change dev d0 root handle 1: tbf rate 10gbit burst 1mb limit 100000000
	sleep 2
	probe_empty "drained" d0 1:
	probe_check "drained" d0 10: drops ">=" 5
	probe_sum "drained" d0 10: $((12 * $#))
	check "mistakes" "$(strict_mistakes "$NS" d0 2:)" == 0
}

# The class that was emptied so goes on with the next packet.
goes_on()
{
	last_packet "$1" 0
	ip -n "$NS" link set d0 mtu 1500
	probe send d0 5
	probe_empty "next packets" d0 1:
	probe_sum "next packets" d0 10: 17
	check "mistakes" "$(strict_mistakes "$NS" d0 2:)" == 0
}

lib_add_each last_packet "the last packet, after drops, one flow" 0
lib_add last_packet "$FQ_CODEL_KIND: the last packet, after drops, 5 flows" "$FQ_CODEL_KIND" 0 1 2 3 4
lib_add_each goes_on "packets after the last packet"
lib_main "$@"
