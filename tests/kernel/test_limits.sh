#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# check: codel_limit fattest
#
# Limits of packets and of memory hold, also when they shrink under a full queue. The largest
# flow loses packets. After every step, received = sent + dropped + queued, the causes are
# counted, and no memory is in use when the queue has drained.
#
#	CLIENT --- ROUTER --- 8 bit/s, then 100 Mbit/s --- SERVER
#	   UDP    tbf, qdisc                                sink
#
# A packet is 1000 bytes on the wire. tbf sends one at once, keeps the next, which counts
# as queued in the qdisc, and does nothing for minutes: time to fill the queue and to look
# at it. Then it is drained. CoDel, with a target of 4000 s, drops nothing.
#
# vm: --module lab/slow

# shellcheck disable=SC2119 # functions with optional arguments
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/traffic.sh"
. "$(dirname "$0")/probe.sh"
. "$(dirname "$0")/slow.sh"

lib_require python3

# limits_create KIND [OPTION...]: and start the sink
limits_create()
{
	topo_create
	topo_bottleneck -s tbf 80bit "$1" target 4000s "${@:2}"
	sink_start
}

# fill PACKETS [OPTION...]: send them at once. In fq_codel each call is another flow, because
# the hash is the socket's.
fill()
{
	udp_send --size 986 --burst "$1" --groups 1 "${@:2}" >/dev/null
}

