#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# check: peeked_leaves_first no_class_stalls
#
#
# Both kinds as root, on ifb, and as leaves of common parents. After every operation on a leaf
# (packets arrive and leave, it is trimmed, replaced, deleted, reset, its class is deleted),
# each parent has the qlen and backlog of its children, and in the end all of them are 0.
#
#   d0 (dummy: takes everything)
#   1:  tbf, 80 bit/s: everything stays where it is, and 2: is peeked
#   2:  the parent in question; one packet is stored in it, unless it passes the
#       peek on (prio, red)
#   10: codel below 2:1         20: fq_codel below 2:2
#
# The packets are as long as PROBE_SIZE, and choose their class by SO_PRIORITY.

# shellcheck disable=SC2086 # SLOW, FAST, HASTY, AT, FLOWS and held are words

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/probe.sh"

SLOW="rate 80bit burst 1600 limit 100000000"
FAST="rate 10gbit burst 1mb limit 100000000"
HASTY="target 0.1ms interval 1ms"	# CoDel drops much of the backlog

### Parents: each has two classes, DEV's 2:1 and 2:2, below HANDLE

parent_htb()
{
	tcn qdisc add dev d0 parent 1:1 handle 2: htb default 3
	class_htb add 2:1
	class_htb add 2:2
	class_htb add 2:3	# for packets without a class: the direct queue is no class
	tcn qdisc add dev d0 parent 2:3 handle 30: pfifo limit 1000
}

class_htb()
{
	tcn class "$1" dev d0 parent 2: classid "$2" htb rate 10gbit quantum 1514
}

parent_hfsc()
{
	tcn qdisc add dev d0 parent 1:1 handle 2: hfsc
	class_hfsc add 2:1
	class_hfsc add 2:2
}

class_hfsc()
{
	tcn class "$1" dev d0 parent 2: classid "$2" hfsc ls rate 10gbit
}

parent_drr()
{
	tcn qdisc add dev d0 parent 1:1 handle 2: drr
	class_drr add 2:1
	class_drr add 2:2
}

class_drr()
{
	tcn class "$1" dev d0 parent 2: classid "$2" drr
}

parent_qfq()
{
	tcn qdisc add dev d0 parent 1:1 handle 2: qfq
	class_qfq add 2:1
	class_qfq add 2:2
}

class_qfq()
{
	tcn class "$1" dev d0 parent 2: classid "$2" qfq weight 1
}

parent_ets()
{
	tcn qdisc add dev d0 parent 1:1 handle 2: ets bands 2 quanta 3000 3000
}

parent_prio()
{
	tcn qdisc add dev d0 parent 1:1 handle 2: prio bands 2 \
		priomap 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1
}

### Steps, from a device whose leaves HANDLES are below PARENTS

# The packet that is stored in a parent after a peek by its own parent
held()
{
	case $1 in
	prio | mq | none) ;;
	*) echo "held=2:,$PROBE_SIZE" ;;
	esac
}

leaf()
{
	local verb=$1 handle=$2 kind=$CODEL_KIND

	shift 2
	[[ $handle == 1* ]] || kind=$FQ_CODEL_KIND
	tcn qdisc "$verb" dev d0 parent "2:${handle:0:1}" handle "$handle" "$kind" "$@"
}

# qlen of a leaf that must not have more
at_most()
{
	probe_check "$1" d0 "$2" qlen "<=" "$3"
}

fills()
{
	probe send d0 60 prio=2:1 prio=2:2
	probe_agree filled d0 "$@"
}

is_trimmed()
{
	leaf change 10: limit 5
	probe_agree "10: trimmed" d0 "$@"
	at_most "trimmed" 10: 5
	leaf change 20: limit 5
	probe_agree "20: trimmed" d0 "$@"
	at_most "trimmed" 20: 5
	probe_sum trimmed d0 10: 30
	probe_sum trimmed d0 20: 30
}

is_replaced()
{
	leaf replace 10: limit 1000 interval 50ms
	leaf replace 20: limit 1000 memory_limit 20000
	probe_agree "replaced by themselves" d0 "$@"
	fills "$@"
	leaf replace 11:
	probe_agree "10: replaced by 11:" d0 "$@"
	leaf replace 21:
	probe_agree "20: replaced by 21:" d0 "$@"
	fills "$@"
}

