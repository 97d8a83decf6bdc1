#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# check: no_credit next_packet
# vm: --module tests/kernel/stall
#
# The shaper: the link of a rate takes its time for each packet, and no more.
#
#   v0 (veth)     root 10: under test     ------>     v1: every frame is taken down with its time

# shellcheck disable=SC2086 # WAIT is words

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/shaped.sh"

lib_require python3

# us: a link with a queue makes up for this, see CODEL_SHAPER_LATE_MAX
LATE_MAX=10000

### The rate

# rate KIND RATE BITS SECONDS [SIZE...]: a queue stands. A frame may be late, by the timer and by the work of
# the machine, but the next one is not late by that, too
rate()
{
	local kind=$1 name=$2 bits=$3 seconds=$4

	shift 4
	shaped "$kind" rate "$name" $WAIT
	probe put v0 20 "$@"
	probe load v0 "$((bits * 11 / 10))" "$@"
	sleep "$seconds"
	rate_holds "$name" "$bits" 12
	probe unload
}

rate_holds()
{
	shows "never empty" qlen ">" 0
	probe take
	on_time "$1" "$2" 30 $LATE_MAX "$3"
	exact "$1" "$2"
	kept "$1"
}

# at_once KIND MBIT SIZE: frames that wait for a link of 8 bit/s leave at another rate. A rate at which the machine
# cannot send for a second
at_once()
{
	local kind=$1 mbit=$2 size=$3 memory=()

	[[ $kind != "$FQ_CODEL_KIND" ]] || memory=(memory_limit 1gb)
	shaped "$kind" rate 8bit $WAIT "${memory[@]}"
	ip -n "$NS" link set v0 mtu 9000
	ip -n "$NS" link set v1 mtu 9000
	probe put v0 2001 size="$size"
	recorded "the first frame" 1
	probe take
	change "$kind" rate "${mbit}mbit"
	recorded "all frames" 2001
	probe take
	ask pace "${mbit}000000"
	check "earliest frame, us" "${ANSWER[1]:-}" ">=" -20
	check_near "rate, as a part" "${ANSWER[3]:-}" 1 0.001
	kept "$mbit Mbit/s"
}

# A queue has been empty for a second: the first frame leaves at once, and each of the others has to
# wait for the time of all before it
no_credit()
{
	local size=$2 bits=$3

	shaped "$1" rate "$bits" $WAIT
	for _ in 1 2 3; do
		probe put v0 20 size="$size"
		sleep 1
		probe take
		on_time "after a second without a packet" "$bits" 20 $LATE_MAX 20
		shows "all have left" qlen == 0
	done
}

# Gaps that are nearly as long as a frame, or somewhat longer: nothing is saved up
no_credit_in_gaps()
{
	local gap

	shaped "$1" rate 1mbit $WAIT
	for gap in 0.011 0.012 0.013 0.02; do
		for _ in {1..10}; do
			probe put v0 1 size=1500
			sleep "$gap"
		done
		probe take
		probe put v0 10 size=1500
		sleep 0.5
		probe take
		ask pace 1000000
		check "gaps of $gap s: frames" "${ANSWER[0]:-}" ">=" 10
		check "gaps of $gap s: earliest frame, us" "${ANSWER[1]:-}" ">=" -20
	done
}

### The length on the wire

# OPTIONS | LENGTH:WIRE...: of a frame of LENGTH bytes, its Ethernet header of 14 included. Computed by hand
WIRE=(
	"noatm | 64:64 1514:1514"
	"overhead 18 mpu 64 | 46:64 60:64 61:65 64:68 1514:1518"
	"overhead -20 | 64:30 1514:1480"
	"overhead -64 | 64:0 78:0 79:1 1514:1436"
	"mpu 84 | 46:84 84:84 85:85"
	"atm | 48:53 49:106 96:106 97:159 1514:1696"
	"overhead 40 atm | 64:106 70:106 71:159 1514:1749"
	"overhead 0 mpu 100 atm | 64:159 1514:1696"
	"overhead 22 ptm | 56:65 57:67 64:74 1514:1546"
)

