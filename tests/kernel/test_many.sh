#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# check: owes
#
# Many flows: a bound on the time for which a dequeue holds the root lock.

# shellcheck disable=SC2119 # functions with optional arguments
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/probe.sh"

lib_require python3

PLENTY="limit 1000000 memory_limit 4000000000 target 10s interval 10s"

# owes KIND: each of 10,000 flows sends a packet that costs 780 quanta, and has another. The next
# dequeue has to find the flow that may send first.
owes()
{
	ns_create n
	probe_start "$NS"
	probe_dummy d0
	tcn qdisc add dev d0 root handle 1: stab overhead 200000 linklayer ethernet \
		tbf rate 16kbit burst 300kb limit 100000000
	# shellcheck disable=SC2086 # words
	tcn qdisc add dev d0 parent 1:1 handle 10: "$1" flows 65536 $PLENTY quantum 256
	probe send d0 20000 flows=10000 size=60
	probe get d0 10: qlen
	check "packets that wait" "$REPLY" ">=" 19990

	"$LIB_DIR/run.py" stall 0.8 >"$LIB_TMP/longest" &
	WATCH=$!
	sleep 0.2
	tcn qdisc change dev d0 root handle 1: tbf rate 200gbit burst 100mb limit 100000000
	probe send d0 1 size=60
	wait "$WATCH"
	LONGEST=$(cat "$LIB_TMP/longest")
	echo "$1: the processor was busy for $LONGEST us at most"
	check_time "longest time without another process, us" "$LONGEST" "<=" 20000
	probe_empty "at the end" d0 10:
}

lib_add owes "$FQ_CODEL_KIND: debts of 780 quanta" "$FQ_CODEL_KIND"
lib_main "$@"
