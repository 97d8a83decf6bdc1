#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# check: ect_above_limit clone
#
# With ecn, CoDel marks ECN-capable packets (RFC 3168) instead of dropping them, and no other
# packets. Above a limit, ECN-capable packets are dropped, too. The packets that tc counts as marked arrive with CE set and a valid checksum, with
# any VLAN tags before the IP header. A packet that shares its header with a clone is marked
# in a copy, and the clone is not changed.
#
#	CLIENT --- ROUTER --- 10 Mbit/s --- SERVER
#	 TCP, UDP  htb, qdisc                sink
#
# As in test_burst.sh, of 240 packets of 1 ms at once, those at 105 and 205 ms signal.
#

# shellcheck disable=SC2119 # functions with optional arguments
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/traffic.sh"

lib_require iperf3 python3 ss

ECT1=1
ECT0=2

# ip_count NAMESPACE COUNTER: of /proc/net/netstat, IpExt
# shellcheck disable=SC2016 # awk
ip_count()
{
	in_ns "$1" awk -v name="$2" '
		$1 == "IpExt:" && !n { n = split($0, names); next }
		$1 == "IpExt:" { for (i = 1; i <= n; i++) if (names[i] == name) print $i }
		' /proc/net/netstat
}

# burst TOS [OPTION...]: 240 packets
burst()
{
	local tos=$1

	shift
	sink_start
	udp_send --tos "$tos" --size 1236 --burst 240 --groups 1 "$@" >/dev/null
	sink_stop
}

# all_marked: by the receiver, and by tc
all_marked()
{
	check "arrived with CE" "$(udp_get 6000 ce)" == 2
	check "ecn_mark" "$(bottleneck_get .ecn_mark)" == 2
	check "lost" "$(udp_get 6000 lost)" == 0
}

# all_dropped: nothing is marked
all_dropped()
{
	check "arrived with CE" "$(udp_get 6000 ce)" == 0
	check "ecn_mark" "$(bottleneck_get .ecn_mark)" == 0
	check "lost" "$(udp_get 6000 lost)" == 2
	check "drops" "$(bottleneck_get .drops)" == 2
}

# Overload: all signals of the schedule (see test_delay.sh) are marks
overload()
{
	topo_create
	topo_bottleneck 10mbit "$1" limit 10000 ecn ceiling off
	sink_start
	udp_send --tos "$ECT0" --size 1236 --rate 19.8e6 --time 2 >/dev/null
	sink_stop
	check "lost" "$(udp_get 6000 lost)" == 0
	check "arrived with CE" "$(udp_get 6000 ce)" == "$(bottleneck_get .ecn_mark)"
	check "arrived with CE" "$(udp_get 6000 ce)" ">=" 100
	check "CE as the kernel counts it" "$(ip_count "$SERVER" InCEPkts)" \
		== "$(udp_get 6000 ce)"
	check "wrong checksums" "$(ip_count "$SERVER" InCsumErrors)" == 0
	check_time "latest mark against the law, ms" \
		"$(udp_get 6000 schedule_latest_ms)" "<=" 2
	check_near "earliest mark against the law, ms" \
		"$(udp_get 6000 schedule_earliest_ms)" 0 2
}

who_takes_marks()
{
	topo_create
	topo_bottleneck 10mbit "$1" ecn ceiling off
	burst "$ECT1"
	all_marked
	tc -n "$ROUTER" qdisc replace dev r1 parent 1:1 handle 11: pfifo
	tc -n "$ROUTER" qdisc replace dev r1 parent 1:1 handle 10: "$1" ecn ceiling off
	burst 0
	all_dropped
}

noecn()
{
	topo_create
	topo_bottleneck 10mbit "$1" noecn ceiling off
	burst "$ECT0"
	all_dropped
}

