#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# check: accounts on_the_wire
#
#
# Statistics of real traffic in tc: every packet is accounted for, the percentiles are those of
# the buckets, text and JSON agree, and no change of options clears them. The stock tc and tc
# monitor work as before.
#
#	CLIENT --- ROUTER --- 4 Mbit/s, then as good as none --- SERVER
#	  UDP      htb, qdisc
#
# The numbers are read when the link is as good as blocked: no packet leaves meanwhile.

# shellcheck source=tests/kernel/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/kernel/served.sh
. "$LIB_DIR/served.sh"
. "$(dirname "$0")/traffic.sh"
. "$(dirname "$0")/probe.sh"

lib_require python3

# overload KIND: UDP at twice the rate, of which a third may be marked. With a ceiling the
# queue would not reach its limit.
overload()
{
	topo_create
	topo_bottleneck 4mbit "$1" limit 200 ecn ceiling off
	tc -n "$ROUTER" class show dev r1 >/dev/null	# flows are counted from now on
	sink_start
	udp_send --rate 6e6 --size 1000 --flows 3 --time 1 >/dev/null &
	udp_send --rate 3e6 --size 800 --tos 2 --source 7000 --time 1 >/dev/null
	wait $!
	block
}

# block: one more packet may leave at once, the next in minutes
block()
{
	link_rate 80bit
	sleep 0.1
	snapshot
}

link_rate()
{
	tc -n "$ROUTER" class change dev r1 parent 1: classid 1:1 \
		htb rate "$1" burst 1600 cburst 1600 quantum 1514
}

# snapshot: read the statistics for "now"
snapshot()
{
	bottleneck_get tojson >"$LIB_TMP/now"
}

# now EXPRESSION: jq, of the qdisc under test
now()
{
	jq -r "$1" "$LIB_TMP/now"
}

# text: statistics of the qdisc under test as text
text()
{
	tc -n "$ROUTER" -s qdisc show dev r1 handle 10:
}

# count PATTERN: lines of the input
count()
{
	grep -cE "$1" || :
}

EXT_LINES='^  (delay|received|drops|on the wire) '

# No key twice: most readers of JSON would silently use the last one
repeated_keys()
{
	tc -n "$ROUTER" -j -s qdisc show dev r1 | python3 -c '
import json, sys
def once(pairs):
    names = [name for name, _ in pairs]
    print(*(name for name in set(names) if names.count(name) > 1), end="")
    return dict(pairs)
json.load(sys.stdin, object_pairs_hook=once)'
}

# Of JSON: the sums of the packet accounting that do not add up
# shellcheck disable=SC2016 # jq's
UNBALANCED='def sum(unit): [.[][unit]] | add;
	[("packets", "bytes") as $u |
		select(.received[$u] != .sent[$u] + .queued[$u] + (.dropped | sum($u))) |
		"received \($u)"] +
	[{a: .drops, b: (.dropped | sum("packets")), is: "drops"},
	 {a: .qlen, b: .queued.packets, is: "qlen"},
	 {a: .backlog, b: .queued.bytes, is: "backlog"},
	 {a: .packets, b: (.sent.packets + .bypassed.packets), is: "packets"},
	 {a: .bytes, b: (.sent.bytes + .bypassed.bytes), is: "bytes"},
	 {a: .ecn_mark, b: .marked.codel.packets, is: "ecn_mark"},
	 {a: .drop_overlimit, b: .dropped.limit.packets, is: "drop_overlimit"},
	 {a: .sent.packets, b: ([.delay.buckets[].count] | add), is: "histogram"}
	 | select(.a == null or .a != .b) | "\(.is) \(.a), not \(.b)"] | tojson'

adds_up()
{
	check "numbers that disagree" "$(now "$UNBALANCED")" == "[]"
	check "names that are there twice" "$(repeated_keys)" empty
	check "sent" "$(now .sent.packets)" ">" 300
	check "queued" "$(now .queued.packets)" ">" 50
	check "dropped by CoDel" "$(now .dropped.codel.packets)" ">" 0
	check "dropped for the limit" "$(now .dropped.limit.packets)" ">" 100
	check "marked" "$(now .marked.codel.packets)" ">" 0
	check "size of what was marked" "$(now '.marked.codel | .bytes / .packets')" == 814
}

