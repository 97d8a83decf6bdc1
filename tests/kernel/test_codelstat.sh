#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# check: parents nothing
#
# codelstat shows the state of the kernel: its numbers equal those of tc, its verdicts fit the
# traffic, it follows added and removed devices, and a thousand queues take little time. Its
# arguments and recordings are tested in codelstat/.
#
#	CLIENT --- r0 ROUTER r1 --- 10 Mbit/s --- SERVER
#
# shellcheck disable=SC2119 # functions with optional arguments
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/traffic.sh"
. "$LIB_DIR/served.sh"

lib_require codelstat iperf3 python3 setpriv

# see STATUS WORD...: run codelstat in ROUTER; its output is in $LIB_TMP/seen
see()
{
	local status=0

	in_ns "$ROUTER" codelstat "${@:2}" >"$LIB_TMP/seen" 2>"$LIB_TMP/said" || status=$?
	check "status of codelstat ${*:2} ($(cat "$LIB_TMP/said"))" "$status" == "$1"
}

# seen EXPRESSION: jq, on the qdisc under test in the last object
seen()
{
	jq -rs "last.qdiscs[] | select(.handle == \"10:\") | $1" "$LIB_TMP/seen"
}

# verdict PATTERN: of the last interval (extended regular expression)
verdict()
{
	local text

	text=$(seen .verdict)
	[[ $text =~ $1 ]] || fail "verdict: '$text' is not like '$1'"
}

# watch_traffic SECONDS COMMAND...: look once after so long, at the last second of it
watch_traffic()
{
	local seconds=$1

	shift
	"$@" >/dev/null &
	sleep "$((seconds - 1))"
	see 0 --json -c 1
	wait $!
}

# After traffic, at rest: the totals of both programs
same_as_tc()
{
	local kind=$1 key

	topo_create
	topo_bottleneck 10mbit "$kind" limit 60
	sink_start
	udp_send --size 1236 --rate 14e6 --time 2 >/dev/null
	sink_stop

	see 0 -1 --json
	for key in bytes packets drops overlimits qlen backlog; do
		check "$key" "$(seen ".$key")" == "$(bottleneck_get ".$key")"
	done
	check "drops, all causes" "$(seen '[.dropped[].packets] | add')" == \
		"$(bottleneck_get .drops)"
	check "over limit" "$(seen .dropped.limit.packets)" == \
		"$(bottleneck_get .drop_overlimit)"
	check "over limit" "$(seen .dropped.limit.packets)" ">" 0
	check "delays" "$(seen '[.delay.buckets[].count] | add')" == "$(seen .sent.packets)"
	check "target" "$(seen .options.target)" == 5000
	check "kind" "$(seen .kind)" == "$kind"
	check "parent" "$(seen '"\(.above) \(.parent)"')" == "htb 1:1"
}

# jq: members of an object that are not the same in $other
# shellcheck disable=SC2016 # jq's
DIFFERS='def differs($other): [keys[] as $key | select(.[$key] != $other[$key] or
	($other | has($key) | not)) | $key];'

# While packets wait, JSON has all that tc prints of the qdisc and its classes, and the same
one_json()
{
	topo_create
	topo_bottleneck 1kbit "$1" limit 50 ecn
	sink_start
	udp_send --size 1236 --rate 2e6 --time 0.5 >/dev/null
	see 0 -1 --json
	tc -n "$ROUTER" -s -j qdisc show dev r1 >"$LIB_TMP/tc"
	check "packets that wait" "$(seen .qlen)" ">" 10
	check "version" "$(jq .version "$LIB_TMP/seen")" == 2
	check "members of the qdisc that differ" "$(jq -c --slurpfile seen "$LIB_TMP/seen" "$DIFFERS"'
		.[] | select(.handle == "10:") | del(.refcnt) |
		differs($seen[0].qdiscs[] | select(.handle == "10:"))' "$LIB_TMP/tc")" == "[]"
	# The tc of bookworm prints no JSON of classes
	[[ $1 == "$FQ_CODEL_KIND" && $(tc -V) != *iproute2-6.1.* ]] || return 0
	see 0 top r1 -1 --json
	tc -n "$ROUTER" -s -j class show dev r1 >"$LIB_TMP/tc"
	check "classes that differ" "$(jq -c --slurpfile seen "$LIB_TMP/seen" "$DIFFERS"'
		[.[] | select(.parent == "10:") | . as $class |
		 differs($seen[0].flows[] | select(.handle == $class.handle))]' "$LIB_TMP/tc")" == "[[]]"
}