# ect_above_limit KIND CAUSE OPTION...: more ECN-capable packets than a limit allows. They are dropped: a
# mark in place of a drop would leave the queue longer than the limit. tbf sends a packet and keeps the
# next; CoDel, with a target of 4000 s, signals nothing.
ect_above_limit()
{
	local kind=$1 cause=$2 tos

	shift 2
	topo_create
	topo_bottleneck -s tbf 80bit "$kind" ecn target 4000s "$@"
	sink_start
	for tos in "$ECT1" "$ECT0"; do
		udp_send --tos "$tos" --size 986 --burst 200 --groups 1 --source $((6000 + tos)) >/dev/null
	done
	check "causes of drops" "$(bottleneck_get '[.dropped | to_entries[] |
		select(.value.packets > 0).key] | join(" ")')" == "$cause"
	check "dropped because of $cause" "$(bottleneck_get ".dropped.$cause.packets")" ">=" 290
	check "drop_overlimit" "$(bottleneck_get .drop_overlimit)" == "$(bottleneck_get .drops)"
	check "queued" "$(bottleneck_get .qlen)" "<=" 101
	check "marked" "$(bottleneck_get '[.marked[].packets] | add')" == 0

	# One more packet wakes tbf before its timer expires
	tc -n "$ROUTER" qdisc change dev r1 root handle 1: tbf rate 100mbit burst 16000 limit 1000000
	udp_send --size 986 --burst 1 --groups 1 --source 7000 >/dev/null
	sink_stop
	check "arrived" "$(udp_sum packets)" == "$(bottleneck_get .packets)"
	check "arrived and dropped" "$(bottleneck_get '.packets + .drops')" == 401
	check "arrived with CE" "$(udp_sum ce)" == 0
	check "CE as the kernel counts it" "$(ip_count "$SERVER" InCEPkts)" == 0
}

# hystart VALUE: of TCP cubic on this machine, until the case ends
hystart()
{
	local file=/sys/module/tcp_cubic/parameters/hystart

	defer sh -c "echo $(<"$file") >$file"
	echo "$1" >"$file"
}

# tcp KIND LOST OPTION...: TCP slows down, and loses no more than LOST segments. Its window
# ends the slow start at a delay above the ceiling, 50 ms, and below the interval, 100 ms.
# (HyStart would end it at a moment that depends on microseconds.)
tcp()
{
	local kind=$1 ns before longest

	shift
	topo_create
	topo_delay 50ms
	topo_bottleneck 10mbit "$kind" limit 10000 ecn "$@"
	for ns in "$CLIENT" "$SERVER"; do
		in_ns "$ns" sysctl -qw net.ipv4.tcp_ecn=1
	done
	hystart 0
	tcp_serve
	before=$(ip_count "$SERVER" InCEPkts)
	tcp_run tcp -t 6 -w 120K
	longest=$(bottleneck_get '.delay.max_ns / 1e6')
	check_time "longest delay, ms" "$longest" ">=" 50
	check_time "longest delay, ms" "$longest" "<=" 95
	check "ecn_mark" "$(bottleneck_get .ecn_mark)" ">=" 1
	check "arrived with CE" "$(($(ip_count "$SERVER" InCEPkts) - before))" \
		== "$(bottleneck_get .ecn_mark)"
	check "sent again" "$(tcp_get tcp .end.sum_sent.retransmits)" == 0
	check "drops" "$(bottleneck_get .drops)" == 0
}

# ipv6_end NAMESPACE DEVICE ADDRESS: no packets but those of the test: no link-local
ipv6_end()
{
	in_ns "$1" sysctl -qw "net.ipv6.conf.$2.disable_ipv6=0" \
		"net.ipv6.conf.$2.addr_gen_mode=1"
	ip -n "$1" addr add "$3/64" dev "$2" nodad
}

ipv6()
{
	[[ -d /proc/sys/net/ipv6 ]] || skip "there is no IPv6"
	topo_create
	ipv6_end "$CLIENT" c0 fd00:1::2
	ipv6_end "$ROUTER" r0 fd00:1::1
	ipv6_end "$ROUTER" r1 fd00:2::1
	ipv6_end "$SERVER" s0 fd00:2::2
	in_ns "$ROUTER" sysctl -qw net.ipv6.conf.all.forwarding=1
	ip -n "$CLIENT" route add default via fd00:1::1
	topo_neighbour "$CLIENT" c0 "$ROUTER" r0 fd00:1::1
	topo_neighbour "$ROUTER" r1 "$SERVER" s0 fd00:2::2
	topo_bottleneck 10mbit "$1" ecn ceiling off
	UDP_TO=fd00:2::2 burst "$ECT0"
	all_marked
}

