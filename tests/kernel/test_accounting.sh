#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# check: trim_then_delete memory_comes_back verdict
#
#
# Every packet is accounted for. Of the packets that a qdisc received, each was sent, dropped
# or is queued, and its parents count the same, after any change while packets wait. The
# packets are counted where they are sent.
#
#   d0 (dummy)     root 1: tbf, 80 bit/s: one packet passes, the next is peeked
#                  leaf 10: under test
#
# The peeked packet is in no queue of the leaf: it counts as sent. It is still part of the leaf's qlen, until tbf
# takes it. Most earlier defects concern this packet.

# shellcheck disable=SC2086 # SLOW, FAST and STAB are words

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/probe.sh"

SLOW="rate 80bit burst 1600 limit 100000000"
FAST="rate 10gbit burst 1mb limit 100000000"
STAB=""

# stuck KIND [OPTION...]: the topology above
stuck()
{
	ns_create n
	probe_start "$NS"
	probe_dummy d0
	tcn qdisc add dev d0 root handle 1: $STAB tbf $SLOW
	tcn qdisc add dev d0 parent 1:1 handle 10: "$@"
}

leaf()
{
	local verb=$1

	shift
	tcn qdisc "$verb" dev d0 parent 1:1 handle 10: "$@"
}

# accounted STEP RECEIVED: parent and leaf agree, and no packet is missing
accounted()
{
	probe_agree "$1" d0
	probe_sum "$1" d0 10: "$2"
}

nothing_left()
{
	probe_check "$1" d0 1: qlen == 0
	probe_check "$1" d0 1: backlog == 0
}

flush()
{
	tcn qdisc change dev d0 root handle 1: tbf $FAST
	probe send d0 1
	probe_empty flushed d0 10:
}

# Pings: one leaves with tbf's burst, one is peeked, and one waits.
peeked()
{
	SLOW="rate 8bit burst 150 limit 1000000"
	stuck "$@"
	probe send d0 4 size=98
	probe_agree filled d0
}

### What a change drops (CVE-2025-39677 and relatives)

trim_then_delete()
{
	peeked "$1" limit 1000
	leaf change "$1" limit 1
	probe_agree "limit 1" d0
	probe_check "limit 1" d0 10: qlen == 1
	probe_check "limit 1" d0 10: backlog == 98
	tcn qdisc del dev d0 parent 1:1
	nothing_left deleted
}

trim_then_replace()
{
	peeked "$1" limit 1000
	leaf change "$1" limit 1
	tcn qdisc replace dev d0 parent 1:1 handle 20: "$1"
	nothing_left replaced
	probe_agree replaced d0
}

# A packet that a change drops does not count as sent.
trimmed_is_dropped()
{
	peeked "$1" limit 1000
	accounted filled 4
	leaf change "$1" limit 1
	accounted "limit 1" 4
	probe_check "limit 1" d0 10: qlen == 1
	probe_check "limit 1" d0 10: drops == 2
}

# No limit drops the peeked packet
limit_zero()
{
	peeked "$1" limit 1000
	leaf change "$1" limit 0
	accounted "limit 0" 4
	probe_check "limit 0" d0 10: qlen == 1
	probe_check "limit 0" d0 10: drops == 2
	probe send d0 5 size=98
	accounted "limit 0, five more" 9
	probe_check "limit 0, five more" d0 10: qlen == 1
	leaf change "$1" limit 10
	probe send d0 5 size=98
	accounted "limit 10 again" 14
	probe_check "limit 10 again" d0 10: qlen ">" 0
}

### Memory

# tc does not print a 0
memory_used()
{
	probe get d0 10: memory_used=0
}

memory_comes_back()
{
	stuck "$1"
	probe send d0 100 flow=0 flow=1 flow=2 flow=3
	memory_used
	check "filled: memory_used" "$REPLY" ">" 100000
	flush
	memory_used
	check "flushed: memory_used" "$REPLY" == 0
	accounted flushed 101
}

# charged STEP OPERATOR PACKETS: the number of packets that wait, and no other packet is in memory
charged()
{
	local qlen

	probe get d0 10: qlen
	qlen=$REPLY
	check "$1: packets that wait" "$qlen" "$2" "$3"
	probe charged
	check "$1: memory of $qlen packets" "$REPLY" == $((EACH * qlen))
}

