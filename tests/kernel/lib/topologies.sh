# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
#
# The namespaces, links and qdiscs of a case.

# in_ns NAMESPACE COMMAND...
in_ns()
{
	ip netns exec "$@"
}

# ns_create SUFFIX: a namespace for this case; its name is in NS. Its devices have no
# IPv6, so that only the packets of the test are in the queues
ns_create()
{
	NS=codel-$LIB_NAME-$$-$1
	ip netns add "$NS"
	defer ns_delete "$NS"
	# shellcheck disable=SC2016 # for the other shell
	in_ns "$NS" sh -ec '
		conf=/proc/sys/net/ipv6/conf/default
		[ ! -d "$conf" ] || echo 1 >"$conf/disable_ipv6"
		ip link set lo up'
}

# ns_delete NAMESPACE: delete it now, if it still exists. A packet in a qdisc holds a
# reference to its socket, and the socket one to the namespace. Devices that are put down
# free their packets.
ns_delete()
{
	[[ -e /run/netns/$1 ]] || return 0
	ip -n "$1" link set group default down
	ip netns del "$1"
}

### Topology
#
#   CLIENT             ROUTER                          SERVER
#   c0 ------------- r0      r1 --------------------- s0
#   10.9.1.2   10.9.1.1      10.9.2.1                 10.9.2.2
#                            root 1:  htb or tbf      root: netem, if there is a delay
#                            leaf 10: under test
#
# Packets from CLIENT to SERVER wait only in r1's qdisc: all other links are as fast as
# the machine. The delay of a round trip is on the way back only. Neighbours are
# permanent, so that only the packets of the test are in the queue, each as long as on
# the wire (see topo_create).

# shellcheck disable=SC2034 # used by the tests
SERVER_IP=10.9.2.2
# shellcheck disable=SC2034 # used by the tests
CLIENT_IP=10.9.1.2

# topo_create [offloads]: create the three namespaces. With "offloads", the veths segment
# packets, and qdiscs get packets of up to 64 KB
topo_create()
{
	ns_create c; CLIENT=$NS
	ns_create r; ROUTER=$NS
	ns_create s; SERVER=$NS

	topo_link "$CLIENT" c0 10.9.1.2 "$ROUTER" r0 10.9.1.1 "${1:-}"
	topo_link "$ROUTER" r1 10.9.2.1 "$SERVER" s0 10.9.2.2 "${1:-}"
	in_ns "$ROUTER" sh -c 'echo 1 >/proc/sys/net/ipv4/ip_forward'
	ip -n "$CLIENT" route add default via 10.9.1.1
	ip -n "$SERVER" route add default via 10.9.2.1
}

# topo_link NS DEV ADDRESS NS DEV ADDRESS [offloads|'' [QUEUES]]: a veth pair, up
topo_link()
{
	local mac peer queues=${8:+numtxqueues $8 numrxqueues $8}

	topo_mac "$3"
	mac=$MAC
	topo_mac "$6"
	peer=$MAC
	# shellcheck disable=SC2086 # words
	ip -n "$1" link add "$2" address "$mac" $queues type veth \
		peer name "$5" address "$peer" $queues netns "$4"
	if [[ ${7:-} != offloads ]]; then
		in_ns "$1" ethtool -K "$2" tso off gso off gro off >/dev/null
		in_ns "$4" ethtool -K "$5" tso off gso off gro off >/dev/null
	fi
	topo_end "$1" "$2" "$3" "$6" "$peer"
	topo_end "$4" "$5" "$6" "$3" "$mac"
}

# topo_mac IPV4: the Ethernet address of this host, in MAC
topo_mac()
{
	# shellcheck disable=SC2086 # four words
	printf -v MAC '02:00:%02x:%02x:%02x:%02x' ${1//./ }
}

# topo_end NS DEV ADDRESS NEIGHBOUR MAC
topo_end()
{
	ip -n "$1" -batch - <<-END
		addr add $3/24 dev $2
		link set $2 up
		neigh replace $4 lladdr $5 nud permanent dev $2
	END
}

# topo_neighbour NS DEV NEIGHBOURS_NS NEIGHBOURS_DEV ADDRESS: add a permanent neighbour
topo_neighbour()
{
	local mac

	mac=$(in_ns "$3" cat "/sys/class/net/$4/address")
	ip -n "$1" neigh replace "$5" lladdr "$mac" nud permanent dev "$2"
}

# topo_delay TIME: add this delay on the way back
topo_delay()
{
	tc -n "$SERVER" qdisc replace dev s0 root netem delay "$1" limit 100000
}

# topo_bottleneck [-s htb|tbf] RATE KIND [OPTION...]: the shaper and, as its leaf
# with handle 10:, the qdisc under test
topo_bottleneck()
{
	local shaper=htb

	if [[ $1 == -s ]]; then
		shaper=$2
		shift 2
	fi
	"lib_shaper_$shaper" "$1"
	shift
	tc -n "$ROUTER" qdisc add dev r1 parent 1:1 handle 10: "$@"
}

# The burst is one packet: a larger one would empty the queue at once.
lib_shaper_htb()
{
	tc -n "$ROUTER" qdisc add dev r1 root handle 1: htb default 1
	tc -n "$ROUTER" class add dev r1 parent 1: classid 1:1 \
		htb rate "$1" burst 1600 cburst 1600 quantum 1514
}

lib_shaper_tbf()
{
	tc -n "$ROUTER" qdisc add dev r1 root handle 1: \
		tbf rate "$1" burst 1600 limit 1000000
}