is_deleted()
{
	tcn qdisc del dev d0 parent 2:1
	probe_agree "11: deleted" d0 "$@"
	tcn qdisc del dev d0 parent 2:2
	leaf add 10:
	leaf add 20:
	probe_agree "21: deleted" d0 "$@"
	fills "$@"
}

is_reset()
{
	ip -n "$PROBE_NS" link set d0 down
	probe_agree "device down" d0
	probe_check "device down" d0 1: qlen == 0
	ip -n "$PROBE_NS" link set d0 up
	fills "$@"
}

drains()
{
	local handle

	tcn qdisc change dev d0 root handle 1: tbf $FAST
	probe send d0 2 prio=2:1 prio=2:2
	for handle in 10: 20: 2: 1:; do
		probe_empty drained d0 "$handle"
	done
	probe_agree drained d0
}

### Mixed sizes

# After each step: the packet that a limit drops has another length than the arriving one,
# for which enqueue returns congestion. In the middle, the device goes down and up.
mixed_sizes()
{
	local parent=$1 handle=$2 kind=$3 round size held

	held=$(held "$parent")
	ns_create n
	probe_start "$NS"
	probe_dummy d0
	tcn qdisc add dev d0 root handle 1: tbf $SLOW
	"parent_$parent"
	tcn qdisc add dev d0 parent "2:${handle:0:1}" handle "$handle" "$kind" limit 5 ${4:-}
	for round in 1 2; do
		# One leaves at once; the next is peeked by tbf
		probe send d0 2 "prio=2:${handle:0:1}"
		for size in 60 1500 300 1000 1500 60 60 900 1500 70 1400 60; do
			probe send d0 1 "size=$size" "prio=2:${handle:0:1}"
			probe_agree "round $round, $size bytes" d0 $held
		done
		probe_check "round $round" d0 "$handle" qlen == 5
		probe_check "round $round" d0 "$handle" drops ">=" $((round * 4))
		ip -n "$PROBE_NS" link set d0 down
		probe_check "down" d0 1: backlog == 0
		ip -n "$PROBE_NS" link set d0 up
		probe_agree "up again" d0
	done
}

### Under traffic

disturb()
{
	leaf change 10: limit 3
	leaf change 10: limit 100
	leaf change 20: limit 3
	leaf change 20: limit 100 memory_limit 10000
	probe_agree "changed under traffic" d0 maybe "$@"
	leaf replace 12: $HASTY
	leaf replace 22: $HASTY memory_limit 1 flows 1
	probe_agree "replaced under traffic" d0 maybe "$@"
	tcn qdisc del dev d0 parent 2:2
	tcn qdisc del dev d0 parent 2:1
	leaf add 10: $HASTY
	leaf add 20: $HASTY flows 1
	probe_agree "deleted under traffic" d0 maybe "$@"
}

# Not every parent has classes that can be deleted.
disturb_class()
{
	local parent=$1 class

	shift
	[[ $(type -t "class_$parent") == function ]] || return 0
	for class in 2:1 2:2; do
		tcn qdisc del dev d0 parent "$class"
		tcn class del dev d0 classid "$class"
		probe_agree "$class deleted under traffic" d0 maybe "$@"
		"class_$parent" add "$class"
		leaf add "${class#2:}0:" $HASTY
	done
}

nests()
{
	local parent=$1 held

	held=$(held "$parent")
	ns_create n
	probe_start "$NS"
	probe_dummy d0
	tcn qdisc add dev d0 root handle 1: tbf $SLOW
	"parent_$parent"
	leaf add 10:
	leaf add 20:
	fills $held
	is_trimmed $held
	is_replaced $held
	is_deleted $held
	is_reset $held
	drains
	tcn qdisc change dev d0 root handle 1: tbf rate 4mbit burst 1600 limit 100000000
	probe flood d0 2000 prio=2:1 prio=2:2
	disturb $held
	disturb_class "$parent" $held
	probe calm
	drains
}

### One leaf

# Packets sent to TX pass DEV's leaf, which is at AT.
DEV=d0
TX=d0
AT="parent 1:1"
FLOWS=$(printf 'flow=%s ' {0..15})	# enough for some to take the queue that mq has for 1:1

one()
{
	local verb=$1

	shift
	# shellcheck disable=SC2086 # AT is two words
	tcn qdisc "$verb" dev "$DEV" $AT "$@"
}