# What a change or a reset drops is freed.
dropped_is_freed()
{
	stuck "$1"
	probe send d0 31
	probe charged
	EACH=$((REPLY / 30))
	check "memory of a packet" "$EACH" ">=" 1000
	charged filled == 30
	leaf change "$1" limit 20
	charged "limit 20" "<=" 20
	leaf change "$1" limit 0
	charged "limit 0, with the packet that is peeked" == 1
	leaf change "$1" limit 100
	probe send d0 30
	charged "filled again" == 31
	ip -n "$NS" link set d0 down
	charged down == 0
}

### Limits that change on a live qdisc

# A limit has the same effect if it is set at the start or later. The core must not bypass
# an idle qdisc with limit 0.
limit_decided_again()
{
	ns_create n
	probe_start "$NS"
	probe_dummy d0
	tcn qdisc add dev d0 root handle 10: "$1"
	probe send d0 10
	probe_sum "with room" d0 10: 10
	probe_check "with room" d0 10: packets == 10
	tcn qdisc change dev d0 root handle 10: "$1" limit 0
	probe send d0 10
	probe_check "without" d0 10: packets == 10
	probe_check "without" d0 10: drops == 10
	tcn qdisc change dev d0 root handle 10: "$1" limit 10
	probe send d0 10
	probe_check "with room again" d0 10: packets == 20
	probe_sum "with room again" d0 10: 30
	probe tx d0
	check "frames that the device was given" "$REPLY" == 20
}

### Size tables, moving, grafting

# each_has STEP BYTES
each_has()
{
	local qlen backlog

	probe get d0 10: qlen backlog
	read -r qlen backlog <<<"$REPLY"
	check "$1: packets" "$qlen" ">" 0
	check "$1: bytes of $qlen packets" "$backlog" == $((qlen * $2))
}

overhead_counts()
{
	STAB="stab overhead 100 linklayer ethernet"
	stuck "$1" limit 30
	probe send d0 41 size=200
	accounted filled 41
	each_has filled 300
	leaf change "$1" limit 3
	accounted trimmed 41
	each_has trimmed 300
	flush
	accounted flushed 42
	nothing_left flushed
}

# Lengths of one byte, and lengths of which four wrap a counter of 32 bits to 0:
# the search for the largest flow must not find an empty one. The in-tree qdiscs of 6.12
# would crash the machine here.
odd_lengths()
{
	local kind=$1 overhead=$2

	ns_create n
	probe_start "$NS"
	probe_dummy d0
	tcn qdisc add dev d0 root handle 1: stab overhead "$overhead" linklayer ethernet \
		htb default 1
	tcn class add dev d0 parent 1: classid 1:1 htb rate 80bit burst 1600 cburst 1600 quantum 1514
	tcn qdisc add dev d0 parent 1:1 handle 10: "$kind" limit 8
	probe send d0 60 size=64 flow=0 flow=1 flow=2 flow=3 flow=4
	accounted filled 60
	probe_check filled d0 10: qlen "<=" 8
	probe send d0 60 size=64 flow=9
	accounted "one flow" 120
	tcn qdisc change dev d0 parent 1:1 handle 10: "$kind" limit 2 memory_limit 2000
	accounted trimmed 120
	probe_check trimmed d0 10: qlen "<=" 2
	tcn qdisc del dev d0 parent 1:1
	nothing_left deleted
}

moves_are_refused()
{
	local kind=$1

	ns_create n
	probe_start "$NS"
	probe_dummy d0
	tcn qdisc add dev d0 root handle 1: prio bands 2 priomap 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1
	tcn qdisc add dev d0 parent 1:1 handle 2: tbf $SLOW
	tcn qdisc add dev d0 parent 2:1 handle 10: "$kind"
	probe send d0 20 prio=1:1
	probe_agree filled d0
	refuses "to another parent" tcn qdisc replace dev d0 parent 1:2 handle 10: "$kind"
	probe_agree "not moved" d0
	refuses "onto itself" tcn qdisc replace dev d0 parent 10:1 handle 10: "$kind"
	refuses "below itself" tcn qdisc replace dev d0 parent 10:1 handle 1: prio
	probe_agree "not grafted" d0
	probe_sum "not grafted" d0 10: 20
}