# vlan NAMESPACE DEVICE ID [OPTION...]: tagged on top of DEVICE; prints its name
vlan()
{
	local ns=$1 dev=$2 id=$3

	shift 3
	ip -n "$ns" link add link "$dev" name "$dev.$id" up type vlan id "$id" "$@"
	echo "$dev.$id"
}

# tagged KIND REORDER_HDR [PROTOCOL...]: from r1 to s0 through VLANs. With reorder_hdr
# off the tag is written into the packet, before it comes to the qdisc
tagged()
{
	local kind=$1 reorder=$2 protocol id=20 router=r1 server=s0

	shift 2
	topo_create
	for protocol; do
		router=$(vlan "$ROUTER" "$router" "$id" protocol "$protocol" reorder_hdr "$reorder")
		server=$(vlan "$SERVER" "$server" "$id" protocol "$protocol")
		id=$((id + 1))
	done
	ip -n "$ROUTER" addr add 10.9.3.1/24 dev "$router"
	ip -n "$SERVER" addr add 10.9.3.2/24 dev "$server"
	topo_neighbour "$ROUTER" "$router" "$SERVER" "$server" 10.9.3.2
	topo_bottleneck 10mbit "$kind" ecn ceiling off
	UDP_TO=10.9.3.2 burst "$ECT0"
	all_marked
	check "wrong checksums" "$(ip_count "$SERVER" InCsumErrors)" == 0
}

# Every packet that comes to r0 goes to a sink in ROUTER, and a clone of it to r1. The
# sink reads only when the clones have been through the queue: a mark in the header that
# they share would show. SERVER must see the signals, as marks in a copy.
clone()
{
	local mac

	topo_create
	topo_bottleneck 10mbit "$1" ecn ceiling off
	mac=$(in_ns "$ROUTER" cat /sys/class/net/r0/address)
	ip -n "$SERVER" link set s0 address "$mac"
	ip -n "$SERVER" addr add 10.9.1.1/32 dev lo
	tc -n "$ROUTER" qdisc add dev r0 clsact
	tc -n "$ROUTER" filter add dev r0 ingress protocol ip matchall \
		action mirred egress mirror dev r1

	SINK_NS=$ROUTER
	sink_start
	kill -STOP "$SINK"
	UDP_TO=10.9.1.1 udp_send --tos "$ECT0" --size 1236 --burst 240 --groups 1 >/dev/null
	drain 30
	kill -CONT "$SINK"
	busywait 30 sink_read
	sink_end
	check "originals" "$(udp_get 6000 packets)" == 240
	check "originals with CE" "$(udp_get 6000 ce)" == 0
	check "clones marked" "$(bottleneck_get .ecn_mark)" == 2
	check "clones dropped" "$(bottleneck_get .drops)" == 0
	check "CE in SERVER" "$(ip_count "$SERVER" InCEPkts)" == 2
	check "wrong checksums in SERVER" "$(ip_count "$SERVER" InCsumErrors)" == 0
}

# ROUTER is a bridge, and the packets are captured on its LAN side. None is read from the
# capture before all have left: until then each shares its header with a clone. (A router of
# IP makes the header its own when it lowers the TTL.) The marks on the WAN side are those
# without a capture, and the captured packets have none.
captured()
{
	local from

	topo_create
	ip -n "$ROUTER" link add br0 type bridge mcast_snooping 0
	ip -n "$ROUTER" link set r0 master br0
	ip -n "$ROUTER" link set r1 master br0
	ip -n "$ROUTER" link set br0 up
	ip -n "$SERVER" addr add 10.9.1.3/24 dev s0
	topo_neighbour "$CLIENT" c0 "$SERVER" s0 10.9.1.3
	topo_bottleneck 10mbit "$1" ecn ceiling off
	coproc CAPTURE { in_ns "$ROUTER" "$LIB_DIR/run.py" capture r0; }
	exec {from}<&"${CAPTURE[0]}"	# bash closes its own when the capture ends
	read -r <&"$from"
	UDP_TO=10.9.1.3 burst "$ECT0"
	all_marked
	check "wrong checksums" "$(ip_count "$SERVER" InCsumErrors)" == 0
	echo >&"${CAPTURE[1]}"
	read -r <&"$from"
	check "captured packets, and those with CE" "$REPLY" == "240 0"
}