below_tbf()
{
	probe_dummy d0
	tcn qdisc add dev d0 root handle 1: tbf $SLOW
}

below_mq()
{
	probe_dummy d0 numtxqueues 2
	tcn qdisc add dev d0 root handle 1: mq
}

as_root()
{
	AT=root
	probe_dummy d0
}

# v0 ---- v1, whose ingress leads to ifb0
on_ifb()
{
	DEV=ifb0
	TX=v0
	probe_veth v0 v1
	ip -n "$PROBE_NS" link add ifb0 type ifb
	probe_quiet ifb0
	ip -n "$PROBE_NS" link set ifb0 up
	tcn qdisc add dev v1 clsact
	tcn filter add dev v1 ingress matchall action mirred egress redirect dev ifb0
	tcn qdisc add dev ifb0 root handle 1: tbf $SLOW
}

one_fills()
{
	probe send "$TX" 20 $FLOWS
	probe_agree "$1" "$DEV"
}

one_under_traffic()
{
	local kind=$1

	probe flood "$TX" 2000 $FLOWS
	one change handle 10: "$kind" $HASTY limit 3
	probe_agree "changed under traffic" "$DEV"
	one replace handle 11: "$kind" $HASTY
	probe_agree "replaced under traffic" "$DEV"
	one del
	probe_agree "deleted under traffic" "$DEV"
	one add handle 10: "$kind" $HASTY
	probe_agree "attached under traffic" "$DEV"
	ip -n "$PROBE_NS" link set "$DEV" down
	ip -n "$PROBE_NS" link set "$DEV" up
	probe_agree "device down and up under traffic" "$DEV"
	probe calm
}

stands()
{
	local kind=$1

	ns_create n
	probe_start "$NS"
	"$2"
	one add handle 10: "$kind"
	one_fills filled
	one change handle 10: "$kind" limit 5
	probe_agree trimmed "$DEV"
	[[ $2 == below_mq ]] || probe_sum trimmed "$DEV" 10: 20
	one replace handle 10: "$kind" limit 1000 interval 50ms
	one_fills "replaced by itself"
	one replace handle 11: "$kind"
	probe_check "replaced by 11:" "$DEV" 11: qlen == 0
	one_fills "replaced by 11:"
	one del
	one add handle 10: "$kind"
	one_fills "deleted and added"
	one_under_traffic "$kind"
	[[ $2 == below_mq || $2 == as_root ]] ||
		tcn qdisc change dev "$DEV" root handle 1: tbf $FAST
	probe send "$TX" 16 $FLOWS
	probe_empty drained "$DEV" 10:
	probe_agree drained "$DEV"
	probe_check "in the end" "$DEV" 10: packets ">" 0
}

### Peeking

LONGER="stab overhead 100 linklayer ethernet"

# qfq looks into its leaves before it takes. After a pause CoDel drops as soon as
# somebody looks. A parent that hears of the drops while the peeked packet is not
# counted takes the class for empty, and forgets it.
#
#   1: tbf   2: qfq   10: under test   20: plug
peek_keeps_class()
{
	local round

	ns_create n
	probe_start "$NS"
	probe_dummy d0
	# Packets must be longer than the MTU, or CoDel would not drop the last but one.
	ip -n "$NS" link set d0 mtu 68
	tcn qdisc add dev d0 root handle 1: $LONGER tbf $FAST
	tcn qdisc add dev d0 parent 1:1 handle 2: qfq
	tcn class add dev d0 parent 2: classid 2:1 qfq weight 1 maxpkt 2048
	tcn class add dev d0 parent 2: classid 2:2 qfq weight 1 maxpkt 2048
	tcn qdisc add dev d0 parent 2:1 handle 10: "$1" target 1us interval 1us noecn
	tcn qdisc add dev d0 parent 2:2 handle 20: plug limit 1000000
	tcn qdisc change dev d0 parent 2:2 handle 20: plug release_indefinite
	for round in {1..6}; do
		"$2"_holds
		probe send d0 $((round + 20)) size=80 prio=2:2 prio=2:1
		"$2"_lets_go
		probe send d0 2 size=80 prio=2:2 prio=2:1
		probe_empty "round $round" d0 10:
		probe_empty "round $round" d0 2:
		probe_agree "round $round" d0
	done
	probe_check "CoDel has dropped" d0 10: drops ">" 0
	probe_check "and delivered" d0 10: packets ">" 0
}

