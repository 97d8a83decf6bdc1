#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Makes tests/tools/codelstat/shaped.rec, a recording of three seconds with both kinds at work:
#
#	tests/vm/run --release trixie --get /root/shaped.rec -- tests/tools/codelstat/record.sh
#	mv out/shaped.rec tests/tools/codelstat/
#
#	CLIENT --- r0 ROUTER r1 --- SERVER
#	           htb 1: 1:1 8 Mbit/s  10: fq_codel_oot	two TCP with ECN, UDP of one flow
#	                  1:2 2 Mbit/s  20: codel_oot limit 30	UDP that floods it
#	           idle0: mq, as the machine makes it; idle1: in-tree codel
# shellcheck disable=SC2119 # functions with optional arguments
. "$(dirname "$0")/../../kernel/lib.sh"
. "$(dirname "$0")/../../kernel/traffic.sh"
. "$(dirname "$0")/../../kernel/served.sh"
LIB_NAME=record

shape()
{
	tc -n "$ROUTER" -batch - <<-END
		qdisc add dev r1 root handle 1: htb default 1
		class add dev r1 parent 1: classid 1:1 htb rate 8mbit burst 1600 cburst 1600 quantum 1514
		class add dev r1 parent 1: classid 1:2 htb rate 2mbit burst 1600 cburst 1600 quantum 1514
		qdisc add dev r1 parent 1:1 handle 10: fq_codel_oot
		qdisc add dev r1 parent 1:2 handle 20: codel_oot limit 30
		filter add dev r1 parent 1: protocol ip flower ip_proto udp dst_port 5001 classid 1:2
	END
	ip -n "$ROUTER" link add idle0 up numtxqueues 2 type dummy
	ip -n "$ROUTER" link add idle1 up type dummy
	tc -n "$ROUTER" qdisc add dev idle0 root mq
	tc -n "$ROUTER" qdisc add dev idle1 root codel
	in_ns "$CLIENT" sysctl -qw net.ipv4.tcp_ecn=1
	in_ns "$SERVER" sysctl -qw net.ipv4.tcp_ecn=1
}

LIB_TMP=$(mktemp -d)
LIB_DEFERRED=()
trap lib_undo EXIT
set -e
require_in_tree codel
topo_create
topo_delay 30ms
shape
tcp_serve
for port in 5000 5001; do
	background in_ns "$SERVER" "$TRAFFIC" sink --port "$port"
done
sleep 2
tcp_run tcp -t 5 -P 2 &
senders=($!)
UDP_PORT=5000 udp_send --size 1236 --rate 6e6 --time 5 --source 6000 >/dev/null &
senders+=($!)
UDP_PORT=5001 udp_send --size 1236 --rate 8e6 --time 5 --source 7000 >/dev/null &
senders+=($!)
sleep 1
codelstat record /root/shaped.rec -n "$ROUTER" -i 0.5 -c 6
wait "${senders[@]}"