# From where to where packets were counted, without a hole, as tightly as may be
# shellcheck disable=SC2016 # jq's
HOLES='.delay.buckets | [(.[0], .[-1] | select(.count == 0) | "ends in 0"),
	(range(1; length) as $i | select(.[$i].from_ns != .[$i - 1].to_ns) | "hole at \($i)")] | tojson'

# The percentiles that tc computes of the buckets: tests/tools/tc/test_plugins.py
# shellcheck disable=SC2016 # jq's
agrees_with_buckets()
{
	check "buckets" "$(now "$HOLES")" == "[]"
	check "different ones" \
		"$(now '.delay | [.p50_ns, .p90_ns, .p99_ns] | unique | length')" ">=" 2
	check "longest, of the last bucket" \
		"$(now '.delay | .max_ns < .buckets[-1].to_ns and
			.max_ns >= .buckets[-1].from_ns')" == true
	check "sum, of what the buckets allow" \
		"$(now '.delay | .sum_ns as $sum |
			([.buckets[] | .from_ns * .count] | add) <= $sum and
			([.buckets[] | .to_ns * .count] | add) >= $sum')" == true
	# The queue is full, and 200 packets are 0.4 s in all
	check_near "longest, ms" "$(now '.delay.max_ns / 1e6')" 300 100
}

lines_are_short()
{
	check "columns of the extended statistics" \
		"$(text | grep -E "$EXT_LINES" | wc -L)" "<=" 80
	check "lines" "$(text | wc -l)" "<=" 8
}

accounts()
{
	overload "$1"
	adds_up
	agrees_with_buckets
	lines_are_short
}

# The same with a ceiling, of packets that all may be marked: the ceiling drops them
ceiling_drops()
{
	topo_create
	topo_bottleneck 4mbit "$1" ecn
	sink_start
	udp_send --rate 9e6 --size 800 --tos 2 --time 1 >/dev/null
	block
	check "numbers that disagree" "$(now "$UNBALANCED")" == "[]"
	check "marked" "$(now .marked.codel.packets)" ">" 0
	check "dropped at the ceiling" "$(now .dropped.ceiling.packets)" ">" 100
	check "size of these" "$(now '.dropped.ceiling | .bytes / .packets')" == 814
	check "dropped for the limit" "$(now .dropped.limit.packets)" == 0
	lines_are_short
	[[ $(text) == *"  drops "*"ceiling "* ]] || fail "$(text)"
}

