#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# check: alone all_busy fair_flows sparse follows listed
#
# One rate over several queues of a device: the sum, who gets what, and how long packets wait for other queues.
#
#   flows -- flower, skbedit --> v0 (veth)  root 1: mq            ------>     v1: every frame is taken down with its time
#                                  10: queue 0, under test
#                                  11: queue 1 ...
#
# Flow 0 goes to queue 0, flow 64 to queue 1, unless a case says otherwise. Frames wait at 8 bit/s, and leave when the rate of
# queue 0 is changed: the machine cannot send as fast as the link.

# shellcheck disable=SC2086 # WAIT is words

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/shaped.sh"

lib_require codelstat python3

MTU=1514		# bytes of a full frame

### A device with queues

# device QUEUES
device()
{
	ns_create n
	probe_start "$NS" sharing
	ip -n "$NS" link add v0 numtxqueues "$1" numrxqueues "$1" type veth peer name v1 numtxqueues "$1" numrxqueues "$1"
	ip -n "$NS" link set v0 arp off mtu "$((MTU - 14))" up
	ip -n "$NS" link set v1 arp off mtu "$((MTU - 14))" up
	tcn qdisc add dev v0 root handle 1: mq
	tcn qdisc add dev v0 clsact
	probe record v1
}

# handle QUEUE
handle()
{
	printf '%x:' $((16 + $1))
}

# leaf ACTION QUEUE [KIND [OPTION...]]
leaf()
{
	tcn qdisc "$1" dev v0 parent "1:$(printf %x $(($2 + 1)))" handle "$(handle "$2")" "${@:3}"
}

# leaves QUEUES KIND [OPTION...]: a device, and a qdisc below each queue
leaves()
{
	local queues=$1 queue

	shift
	device "$queues"
	for ((queue = 0; queue < queues; queue++)); do
		leaf add "$queue" "$@"
	done
}

