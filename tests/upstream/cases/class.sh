#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# The classes of fq_codel have the drops of their flows, by CoDel and by the limit.
#
#	CLIENT --- ROUTER --- 10 Mbit/s --- SERVER
#	 3 UDP flows         tbf, qdisc      sink

. "$(dirname "$0")/lib.sh"

lib_require python3

# flood [OPTION...]: three flows at three times the rate of the link, which then stands still
flood()
{
	topo_create
	topo_bottleneck -s tbf 10mbit fq_codel "$@"
	sink_start
	udp_send --flows 3 --rate 30e6 --time 1 >/dev/null
	tc -n "$ROUTER" qdisc change dev r1 root handle 1: tbf rate 80bit burst 1600 limit 1000000
}

# class_drops: how many classes have some, and the sum
class_drops()
{
	tc -n "$ROUTER" -s class show dev r1 | awk '
		/^class / { fq_codel = $2 == "fq_codel" }
		fq_codel && match($0, /\(dropped [0-9]+/) { drops = substr($0, RSTART + 9, RLENGTH - 9) }
		fq_codel && /\(dropped / && drops > 0 { flows++; sum += drops }
		END { print flows + 0, sum + 0 }'
}

# same WHAT OPTION...: in the classes and in the qdisc
same()
{
	local found whole

	flood "${@:2}"
	found=$(class_drops)
	whole=$(bottleneck_get .drops)
	echo "$1: $whole in the qdisc; classes that have some, and their sum: $found"
	check "drops of the qdisc" "$whole" ">=" 50
	check "drops of the classes" "$found" == "3 $whole"
}

by_codel()
{
	same "drops by CoDel" limit 10000 noecn
}

by_limit()
{
	same "drops by the limit" limit 100 target 1s interval 10s
}

lib_add by_codel "drops by CoDel"
lib_add by_limit "drops by the limit"
lib_main "$@"
