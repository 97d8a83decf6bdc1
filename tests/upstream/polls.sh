#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Does tbf poll its queue while a packet waits for minutes? Prints the count of NET_TX softirqs in 5 s, with in-tree tbf:
#
#	tests/vm/run --arch i386 -- tests/upstream/polls.sh
#	tests/vm/run --release sid -- tests/upstream/polls.sh
set -euo pipefail

sent()
{
	awk '/NET_TX/ { print $2 }' /proc/softirqs
}

ip link add d0 type dummy
ip addr add 10.0.0.1/24 dev d0
ip link set d0 up
ip neigh add 10.0.0.2 lladdr 02:00:00:00:00:02 dev d0
tc qdisc add dev d0 root tbf rate 80bit burst 1600 limit 100000
ping -q -c 3 -i 0.2 -W 1 -s 1400 10.0.0.2 >/dev/null || :
before=$(sent)
sleep 5
echo "$(uname -rm): NET_TX in 5 s, with $(tc -s qdisc show dev d0 | sed -n 's/.* backlog [^ ]* \([0-9]*\)p .*/\1/p') packets waiting: $(($(sent) - before))"
