#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Makes tests/tools/tc/every.rec, a recording in which every statistic of both kinds, out-of-tree and
# in-tree, is not 0, but for the waits of a link that qdiscs share: it has one here, as `codelstat top` shows one of a device:
#
#	tests/vm/run --release trixie --get /root/every.rec -- tests/tools/tc/record.sh
#	mv out/every.rec tests/tools/tc/
set -euo pipefail

# link NUMBER KIND OPTION...: a device that sends 1 Mbit/s, which no host receives
link()
{
	ip link add "d$1" up type dummy
	ip addr add "10.0.$1.1/24" dev "d$1"
	ip addr add "fd00:$1::1/64" dev "d$1" nodad
	ip neigh add "10.0.$1.2" lladdr 02:00:00:00:00:02 dev "d$1"
	ip neigh add "fd00:$1::2" lladdr 02:00:00:00:00:02 dev "d$1"
	if [[ $2 != *_oot ]]; then
		tc qdisc add dev "d$1" root handle 1: tbf rate 1mbit burst 1600 limit 1000000
		tc qdisc add dev "d$1" parent 1:1 handle 10: "${@:2}"
	else
		tc qdisc add dev "d$1" root handle 10: "${@:2}"
	fi
}

modprobe -C /dev/null sch_codel
link 0 fq_codel_oot rate 1mbit overhead 18 mpu 64 atm ingress flows 8 memory_limit 100000 ecn ce_threshold 1ms
link 1 codel_oot rate 1mbit limit 100 ecn ce_threshold 1ms
link 2 fq_codel flows 8 memory_limit 60000 ecn ce_threshold 1ms
link 3 codel limit 100 ecn ce_threshold 1ms
link 4 fq_codel_oot rate 1mbit shared limit 20
link 5 codel_oot
ip link add d6 numtxqueues 2 type dummy
ip link set d6 up
tc qdisc add dev d6 root handle 1: mq
tc qdisc replace dev d6 parent 1:1 handle 10: codel_oot
tc qdisc replace dev d6 parent 1:2 handle 20: fq_codel_oot

# Answers wait for a slow link: so do packets in the far queue
ip netns add far
ip link add d7 type veth peer name d7 netns far
ip addr add 10.0.7.1/24 dev d7
ip -n far addr add 10.0.7.2/24 dev d7
ip link set d7 up
ip -n far link set d7 up
tc qdisc add dev d7 root handle 10: fq_codel_oot bottleneck downstream
tc -n far qdisc add dev d7 root netem delay 20ms rate 20kbit
ip netns exec far iperf3 -s -1 >/dev/null &
until ip netns exec far ss -Htln sport 5201 | grep -q .; do
	sleep 0.1
done
iperf3 -c 10.0.7.2 -t 4 >/dev/null &

# Of both families, of each flow half of the packets may be marked
python3 - <<'END' &
import socket, time

IPV6_TCLASS = 67
senders = []
for link in range(6):
    for port in range(30):
        for ecn in 0, 2:
            v4 = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            v4.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, ecn)
            v4.connect((f"10.0.{link}.2", 5000 + port))
            v6 = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
            v6.setsockopt(socket.IPPROTO_IPV6, IPV6_TCLASS, ecn)
            v6.connect((f"fd00:{link}::2", 5000 + port))
            senders += [(v4, port), (v6, port)]
for turn in range(120):
    for sender, port in senders:
        if turn % (port + 1) == 0:
            try:
                sender.send(bytes(700))
            except OSError:
                pass  # the queue is full
    time.sleep(0.025)
END
sleep 2
codelstat record /root/every.rec -i 0.5 -c 1
wait
