#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# check: by_codel
# vm: --module lab/slow
#
# Tracepoints: codel_drop and codel_mark record every packet that the accounting counts, with
# its cause, device, handle, flow, sojourn time, count and length. The kernel's drop reasons are right, too.
#
#   d0 (dummy)   root 1: tbf, 80 bit/s or 1 Mbit/s    leaf 10: under test
#
# At 80 bit/s tbf sends one packet, peeks at the next, which the leaf stores, and does nothing for
# minutes. At 1 Mbit/s a packet of 1000 bytes takes 8 ms.
#

# shellcheck disable=SC2119 # functions with optional arguments
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/traffic.sh"
. "$(dirname "$0")/probe.sh"
. "$(dirname "$0")/slow.sh"
. "$(dirname "$0")/trace.sh"

lib_require python3

ALL=(codel_drop codel_mark)
ECT0=2

# told NS DEV EVENT KEY: packets and bytes by cause equal those of tc -s under KEY; these are in
# TOLD, a line for each
told()
{
	local counted

	TOLD=$(trace_lines " $3: dev=$2 handle=10: " | awk '
		match($0, / cause=[^ ]+/) {
			cause = substr($0, RSTART + 7, RLENGTH - 7)
			sub(/.* len=/, "")
			packets[cause]++
			bytes[cause] += $0
		}
		END { for (cause in packets) print cause, packets[cause], bytes[cause] }' | sort)
	counted=$(qdisc_get "$1" "$2" 10: ".$4 | to_entries[] | select(.value.packets > 0) |
		\"\(.key) \(.value.packets) \(.value.bytes)\"" | sort)
	check "$2: events by cause, packets, bytes: as counted" "$TOLD" == "$counted"
}

# drops_told CAUSES: these and no others
drops_told()
{
	told "$PROBE_NS" d0 codel_drop dropped
	echo "$TOLD"
	check "causes" "$(cut -d ' ' -f 1 <<<"$TOLD" | paste -s -d ' ')" == "$1"
}

# fields NAME [PATTERN]: the values of a field, in one line
fields()
{
	trace_lines "${2:-.}" | sed -n "s/.* $1=\([0-9]*\).*/\1/p" | paste -s -d ' '
}

# flows [PATTERN]: each once
flows()
{
	fields flow "$@" | tr ' ' '\n' | sort -nu | paste -s -d ' '
}

shaped()
{
	tcn qdisc change dev d0 root handle 1: tbf rate "$1" burst 1600 limit 100000000
}

# drained STEP: of 300 packets at most; to wait costs less than to look
drained()
{
	sleep 2.5
	probe_empty "$1" d0 10:
}

# standing KIND [OPTION...]: 200 packets, in class 10:3 of an fq_codel, drain at 1 Mbit/s
standing()
{
	probe_waiting "$@"
	shaped 1mbit
	trace_start "${ALL[@]}" qdisc/qdisc_enqueue
	probe send d0 200 prio=10:3
	drained "the queue"
	trace_stop
}

flow_of()
{
	case $1 in
	"$CODEL_KIND") echo 0 ;;
	*) echo 3 ;;
	esac
}

### Drops

by_codel()
{
	standing "$1" ceiling off
	drops_told codel
	check "flows" "$(flows codel_)" == "$(flow_of "$1")"
	check "drops" "$(trace_count codel_drop:)" ">" 5
	check "count at each drop" "$(fields count codel_drop:)" == \
		"$(seq "$(trace_count codel_drop:)" | paste -s -d ' ')"
}

# The packets of one burst: fq_codel's ceiling would spare them
by_ceiling()
{
	standing "$1"
	drops_told "ceiling codel"
}

# All packets arrived at about the same time, and wait since then.
sojourn_is_a_time()
{
	standing "$1"
	check "drops" "$(trace_count codel_drop:)" ">" 5
	check_faults "elapsed and sojourn time" == "$(trace_count codel_drop:)" wrong_sojourns
}

wrong_sojourns()
{
	trace_lines 'qdisc_enqueue:|codel_drop:' | awk -v near="$(calc "1e-5 * $CODEL_TEST_SLACK")" '
		match($0, / [0-9]+\.[0-9]+: /) { now = substr($0, RSTART + 1) + 0 }
		/qdisc_enqueue/ { arrival = arrival ? arrival : now; last = now; next }
		match($0, /sojourn=[0-9]+/) {
			waited = substr($0, RSTART + 8, RLENGTH - 8) / 1e9
			if (waited > now - arrival + near || waited < now - last - near)
				print now - arrival, waited
			drops++
		}
		END { print "compared " drops + 0 }'
}

codel_limit()
{
	probe_waiting "$1" limit 5
	trace_start "${ALL[@]}"
	probe send d0 20
	trace_stop
	drops_told limit
	check "flow, sojourn and count of what was not queued" \
		"$(flows) $(fields sojourn | tr ' ' '\n' | sort -u) $(fields count | tr ' ' '\n' | sort -u)" \
		== "0 0 0"
}

