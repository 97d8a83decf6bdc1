#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# check: long_target
#
# CoDel's time stamps do not wrap. A 32-bit clock of 1024 ns would wrap after 4398 s, and a
# time more than half of that ahead would count as past.
#
#	CLIENT --- ROUTER --- SERVER
#	   UDP   htb, qdisc    sink
#
# It takes hours, which virtual time skips.

# shellcheck disable=SC2119 # functions with optional arguments
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/traffic.sh"

lib_require python3

[[ $CODEL_TEST_SLACK == 1 ]] || ktap_skip_all "it takes hours without virtual time"

# An idle machine then sleeps: otherwise the watchdog, if there is one (not on s390x), wakes it
# every two seconds
without_watchdog()
{
	[[ -e /proc/sys/kernel/watchdog ]] || return 0
	defer sysctl -qw "kernel.watchdog=$(sysctl -n kernel.watchdog)"
	sysctl -qw kernel.watchdog=0
}

# Seconds of overload: the delay is above 5 ms, and below 4000 s
long_target()
{
	topo_create
	topo_bottleneck 10mbit "$1" limit 10000 target 4000s interval 100ms ceiling off
	check "target, us" "$(bottleneck_get .options.target)" == 4000000000
	sink_start
	udp_send --size 1236 --rate 19.8e6 --time 1 >/dev/null
	sleep 1
	sink_stop
	check "lost" "$(udp_get 6000 lost)" == 0
	check_time "longest delay, ms" "$(udp_get 6000 delay_max_ms)" ">=" 900
}

# overload: the losses of test_delay.sh, for a second
overload()
{
	sink_start
	udp_send --size 1236 --rate 19.8e6 --time 0.6 >/dev/null
	sleep 0.5
	sink_stop
	check "lost" "$(udp_get 6000 lost)" ">=" 20
	check_near "first lost" "$(udp_get 6000 first_lost)" 110 5
	check_near "latest loss against the law, ms" "$(udp_get 6000 schedule_latest_ms)" 0 2
	check_near "earliest loss against the law, ms" "$(udp_get 6000 schedule_earliest_ms)" 0 2
}

# The times that are left from the first overload are that old at the second: for a
# clock that has wrapped, they are just now
long_idle()
{
	local kind=$1 seconds=$2 one_flow=()

	without_watchdog
	topo_create
	# Every sender is another flow, because the hash is the socket's
	[[ $kind != "$FQ_CODEL_KIND" ]] || one_flow=(flows 1)
	topo_bottleneck 10mbit "$kind" limit 10000 ceiling off "${one_flow[@]}"
	overload
	sleep "$seconds"
	overload
	sink_start
	udp_send --size 1236 --burst 95 --groups 1 >/dev/null
	sink_stop
	check "lost of a burst of 95 ms" "$(udp_get 6000 lost)" == 0
}

lib_add_each long_target "a target of 4000 s"
lib_add_each long_idle "idle for 75 minutes" 4500
lib_main "$@"