# dropping_and_next KIND: of the queue under test, in fq_codel of the first one with packets
dropping_and_next()
{
	if [[ $1 == "$CODEL_KIND" ]]; then
		REPLY=$(bottleneck_get '"\(if .dropping then 1 else 0 end) \(.drop_next)"')
		return
	fi
	probe classes r1
	REPLY=${REPLY#*10:}
	probe class r1 "10:${REPLY%%,*}" dropping drop_next
}

# Since the link is blocked, nothing leaves, and the next signal is overdue.
drop_next_is_told()
{
	local dropping next before

	overload "$1"
	probe_start "$ROUTER"
	dropping_and_next "$1"
	before=${REPLY#* }
	sleep 10
	dropping_and_next "$1"
	read -r dropping next <<<"$REPLY"
	check "dropping" "$dropping" == 1
	check_near "drop_next after 10 s, us" "$next" -10100000 200000
	check_near "10 s before, us" $((before - next)) 10000000 100000
}

# An idle link: packets bypass the qdisc, and have no delay
nothing_to_say()
{
	ns_create i
	ip -n "$NS" link add d0 type dummy
	ip -n "$NS" link set d0 up
	tc -n "$NS" qdisc add dev d0 root handle 10: "$1"
	check "lines without packets" \
		"$(tc -n "$NS" -s qdisc show dev d0 | count "$EXT_LINES")" == 0
	check "buckets" "$(qdisc_get "$NS" d0 root '.delay.buckets | length')" == 0
	[[ $1 != "$CODEL_KIND" ]] || check "drop_next" "$(qdisc_get "$NS" d0 root .drop_next)" == 0
	check "delay" "$(qdisc_get "$NS" d0 root '.delay | has("p50_ns") and .p50_ns == null')" == true
	probe_start "$NS"
	probe send d0 3
	check "what is shown" "$(tc -n "$NS" -s qdisc show dev d0 | grep -E "$EXT_LINES")" \
		== "  received 0 bypassed 3"
	check "bytes that bypassed" "$(qdisc_get "$NS" d0 root .bypassed.bytes)" == 3000
}

# wire BYTES: on the wire, of which 0 have no line
wire()
{
	check "wire_bytes" "$(qdisc_get "$NS" d0 root .wire_bytes)" == "$1"
	check "text" "$(tc -n "$NS" -s qdisc show dev d0 |
		awk '/^  on the wire [0-9]* bytes$/ { bytes = $4 } END { print bytes + 0 }')" == "$1"
	check "lines" "$(tc -n "$NS" -s qdisc show dev d0 | count "wire")" == $(($1 > 0))
}

# Three packets of 100 bytes, which are 256 on a link with this mpu, and 6 cells of 53 bytes
on_the_wire()
{
	ns_create w
	ip -n "$NS" link add d0 type dummy
	ip -n "$NS" link set d0 up
	tc -n "$NS" qdisc add dev d0 root handle 10: "$1" rate 1gbit mpu 256
	wire 0
	probe_start "$NS"
	probe send d0 3 size=100
	sleep 1
	wire 768
	check "bytes sent" "$(qdisc_get "$NS" d0 root .sent.bytes)" == 300
	tc -n "$NS" qdisc change dev d0 root handle 10: "$1" atm
	probe send d0 3 size=100
	sleep 1
	wire 1722
}

# All counters, with maxpacket and new_flow_count; but not the present state
COUNTERS='{bytes, packets, drops, overlimits, requeues, maxpacket, ecn_mark, ce_mark,
	drop_overlimit, drop_overmemory, new_flow_count, received, sent, bypassed, dropped,
	marked, delay, shared, wire_bytes} | del(.[] | nulls)'

get()
{
	now "$1 | $SORTED | tojson"
}

changes_clear_nothing()
{
	local before words

	overload "$1"
	before=$(get "$COUNTERS")
	for words in "limit 300" "target 6ms" "ce_threshold off" "noecn" "ceiling 60ms"; do
		# shellcheck disable=SC2086 # they are two
		tc -n "$ROUTER" qdisc change dev r1 parent 1:1 handle 10: "$1" $words
		snapshot
		check "after $words" "$(get "$COUNTERS")" == "$before"
	done
	counts_again
}

# Counting goes on. The shaper looks again when its next packet was due.
counts_again()
{
	link_rate 4mbit
	sleep 200
	drain 10
	snapshot
	check "sent, after that" "$(now .sent.packets)" ">" 0
	check "numbers that disagree" "$(now "$UNBALANCED")" == "[]"
}

# classes: those of the qdisc under test, as text
classes()
{
	tc -n "$ROUTER" -s class show dev r1 | awk '
		/^class / { shown = $2 == "'"$FQ_CODEL_KIND"'" }
		shown'
}

# class_of FLOW: its lines, from the one with its name on
class_of()
{
	classes | awk -v flow="$1" '
		/^class / { at = 0 }
		$0 == "  flow " flow { at = 1 }
		at'
}

