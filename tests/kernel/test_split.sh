#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# check: dropped_in_part emptied_below_strict
# vm: --module tests/kernel/strict
#
# Super-packets: segmented before they are queued, or sent whole. Parents count the same packets as the
# qdisc, whatever part of the segments is dropped.
#
#   v0 (veth)     root 1: a scheduler     ------>     v1: every frame is taken down with its time
#                 leaf 10: under test

# shellcheck disable=SC2086 # OPTIONS are words

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/shaped.sh"
. "$(dirname "$0")/strict.sh"

lib_require python3

# parent NAME: one class, to which everything belongs
parent()
{
	case $1 in
	prio) tcn qdisc add dev v0 root handle 1: prio bands 2 priomap 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 ;;
	drr)
		tcn qdisc add dev v0 root handle 1: drr
		tcn class add dev v0 parent 1: classid 1:1 drr
		tcn filter add dev v0 parent 1: matchall classid 1:1
		;;
	htb)
		tcn qdisc add dev v0 root handle 1: htb default 1
		tcn class add dev v0 parent 1: classid 1:1 htb rate 100gbit quantum 60000
		;;
	esac
}

# below PARENT KIND [OPTION...]
below()
{
	shaped_start
	parent "$1"
	shift
	tcn qdisc add dev v0 parent 1:1 handle 10: "$@"
}

leaf()
{
	tcn qdisc change dev v0 parent 1:1 handle 10: "$@"
}

# drained STEP: parent and leaf have nothing left
drained()
{
	busywait 20 probe_has v0 10: qlen 0 || fail "$1: stalled: $REPLY packets wait"
	probe_check "$1" v0 1: qlen == 0
	probe_check "$1" v0 1: backlog == 0
	probe_check "$1" v0 10: backlog == 0
}

# 4000, 3100, 100 and 1448 bytes of data in segments of 1448: 3, 3, 1 and 1 packets. The headers are 54 bytes
segments_count()
{
	below "$2" "$1" rate 1mbit limit 1000
	probe super v0 4 size=4000 size=3100 size=100 size=1448 segment=1448
	probe_agree filled v0
	drained sent
	shows "split" received.packets == 8
	shows "split" received.bytes == $((4000 + 3100 + 100 + 1448 + 8 * 54))
	shows "split" sent.packets == 8
	probe take
	ask lengths
	check "split: frames" "${ANSWER[*]}" == "154:1 258:1 1158:1 1502:5"
	ask stream
	check "split: bytes and breaks" "${ANSWER[*]}" == "8648 0"
	leaf "$1" no_split_gso
	probe super v0 2 size=4000 size=100 segment=1448
	probe_agree whole v0
	drained whole
	shows "not split" received.packets == 10
}

# A super-packet costs the link the same, split or not
same_wire()
{
	local split before

	shaped "$1" rate 10mbit overhead 40 atm
	for split in split_gso no_split_gso; do
		change "$1" $split
		probe get v0 10: wire_bytes
		before=$REPLY
		probe super v0 2 size=5000 size=4500 segment=1000
		busywait 5 probe_has v0 10: qlen 0
		# 1040 and 40 bytes are 23 cells, 540 and 40 are 13
		shows "$split" wire_bytes == $((before + (9 * 23 + 13) * 53))
	done
}

# dropped_in_part KIND PARENT: limits that leave room for some segments only. Afterwards all packets leave
dropped_in_part()
{
	local kind=$1 parent=$2 split options room=(limit 1000) limits=("limit 3" "limit 1" "limit 0")

	if [[ $kind == "$FQ_CODEL_KIND" ]]; then
		limits+=("memory_limit 5000" "memory_limit 2500" "memory_limit 900" "limit 3 drop_batch 1")
		room+=(memory_limit 32mb)
	fi
	below "$parent" "$kind" rate 8bit
	for split in split_gso no_split_gso; do
		for options in "${limits[@]}"; do
			leaf "$kind" $split rate 1mbit $options
			probe super v0 3 size=60 size=5000 size=3000 segment=1448
			probe_agree "$split $options, one flow" v0
			probe super v0 4 size=2900 size=5000 segment=1000 flow=1
			probe_agree "$split $options, another flow" v0
			probe put v0 2 size=1500 flow=0 flow=3
			probe_agree "$split $options, other packets" v0
			leaf "$kind" rate 1gbit "${room[@]}"
			probe_agree "$split $options, changed" v0
			drained "$split $options"
			probe take
			probe put v0 3 size=200 flow=5
			drained "$split $options, three more"
			probe take
			ask lengths
			check "$split $options: served again" "${ANSWER[0]:-none}" == "200:3"
		done
	done
}