# steer QUEUE FIRST-LAST: flows to a queue
steer()
{
	local first=$((1024 + ${2%-*})) last=$((1024 + ${2#*-})) ports

	ports=$first
	((first == last)) || ports+=-$last
	tcn filter add dev v0 egress protocol ip flower ip_proto udp src_port "$ports" action skbedit queue_mapping "$1"
}

# waiting QUEUES KIND [OPTION...]: queues with a rate at which nothing leaves, and the flows 0, 64, 128... FLOWS lists them
waiting()
{
	local queue

	leaves "$1" "$2" rate 8bit shared $WAIT "${@:3}"
	FLOWS=()
	for ((queue = 0; queue < $1; queue++)); do
		steer "$queue" "$((64 * queue))"
		FLOWS+=("$((64 * queue))")
	done
}

# go KIND RATE: all that waits leaves at that rate
go()
{
	probe recorded
	BEFORE=$REPLY
	probe take
	leaf change 0 "$1" rate "$2"
}

# gone STEP FRAMES: wait until FRAMES frames have left since the latest call of go
gone()
{
	recorded "$1" "$((BEFORE + $2))"
	probe take
}

### Verdicts

# us of QUEUES slices, each with a packet that begins at its end
slices()
{
	awk -v n="$1" -v rate="$2" -v len="$MTU" 'BEGIN { t = len * 8e6 / rate; print n * ((t > 100 ? t : 100) + t) }'
}

# sum_is STEP BITS MS QUEUES [wire=...]: within 0.5% of the rate from the first frame to the last, and in any MS ms but for a
# slice of each queue and what the machine is late by
sum_is()
{
	local most

	ask pace "$2" "${@:5}"
	check_near "$1: rate" "${ANSWER[3]:-}" 1 0.005
	most=$(calc "($(slices "$4" "$2") + ${ANSWER[2]:-0}) / 1000 / $3")
	ask sum "$2" "$3" "${@:5}"
	check "$1: lowest rate in $3 ms" "${ANSWER[0]:-}" ">=" "$(calc "0.995 - $most")"
	check "$1: highest rate in $3 ms" "${ANSWER[1]:-}" "<=" "$(calc "1.005 + $most")"
}

# part_is WHAT NUMBER PART ERROR: of the rate, from the answer to `parts`
part_is()
{
	check_near "$1: part of the rate" "${ANSWER[$2]:-}" "$3" "$4"
}

# waits_at_most STEP QUEUE US: the longest wait in a queue
waits_at_most()
{
	probe get v0 "$(handle "$2")" delay.max_ns
	check "$1: longest wait, ns" "$REPLY" "<=" "$(calc "1000 * $3")"
}

### Who gets what

# Without `shared`, four queues have four times the rate, once all four have been told: these verdicts can fail
alone()
{
	local queue

	waiting 4 "$1"
	probe fill v0 100 size=$MTU "${FLOWS[@]}"
	for queue in 0 1 2 3; do
		leaf change "$queue" "$1" alone
	done
	go "$1" 20mbit
	for queue in 1 2 3; do
		leaf change "$queue" "$1" rate 20mbit
	done
	gone "alone" 380
	ask pace 20000000
	check "several times the rate" "${ANSWER[3]:-}" ">=" 2
}

one_busy()
{
	local kind=$1 queues=$2 rate=$3 bits=$4 frames=$5 MTU=${6:-1514}

	waiting "$queues" "$kind"
	probe fill v0 "$frames" size=$MTU 0
	go "$kind" "$rate"
	gone "one busy" "$((frames - 1))"
	sum_is "one busy" "$bits" $((frames * MTU * 4000 / bits)) 1
}

all_busy()
{
	local kind=$1 queues=$2 rate=$3 bits=$4 frames=$5 MTU=${6:-1514} queue

	waiting "$queues" "$kind"
	probe fill v0 "$frames" size=$MTU "${FLOWS[@]}"
	go "$kind" "$rate"
	gone "all busy" "$((frames * queues - queues))"
	sum_is "all busy" "$bits" $((frames * queues * MTU * 4000 / bits)) "$queues"
	ask parts "$bits" "${FLOWS[@]}"
	for ((queue = 0; queue < queues; queue++)); do
		part_is "queue $queue" "$queue" "$(calc "1 / $queues")" "$(calc "0.1 / $queues")"
	done
}

# A flow, and 32 in another queue
unequal()
{
	local kind=$1 rate=$2 bits=$3 frames=$4

	leaves 4 "$kind" rate 8bit shared $WAIT
	steer 0 0
	steer 1 1-32
	probe fill v0 "$frames" size=$MTU 0-32
	go "$kind" "$rate"
	gone "a flow and 32" "$((33 * frames - 2))"
	ask parts "$bits" 0 1-32
	part_is "a flow" 0 "$(calc "1 / 33")" 0.002
	part_is "32 flows" 1 "$(calc "32 / 33")" 0.01
}

# fair_flows KIND RATE FRAMES COUNT...: 64 flows, COUNT of them in each queue
fair_flows()
{
	local kind=$1 rate=$2 frames=$3 first=0 queue=0 count

	shift 3
	leaves 4 "$kind" rate 8bit shared $WAIT
	for count; do
		((count == 0)) || steer "$queue" "$first-$((first + count - 1))"
		first=$((first + count))
		queue=$((queue + 1))
	done
	probe fill v0 "$frames" size=$MTU 0-63
	go "$kind" "$rate"
	gone "64 flows" "$((64 * frames - 4))"
	ask jain 0-63
	check "Jain's index of 64 flows in queues of $*" "${ANSWER[0]:-}" ">=" 0.99
}

# One busy queue, and three with 5,000 packets of 64 bytes a second each: 2.56 Mbit/s
sparse()
{
	local kind=$1 rate=$2 bits=$3 queue part

	waiting 4 "$kind"
	probe fill v0 3000 size=$MTU 0
	go "$kind" "$rate"
	probe beat v0 0.0002 size=64 "${FLOWS[@]:1}"
	sleep 0.01
	probe take
	sleep 0.1
	probe take
	probe unload
	sum_is "sparse queues" "$bits" 50 4
	ask parts "$bits" "${FLOWS[@]}"
	part=$(calc "64 * 8 * 5000 / $bits")
	for queue in 1 2 3; do
		part_is "sparse queue $queue" "$queue" "$part" "$(calc "0.1 * $part")"
	done
	part_is "the busy queue" 0 "$(calc "1 - 3 * $part")" 0.01
}

# busy_part: of 100 Mbit/s, what a busy queue of four gets beside three with 1,000 packets of 64 bytes a second each. These get
# all that they send
busy_part()
{
	local queue

	for queue in 0 1 2 3; do
		steer "$queue" "$((64 * queue))"
	done
	probe busy v0 120000000 size=$MTU 0
	probe beat v0 0.001 size=64 64 128 192
	sleep 0.3
	probe take
	sleep 0.3
	probe take
	probe unload
	ask parts 100000000 0 64-192
	check_near "sparse queues: part of the rate" "${ANSWER[1]:-}" 0.0154 0.001
	echo "the busy queue: ${ANSWER[0]:-}" >&2
}

# The same with what else there is; only `shared` is judged
beside()
{
	local queue

	leaves 4 "$1" rate 100mbit shared
	busy_part
	part_is "the busy queue" 0 0.9846 0.005
	if tcn qdisc replace dev v0 root handle 2: cake_mq bandwidth 100mbit besteffort flows 2>/dev/null; then
		echo "with cake_mq:" >&2
		busy_part
	fi
}

# A packet of a sparse queue waits for a slice of each busy one; below a root qdisc, for a packet
ping_waits()
{
	local kind=$1 i

	waiting 4 "$kind"
	probe fill v0 100 size=$MTU "${FLOWS[@]:1}"
	go "$kind" 20mbit
	sleep 0.01
	for i in {1..20}; do
		probe fill v0 1 size=100 0
		sleep 0.004
	done
	recorded "packets of the sparse queue" "$((BEFORE + 150))"
	waits_at_most "sparse queue" 0 "$(slices 4 20000000)"
	probe get v0 10: link.waits
	check "waits for other queues" "$REPLY" ">=" 15
}

# Three queues have packets for some 10 ms each 50 ms
come_and_go()
{
	local kind=$1

	waiting 4 "$kind"
	probe fill v0 600 size=$MTU 0
	go "$kind" 20mbit
	for _ in {1..6}; do
		probe fill v0 10 size=$MTU "${FLOWS[@]:1}"
		sleep 0.05
	done
	gone "queues that come and go" 500
	sum_is "queues that come and go" 20000000 100 4
}

# Packets of 64 bytes have 256 on the wire: more than a queue reserves for them
framed()
{
	local kind=$1

	waiting 4 "$kind" mpu 256
	probe fill v0 600 size=$MTU 0
	go "$kind" 20mbit
	probe beat v0 0.001 size=64 "${FLOWS[@]:1}"
	sleep 0.01
	probe take
	sleep 0.2
	probe take
	probe unload
	sum_is "framed" 20000000 100 4 wire=64:256,$MTU:$MTU
}

# Segments, or whole: 42 of 1448 bytes and their headers. From two slices on: each queue begins with a packet that is longer
# than a slice
super_packets()
{
	local kind=$1 split=$2 rate=$3 bits=$4 wire=1502:1502 queue frames=1

	[[ $split == split_gso ]] || wire=60054:62268
	[[ $split != split_gso ]] || frames=42
	leaves 4 "$kind" rate 8bit shared $WAIT "$split"
	for queue in 0 1 2 3; do
		tcn filter add dev v0 egress protocol ip flower ip_proto tcp src_port $((1024 + queue)) action skbedit queue_mapping "$queue"
		probe super v0 10 size=60816 segment=1448 flow=$queue
	done
	go "$kind" "$rate"
	gone "two slices" $((8 * frames))
	gone "super-packets" $((36 * frames))
	[[ $split == split_gso ]] || wire=60870:$((60816 + 42 * 54))
	MTU=61000
	sum_is "super-packets" "$bits" 100 4 wire=$wire
}

# codelstat: its last object, of two intervals in which three queues are busy
link()
{
	jq -rs "last | $1" "$LIB_TMP/seen"
}

# codelstat shows the queues as one link: the rate once, and the sum of what they have sent
listed()
{
	waiting 4 "$1"
	probe fill v0 600 size=$MTU "${FLOWS[@]:1}"
	go "$1" 20mbit
	in_ns "$NS" codelstat --json -i 0.2 -c 2 >"$LIB_TMP/seen"
	check "links" "$(link '[.links[] | "\(.dev) \(.kind) \(.queues) \(.rate)"] | join(", ")')" == "v0 $1 4 2500000"
	check_near "part of the rate" "$(link '.links[0].used')" 1 0.01
	check "wire bytes" "$(link '.links[0].change.wire_bytes')" == "$(link '[.qdiscs[].change.wire_bytes] | add')"
	check "delays" "$(link '[.links[0].change.delay.buckets[].count] | add')" == \
		"$(link '[.qdiscs[].change.delay.buckets[].count] | add')"
	check "waits" "$(link '.links[0].change.link.waits')" ">=" 100
	in_ns "$NS" codelstat -1 >"$LIB_TMP/seen"
	check "rows" "$(awk '$1 == "v0" { print $2 }' "$LIB_TMP/seen" | uniq -c | awk '{ print $1, $2 }' | tr '\n' ' ')" == \
		"1 link 4 $1 "
	in_ns "$NS" codelstat export -1 --textfile - >"$LIB_TMP/seen"
	check "rate of the link" "$(grep "^codel_link_rate_bytes_per_second{" "$LIB_TMP/seen")" == \
		"codel_link_rate_bytes_per_second{device=\"v0\",kind=\"$1\"} 2500000"
}

### Changes

# The rate of one is the rate of all; what is on the link goes on
follows()
{
	local queue

	waiting 4 "$1"
	probe fill v0 300 size=$MTU "${FLOWS[@]}"
	leaf change 2 "$1" rate 10mbit
	for queue in 0 1 2 3; do
		probe_check "the rate of queue 2" v0 "$(handle "$queue")" options.rate == 1250000
		probe_check "split as at this rate" v0 "$(handle "$queue")" options.split_gso == true
	done
	probe take
	sleep 0.2
	probe take
	sum_is "10 Mbit/s" 10000000 100 4
	leaf change 3 "$1" rate 50mbit
	probe take
	sleep 0.06
	probe take
	sum_is "50 Mbit/s" 50000000 40 4
	probe_check "a link of four" v0 10: link.queues == 4
	# one of them leaves the link, and keeps the rate
	leaf change 1 "$1" alone rate 8bit
	probe_check "alone" v0 11: options.rate == 1
	probe_check "the others" v0 10: options.rate == 6250000
	probe_check "a link of three" v0 10: link.queues == 3
	leaf change 1 "$1" shared
	probe_check "8 bit/s for all" v0 10: options.rate == 1
	leaf change 0 "$1" rate off
	probe_check "no rate" v0 10: link=none == none
	probe_check "a link of three" v0 12: link.queues == 3
	leaf change 2 "$1" rate off
	leaf change 1 "$1" rate off
	leaf change 3 "$1" rate off
	busywait 10 probe_has v0 1: qlen 0 || fail "stalled"
	probe whole
	kept "all"
}

# Leaves are removed with their packets, while they wait for their slice, and added again. mq resets all of them then
removed()
{
	local queue

	waiting 4 "$1"
	go "$1" 20mbit
	for _ in {1..5}; do
		probe fill v0 50 size=$MTU "${FLOWS[@]}"
		sleep 0.01
		for queue in 1 2 3; do
			leaf del "$queue"
			leaf add "$queue" "$1" rate 20mbit shared $WAIT
		done
	done
	probe_check "a link of four" v0 10: link.queues == 4
	probe take
	probe fill v0 100 size=$MTU "${FLOWS[@]}"
	sleep 0.2
	probe take
	sum_is "removed" 20000000 50 4
	# without a queue that holds the link up
	leaf del 0
	probe fill v0 50 size=$MTU "${FLOWS[@]:1}"
	busywait 10 probe_has v0 1: qlen 0 || fail "stalled"
	tcn qdisc del dev v0 root
	tcn qdisc add dev v0 root handle 10: "$1" rate 20mbit shared
	probe_check "alone on the device" v0 10: link.queues == 1
	ip -n "$NS" link set v0 down
	ip -n "$NS" link set v0 up
	probe put v0 20
	busywait 10 probe_has v0 10: qlen 0 || fail "stalled at the root"
}

# Any classful root: by the device, not by the parent. A queue of another device, and of another kind, has its own link
below_htb()
{
	local class

	MTU=1514
	shaped_start
	tcn qdisc add dev v0 root handle 1: htb
	for class in 1 2 3; do
		tcn class add dev v0 parent 1: classid 1:$class htb rate 1gbit
		tcn qdisc add dev v0 parent 1:$class handle 1$class: "$1" rate 20mbit shared $WAIT
		probe put v0 200 size=$MTU prio=1:$class
	done
	probe_check "a link of three" v0 11: link.queues == 3
	sleep 0.02
	probe take
	sleep 0.3
	probe take
	ask pace 20000000
	check_near "below htb: rate" "${ANSWER[3]:-}" 1 0.005
	ip -n "$NS" link add d0 type dummy
	tcn qdisc add dev d0 root handle 20: "$1" rate 1mbit shared
	probe_check "another device" d0 20: link.queues == 1
	probe_check "its rate is its own" v0 11: options.rate == 2500000
}

refused()
{
	leaves 2 "$1" rate 20mbit shared
	refuses "downstream" leaf change 0 "$1" bottleneck downstream
	[[ $REFUSAL == *"shared: a bottleneck here or upstream is expected"* ]] || fail "it says: $REFUSAL"
	probe_check "refused" v0 10: options.bottleneck == here
	leaf change 0 "$1" alone bottleneck downstream
	refuses "shared" leaf change 0 "$1" shared
	probe_check "refused" v0 10: options.shared == false
	probe_check "a link of one" v0 11: link.queues == 1
	leaf change 1 "$1" rate off
	probe_check "shared without a rate" v0 11: options.shared == true
	probe_check "is no link" v0 11: link=none == none
}

lib_add_each alone "without shared, four times the rate"
lib_add_each one_busy "one of 4 queues, 20 Mbit/s" 4 20mbit 20000000 300
lib_add_each one_busy "one of 16 queues, 1 Gbit/s" 16 1gbit 1000000000 500 9014
lib_add_each all_busy "4 queues, 20 Mbit/s" 4 20mbit 20000000 150
lib_add_each all_busy "4 queues, 1 Gbit/s" 4 1gbit 1000000000 250 9014
lib_add_each all_busy "4 queues, 5 Gbit/s" 4 5gbit 5000000000 400 9014
lib_add_each all_busy "16 queues, 100 Mbit/s" 16 100mbit 100000000 100
lib_add unequal "a flow, and 32 in another queue, 20 Mbit/s" "$FQ_CODEL_KIND" 20mbit 20000000 30
lib_add unequal "a flow, and 32 in another queue, 500 Mbit/s" "$FQ_CODEL_KIND" 500mbit 500000000 200
lib_add fair_flows "64 flows, 16 in each queue, 100 Mbit/s" "$FQ_CODEL_KIND" 100mbit 20 16 16 16 16
lib_add fair_flows "64 flows, 1, 3, 20 and 40, 100 Mbit/s" "$FQ_CODEL_KIND" 100mbit 20 1 3 20 40
lib_add fair_flows "64 flows, 63 and 1, 500 Mbit/s" "$FQ_CODEL_KIND" 500mbit 150 63 0 1
lib_add_each sparse "one busy queue and three with 5,000 packets a second, 100 Mbit/s" 100mbit 100000000
lib_add_each beside "one busy queue and three sparse ones, beside cake_mq"
lib_add_each ping_waits "a packet of a sparse queue"
lib_add_each come_and_go "queues that come and go"
lib_add_each framed "packets with more bytes on the wire"
lib_add_each super_packets "segments of super-packets, 20 Mbit/s" split_gso 20mbit 20000000
lib_add_each super_packets "super-packets, 100 Mbit/s" no_split_gso 100mbit 100000000
lib_add_each listed "codelstat shows one link"
lib_add_each follows "a change of the rate, in and out"
lib_add_each removed "leaves that are removed and added"
lib_add_each below_htb "below htb, and other devices"
lib_add_each refused "with a bottleneck downstream, and without a rate"
lib_main "$@"