tbf_holds()
{
	tcn qdisc change dev d0 root handle 1: $LONGER tbf $SLOW
}

tbf_lets_go()
{
	tcn qdisc change dev d0 root handle 1: $LONGER tbf $FAST
}

plug_holds()
{
	tcn qdisc change dev d0 parent 2:2 handle 20: plug block
}

plug_lets_go()
{
	tcn qdisc change dev d0 parent 2:2 handle 20: plug release_indefinite
}

# red hands a peek on: the packet that tbf has measured must be the one that leaves,
# however often it is looked at.
#
#   1: tbf   2: red   10: under test           v0 ---- v1: listens
peeked_leaves_first()
{
	ns_create n
	probe_start "$NS"
	probe_veth v0 v1
	tcn qdisc add dev v0 root handle 1: tbf rate 800kbit burst 1600 limit 1000000
	tcn qdisc add dev v0 parent 1:1 handle 2: red limit 1000000 min 500000 max 800000 \
		avpkt 1000 burst 600 bandwidth 10mbit
	tcn qdisc add dev v0 parent 2:1 handle 10: "$1" target 10s
	probe listen v1
	probe send v0 40
	probe_agree queued v0
	probe_empty drained v0 10:
	probe_agree drained v0
	probe heard
	check "packets that arrived, of 40, and out of order" "$REPLY" == "40 0"
}

### Soak

soak_sent()
{
	local class

	SENT=()
	for class in 1 2 3; do
		probe get d0 "${class}0:" packets
		SENT+=("$REPLY")
	done
}

soak_all_moved()
{
	local before=("${SENT[@]}")

	soak_sent
	((SENT[0] > before[0] && SENT[1] > before[1] && SENT[2] > before[2]))
}

# Three classes that share a link of 3 Mbit/s. Their leaves overflow and are drained
# all the time: none may be forgotten.
no_class_stalls()
{
	local round class

	ns_create n
	probe_start "$NS"
	probe_dummy d0
	tcn qdisc add dev d0 root handle 1: hfsc
	for class in 1 2 3; do
		tcn class add dev d0 parent 1: classid "1:$class" \
			hfsc sc rate 1mbit ul rate 1mbit
		tcn qdisc add dev d0 parent "1:$class" handle "${class}0:" "$FQ_CODEL_KIND" \
			memory_limit $((class * 4000)) flows $class $HASTY noecn
	done
	probe flood d0 2000 prio=1:1 prio=1:2 prio=1:3 flow=0 flow=1 flow=2
	soak_sent
	for round in {1..20}; do
		sleep 0.2
		soak_all_moved ||
			fail "round $round: the leaves have sent ${SENT[*]}: one stands still"
		tcn qdisc change dev d0 parent 1:1 handle 10: "$FQ_CODEL_KIND" \
			memory_limit $((round % 3 * 2000 + 4000))
	done
	probe_agree "under traffic" d0
	probe calm
	for class in 1 2 3; do
		probe_empty drained d0 "${class}0:"
		probe_check drained d0 "${class}0:" drops ">" 0
	done
	probe_empty drained d0 1:
}

for parent in htb hfsc drr qfq ets prio; do
	lib_add nests "both kinds below $parent" "$parent"
done
for parent in htb hfsc drr qfq ets prio; do
	lib_add mixed_sizes "$FQ_CODEL_KIND drops one packet of another size, below $parent" \
		"$parent" 20: "$FQ_CODEL_KIND" "drop_batch 1"
done
lib_add mixed_sizes "$CODEL_KIND drops what comes, below htb" htb 10: "$CODEL_KIND"
for place in below_tbf below_mq as_root on_ifb; do
	lib_add_each stands "${place//_/ }" "$place"
done
lib_add_each peek_keeps_class "a peek that drops, below qfq that waited" tbf
# The qfq of 6.1 warns of any leaf that holds packets back, as a plug does.
[[ $(uname -r) == 6.1.* ]] ||
	lib_add_each peek_keeps_class "a peek that drops, below qfq with a plug" plug
lib_add_each peeked_leaves_first "tbf over red over this"
lib_add no_class_stalls "hfsc, three leaves with tiny memory limits"
lib_main "$@"
