#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# check: above
#
# ce_threshold marks every ECN-capable packet that waited for longer, and no other packet. It
# can be changed and switched off on a live qdisc. fq_codel's selector selects packets by
# their DS field.
#
#	CLIENT --- ROUTER --- 10 Mbit/s --- SERVER
#	  bursts   htb, qdisc                sink
#
# A packet takes 1 ms, and there are 50 at once: packet n waits for almost n ms (the last
# is sent some ms after the first), and the sink sees how long that was. CoDel itself, with a target of 1 s, stays out of it.

# shellcheck disable=SC2119 # functions with optional arguments
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/traffic.sh"

lib_require python3 ping

ECT1=1
ECT0=2

# threshold_create KIND [OPTION...]
threshold_create()
{
	topo_create
	topo_bottleneck 10mbit "$1" target 1s "${@:2}"
}

# burst TOS [PACKETS]
burst()
{
	sink_start
	udp_send --tos "$1" --size 1236 --burst "${2:-50}" --groups 1 >/dev/null
	sink_stop
}

# marked_above MS: exactly the packets with a one-way delay above MS at the sink are marked;
# the part of this delay outside of the queue is far below 1 ms
marked_above()
{
	check "arrived with CE" "$(udp_get 6000 ce)" ">=" 1
	check "least delay with CE, ms" "$(udp_get 6000 ce_delay_min_ms)" ">=" "$1"
	check_time "largest delay without, ms" "$(udp_get 6000 other_delay_max_ms)" "<=" $(($1 + 1))
}

above()
{
	threshold_create "$1" ce_threshold 20ms
	burst "$ECT0"
	marked_above 20
	check "arrived with CE" "$(udp_get 6000 ce)" == "$(bottleneck_get '.ce_mark // 0')"
	check "ecn_mark" "$(bottleneck_get '.ecn_mark // 0')" == 0
	check "lost" "$(udp_get 6000 lost)" == 0
}

below()
{
	threshold_create "$1" ce_threshold 20ms
	burst "$ECT0" 18
	check "arrived with CE" "$(udp_get 6000 ce)" == 0
	check "ce_mark" "$(bottleneck_get '.ce_mark // 0')" == 0
}

not_ect()
{
	threshold_create "$1" ce_threshold 20ms ecn
	burst 0
	check "arrived with CE" "$(udp_get 6000 ce)" == 0
	check "ce_mark" "$(bottleneck_get '.ce_mark // 0')" == 0
	check "lost" "$(udp_get 6000 lost)" == 0
}

live()
{
	threshold_create "$1"
	burst "$ECT0"
	check "arrived with CE, off" "$(udp_get 6000 ce)" == 0

	tc -n "$ROUTER" qdisc change dev r1 parent 1:1 handle 10: "$1" ce_threshold 40ms
	burst "$ECT0"
	marked_above 40

	tc -n "$ROUTER" qdisc change dev r1 parent 1:1 handle 10: "$1" \
		ce_threshold off 2>/dev/null || skip "tc cannot switch it off"
	burst "$ECT0"
	check "arrived with CE, off again" "$(udp_get 6000 ce)" == 0
}

# selects KIND TOS EXPECTED: how many of 50 packets
selects()
{
	burst "$2"
	check_near "TOS $2: arrived with CE" "$(udp_get 6000 ce)" "$3" "$(($3 / 8))"
}

selector()
{
	threshold_create "$1" ce_threshold 20ms ce_threshold_selector 0x1/0x3
	selects "$1" "$ECT1" 30
	selects "$1" "$ECT0" 0
	selects "$1" 0 0
	selects "$1" 0xb9 30	# EF, ECT(1)
	check_near "ce_mark" "$(bottleneck_get '.ce_mark // 0')" 60 8

	tc -n "$ROUTER" qdisc change dev r1 parent 1:1 handle 10: "$1" \
		ce_threshold_selector 0xb8/0xfc
	selects "$1" 0xba 30	# EF, ECT(0)
	selects "$1" "$ECT0" 0
	selects "$1" 0xb8 0	# EF, but not ECT
}

# 60 requests for neighbours that are not there. The second byte of an ARP packet is 1,
# which in an IP header would be ECT(1). At 100 kbit/s one takes 3 ms.
arp()
{
	local host

	threshold_create "$1" ce_threshold 1ms ce_threshold_selector 0x1/0x3
	tc -n "$ROUTER" class change dev r1 parent 1: classid 1:1 \
		htb rate 100kbit burst 1600 cburst 1600 quantum 1514
	for host in {10..69}; do
		# No process answers
		{ in_ns "$ROUTER" ping -n -c 1 -W 1 "10.9.2.$host" >/dev/null || true; } &
	done
	wait
	drain 30
	check "requests sent" "$(bottleneck_get .packets)" ">=" 60
	check "ce_mark" "$(bottleneck_get '.ce_mark // 0')" == 0
	check "drops" "$(bottleneck_get .drops)" == 0
}

lib_add_each above "above the threshold all are marked"
lib_add_each below "below it none is"
lib_add_each not_ect "not-ECT is neither marked nor lost"
lib_add_each live "changed and switched off on a live qdisc"
lib_add selector "$FQ_CODEL_KIND: the selector matches the DS field" "$FQ_CODEL_KIND"
lib_add arp "$FQ_CODEL_KIND: the selector does not match ARP" "$FQ_CODEL_KIND"
lib_main "$@"