classes_have_names()
{
	local port sent=0 packets lines

	for port in 6000 6001 6002 7000; do
		lines=$(class_of "udp $CLIENT_IP:$port > $SERVER_IP:5000")
		packets=$(sed -n 's/^  sent [0-9]*b \([0-9]*\)p drops.*/\1/p' <<<"$lines")
		check "packets of port $port" "${packets:-none}" ">" 30
		sent=$((sent + packets))
		[[ $lines == *"  delay p50 "*" p90 "*" p99 "*" p99.9 "* ]] ||
			fail "port $port has no delay: $lines"
	done
	check "packets of the four flows" "$sent" == "$(now .sent.packets)"
	check "columns" "$(classes | wc -L)" "<=" 80
}

# What every tc prints of a class are the numbers of the flow
# shellcheck disable=SC2016 # awk's
classes_are_counted()
{
	classes >"$LIB_TMP/classes"
	check_faults "classes" ">=" 4 awk '
		$1 == "Sent" { basic = $2 " " $4 " " $7 + 0 }
		$1 == "sent" && basic != ($2 + 0) " " ($3 + 0) " " $5 { print basic " is not " $0 }
		$1 == "sent" { classes++ }
		/^class / { basic = "" }
		END { print "compared " classes + 0 }' "$LIB_TMP/classes"
	check "dropped" "$(sed -n 's/.*(dropped \([0-9]*\),.*/\1/p' "$LIB_TMP/classes" |
		jq -s add)" == "$(now .drops)"
	[[ $(tc -n "$ROUTER" -j -s class show dev r1) == "["* ]] ||
		return 0	# the tc of bookworm shows no JSON of classes
	class_json >"$LIB_TMP/json"
	check_faults "classes as JSON" ">=" 4 jq -r '(.[] |
		select([.bytes, .packets, .drops] != [.flow.bytes, .flow.packets, .flow.drops] or
			([.bytes, .packets, .drops] | any(. == null))) | tojson), "compared \(length)"' "$LIB_TMP/json"
}

# class_json: an array of the statistics of the classes under test
class_json()
{
	tc -n "$ROUTER" -j -s class show dev r1 |
		jq -c "[.[] | select(.class == \"$FQ_CODEL_KIND\").stats]"
}

