#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# check: sparse_loses_nothing
#
# Known defects of CoDel qdiscs that no other test covers. If the running kernel still has a
# defect, the same check must fail with in-tree fq_codel. (Of the others, Debian's 6.12.117
# passes: sparse packets beside a flood, the backlog after a trim, and a huge MTU, with which
# in-tree CoDel signals, too.)
#
#   v0 or d0    root 1: tbf    leaf 10: under test
#   v1          listens
#

# shellcheck disable=SC2086 # SLOW, FAST and BUSY are words

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/probe.sh"

FAST="rate 10gbit burst 1600 limit 1000000000"
SLOW="rate 8bit burst 200 limit 1000000000"
MAX_DROPS=256	# in one dequeue: what CODEL_QDISC_MAX_DROPS is

### A queue that has emptied is forgotten

# A bulk flow at twice the rate of the link, and a packet of another flow every 0.31 s, whose
# queue is always empty when the next packet arrives. An earlier delay of this flow must
# not count.
sparse_loses_nothing()
{
	ns_create n
	probe_start "$NS"
	probe_veth v0 v1
	tcn qdisc add dev v0 root handle 1: tbf rate 1mbit burst 1600 limit 1000000000
	tcn qdisc add dev v0 parent 1:1 handle 10: "$1" noecn
	probe listen v1
	probe flood v0 167 size=1500 prio=10:1
	for _ in {1..40}; do
		sleep 0.31
		probe send v0 1 size=98 prio=10:7 flow=9
	done
	probe calm
	probe_empty drained v0 10:
	probe heard flow=9
	check "packets that arrived, of 40, and out of order" "$REPLY" == "40 0"
}

### An interval of nothing, a backlog of hundreds of thousands

# pktgen DEV COUNT: packets as fast as the kernel makes them. It ends only when the last
# has left the queue
pktgen()
{
	local dir=/proc/net/pktgen

	modprobe -q pktgen || skip "no pktgen"
	in_ns "$PROBE_NS" bash -e -c "
		echo add_device $1 >$dir/kpktgend_0
		for option in 'count $2' 'pkt_size 60' 'clone_skb 0' 'burst 1' 'delay 0' \
			'dst 10.9.3.2' 'dst_mac 02:00:00:00:00:01' 'xmit_mode queue_xmit'; do
			echo \$option >$dir/$1
		done"
	background in_ns "$PROBE_NS" bash -c "echo start >$dir/pgctrl"
}

# Without the packets that tbf sends at once
has_filled()
{
	probe get d0 10: qlen
	((REPLY >= $1 - 100))
}

# A link that stood still and then is fast: everything is overdue. CoDel drops, but no
# dequeue has to work through all of it.
dequeue_is_bounded()
{
	local kind=$1 count=$2 packets drops qlen

	shift 2
	ns_create n
	probe_start "$NS"
	probe_dummy d0
	tcn qdisc add dev d0 root handle 1: tbf $SLOW
	tcn qdisc add dev d0 parent 1:1 handle 10: "$kind" limit 1000000 noecn "$@" \
		target 1us interval 1us
	pktgen d0 "$count"
	busywait 60 has_filled "$count" || fail "only $REPLY packets arrived"
	probe_agree "before" d0
	tcn qdisc change dev d0 root handle 1: tbf $FAST
	probe send d0 1
	if ! busywait 30 probe_has d0 10: qlen 0; then
		fail "still $REPLY packets"
	fi
	probe get d0 10: packets drops qlen
	read -r packets drops qlen <<<"$REPLY"
	echo "$packets sent, $drops dropped"
	check "packets in all" $((packets + drops)) == $((count + 1))
	check "the schedule moves: dropped, of $count," "$drops" ">=" $((count / 2))
	check "dropped, for $packets dequeues" "$drops" "<=" $((MAX_DROPS * packets))
	nothing_left
}

nothing_left()
{
	probe_check drained d0 1: qlen == 0
	probe_check drained d0 1: backlog == 0
}

### An MTU beyond measure

# The quantum and CoDel's no-drop threshold are derived from the MTU.
mtu_before_attach()
{
	local kind=$1 mtu=$2

	ns_create n
	probe_start "$NS"
	probe_dummy d0
	ip -n "$NS" link set d0 mtu "$mtu"
	tcn qdisc add dev d0 root handle 1: tbf rate 8mbit burst 2000 limit 1000000000
	tcn qdisc add dev d0 parent 1:1 handle 10: "$kind" limit 100000 noecn \
		target 100us interval 1ms ceiling off
	# Too small to send anything, but the queue has seen it
	[[ $mtu -ge 1500 ]] || ip -n "$NS" link set d0 mtu 1500
	probe send d0 1600 size=1400	# 2 MB, twice the threshold's own bound
	sleep 0.3
	probe_check "CoDel acts" d0 10: drops ">" 0
	probe_check "and packets leave" d0 10: packets ">" 20
	probe_agree "mtu $mtu" d0
	probe_sum "mtu $mtu" d0 10: 1600
}

lib_require python3
lib_add sparse_loses_nothing "sparse packets beside a flood" "$FQ_CODEL_KIND"
lib_add dequeue_is_bounded "$CODEL_KIND: 400,000 overdue packets" "$CODEL_KIND" 400000
lib_add dequeue_is_bounded "$FQ_CODEL_KIND: 400,000 overdue packets" \
	"$FQ_CODEL_KIND" 400000 memory_limit 4000000000
lib_add_kernel dequeue_is_bounded "overdue packets" 20000
lib_add_each mtu_before_attach "MTU 2147483647 before attach" 2147483647
lib_add_each mtu_before_attach "MTU 0 before attach" 0
lib_main "$@"
