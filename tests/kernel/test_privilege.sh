#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# check: who_sees_tuples
#
# The addresses and ports of flows are shown only to users with CAP_NET_ADMIN in the network
# namespace of the device; all other numbers are shown to all users.
#
#   d0 (dummy)   root 1: tbf, 80 kbit/s  leaf 10: fq_codel_oot

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/probe.sh"

lib_require python3 setpriv unshare

# tuples COMMAND...: in the case's namespace, with tc's arguments appended: how many flows
# tc shows, and how many of them with addresses
tuples()
{
	in_ns "$NS" "$@" tc -s class show dev d0 |
		awk '/^  sent / { flows++ } /^  flow / { shown++ } END { print flows + 0, shown + 0 }'
}

as_nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set -all)

who_sees_tuples()
{
	ns_create n
	probe_start "$NS"
	probe_dummy d0
	tcn qdisc add dev d0 root handle 1: tbf rate 80kbit burst 1600 limit 100000000
	tcn qdisc add dev d0 parent 1:1 handle 10: "$1"
	tcn class show dev d0	# flows are counted from now on
	probe send d0 90 flow=1 flow=2 flow=3
	sleep 1
	check "root: flows, and those with addresses" "$(tuples env)" == "3 3"
	check "uid 65534" "$(tuples "${as_nobody[@]}")" == "3 0"
	check "uid 65534, CAP_NET_ADMIN" "$(tuples setpriv --reuid 65534 --clear-groups \
		--inh-caps +net_admin --ambient-caps +net_admin)" == "3 3"
	check "root of a user namespace without this network namespace" \
		"$(tuples unshare --user --map-root-user)" == "3 0"
	check "packets that uid 65534 sees" "$(in_ns "$NS" "${as_nobody[@]}" \
		tc -s class show dev d0 | awk '/^  sent / { n += $3 } END { print n + 0 }')" ">" 6
}

# The network namespace belongs to a user namespace, whose root asks
container()
{
	cat >"$LIB_TMP/container" <<-END
		ip link add d0 type dummy
		ip link set d0 arp off up
		tc qdisc add dev d0 root handle 1: tbf rate 80kbit burst 1600 limit 100000000
		tc qdisc add dev d0 parent 1:1 handle 10: $1
		ip addr add 10.9.3.1/24 dev d0
		tc class show dev d0
		python3 -c 'import socket
		s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
		for _ in range(60): s.sendto(bytes(900), ("10.9.3.2", 9))'
		sleep 1
		tc -s class show dev d0
	END
	check "flow" "$(unshare --user --map-root-user --net sh -e "$LIB_TMP/container" |
		sed -n 's/^  flow udp .* > //p')" == 10.9.3.2:9
}

lib_add who_sees_tuples "$FQ_CODEL_KIND: addresses need CAP_NET_ADMIN" "$FQ_CODEL_KIND"
lib_add container "$FQ_CODEL_KIND: root of a container sees addresses" "$FQ_CODEL_KIND"
lib_main "$@"
