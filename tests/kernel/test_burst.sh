#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# check: long_burst
#
# A burst that drains within an interval loses no packet, however long its last packets wait.
# A queue that stands for longer loses packets at the times of the control law.
#
#	CLIENT --- ROUTER --- 10 Mbit/s --- SERVER
#	  bursts of UDP   htb, qdisc           sink
#
# A packet is 1250 bytes on the wire: 1 ms. In a burst that comes at once, packet n
# waits for n ms. So the delay exceeds the target of 5 ms from t = 5 ms on, and the
# interval has passed at t = 105 ms: the packet at the head is the first that is
# lost. test_delay.sh has those after it.

# shellcheck disable=SC2119 # functions with optional arguments
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/traffic.sh"

lib_require python3

# burst KIND PACKETS TIMES: TIMES bursts, a second apart
burst()
{
	topo_create
	topo_bottleneck 10mbit "$1" target 5ms interval 100ms ceiling off
	sink_start
	check "sent" \
		"$(udp_send --size 1236 --burst "$2" --every 1 --groups "$3")" == $(($2 * $3))
	sink_stop
}

short_burst()
{
	burst "$1" 95 5
	check "lost of 5 bursts of 95 packets" "$(udp_get 6000 lost)" == 0
	check "arrived" "$(udp_get 6000 packets)" == 475
	check "delay of the last of a burst, ms" "$(udp_get 6000 delay_max_ms)" ">=" 85
}

long_burst()
{
	burst "$1" 150 1
	check "lost of 150 packets" "$(udp_get 6000 lost)" == 1
	check_near "first lost" "$(udp_get 6000 first_lost)" 105 4
}

lib_add_each short_burst "95 ms of packets at once are all delivered"
lib_add_each long_burst "of 150 ms at once, the packet at 105 ms is lost"
lib_main "$@"