# The largest flow loses half of its packets; tbf has one packet of each of the first two flows
fq_limit()
{
	probe_waiting "$1" limit 20
	trace_start "${ALL[@]}"
	probe send d0 4 prio=10:2
	probe send d0 18 prio=10:7
	trace_stop
	drops_told limit
	check "flows" "$(flows)" == 7
	check "count: none of them a signal of its own" "$(fields count | tr ' ' '\n' | sort -u)" == 0
}

memory()
{
	probe_waiting "$1" memory_limit 20k
	trace_start "${ALL[@]}"
	probe send d0 40 prio=10:5
	trace_stop
	drops_told memory
	check "flows" "$(flows)" == 5
}

# The stored packet is the oldest, and in no flow any more
by_change()
{
	probe_waiting "$1"
	probe send d0 20 prio=10:3
	trace_start "${ALL[@]}"
	tcn qdisc change dev d0 parent 1:1 handle 10: "$1" limit 4
	trace_stop
	drops_told change
	case $1 in
	"$CODEL_KIND") check "flows" "$(flows)" == 0 ;;
	*) check "flows" "$(flows)" == 3 ;;
	esac
}

by_filter()
{
	probe_waiting "$1"
	probe_dummy d1
	tcn filter add dev d0 parent 10: pref 1 protocol ip \
		u32 match ip sport 1025 0xffff action drop
	tcn filter add dev d0 parent 10: pref 2 protocol ip \
		u32 match ip sport 1026 0xffff action mirred egress redirect dev d1
	trace_start "${ALL[@]}"
	probe send d0 30 flow=0 flow=1 flow=2
	trace_stop
	drops_told "filter taken"
	check "each" "$(cut -d ' ' -f 2 <<<"$TOLD" | paste -s -d ' ')" == "10 10"
	check "flows" "$(flows)" == 0
}

# 20 packets less the one that has left, and the one that tbf has
by_reset()
{
	probe_waiting "$1"
	probe send d0 20 prio=10:3
	trace_start "${ALL[@]}"
	ip -n "$PROBE_NS" link set d0 down
	trace_stop
	drops_told reset
	check "packets" "$(trace_count codel_drop:)" == 18
	check "packets of the flow" "$(trace_count "flow=$(flow_of "$1") ")" == 18
}

### Marks, of packets that CLIENT sends by way of ROUTER: see test_ecn.sh

# marks KIND CAUSE OPTION...: nothing but marks of this cause
marks()
{
	topo_create
	topo_bottleneck 10mbit "$1" "${@:3}"
	trace_start codel_drop codel_mark
	sink_start
	udp_send --tos "$ECT0" --size 1236 --burst 240 --groups 1 >/dev/null
	sink_stop
	trace_stop
	told "$ROUTER" r1 codel_mark marked
	echo "$TOLD"
	check "cause" "$(cut -d ' ' -f 1 <<<"$TOLD")" == "$2"
	check "arrived with CE" "$(udp_get 6000 ce)" == "$(trace_count codel_mark:)"
	check "drops" "$(trace_count codel_drop:)" == 0
	case $1 in
	"$CODEL_KIND") check "flows" "$(flows)" == 0 ;;
	*) check "flows that are 0" "$(trace_count 'flow=0 ')" == 0 ;;
	esac
}

### The whole

# perf and trace-cmd read the words of the causes from the format
readable()
{
	local event

	probe_waiting "$CODEL_KIND"
	trace_require "${ALL[@]}"
	for event in "${ALL[@]}"; do
		check "$event: names without a number" \
			"$(sed -n '/CODEL_/p' "$TRACEFS"/events/*/"$event/format")" empty
	done
}

# Each module has a system of events; a disabled system traces nothing
both()
{
	probe_waiting "$CODEL_KIND" limit 5
	probe_dummy d1
	tcn qdisc add dev d1 root handle 1: tbf rate 80bit burst 1600 limit 100000000
	tcn qdisc add dev d1 parent 1:1 handle 10: "$FQ_CODEL_KIND" limit 7
	trace_start "${ALL[@]}"
	probe send d0 20
	probe send d1 20
	echo 0 >"$TRACE/events/codel/enable"
	echo 0 >"$TRACE/events/fq_codel/enable"
	probe send d0 20
	probe send d1 20
	trace_stop
	check "events" "$(cd "$TRACE/events" && echo {codel,fq_codel}/codel_*)" == \
		"$(echo {codel,fq_codel}/codel_{drop,mark})"
	# one was sent, one is stored
	check "of the one" "$(trace_count ' codel_drop: dev=d0 ')" == 14
	check "of the other" "$(trace_count ' codel_drop: dev=d1 ')" ">=" 12
	check "of no other device" "$(trace_count)" == "$(trace_count ' codel_drop: dev=d[01] ')"
	check "counted without listeners" "$(qdisc_get "$PROBE_NS" d0 10: .dropped.limit.packets)" == 34
}