# At 10 Mbit/s, the rate, the backlog and the wait must agree.
interval()
{
	topo_create
	topo_delay 50ms
	topo_bottleneck 10mbit "$1"
	tcp_serve
	watch_traffic 6 tcp_run tcp -t 7 -P 4

	check_near "seconds" "$(jq -s 'last.seconds' "$LIB_TMP/seen")" 1 0.01
	check_near "Mbit/s" "$(seen '.change.bytes * 8e-6')" 9.6 0.5
	check "p50 <= p90 <= p99 <= max" \
		"$(seen '.change | .p50_ns <= .p90_ns and .p90_ns <= .p99_ns and .p99_ns <= .max_ns')" == true
	check_time "p50, ms" "$(seen '.change.delay.p50_ns / 1e6')" "<=" 15
	check_near "backlog, ms, at 10 Mbit/s" \
		"$(seen '.change.backlog_ms - .backlog * 8e-4')" 0 1
	verdict "^CoDel is in control: p99 [0-9.]+ms, target 5ms"
}

# A burst that the limit cuts before CoDel's interval has passed
early_limit()
{
	topo_create
	topo_bottleneck 10mbit "$@"
	sink_start
	watch_traffic 4 udp_send --size 1236 --rate 2e6 --burst 40 --time 5
	verdict "$VERDICT"
}

memory_limit()
{
	VERDICT="^memory limit drops before CoDel acts: raise memory_limit" \
		early_limit "$FQ_CODEL_KIND" memory_limit 30000
}

packet_limit()
{
	VERDICT="^packet limit drops before CoDel acts: raise limit" early_limit "$1" limit 12
}

overload()
{
	topo_create
	topo_bottleneck 10mbit "$1" limit 100
	sink_start
	watch_traffic 6 udp_send --size 1236 --rate 40e6 --time 7
	verdict "^overload: senders ignore CoDel"
}

one_flow()
{
	topo_create
	topo_bottleneck 10mbit "$FQ_CODEL_KIND"
	sink_start
	udp_send --size 1236 --rate 1e6 --time 5 --source 7000 >/dev/null &
	watch_traffic 4 udp_send --size 1236 --rate 14e6 --time 5
	wait $!
	verdict "^one flow holds (9[0-9.]+|100)% of the backlog and ignores CoDel"
}

at_rest()
{
	topo_create
	topo_bottleneck 10mbit "$1"
	see 0 --json -c 1
	verdict "^idle: no packets$"
	sink_start
	watch_traffic 3 udp_send --size 1236 --rate 2e6 --time 4
	verdict "^not the bottleneck: queue never builds$"
}

# A class of which a packet takes ten seconds
stalled()
{
	topo_create
	topo_bottleneck 1kbit "$1" limit 1000
	sink_start
	udp_send --size 1236 --rate 1e6 --time 0.2 >/dev/null
	see 0 --json -c 1
	verdict "^stalled: [0-9]+ packets wait and none leaves"
}

replaced()
{
	topo_create
	topo_bottleneck 10mbit "$1"
	sink_start
	in_ns "$ROUTER" codelstat --json -c 4 >"$LIB_TMP/seen" &
	udp_send --size 1236 --rate 5e6 --time 2.5 >/dev/null
	tc -n "$ROUTER" -batch - <<-END
		qdisc del dev r1 parent 1:1 handle 10:
		qdisc add dev r1 parent 1:1 handle 10: $1
	END
	wait $!
	check "what the numbers are since" \
		"$(jq -rs '[.[].qdiscs[0].since] | tojson' "$LIB_TMP/seen")" == \
		'["before","before","start","before"]'
	check "most bytes in an interval" \
		"$(jq -rs '[.[].qdiscs[0].change.bytes] | max' "$LIB_TMP/seen")" "<" 1e6
}