classes_as_json()
{
	[[ $(tc -n "$ROUTER" -j -s class show dev r1) == "["* ]] ||
		return 0	# the tc of bookworm shows no JSON of classes
	class_json >"$LIB_TMP/classes"
	check "flows" "$(jq -c '[.[].flow.tuple] | sort_by(.sport)' "$LIB_TMP/classes")" \
		== "$(jq -nc "[6000, 6001, 6002, 7000 | {protocol: 2048, ip_proto: 17,
			src: \"$CLIENT_IP\", sport: ., dst: \"$SERVER_IP\", dport: 5000}]")"
	check "packets" "$(jq '[.[].flow.packets] | add' "$LIB_TMP/classes")" \
		== "$(now .sent.packets)"
	check "bytes" "$(jq '[.[].flow.bytes] | add' "$LIB_TMP/classes")" \
		== "$(now .sent.bytes)"
	check "drops" "$(jq '[.[].flow.drops] | add' "$LIB_TMP/classes")" \
		== "$(now .drops)"
	check "marks" "$(jq '[.[].flow.marks] | add' "$LIB_TMP/classes")" \
		== "$(now .ecn_mark)"
	check "packets in buckets" \
		"$(jq '[.[].flow.delay.buckets[].count] | add' "$LIB_TMP/classes")" \
		== "$(now .sent.packets)"
}

flows_have_names()
{
	overload "$FQ_CODEL_KIND"
	classes_have_names
	classes_are_counted
	classes_as_json
}

# statistics: those lines of a text that do not depend on when it was made
statistics()
{
	sed '1d; s/ drop_next .*//'
}

# The stock tc knows the kind: the output of the plugin begins with that of the stock tc
stock_tc_prints_its_own()
{
	local stock plugin

	ns_create q
	tc -n "$NS" qdisc add dev lo root handle 1: codel 2>/dev/null || skip "no qdisc codel"
	[[ $(served_by codel) == sch_codel_oot ]] || skip "the in-tree module serves codel"
	overload codel
	stock=$(TC_LIB_DIR=/nonexistent text | statistics)
	plugin=$(text | statistics)
	[[ $stock == *"  maxpacket "*" drop_overlimit "* ]] || fail "$stock"
	[[ ${plugin#"$stock"} == $'\n  delay p50 '* ]] || fail "$plugin, of stock $stock"
	check "numbers in the stock JSON" \
		"$(TC_LIB_DIR=/nonexistent bottleneck_get '.drops, .count, .ecn_mark')" \
		== "$(now '.drops, .count, .ecn_mark')"
}

# The stock tc does not know the kind: it prints the numbers that all qdiscs have
stock_tc_prints_of_oot()
{
	local line='^ Sent [0-9]* bytes [0-9]* pkt (dropped [0-9]*, overlimits'

	overload "$1"
	check "the line of all qdiscs" \
		"$(TC_LIB_DIR=/nonexistent text | grep "$line")" == "$(text | grep "$line")"
	check "lines of the extended statistics" \
		"$(TC_LIB_DIR=/nonexistent text | count "$EXT_LINES")" == 0
}

# fill KIND: a histogram whose used buckets are as far apart as possible. One packet is sent
# at once, one takes all tokens, tbf has one that waits for new tokens, and one waits behind it.
fill()
{
	probe_waiting "$1"
	probe send d0 1 size=100
	probe send d0 3 size=1500
	sleep 200
	probe_check "filled" d0 10: packets == 4
}

# monitor COMMAND...: the output of tc monitor during COMMAND, in $LIB_TMP/monitor
monitor()
{
	local reader

	# Not in_ns: its shell would be stopped in place of tc
	ip netns exec "$PROBE_NS" tc -s monitor >"$LIB_TMP/monitor" 2>&1 &
	reader=$!
	defer lib_stop "$reader"
	busywait 5 in_ns "$PROBE_NS" grep -q '^[0-9a-f]* *0 ' /proc/net/netlink
	sleep 0.5
	"$@"
	sleep 0.5
	kill "$reader"
	wait "$reader" || :
}

# notified TEXT: that it is shown, once
notified()
{
	check "times that '$1' is shown" "$(grep -cF "$1" "$LIB_TMP/monitor" || :)" == 1
}

# Old and new are in one message, which has a page
replace_is_notified()
{
	fill "$1"
	check "the longest bucket has no end" "$(qdisc_get "$PROBE_NS" d0 10: \
		'.delay.buckets[-1] | has("to_ns") and .to_ns == null')" == true
	check "buckets from first to last" \
		"$(qdisc_get "$PROBE_NS" d0 10: '.delay.buckets | length')" ">" 180
	qdisc_get "$PROBE_NS" d0 10: '"\(.delay.buckets | length) buckets of \(.sent.packets) packets"'
	monitor tcn qdisc replace dev d0 parent 1:1 handle 20: "$1"
	notified "deleted qdisc $1 10: "
	notified "qdisc $1 20: "
	check "lines about the delay" "$(count '^  delay p50 .* max 1' <"$LIB_TMP/monitor")" == 1
	cat "$LIB_TMP/monitor"
}

delete_is_notified()
{
	fill "$1"
	monitor tcn qdisc del dev d0 parent 1:1 handle 10:
	notified "deleted qdisc $1 10: "
	notified "  delay p50 "
}

lib_add_each accounts "every packet, as text and as JSON"
lib_add_each ceiling_drops "the ceiling drops packets that can be marked"
lib_add_each drop_next_is_told "the time until the next signal"
lib_add_each on_the_wire "bytes on the wire, as text and as JSON"
lib_add_each nothing_to_say "a queue without packets"
lib_add_each changes_clear_nothing "changes clear nothing"
lib_add flows_have_names "flows by their names"
lib_add stock_tc_prints_its_own "a tc without plugins, codel"
lib_add_each stock_tc_prints_of_oot "a tc without plugins"
lib_add_each replace_is_notified "a full histogram, replaced"
lib_add_each delete_is_notified "a full histogram, deleted"
lib_main "$@"
