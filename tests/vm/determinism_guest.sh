#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# In the guest: TCP through htb, netem and fq_codel, and everything that can be counted.
#
#   client (ns a) --- a0 [htb 10mbit, fq_codel_oot] ====== [netem 25 ms] b0 --- server (ns b)
set -e
kind=fq_codel_oot
modprobe sch_fq_codel_oot 2>/dev/null || kind=fq_codel
ip netns add a
ip netns add b
ip -n a link add a0 type veth peer name b0 netns b
ip -n a addr add 10.0.0.1/24 dev a0
ip -n b addr add 10.0.0.2/24 dev b0
ip -n a link set a0 up
ip -n b link set b0 up
tc -n a qdisc add dev a0 root handle 1: htb default 1
tc -n a class add dev a0 parent 1: classid 1:1 htb rate 10mbit
tc -n a qdisc add dev a0 parent 1:1 "$kind"
tc -n b qdisc add dev b0 root netem delay 25ms 2ms loss 0.1%
ip netns exec b iperf3 -s -1 >/dev/null 2>&1 &
ip netns exec b irtt server -q >/dev/null 2>&1 &
sleep 0.5
ip netns exec a ping -i 0.1 -c 40 10.0.0.2 &
ip netns exec a iperf3 -c 10.0.0.2 -t 4 -P 2
wait -n %3 2>/dev/null || true
tc -n a -s -d qdisc show dev a0
tc -n b -s qdisc show dev b0
ip netns exec a nstat -az
ip netns exec a ss -tinm
python3 -c 'import os, time; print(os.urandom(8).hex(), time.time_ns(), time.perf_counter_ns(), hash("x"))'
cat /proc/uptime /proc/interrupts /proc/sys/kernel/random/uuid
ps axo pid,ppid,lstart,time,args
grep -E '^(MemFree|Slab|Cached)' /proc/meminfo
dmesg