# look: statistics of the qdisc into SENT DROPS QLEN QUEUED OVERLIMIT MEMORY OVERMEMORY. The packet that tbf has
# counts as sent, and in QLEN
look()
{
	read -r SENT DROPS QLEN QUEUED OVERLIMIT MEMORY OVERMEMORY < <(bottleneck_get '
		"\(.packets) \(.drops) \(.qlen) \(.queued.packets // .qlen) \(.drop_overlimit) " +
		"\(.memory_used // 0) \(.drop_overmemory // 0)"')
}

# balance RECEIVED: check the sums, drain the queue, and check them again. One more packet
# wakes tbf before its timer expires.
balance()
{
	local received=$(($1 + 1))

	look
	check "sent $SENT + dropped $DROPS + queued $QUEUED" $((SENT + DROPS + QUEUED)) == "$1"
	check "drop_overlimit" "$OVERLIMIT" == "$DROPS"
	account "$ROUTER" r1

	tc -n "$ROUTER" qdisc change dev r1 root handle 1: \
		tbf rate 100mbit burst 16000 limit 1000000
	fill 1 --source 7999
	sink_stop
	look
	check "sent $SENT + dropped $DROPS" $((SENT + DROPS)) == "$received"
	check "queued after the drain" "$QLEN" == 0
	check "memory_used after the drain" "$MEMORY" == 0
	check "arrived" "$(udp_sum packets)" == "$SENT"
}

change()
{
	tc -n "$ROUTER" qdisc change dev r1 parent 1:1 handle 10: "$@"
}

# One queue drops the arriving packet
codel_limit()
{
	limits_create "$1" limit 50
	fill 200
	look
	check "queued" "$QLEN" == 50
	check "dropped" "$DROPS" == 149
	balance 200
	check "arrived, the oldest" "$(udp_get 6000 packets) $(udp_get 6000 lost)" == "51 0"
}

# 101 are queued, one too many, of which tbf has the first: half of the other 100 go
fq_limit()
{
	limits_create "$1" limit 100 flows 1
	fill 101
	look
	check "dropped at the limit" "$DROPS" == 0
	fill 1
	look
	check "dropped above it" "$DROPS" == 50
	check "queued" "$QLEN" == 51
	balance 102
}

# drop_batch KIND BATCH: no more than that at once
drop_batch()
{
	limits_create "$1" limit 100 flows 1 drop_batch "$2"
	fill 102
	look
	check "dropped at once" "$DROPS" == "$2"
	fill $(($2 - 1))
	look
	check "dropped before the limit is reached again" "$DROPS" == "$2"
	balance $((101 + $2))
}

# A flow of 10 packets beside one that is far too long
fattest()
{
	limits_create "$1" limit 100 flows 65536
	fill 10 --source 7000
	fill 500
	fill 10 --source 7000
	balance 520
	check "lost of the short flow" "$(udp_get 7000 packets)" == 20
	check_near "left of the long one" "$(udp_get 6000 packets)" 60 25
}

# Packets of one size cost the same memory each, all but the one that tbf has
memory_limit()
{
	local each

	limits_create "$1" flows 1
	fill 12
	look
	each=$((MEMORY / 10))
	check "memory of 10 packets" "$MEMORY" == $((each * 10))
	check "memory of a packet" "$each" ">=" 1000
	check "dropped" "$OVERMEMORY" == 0

	change "$1" memory_limit $((each * 50))
	fill 40
	look
	check "memory at the limit" "$MEMORY" == $((each * 50))
	check "dropped at the limit" "$OVERMEMORY" == 0
	fill 1
	look
	check "dropped above the limit: half" "$OVERMEMORY" == 26
	check "memory after that" "$MEMORY" == $((each * 25))
	check "drop_overlimit" "$OVERLIMIT" == 26
	balance 53
}

limit_zero()
{
	limits_create "$1" limit 0
	fill 20
	look
	check "dropped" "$DROPS" == 20
	check "queued" "$QLEN" == 0
	balance 20
}

# The packets above the new limit are dropped at once, and no others
shrink()
{
	limits_create "$1" limit 1000
	fill 501
	change "$1" limit 600
	look
	check "dropped by a limit above the queue" "$DROPS" == 0
	change "$1" limit 100
	look
	check "queued after limit 100" "$QLEN" "<=" 100
	check "dropped" "$DROPS" == $((500 - QLEN))
	[[ $1 != "$CODEL_KIND" ]] || check "queued after limit 100" "$QLEN" == 100
	change "$1" limit 0
	look
	check "queued after limit 0" "$QLEN" == 1
	change "$1" limit 1000
	fill 10
	look
	check "queued after limit 1000" "$QLEN" == 11
	balance 511
}

shrink_memory()
{
	local before

	limits_create "$1"
	fill 302
	look
	before=$MEMORY
	change "$1" memory_limit $((before / 3))
	look
	check "memory" "$MEMORY" "<=" $((before / 3))
	check "dropped because of memory" "$OVERMEMORY" == "$DROPS"
	check "dropped" "$DROPS" ">=" 200
	balance 302
}

# The packet that tbf has is not part of the memory, and no limit drops it
peeked_stays()
{
	limits_create "$1"
	fill 22
	change "$1" memory_limit 1
	look
	check "queued: the packet that tbf has" "$QLEN" == 1
	check "memory" "$MEMORY" == 0
	check "dropped, because of memory" "$DROPS $OVERMEMORY" == "20 20"
	change "$1" limit 0
	look
	check "queued after limit 0" "$QLEN" == 1
	change "$1" limit 1000 memory_limit 32Mb
	balance 22
}

# The device takes a segment of a super-packet, and the core keeps the others: they count as
# queued, but no limit can drop them
requeued_stays()
{
	topo_create offloads
	in_ns "$ROUTER" ethtool -K r1 tso off gso off tx-udp-segmentation off >/dev/null
	tc -n "$ROUTER" qdisc add dev r1 root handle 10: "$1"
	slow_link "$ROUTER" r1 8000
	sink_start
	udp_send --segments 10 --size 986 --burst 1 --groups 1 >/dev/null
	check "requeued" "$(bottleneck_get .requeues)" ">" 0
	tc -n "$ROUTER" qdisc change dev r1 root handle 10: "$1" limit 0
	look
	check "queued: what the core keeps" "$QLEN" == 9
	check "dropped" "$DROPS" == 0
	tc -n "$ROUTER" qdisc change dev r1 root handle 10: "$1" limit 1000
	drain 30
	sink_stop
	check "arrived" "$(udp_sum packets)" == 10
}

# never_bypassed KIND MEMORY: an empty queue drops a packet that takes more than
# memory_limit, as a queue with packets does
never_bypassed()
{
	local size

	ns_create n
	probe_start "$NS"
	probe_dummy d0
	ip -n "$NS" link set d0 mtu 60000
	tcn qdisc add dev d0 root handle 10: "$1" memory_limit "$2"
	for size in 60 1500 9000 50000; do
		probe send d0 5 size="$size"
	done
	probe_check "memory_limit $2" d0 10: received.packets == 20
	probe get d0 10: dropped.memory.packets
	check "dropped, of those larger than $2" "$REPLY" "$3" "$4"
	tcn qdisc change dev d0 root handle 10: "$1" memory_limit 32Mb
	probe send d0 5
	probe_check "bypassed with 32 MB" d0 10: received.packets == 20
}

lib_add codel_limit "$CODEL_KIND: limit" "$CODEL_KIND"
lib_add fq_limit "$FQ_CODEL_KIND: half a flow goes above the limit" "$FQ_CODEL_KIND"
lib_add drop_batch "$FQ_CODEL_KIND: drop_batch 1" "$FQ_CODEL_KIND" 1
lib_add drop_batch "$FQ_CODEL_KIND: drop_batch 20" "$FQ_CODEL_KIND" 20
lib_add fattest "$FQ_CODEL_KIND: the fattest flow pays" "$FQ_CODEL_KIND"
lib_add memory_limit "$FQ_CODEL_KIND: memory_limit" "$FQ_CODEL_KIND"
lib_add_each limit_zero "limit 0"
lib_add_each shrink "limit shrinks under a queue"
lib_add shrink_memory "$FQ_CODEL_KIND: memory_limit shrinks under a queue" "$FQ_CODEL_KIND"
lib_add peeked_stays "$FQ_CODEL_KIND: a peeked packet takes no memory" "$FQ_CODEL_KIND"
lib_add_each requeued_stays "limit 0, and segments that the device did not take"
lib_add never_bypassed "$FQ_CODEL_KIND: memory_limit below any packet" "$FQ_CODEL_KIND" 1 == 20
lib_add never_bypassed "$FQ_CODEL_KIND: memory_limit below a long packet" \
	"$FQ_CODEL_KIND" 20000 == 5
lib_main "$@"