# send_scattered TAGS: five frames with ECT(0) and these VLAN tags, 6 ms each at 8 Mbit/s. Only the
# Ethernet header is in the linear part of such a packet (PACKET_VNET_HDR with a length of 0)
send_scattered()
{
	in_ns "$NS" python3 -c '
import socket, sys
SOL_PACKET, PACKET_VNET_HDR, EXPERIMENTAL = 263, 15, 0x88B5
sender = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
sender.setsockopt(SOL_PACKET, PACKET_VNET_HDR, 1)
sender.bind(("a0", EXPERIMENTAL))  # so that the sender looks at no header
ethernet = bytes.fromhex("020000000001 020000000002" + sys.argv[1] + "0800")
ip = bytes.fromhex("4502 1750 0000 0000 4011 0000 0a090301 0a090302")
for _ in range(5):
    sender.send(bytes(10) + ethernet + ip + bytes(0x1750 - len(ip)))' "$1"
}

# scattered KIND TAGS: the IP headers of five packets from a0 to b0, and from there to d0, are in a
# fragment, as are inner tags. tbf lets two packets pass and peeks at the third; the others are
# marked
scattered()
{
	local dev

	ns_create n
	ip -n "$NS" link add a0 mtu 9000 type veth peer name b0 mtu 9000
	ip -n "$NS" link add d0 mtu 9000 type dummy
	for dev in a0 b0 d0; do
		ip -n "$NS" link set "$dev" arp off up
	done
	tc -n "$NS" qdisc add dev b0 clsact
	tc -n "$NS" filter add dev b0 ingress matchall action mirred egress redirect dev d0
	tc -n "$NS" qdisc add dev d0 root handle 1: tbf rate 8mbit burst 16000 limit 1000000
	tc -n "$NS" qdisc add dev d0 parent 1:1 handle 10: "$1" target 1s interval 10s \
		ce_threshold 1ms
	send_scattered "$2"
	sleep 1
	check "sent, marked, dropped" \
		"$(qdisc_get "$NS" d0 10: '"\(.packets) \(.ce_mark // 0) \(.drops)"')" == "5 2 0"
}

# sink_read: nothing waits in the sink's socket
sink_read()
{
	in_ns "$SINK_NS" ss -Hlnu "sport = :$UDP_PORT" | awk '{ exit $2 != 0 }'
}

lib_add_each overload "ECT(0): every signal is a mark, at interval/sqrt(count)"
lib_add_each who_takes_marks "ECT(1) is marked, not-ECT is dropped"
lib_add_each noecn "noecn: ECT(0) is dropped"
lib_add_each ect_above_limit "ECN-capable packets above limit are dropped, not marked" limit limit 100
lib_add ect_above_limit "$FQ_CODEL_KIND: ECN-capable packets above memory_limit are dropped, not marked" \
	"$FQ_CODEL_KIND" memory memory_limit 100000
lib_add_each tcp "TCP with ECN loses nothing" ceiling off
lib_add_each tcp "TCP with ECN loses nothing to the ceiling"
lib_add_each ipv6 "IPv6"
lib_add_each tagged "VLAN, tag beside the packet" on 802.1Q
lib_add_each tagged "VLAN, tag in the packet" off 802.1Q
lib_add_each tagged "QinQ, inner tag in the packet, outer beside it" on 802.1ad 802.1Q
lib_add_each scattered "an IP header in a fragment" ""
lib_add_each scattered "VLAN, an IP header in a fragment" 81000014
lib_add_each scattered "QinQ, inner tag and IP header in a fragment" 88a8001481000015
lib_add_each captured "a capture on the LAN side of a bridge changes nothing"
lib_add_each clone "the original of a clone is not touched"
lib_main "$@"
