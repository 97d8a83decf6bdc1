#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Makes tests/tools/codelstat/shared.rec, a recording of two seconds of a device whose queues share a rate:
#
#	tests/vm/run --release trixie --get /root/shared.rec -- tests/tools/codelstat/record_shared.sh
#	mv out/shared.rec tests/tools/codelstat/
#
#	v0  mq: 10: to 13: fq_codel_oot rate 20mbit shared	---  netem, 10 ms  v1 in far
#	    10: three TCP with ECN	11: one TCP	12: pings	13: nothing
# shellcheck source=tests/kernel/lib.sh
. "$(dirname "$0")/../../kernel/lib.sh"
LIB_NAME=record

# queue NUMBER MATCH...: what matches leaves by this queue
queue()
{
	tc filter add dev v0 egress protocol ip flower "${@:2}" action skbedit queue_mapping "$1"
}

shape()
{
	local n

	tc qdisc add dev v0 root handle 1: mq
	tc qdisc add dev v0 clsact
	for n in 1 2 3 4; do
		tc qdisc add dev v0 parent "1:$n" handle "$(printf '%x:' $((15 + n)))" fq_codel_oot rate 20mbit shared
	done
	queue 0 ip_proto tcp dst_port 5201
	queue 1 ip_proto tcp dst_port 5202
	queue 2 ip_proto icmp
}

set -e
modprobe sch_fq_codel_oot
ip netns add far
ip link add v0 numtxqueues 4 type veth peer name v1 netns far
ip addr add 10.9.0.1/24 dev v0
ip -n far addr add 10.9.0.2/24 dev v1
ip link set v0 up
ip -n far link set v1 up
tc -n far qdisc add dev v1 root netem delay 10ms
shape
sysctl -qw net.ipv4.tcp_ecn=1
ip netns exec far sysctl -qw net.ipv4.tcp_ecn=1
for port in 5201 5202; do
	ip netns exec far iperf3 -s -1 -p "$port" >/dev/null &
	until ip netns exec far ss -Htln sport "$port" | grep -q .; do
		sleep 0.1
	done
done
iperf3 -c 10.9.0.2 -p 5201 -P 3 -t 5 >/dev/null &
iperf3 -c 10.9.0.2 -p 5202 -t 5 >/dev/null &
ping -q -i 0.02 -w 5 10.9.0.2 >/dev/null &
sleep 2
codelstat record /root/shared.rec v0 -i 0.5 -c 4
wait
