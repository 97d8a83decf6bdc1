#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# The backlog of multiq is that of its children.
#
#	d0 (dummy, 2 queues)	root 1: tbf, 80 bit/s	2: multiq	leaves: pfifo or fq_codel

. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/kernel/probe.sh
. "$LIB_DIR/probe.sh"

lib_require python3

# waiting PACKETS LEAF [OPTION...]: of 1000 bytes, below a multiq
waiting()
{
	ns_create n
	probe_start "$NS"
	probe_dummy d0 numtxqueues 2
	tc -n "$NS" qdisc add dev d0 root handle 1: tbf rate 80bit burst 1600 limit 100000000
	tc -n "$NS" qdisc add dev d0 parent 1:1 handle 2: multiq
	tc -n "$NS" qdisc add dev d0 parent 2:1 handle 10: "${@:2}"
	tc -n "$NS" qdisc add dev d0 parent 2:2 handle 20: "${@:2}"
	probe send d0 "$1"
	backlogs
}

# backlogs: of multiq, and of its children
backlogs()
{
	local whole parts

	whole=$(qdisc_get "$NS" d0 2: .backlog)
	parts=$(($(qdisc_get "$NS" d0 10: .backlog) + $(qdisc_get "$NS" d0 20: .backlog)))
	echo "backlog of multiq $whole, of its children $parts"
	check "children" "$parts" ">" 0
	check "multiq" "$whole" == "$parts"
}

lib_add waiting "packets that wait" 10 pfifo
lib_add waiting "packets that a child has dropped" 50 fq_codel limit 10
lib_main "$@"