# A limit drops the packet before and the first segment, which empties the qdisc, and the second segment has
# room: the class has to be served again. The bytes of memory that a packet has differ between kernels
emptied_by_first()
{
	local limit

	below "$1" "$FQ_CODEL_KIND" rate 8bit
	probe super v0 1 size=60 segment=1448
	for limit in {500..6000..250}; do
		leaf "$FQ_CODEL_KIND" rate 8kbit memory_limit "$limit" split_gso
		probe super v0 3 size=60 size=60 size=4000 segment=1448	# the first one leaves
		probe_agree "memory_limit $limit" v0
		leaf "$FQ_CODEL_KIND" rate 1gbit memory_limit 32mb
		drained "memory_limit $limit"
	done
}

# The same below a parent that activates a class with the first packet: the qdisc reports to its parents
# only after the last segment. tbf holds the packets back, and one packet is in strict_parent
emptied_below_strict()
{
	local limit slow="rate 8kbit burst 6000 limit 100000000" fast="rate 10gbit burst 1mb limit 100000000"

	strict_load
	shaped_start
	tcn qdisc add dev v0 root handle 1: tbf $slow
	tcn qdisc add dev v0 parent 1:1 handle 2: strict_parent
	tcn qdisc add dev v0 parent 2:1 handle 10: "$FQ_CODEL_KIND" split_gso
	for limit in {500..3500..250}; do
		tcn qdisc change dev v0 root handle 1: tbf $slow
		tcn qdisc change dev v0 parent 2:1 handle 10: "$FQ_CODEL_KIND" memory_limit 32mb
		probe put v0 8 size=1000
		tcn qdisc change dev v0 parent 2:1 handle 10: "$FQ_CODEL_KIND" memory_limit 0
		tcn qdisc change dev v0 parent 2:1 handle 10: "$FQ_CODEL_KIND" memory_limit "$limit"
		probe super v0 2 size=600 size=2900 segment=1448
		tcn qdisc change dev v0 root handle 1: tbf $fast
		sleep 2
		drained "memory_limit $limit"
	done
	check "mistakes" "$(strict_mistakes "$NS" v0 2:)" == 0
}

# A packet socket stays charged for all of a super-packet until its last segment is freed. The qdisc holds
# only the segment: 12 of 500 bytes take less than 2 KB each, and so does the last one
memory_of_last()
{
	shaped "$1" rate 8bit split_gso
	probe super v0 1 size=60 segment=1448
	probe super v0 1 size=6000 segment=500
	probe get v0 10: qlen memory_used
	read -ra ANSWER <<<"$REPLY"
	check "packets" "${ANSWER[0]}" == 12
	check "memory" "${ANSWER[1]}" "<=" $((12 * 2048))
	change "$1" memory_limit 2048
	probe_check "the last segment" v0 10: qlen == 1
	probe_check "the last segment" v0 10: backlog == $((500 + 54))
}

# The rate at which 64 KB take 1 ms is 524 Mbit/s
default_split()
{
	local row

	shaped "$1"
	shows "without a rate" options.split_gso == false
	for row in 8bit:true 20mbit:true 500mbit:true 520mbit:true 530mbit:false 10gbit:false off:false 1mbit:true; do
		change "$1" rate "${row%:*}"
		shows "rate ${row%:*}" options.split_gso == "${row#*:}"
	done
	change "$1" no_split_gso
	change "$1" rate 20mbit
	shows "no_split_gso was set" options.split_gso == false
	change "$1" split_gso rate off
	shows "split_gso was set" options.split_gso == true
	probe super v0 1 size=3000 segment=1448
	probe take
	ask stream
	check "split without a rate: bytes and breaks" "${ANSWER[*]}" == "3000 0"
	ask lengths
	check "split without a rate: frames" "${ANSWER[*]}" == "158:1 1502:2"
}

lib_add_each segments_count "each segment counts, below prio" prio
lib_add_each segments_count "each segment counts, below drr" drr
lib_add_each segments_count "each segment counts, below htb" htb
lib_add_each same_wire "the time on the wire, split or not"
lib_add_each dropped_in_part "limits, below prio" prio
lib_add_each dropped_in_part "limits, below drr" drr
lib_add_each dropped_in_part "limits, below htb" htb
lib_add emptied_by_first "the queue becomes empty between two segments, below drr" drr
lib_add emptied_by_first "the queue becomes empty between two segments, below htb" htb
lib_add emptied_below_strict "the queue becomes empty between two segments, below strict_parent"
lib_add memory_of_last "memory of the last segment" "$FQ_CODEL_KIND"
lib_add_each default_split "what is split by default"
lib_main "$@"
