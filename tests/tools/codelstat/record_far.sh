#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Makes tests/tools/codelstat/far.rec, a recording of two seconds of a device whose qdisc follows a modem's queue, and of one whose
# qdisc hears no answers:
#
#	tests/vm/run --release trixie --get /root/far.rec -- tests/tools/codelstat/record_far.sh
#	mv out/far.rec tests/tools/codelstat/
#
#	v0  fq_codel_oot bottleneck downstream	---  modem: 10 Mbit/s, 1,000 packets	---  far: 20 ms on the way back
#	    three uploads
# shellcheck source=tests/kernel/lib.sh
. "$(dirname "$0")/../../kernel/lib.sh"
LIB_NAME=record

set -e
modprobe sch_fq_codel_oot
ip netns add modem
ip netns add far
ip link add v0 type veth peer name m0 netns modem
ip -n modem link add m1 type veth peer name f0 netns far
ip addr add 10.9.0.1/24 dev v0
ip -n modem addr add 10.9.0.2/24 dev m0
ip -n modem addr add 10.9.1.1/24 dev m1
ip -n far addr add 10.9.1.2/24 dev f0
for place in " v0" "-n modem m0" "-n modem m1" "-n far f0"; do
	# shellcheck disable=SC2086 # words
	ip ${place% *} link set "${place##* }" up
done
ip netns exec modem sysctl -qw net.ipv4.ip_forward=1
ip route add 10.9.1.0/24 via 10.9.0.2
ip -n far route add 10.9.0.0/24 via 10.9.1.1
tc -n modem qdisc add dev m1 root netem rate 10mbit limit 1000
tc -n far qdisc add dev f0 root netem delay 20ms
tc qdisc add dev v0 root handle 10: fq_codel_oot bottleneck downstream
ip link add v1 type dummy
ip link set v1 up
tc qdisc add dev v1 root handle 11: codel_oot bottleneck downstream
ip netns exec far iperf3 -s -1 >/dev/null &
until ip netns exec far ss -Htln sport 5201 | grep -q .; do
	sleep 0.1
done
iperf3 -c 10.9.1.2 -P 3 -t 7 >/dev/null &
sleep 4
codelstat record /root/far.rec -i 0.5 -c 4
wait