### Verdicts

# htb counts a drop in the class if enqueue fails. enqueue must fail if it drops from the
# flow of the packet, and succeed if it drops from another flow.
#
#   10:1 a flood of one flow        10:2, 10:3  single packets of others
verdict()
{
	local kind=$1

	ns_create n
	probe_start "$NS"
	probe_dummy d0
	tcn qdisc add dev d0 root handle 1: htb default 1
	tcn class add dev d0 parent 1: classid 1:1 htb rate 80bit burst 1600 cburst 1600 quantum 1514
	tcn qdisc add dev d0 parent 1:1 handle 10: "$kind" limit 20 drop_batch 1
	probe send d0 32 prio=10:1	# two leave, 20 wait, 10 are too many
	probe_agree flooded d0
	probe class d0 1:1 drops
	check "of its own flow: drops of the class" "$REPLY" == 10
	probe send d0 5 prio=10:2 prio=10:3
	probe_agree "packets of others" d0
	probe class d0 1:1 drops
	check "of others: drops of the class" "$REPLY" == 10
	probe_check "of others" d0 1: drops == 15
	probe_check "of others" d0 10: drops == 15
	probe_sum "of others" d0 1: 37
	probe_sum "of others" d0 10: 37
}

# The same below schedulers that have no statistics of verdicts: parent equals child.
verdict_below()
{
	local kind=$1 parent=$2

	ns_create n
	probe_start "$NS"
	probe_dummy d0
	tcn qdisc add dev d0 root handle 1: tbf $SLOW
	case $parent in
	drr)
		tcn qdisc add dev d0 parent 1:1 handle 2: drr
		tcn class add dev d0 parent 2: classid 2:1 drr
		tcn filter add dev d0 parent 2: matchall classid 2:1
		;;
	prio)
		tcn qdisc add dev d0 parent 1:1 handle 2: prio bands 2 \
			priomap 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
		;;
	esac
	tcn qdisc add dev d0 parent 2:1 handle 10: "$kind" limit 20 drop_batch 4
	probe send d0 40 prio=10:1
	verdict_agrees flooded "$parent" 40
	probe send d0 25 prio=10:2 prio=10:3 prio=10:4 prio=10:5 prio=10:6
	verdict_agrees "packets of others" "$parent" 65
	probe send d0 40 prio=10:2 size=100
	verdict_agrees "smaller ones" "$parent" 105
}

verdict_agrees()
{
	if [[ $2 == drr ]]; then
		probe_agree "$1" d0 held=2:,1000
		probe get d0 10: drops
		probe_check "$1, as the leaf's" d0 2: drops == "$REPLY"
	else
		probe_agree "$1" d0
		probe_sum "$1" d0 2: "$3"
	fi
	probe_sum "$1" d0 10: "$3"
	probe_sum "$1" d0 1: "$3"
}

lib_add_each trim_then_delete "a peeked packet, limit 1, delete"
lib_add_each trim_then_replace "a peeked packet, limit 1, replace"
lib_add_each trimmed_is_dropped "a peeked packet, limit 1, counted"
lib_add_kernel trimmed_is_dropped "a peeked packet, limit 1, counted"
lib_add_each limit_zero "a peeked packet, limit 0"
lib_add memory_comes_back "all memory comes back" "$FQ_CODEL_KIND"
lib_add_each dropped_is_freed "what a change or a reset drops is freed"
lib_add_each limit_decided_again "a limit changes on a live, idle qdisc"
lib_add_each overhead_counts "stab overhead"
lib_add odd_lengths "lengths of one byte" "$FQ_CODEL_KIND" -1000
# Nine of them are below 4 GiB: a backlog has 32 bits. Newer kernels take 1 MiB of each
lib_add odd_lengths "lengths of 256 MiB" "$FQ_CODEL_KIND" $(((1 << 28) - 64))
lib_add_each moves_are_refused "moving, and grafting onto itself"
lib_add verdict "verdicts below htb" "$FQ_CODEL_KIND"
lib_add verdict_below "verdicts below drr" "$FQ_CODEL_KIND" drr
lib_add verdict_below "verdicts below prio" "$FQ_CODEL_KIND" prio
lib_main "$@"
