# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
#
# A router whose link is slow behind a modem with a long queue; after lib.sh, traffic.sh and ctl.sh.
#
#   ROUTER                     MODEM                      SERVER
#   r1 --------------------- m0      m1 --------------- s0
#   10.9.2.1           10.9.2.2      10.9.3.1           10.9.3.2
#   codelctl              tbf 10mbit, 0.4 s             netem 10ms

lib_require iperf3
# shellcheck disable=SC2034 # used by traffic.sh
SERVER_IP=10.9.3.2

# modem [DEV]: the router's device has this name
modem()
{
	local dev ns link=${1:-r1}

	ns_create r; ROUTER=$NS
	ns_create m; MODEM=$NS
	ns_create s; SERVER=$NS
	topo_link "$ROUTER" "$link" 10.9.2.1 "$MODEM" m0 10.9.2.2
	topo_link "$MODEM" m1 10.9.3.1 "$SERVER" s0 10.9.3.2
	in_ns "$MODEM" sh -c 'echo 1 >/proc/sys/net/ipv4/ip_forward'
	# Unsent data of a program that was stopped keep the namespace, and so the modules, for minutes
	for ns in "$ROUTER" "$SERVER"; do
		in_ns "$ns" sh -c 'echo 1 >/proc/sys/net/ipv4/tcp_orphan_retries'
	done
	ip -n "$ROUTER" route add default via 10.9.2.2
	ip -n "$SERVER" route add default via 10.9.3.1
	for dev in m0 m1; do
		tc -n "$MODEM" qdisc add dev "$dev" root tbf rate 10mbit burst 3200 limit 500000
	done
	tc -n "$SERVER" qdisc add dev s0 root netem delay 10ms limit 10000
	tcp_serve
	ctl_start
}