# In-tree fq_codel beside the kinds under test, and the parent of each qdisc
parents()
{
	require_in_tree fq_codel
	ns_create parents
	ROUTER=$NS
	ip -n "$ROUTER" link add d0 numtxqueues 2 type dummy
	ip -n "$ROUTER" link add d1 type dummy
	ip -n "$ROUTER" link set d0 up
	ip -n "$ROUTER" link set d1 up
	tc -n "$ROUTER" -batch - <<-END
		qdisc add dev d0 root handle 1: mq
		qdisc replace dev d0 parent 1:1 handle 10: fq_codel
		qdisc replace dev d0 parent 1:2 handle 20: $CODEL_KIND
		qdisc add dev d1 root handle 1: tbf rate 1mbit burst 1600 limit 100000
		qdisc add dev d1 parent 1:1 handle 30: htb default 1
		class add dev d1 parent 30: classid 30:1 htb rate 1mbit
		qdisc add dev d1 parent 30:1 handle 40: $FQ_CODEL_KIND
	END
	see 0 -1 --json
	check "all" "$(jq -r '[.qdiscs[] | "\(.dev) \(.kind) \(.above) \(.parent // "root") \(.received != null)"] |
		join(", ")' "$LIB_TMP/seen")" == \
		"d0 fq_codel mq 1:1 false, d0 $CODEL_KIND mq 1:2 true, d1 $FQ_CODEL_KIND htb 30:1 true"
	see 0 -1
	check "columns" "$(awk 'length > 80' "$LIB_TMP/seen" | wc -l)" == 0
	see 1 -1 lo
	check "said" "$(cat "$LIB_TMP/said")" == "codelstat: no codel or fq_codel qdisc on lo"
	see 1 list nosuch
	check "said" "$(cat "$LIB_TMP/said")" == "codelstat: there is no device nosuch here"
	see 1 nosuch
	check "said" "$(cat "$LIB_TMP/said")" == "codelstat: nosuch is neither a device here nor \
a command; the commands are list, top, watch, export, record, replay"
}

# Without any qdisc of these kinds
nothing()
{
	ns_create nothing
	ROUTER=$NS
	see 1
	check "said" "$(cat "$LIB_TMP/said")" == "codelstat: no codel or fq_codel qdisc here"
	tc -n "$NS" qdisc add dev lo root handle 7: cake bandwidth 20mbit
	in_ns "$NS" ip link set lo up
	in_ns "$NS" ping -c 3 -i 0.1 -q 127.0.0.1 >/dev/null
	see 1 lo
	check "said of a cake" "$(sed -n 2p "$LIB_TMP/said" | sed -E 's/(delay|peak) [0-9.]+[mun]?s?,/\1 T,/g')" == \
		"codelstat: cake 7: on lo: rate 20Mbit/s, delay T, peak T, drops 0, marks 0; all of it: tc -s qdisc show dev lo"
	tc -n "$NS" qdisc del dev lo root
	see 0 --json
	check "JSON" "$(jq -c '[.qdiscs, .devices]' "$LIB_TMP/seen")" == "[[],[]]"
	see 0 -1 --json lo
	check "JSON" "$(jq -c '[.qdiscs, .devices]' "$LIB_TMP/seen")" == "[[],[]]"
	see 1 list --json nosuch
	check "said" "$(cat "$LIB_TMP/said")" == "codelstat: there is no device nosuch here"
	see 3 -n nosuch
	check "said" "$(cat "$LIB_TMP/said")" == \
		"codelstat: there is no network namespace nosuch"
}

namespaces()
{
	topo_create
	topo_bottleneck 10mbit "$1"
	codelstat -n "$ROUTER" -1 --json >"$LIB_TMP/seen"
	check "by name" "$(seen .kind)" == "$1"
	codelstat --netns "/run/netns/$ROUTER" -1 --json >"$LIB_TMP/seen"
	check "by path" "$(seen .kind)" == "$1"
	codelstat -n "$ROUTER" -1 watch r1 >"$LIB_TMP/seen"
	check "ahead of the command" "$(awk 'NR == 1 { print $1, $2 }' "$LIB_TMP/seen")" == "r1 $1"
	check "lines into a pipe, without a pace" "$(in_ns "$ROUTER" codelstat --json | wc -l)" == 1
	in_ns "$ROUTER" setpriv --reuid 65534 --regid 65534 --clear-groups \
		codelstat -1 --json >"$LIB_TMP/seen"
	check "as an unprivileged user" "$(seen .kind)" == "$1"
	refuses "another namespace, as an unprivileged user" setpriv --reuid 65534 --regid 65534 \
		--clear-groups codelstat -1 -n "$ROUTER"
	check "said" "$REFUSAL" == \
		"codelstat: network namespace $ROUTER: Operation not permitted"
}

WAITING=$'\n'"codelstat: waiting until it returns"

# A PPP redial: the device is another one with another handle, and all views go on
redial()
{
	local view

	ns_create redial
	ROUTER=$NS
	ip -n "$ROUTER" link add ppp0 up type dummy
	tc -n "$ROUTER" qdisc add dev ppp0 root "$1"
	(
		sleep 1.1
		ip -n "$ROUTER" link del ppp0
		sleep 1
		ip -n "$ROUTER" link add ppp0 up type dummy
		tc -n "$ROUTER" qdisc add dev ppp0 root "$1"
	) &
	in_ns "$ROUTER" codelstat watch ppp0 -i 0.5 -c 7 >"$LIB_TMP/watch" 2>&1 &
	in_ns "$ROUTER" codelstat ppp0 --json -i 0.5 -c 7 >"$LIB_TMP/list" 2>&1 &
	see 0 record "$LIB_TMP/file" ppp0 -i 0.5 -c 7
	check "said" "$(cat "$LIB_TMP/said")" == "codelstat: device ppp0 has gone$WAITING"
	wait
	see 0 replay "$LIB_TMP/file" --speed 0 --json
	check "devices of the recording" "$(jq -s '[.[].qdiscs[].ifindex] | unique | length' "$LIB_TMP/seen")" == 2
	for view in watch list; do
		check "what $view said" "$(grep ^codelstat "$LIB_TMP/$view")" == \
			"codelstat: device ppp0 has gone$WAITING"
	done
	check "devices of the list" "$(grep -v ^codelstat "$LIB_TMP/list" |
		jq -s '[.[].qdiscs[].ifindex] | unique | length')" == 2
	check "frames of the chart" "$(grep -c "^ppp0 " "$LIB_TMP/watch")" ">=" 4
}