wire()
{
	local row options pair sum sizes

	shaped "$1" rate 1mbit $WAIT
	for row in "${WIRE[@]}"; do
		options=${row% | *}
		row=${row#* | }
		probe get v0 10: wire_bytes
		sum=$REPLY
		sizes=()
		for pair in $row; do
			sum=$((sum + 4 * ${pair#*:}))
			sizes+=("size=${pair%:*}")
		done
		change "$1" overhead off mpu 0 noatm
		change "$1" $options
		probe take
		probe put v0 $((4 * ${#sizes[@]})) "${sizes[@]}"
		busywait 10 probe_has v0 10: qlen 0
		sleep 0.1
		probe take
		shows "$options" wire_bytes == "$sum"
		on_time "$options" 1000000 30 $LATE_MAX $((4 * ${#sizes[@]})) "wire=${row// /,}"
	done
}

# The flows of deficit round robin have the same share of the link, not of bytes
shares()
{
	local count

	shaped "$FQ_CODEL_KIND" rate 2mbit overhead 40 atm $WAIT
	probe load v0 2000000 size=64 flow=1
	probe load v0 2000000 size=1400 flow=2
	sleep 1
	probe take
	sleep 2
	probe take
	probe unload
	ask lengths
	for count in "${ANSWER[@]}"; do
		case $count in
		64:*) SMALL=$((${count#*:} * 106)) ;;
		1400:*) LARGE=$((${count#*:} * 1590)) ;;
		esac
	done
	check_near "share of small packets" "$(awk -v a="$SMALL" -v b="$LARGE" 'BEGIN { print a / (a + b) }')" 0.5 0.01
}

### Changes

# Each option, with a queue, 3 times: nothing is lost, and the rate is that of the options at once
changes_live()
{
	local options

	shaped "$1" rate 20mbit $WAIT
	probe load v0 22000000 size=1400 size=64
	for options in "rate 5mbit" "rate off" "rate 50mbit" "rate 8bit" "rate 20mbit" "overhead 18" "mpu 200" \
		atm ptm noatm "overhead off mpu 0" ingress egress split_gso no_split_gso "rate 10mbit"; do
		change "$1" $options
		sleep 0.03
	done
	probe take
	sleep 1.1
	probe take
	on_time "in the end" 10000000 30 $LATE_MAX 100
	exact "in the end" 10000000
	probe unload
	change "$1" rate off
	busywait 10 probe_has v0 10: qlen 0
	probe whole
	kept "all"
}

# A change is in force with the next packet: one may still leave, 0.6 ms after the last one at the former rate
next_packet()
{
	shaped "$1" rate 8bit $WAIT
	probe put v0 20 size=1500
	sleep 1
	probe recorded
	check "at 8 bit/s: frames" "$REPLY" == 1
	change "$1" rate 20mbit
	sleep 0.03
	probe recorded
	check "30 ms after the change: frames" "$REPLY" == 20
	probe put v0 20 size=1500
	change "$1" rate 8bit
	sleep 0.03
	probe recorded
	FRAMES=$REPLY
	check "back at 8 bit/s: frames" "$FRAMES" "<" 40
	# what is left of the packet on the link may take less than 10 s, and the next one takes 25 minutes
	sleep 10
	probe recorded
	check "10 s later: frames" "$REPLY" "<=" $((FRAMES + 1))
	FRAMES=$REPLY
	sleep 10
	probe recorded
	check "20 s later: frames" "$REPLY" == "$FRAMES"
	change "$1" rate off
	sleep 0.03
	probe recorded
	check "without a rate: frames" "$REPLY" == 40
	probe whole
	kept all
}

### Statistics and options

counts()
{
	shaped "$1" rate 1mbit
	probe put v0 20 size=1000
	sleep 1
	shows "all have left" packets == 20
	shows "they had to wait" overlimits ">=" 19
	probe put v0 1
	sleep 1
	shows "an empty queue" bypassed.packets == 0
	change "$1" rate off no_split_gso
	probe put v0 1
	shows "without a rate" bypassed.packets == 1
}

# 1.5 packets of 1514 bytes, or 1500 and the overhead
slow()
{
	local ceiling

	shaped "$1"
	shows "no rate" options.rate=off == off
	change "$1" rate 64kbit
	shows "64 kbit/s" options.target == 5000
	shows "64 kbit/s" options.target_effective == 283875
	shows "64 kbit/s" options.interval_effective == 378875
	probe get v0 10: options.ceiling
	ceiling=$REPLY
	check "64 kbit/s: ceiling" "$ceiling" ">" 567000
	change "$1" overhead 20
	shows "with an overhead" options.target_effective == 285000
	change "$1" rate 100mbit
	shows "100 Mbit/s" options.target_effective == 5000
	shows "100 Mbit/s" options.ceiling == 50000
	change "$1" ceiling 100ms
	refuses "a ceiling of 100 ms" change "$1" rate 64kbit
	[[ $REFUSAL == *"1.5 packets at the rate"* ]] || fail "it says: $REFUSAL"
	shows "refused" options.rate == 12500000
}

# Packets wait for 300 ms: too long at an MTU of 1500, and shorter than 1.5 packets at 9000
slow_mtu()
{
	local mtu before=0

	shaped "$1" rate 300kbit ceiling off
	for mtu in 9000 1500 9000; do
		ip -n "$NS" link set v0 mtu "$mtu"
		probe get v0 10: options.target_effective
		check_near "MTU $mtu: target" "$REPLY" $((3 * (mtu + 14) * 8 * 1000 / 2 / 300)) 1
		probe put v0 8 size=1400
		probe load v0 300000 size=1400
		sleep 2
		probe unload
		busywait 10 probe_has v0 10: qlen 0
		probe get v0 10: drops
		case $mtu in
		9000) check "MTU 9000: signals" "$REPLY" == "$before" ;;
		1500) check "MTU 1500: signals" "$REPLY" ">" "$before" ;;
		esac
		before=$REPLY
	done
}

extremes()
{
	shaped "$1" rate 8bit
	probe put v0 2 size=100
	sleep 99.9
	probe recorded
	check "8 bit/s, 99.9 s: frames" "$REPLY" == 1
	sleep 0.2
	probe recorded
	check "8 bit/s, 100.1 s: frames" "$REPLY" == 2
	change "$1" rate 1000gbit
	probe put v0 100 size=1500
	sleep 800
	probe recorded
	check "1 Tbit/s: frames" "$REPLY" == 102
	shows "1 Tbit/s" qlen == 0
}

### Ingress

# Packets that are dropped have crossed the link. 12 Mbit/s come, of which 10 may: 8 are left if a limit drops the others,
# and fewer if CoDel does, whose signals count twice as much
ingress_pays()
{
	local way bits

	shaped "$1" rate 10mbit limit 50 target 100s interval 1000s ceiling off
	for way in egress ingress signals; do
		[[ $way != signals ]] || change "$1" limit 1000 target 1ms interval 2ms
		[[ $way == signals ]] || change "$1" "$way"
		probe load v0 12000000 size=1250
		sleep 2
		probe take
		sleep 2
		probe take
		probe unload
		ask goodput
		bits=${ANSWER[0]:-}
		case $way in
		egress) check_near "egress: goodput" "$bits" 10000000 10000 ;;
		ingress) check_near "a limit drops: goodput" "$bits" 8000000 80000 ;;
		signals)
			check "CoDel signals: goodput" "$bits" "<=" 7000000
			check "half of the rate is left" "$bits" ">=" 4900000
			;;
		esac
		sleep 1
	done
	probe take
	probe put v0 1
	sleep 0.2
	probe take
	ask lengths
	check "after the flood" "${ANSWER[0]:-none}" == "1000:1"
}

# Twenty flows have six packets each, and a round of all takes 240 ms. To a flow that has been signalled once, target is the time
# of 1.5 packets at its share of the link, 360 ms
ingress_shares()
{
	local way signals flows all=0 before=

	flows=$(printf 'flow=%d ' {1..20})
	shaped "$FQ_CODEL_KIND" rate 1mbit limit 1000 ceiling off
	for way in egress ingress; do
		change "$FQ_CODEL_KIND" "$way"
		probe put v0 120 size=1500 $flows
		busywait 10 probe_has v0 10: qlen 0
		probe get v0 10: drops
		signals=$((REPLY - all))
		all=$REPLY
		[[ $way == egress ]] || check "ingress: signals, egress $before" $((3 * signals)) "<" $((2 * before))
		before=$signals
	done
}

### Parents

# below KIND RATE TBF_RATE: a parent that peeks
below()
{
	local kind=$1 bits=$2 parent=$3

	shaped_start
	tcn qdisc add dev v0 root handle 1: tbf rate "$parent" burst 3000 limit 100000000
	tcn qdisc add dev v0 parent 1:1 handle 10: "$kind" rate 10mbit $WAIT
	probe load v0 11000000 size=1400 size=64
	sleep 1.3
	probe take
	ask seconds "$bits"
	# the burst of tbf is 0.5% of what it sends in a second
	check "rate below $parent" "${ANSWER[0]:-}" ">=" 0.994
	check "rate below $parent" "${ANSWER[1]:-}" "<=" 1.006
	probe unload
	busywait 20 probe_has v0 10: qlen 0 || fail "stalled"
	probe_check "$parent" v0 1: qlen == 0
	probe_check "$parent" v0 1: backlog == 0
	probe take
	probe put v0 3
	busywait 5 probe_has v0 10: qlen 0 || fail "stalled after a pause"
	probe whole
	kept "$parent"
}

# netem asks a kind, and not a qdisc, for the function that dequeues; the shaper comes and goes
below_netem()
{
	local leaf=(tcn qdisc change dev v0 parent 1:1 handle 10: "$1")

	shaped_start
	tcn qdisc add dev v0 root handle 1: netem limit 100000
	tcn qdisc add dev v0 parent 1:1 handle 10: "$1" $WAIT
	probe load v0 11000000 size=1400 size=64
	sleep 0.2
	"${leaf[@]}" rate 10mbit
	sleep 0.1
	probe take
	sleep 1.3
	probe take
	ask seconds 10000000
	check "rate below netem" "${ANSWER[0]:-}" ">=" 0.998
	check "rate below netem" "${ANSWER[1]:-}" "<=" 1.002
	"${leaf[@]}" rate off
	probe unload
	busywait 5 probe_has v0 10: qlen 0 || fail "stalled"
	probe_check "netem" v0 1: qlen == 0
	probe whole
	kept "netem"
}

# Each child of mq shapes
multi()
{
	ns_create n
	probe_start "$NS" shaped
	ip -n "$NS" link add v0 numtxqueues 2 numrxqueues 2 type veth peer name v1 numtxqueues 2 numrxqueues 2
	probe_quiet v0
	probe_quiet v1
	tcn qdisc add dev v0 root handle 1: mq
	tcn qdisc add dev v0 parent 1:1 handle 10: "$1" rate 1mbit $WAIT
	tcn qdisc add dev v0 parent 1:2 handle 20: "$1" rate 1mbit $WAIT
	ip -n "$NS" link set v0 up
	ip -n "$NS" link set v1 up
	probe put v0 40 flow=1 flow=2 flow=3 flow=4 flow=5 flow=6 flow=7 flow=8
	probe_agree filled v0
	busywait 10 probe_has v0 1: qlen 0 || fail "stalled"
	probe_check drained v0 1: backlog == 0
	probe_check drained v0 10: packets ">" 0
}

# No timer runs for 200 ms while the clock goes on. What the link would have sent does not follow at
# once, but for what a late timer may be late
stands_still()
{
	local late_ms=$((LATE_MAX / 1000))

	[[ -e /root/stall.ko ]] || skip "there is no /root/stall.ko"
	insmod /root/stall.ko
	defer rmmod stall
	shaped "$1" rate 20mbit $WAIT
	probe put v0 1001 size=1000
	sleep 0.05
	echo 200 >/sys/module/stall/parameters/ms
	recorded "all frames" 1001
	probe take
	ask pace 20000000
	check "earliest frame, us" "${ANSWER[1]:-}" ">=" -30
	check "latest frame, us" "${ANSWER[2]:-}" ">" 199000
	# 1000 frames of 1000 bytes take 400 ms
	check_near "time that the link has lost, ms" "$(calc "400 / ${ANSWER[3]:-} - 400")" $((200 - late_ms)) 1
	kept "after all"
}

### The end

# Throttled: its watchdog is set
throttled()
{
	shaped "$1" rate 64kbit $WAIT
	probe put v0 20
	shows throttled qlen ">=" 18
}

ends()
{
	throttled "$1"
	ip -n "$NS" link set v0 down
	shows "down" qlen == 0
	shows "down" backlog == 0
	ip -n "$NS" link set v0 up
	probe take
	probe put v0 2 size=1000
	sleep 1
	probe take
	on_time "up again" 64000 30 200 2
	probe put v0 20
	tcn qdisc replace dev v0 root handle 20: pfifo
	sleep 10
	tcn qdisc replace dev v0 root handle 10: "$1" rate 64kbit
	probe put v0 20
	tcn qdisc del dev v0 root
	sleep 10
	tcn qdisc add dev v0 root handle 10: "$1" rate 8bit
	probe put v0 20
	ip -n "$NS" link del v0
	sleep 10
}

lib_add_each rate "64 kbit/s, 1400 bytes" 64kbit 64000 2.5 size=1400
lib_add_each rate "64 kbit/s, 64 bytes" 64kbit 64000 2.5 size=64
lib_add_each rate "1 Mbit/s, mixed" 1mbit 1000000 2.5 size=1400 size=64 size=700
lib_add_each rate "20 Mbit/s, 1400 bytes" 20mbit 20000000 1.2 size=1400
lib_add_each rate "20 Mbit/s, mixed" 20mbit 20000000 1.2 size=1400 size=64 flow=0 flow=1
lib_add_each at_once "1 Gbit/s, 1400 bytes" 1000 1400
lib_add_each at_once "5 Gbit/s, 9000 bytes" 5000 9000
lib_add_each no_credit "no credit for a pause, 64 bytes" 64 1000000
lib_add_each no_credit "no credit for a pause, 1400 bytes" 1400 20000000
lib_add_each no_credit_in_gaps "no credit for gaps"
lib_add_each wire "lengths on the wire"
lib_add shares "equal shares of the link with atm"
lib_add_each changes_live "each option under load"
lib_add_each next_packet "a change of the rate is in force with the next packet"
lib_add_each counts "overlimits, and no bypass"
lib_add_each slow "target, interval and ceiling of a slow link"
lib_add_each slow_mtu "target of a slow link whose MTU changes"
lib_add_each extremes "8 bit/s and 1 Tbit/s"
lib_add_each ingress_pays "ingress"
lib_add ingress_shares "ingress: the target of a share"
lib_add_each below "below a faster tbf" 10000000 100mbit
lib_add_each below "below a slower tbf" 5000000 5mbit
lib_add_each below_netem "below netem"
lib_add_each multi "below mq"
lib_add_each stands_still "timers that stand still for 200 ms"
lib_add_each ends "reset, replaced and deleted while a packet waits"
lib_main "$@"