### In-tree events; those of Linux 7.1 have the reasons of a qdisc

# freed KIND: 200 packets come to d0, at 1 Mbit/s
freed()
{
	local events=(skb/kfree_skb)

	trace_require skb/kfree_skb
	[[ ! -e $TRACEFS/events/qdisc/qdisc_drop ]] || events+=(qdisc/qdisc_drop)
	trace_start codel_drop "${events[@]}"
	probe send d0 200
	drained "the queue"
	trace_stop
	told "$PROBE_NS" d0 codel_drop dropped
	read -r LIMIT CODEL CEILING < <(qdisc_get "$PROBE_NS" d0 10: \
		'.dropped | "\(.limit.packets) \(.codel.packets) \(.ceiling.packets)"')
	trace_lines | sed -n 's/.*\(kfree_skb\|qdisc_drop\):.* \(reason.*\)/\1 \2/p' | sort | uniq -c
}

# freed_for EVENT REASON COUNT
freed_for()
{
	check "$1, reason $2" "$(trace_count " $1: .*reason[:=] ?$2\$")" == "$3"
}

# Below a parent; 0x30003 is QDISC_CONGESTED where there is such a thing
reasons()
{
	probe_waiting "$1" limit 100 ceiling off
	shaped 1mbit
	freed
	check "over limit" "$LIMIT" ">" 50
	check "by CoDel" "$CODEL" ">" 5
	if [[ -e $TRACEFS/events/qdisc/qdisc_drop ]]; then
		freed_for kfree_skb 0x30003 "$CODEL"
		freed_for qdisc_drop OVERLIMIT "$LIMIT"
	else
		freed_for kfree_skb QDISC_DROP $((CODEL + LIMIT))
	fi
}

# Below a parent; the packets of one burst, which fq_codel's ceiling would spare.
# 0x30005 is QDISC_FLOOD_PROTECTION
reasons_ceiling()
{
	probe_waiting "$1" limit 1000 ceiling 10ms
	shaped 1mbit
	freed
	check "by the ceiling" "$CEILING" ">" 50
	check "by CoDel" "$CODEL" ">" 0
	if [[ -e $TRACEFS/events/qdisc/qdisc_drop ]]; then
		freed_for kfree_skb 0x30005 "$CEILING"
		freed_for kfree_skb 0x30003 "$CODEL"
	else
		freed_for kfree_skb QDISC_DROP $((CODEL + CEILING))
	fi
}

reasons_root()
{
	ns_create n
	probe_start "$NS"
	probe_dummy d0
	tcn qdisc add dev d0 root handle 10: "$1" limit 100 ceiling off
	slow_link "$PROBE_NS" d0 1000000
	freed
	check "over limit" "$LIMIT" ">" 50
	check "by CoDel" "$CODEL" ">" 5
	freed_for kfree_skb QDISC_DROP $((CODEL + LIMIT))
	[[ -e $TRACEFS/events/qdisc/qdisc_drop ]] || return 0
	freed_for qdisc_drop CONGESTED "$CODEL"
	freed_for qdisc_drop OVERLIMIT "$LIMIT"
}

lib_add_each by_codel "codel_drop: by CoDel"
lib_add by_ceiling "$CODEL_KIND: codel_drop: at the ceiling" "$CODEL_KIND"
lib_add_each sojourn_is_a_time "codel_drop: the sojourn time counts from the arrival"
lib_add codel_limit "$CODEL_KIND: codel_drop: over limit" "$CODEL_KIND"
lib_add fq_limit "$FQ_CODEL_KIND: codel_drop: over limit" "$FQ_CODEL_KIND"
lib_add memory "$FQ_CODEL_KIND: codel_drop: over memory_limit" "$FQ_CODEL_KIND"
lib_add_each by_change "codel_drop: no room after a change"
lib_add by_filter "$FQ_CODEL_KIND: codel_drop: filters drop and take" "$FQ_CODEL_KIND"
lib_add_each by_reset "codel_drop: the device goes down"
lib_add_each marks "codel_mark: by CoDel" codel ecn ceiling off
lib_add_each marks "codel_mark: ce_threshold" ce_threshold target 10s ce_threshold 20ms
lib_add readable "programs that read the buffer can name the causes"
lib_add both "both modules share the events, which stop when they are switched off"
lib_add_each reasons "the kernel is told the reason"
lib_add reasons_ceiling "$CODEL_KIND: the kernel is told the reason, ceiling" "$CODEL_KIND"
lib_add_each reasons_root "the kernel is told the reason, root"
lib_main "$@"