# A device is added, renamed and removed while codelstat runs
comes_and_goes()
{
	local status=0

	ns_create comes
	ROUTER=$NS
	ip -n "$ROUTER" link add d0 up type dummy
	tc -n "$ROUTER" qdisc add dev d0 root handle 10: "$1"
	# not by in_ns: its shell would be stopped in place of the program
	ip netns exec "$ROUTER" codelstat --csv -i 0.5 >"$LIB_TMP/seen" 2>"$LIB_TMP/said" &
	defer lib_stop $!
	sleep 1.7
	ip -n "$ROUTER" link add d1 up type dummy
	tc -n "$ROUTER" qdisc add dev d1 root handle 10: "$1"
	sleep 1
	# 6.1 renames no device that is up
	ip -n "$ROUTER" link set d0 down
	ip -n "$ROUTER" link set d0 name renamed
	sleep 1
	ip -n "$ROUTER" link del renamed
	sleep 1
	ip -n "$ROUTER" link del d1
	sleep 2
	check "said" "$(cat "$LIB_TMP/said")" == \
		"codelstat: no codel or fq_codel qdisc here any more$WAITING"
	check "lines of d1" "$(grep -c '"d1"' "$LIB_TMP/seen")" "<=" 9
	ip -n "$ROUTER" link add d1 up type dummy
	tc -n "$ROUTER" qdisc add dev d1 root handle 10: "$1"
	sleep 2.2
	kill "$!"
	wait "$!" || status=$?
	check "status" "$status" == 0
	check "devices in turn" \
		"$(awk -F, 'NR > 1 && $3 != "\"d1\"" { gsub(/"/, ""); print $3 }' "$LIB_TMP/seen" |
			uniq -c | awk '{ print $2 }' | tr '\n' ' ')" == "d0 renamed "
	check "lines of d1" "$(grep -c '"d1"' "$LIB_TMP/seen")" ">=" 9
	in_ns "$ROUTER" ip link add d2 up type dummy
	tc -n "$ROUTER" qdisc add dev d2 root handle 10: "$1"
	(sleep 1.2; ip -n "$ROUTER" link del d2) &
	see 1 d2 -i 0.5 -c 5
	check "said" "$(cat "$LIB_TMP/said")" == \
		"codelstat: device d2 has gone$WAITING"$'\n'"codelstat: device d2 has gone"
}

# By a fixed beat, also at its fastest
fast()
{
	topo_create
	topo_bottleneck 10mbit "$1"
	see 0 --json -i 0.01 -c 30
	check_near "seconds for 30" "$(jq -s '(last.time - first.time)' "$LIB_TMP/seen")" 0.29 0.005
}

# qdiscs_seen: all qdiscs in the last object, and what it says about them
qdiscs_seen()
{
	jq -cs 'last.qdiscs | if length > 0 then . else error("there is no qdisc") end' "$LIB_TMP/seen"
}

# During traffic a recording has as many objects as it was asked for, and at rest it shows the
# same as the live list
recording()
{
	topo_create
	topo_bottleneck 10mbit "$1" limit 300
	sink_start
	udp_send --size 1236 --rate 14e6 --time 3 >/dev/null &
	see 0 record "$LIB_TMP/file" -i 0.3 -c 5
	see 0 replay "$LIB_TMP/file" --speed 0 --json
	wait $!
	check "objects" "$(wc -l <"$LIB_TMP/seen")" == 5
	check "balance" "$(seen '.received.packets == .sent.packets +
		.queued.packets + ([.dropped[].packets] | add)')" == true
	sink_stop
	see 0 record "$LIB_TMP/file" -i 0.3 -c 2
	see 0 --json -i 0.3 -c 2
	qdiscs_seen >"$LIB_TMP/live"
	check "drops in the live list" "$(seen .drops)" ">" 0
	see 0 replay "$LIB_TMP/file" --speed 0 --json
	check "qdiscs of the recording" "$(qdiscs_seen)" == "$(<"$LIB_TMP/live")"
	see 3 record /nonexistent/file
	check "said" "$(cat "$LIB_TMP/said")" == \
		"codelstat: /nonexistent/file: No such file or directory"
	see 3 record /dev/full -c 1
	check "said" "$(cat "$LIB_TMP/said")" == "codelstat: /dev/full: No space left on device"
}

# cost_of COMMAND...: its processor time per second, in percent, after the start
cost_of()
{
	local before after pid

	"$@" >/dev/null &
	pid=$!
	sleep 2.5
	read -r before _ <"/proc/$pid/schedstat"
	sleep 5
	read -r after _ <"/proc/$pid/schedstat"
	kill "$pid"
	wait "$pid" || :
	calc "($after - $before) / 5e7"
}

# An instruction is a nanosecond here: a real processor does several in that time.
thousand()
{
	[[ $CODEL_TEST_SLACK == 1 ]] || skip "instructions are not counted here"
	modprobe sch_fq_codel_oot
	sysctl -qw net.core.default_qdisc="$FQ_CODEL_KIND"
	defer sysctl -qw net.core.default_qdisc=fq_codel
	ns_create thousand
	ip -n "$NS" link add d0 numtxqueues 1000 type dummy
	ip -n "$NS" link set d0 up
	tc -n "$NS" qdisc add dev d0 root handle 1: mq
	check "qdiscs" "$(codelstat -n "$NS" -1 --json | jq '.qdiscs | length')" == 1000
	check_instructions "cost on a terminal, %" \
		"$(cost_of "$LIB_DIR/terminal.py" codelstat -n "$NS")" 1
	check_instructions "cost of all as CSV, %" "$(cost_of codelstat -n "$NS" -i 1 --csv)" 2
	check_instructions "cost of all as JSON, %" "$(cost_of codelstat -n "$NS" -i 1 --json)" 7
}

lib_add_each same_as_tc "the numbers of tc"
lib_add_each one_json "the JSON of tc"
lib_add_each interval "an interval of TCP at 10 Mbit/s"
lib_add memory_limit "$FQ_CODEL_KIND: memory limit before CoDel acts"
lib_add_each packet_limit "packet limit before CoDel acts"
lib_add_each overload "senders that do not care"
lib_add one_flow "$FQ_CODEL_KIND: one flow holds the backlog"
lib_add_each at_rest "idle, and not the bottleneck"
lib_add_each stalled "stalled"
lib_add_each replaced "another qdisc with the same handle meanwhile"
lib_add parents "children of mq, tbf and htb; in-tree fq_codel"
lib_add nothing "nothing to see"
lib_add_each namespaces "network namespaces, no privilege"
lib_add_each comes_and_goes "devices that come, change their names, and go"
lib_add_each redial "a device that goes and returns"
lib_add fast "$FQ_CODEL_KIND: every 10 ms" "$FQ_CODEL_KIND"
lib_add_each recording "a recording"
lib_add thousand "a thousand qdiscs cost less than 1% of a core"
lib_main "$@"
