#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# check: without_server
#
# codelctl prove and compare, for a router whose link is slow behind a modem (ctl/modem.sh).
#

# shellcheck source=tests/kernel/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/kernel/traffic.sh
. "$LIB_DIR/traffic.sh"
# shellcheck source=tests/kernel/ctl.sh
. "$LIB_DIR/ctl.sh"
# shellcheck source=tests/kernel/ctl/modem.sh
. "$LIB_DIR/ctl/modem.sh"
# shellcheck source=tests/kernel/ctl/prove.sh
. "$LIB_DIR/ctl/prove.sh"

before_after()
{
	local load

	modem
	setup --up 9mbit --down 9mbit
	prove --server "$SERVER_IP" --picture "$LIB_TMP/picture.svg"
	for load in upload download; do
		check "$load: delay that is added before" "$(cell "before $load" 6)" ">" 100
		check "$load: delay that is added after" "$(cell "after $load" 6)" "<" 40
		check "$load: delay elsewhere after" "$(cell "after $load" 1)" "<" 15
		says "^$load: the load adds .* ms to the ping without the shapers, and .* ms with them"
	done
	says "^under load, the delay is in no queue elsewhere"
	check "phases that are announced" "$(grep -c ': 4 s$' "$LIB_TMP/said")" == 5
	check "the setup afterwards" "$(ctl show | sed 's/.*: //')" == "in force"
	check "lines of the picture" "$(grep -c "<polyline" "$LIB_TMP/picture.svg")" ">=" 4
	python3 -c 'import sys, xml.dom.minidom as dom; dom.parse(sys.argv[1])' "$LIB_TMP/picture.svg" ||
		fail "the picture is not XML"
}

# A shaper that is faster than the link does not control the queue
elsewhere()
{
	modem
	setup --up 20mbit --down 20mbit
	prove --server "$SERVER_IP"
	check "delay elsewhere" "$(cell "after upload" 1)" ">" 100
	says "ms of the ping are in a queue elsewhere: lower the rate of the shaper"
}

# The link is left alone
without_setup()
{
	modem
	prove --server "$SERVER_IP"
	check "delay that is added" "$(cell upload 6)" ">" 100
	says "^the link is not set up: with a setup, the table compares"
	check "qdiscs of r1" "$(qdisc_get "$ROUTER" r1 root .kind)" == noqueue
}

without_server()
{
	modem
	setup --up 9mbit --down 9mbit
	prove
	says "^without --server: measured are .*; not measured are the delay under load"
	check "rows of the table" "$(grep -c "^now " "$LIB_TMP/table")" == 1
	check "the median ping to the gateway" "$(cell now 10)" "<" 10
	ip -n "$ROUTER" route del default
	refuses "no gateway" ctl prove r1
	[[ $REFUSAL == *"r1 has no default route: give --server HOST"* ]] || fail "it says: $REFUSAL"
}

# Another device, another name of the device, and a router with IPv6 only
routes()
{
	modem
	ip -n "$ROUTER" link add other type dummy
	ip -n "$ROUTER" link set other up
	refuses "a server behind another device" ctl prove other --seconds 2 --server "$SERVER_IP"
	[[ $REFUSAL == *"$SERVER_IP is reached through r1, and not through other: measure r1, "* ]] ||
		fail "it says: $REFUSAL"
	refuses "a name without an address" ctl prove r1 --seconds 2 --server nowhere.invalid
	[[ $REFUSAL == *"--server: nowhere.invalid: "* ]] || fail "it says: $REFUSAL"
	ip -n "$ROUTER" link property add dev r1 altname uplink0
	ctl prove uplink0 --seconds 2 >"$LIB_TMP/table" || fail "prove uplink0: status $?"
	check "the median ping to the gateway" "$(cell now 10)" "<" 10
	ip -n "$ROUTER" route del default
	in_ns "$ROUTER" sh -c 'echo 0 >/proc/sys/net/ipv6/conf/r1/disable_ipv6'
	in_ns "$MODEM" sh -c 'echo 0 >/proc/sys/net/ipv6/conf/m0/disable_ipv6'
	ip -n "$ROUTER" addr add fe80::1/64 dev r1 nodad
	ip -n "$MODEM" addr add fe80::2/64 dev m0 nodad
	ip -n "$ROUTER" -6 route add default via fe80::2 dev r1
	prove
	check "the median ping to the gateway" "$(cell now 10)" "<" 10
}

# On a terminal, one line shows the progress
progress()
{
	modem
	in_ns "$ROUTER" python3 -c 'import pty, sys; pty.spawn(sys.argv[1:])' \
		"$CODELCTL" prove r1 --seconds 3 </dev/null >"$LIB_TMP/screen"
	tr '\r' '\n' <"$LIB_TMP/screen" >"$LIB_TMP/lines"
	grep -q "^now: 1 of 3 s, ping [0-9.]* ms" "$LIB_TMP/lines" || fail "$(cat -v "$LIB_TMP/lines")"
}

failures()
{
	modem
	setup --up 9mbit --down 9mbit
	refuses "a server without iperf3" ctl prove r1 --seconds 2 --server 10.9.2.2
	[[ $REFUSAL == *"iperf3: "*refused* ]] || fail "it says: $REFUSAL"
	check "the setup afterwards" "$(ctl show | sed 's/.*: //')" == "in force"
	refuses "a picture in no folder" ctl prove r1 --seconds 2 --picture /nonexistent/p.svg
	[[ $REFUSAL == *"/nonexistent/p.svg: cannot write the picture: No such file or directory"* ]] ||
		fail "it says: $REFUSAL"
}

kinds()
{
	modem
	setup --up 9mbit --down 9mbit
	ctl compare r1 none codel_oot fq_codel --seconds 2 --server "$SERVER_IP" \
		>"$LIB_TMP/table" 2>"$LIB_TMP/said" || fail "compare: $(<"$LIB_TMP/said")"
	cat "$LIB_TMP/table"
	check "rows" "$(awk '/load /{ print $1, $2 }' "$LIB_TMP/table" | tr '\n' ';')" == \
		"none upload;none download;codel_oot upload;codel_oot download;fq_codel upload;fq_codel download;"
	check "added without a setup" "$(cell "none upload" 6)" ">" 100
	check "added with codel_oot" "$(cell "codel_oot upload" 6)" "<" 60
	check "elsewhere with in-tree fq_codel" "$(cell "fq_codel upload" 1)" == -
	check "the setup afterwards" "$(ctl show)" == \
		"r1: up 9mbit, down 9mbit, link ethernet, kind fq_codel_oot: in force"
}

# samples FILE: of each phase: its setup and load, and whether there are all replies, a rate and a histogram
samples()
{
	jq -r '.phases[] | [.setup, .load, (.ping.replies | length) + .ping.lost >= 9, .rate.egress + .rate.ingress > 0,
		(.egress.buckets | map(.count) | add > 0)] | tojson' "$1"
}

json()
{
	modem
	setup --up 9mbit --down 9mbit
	ctl prove r1 --seconds 2 --server "$SERVER_IP" --json >"$LIB_TMP/proved" 2>/dev/null || fail "prove: status $?"
	check "phases of prove" "$(samples "$LIB_TMP/proved")" == '[null,"idle",true,true,true]
["before","upload",true,true,true]
["before","download",true,true,true]
["after","upload",true,true,true]
["after","download",true,true,true]'
	check "delay that is added" "$(jq '.phases[1].added_ms' "$LIB_TMP/proved")" ">" \
		"$(jq '.phases[3].added_ms' "$LIB_TMP/proved")"
	check "sentences" "$(jq '.sentences | length' "$LIB_TMP/proved")" == 3
	ctl compare r1 codel_oot --seconds 2 --server "$SERVER_IP" --json >"$LIB_TMP/compared" 2>/dev/null ||
		fail "compare: status $?"
	check "phases of compare" "$(samples "$LIB_TMP/compared")" == '[null,"idle",true,true,true]
["codel_oot","upload",true,true,true]
["codel_oot","download",true,true,true]'
}

# rule HOOK: of a firewall
rule()
{
	tc -n "$ROUTER" filter add dev r1 "$1" pref 7 protocol ip flower ip_proto udp dst_port 9 action drop
}

# No filter and no hook is removed for a moment, and a measurement leaves nothing behind
foreign()
{
	modem
	setup --up 9mbit --down 9mbit
	rule ingress
	rule egress
	link_state >"$LIB_TMP/before"
	ip netns exec "$ROUTER" tc monitor >"$LIB_TMP/events" &
	defer lib_stop $!
	sleep 1
	prove --server "$SERVER_IP"
	same_state prove
	check "events" "$(wc -l <"$LIB_TMP/events")" ">" 0
	check "filters and hooks that went" \
		"$(sed -n '/^deleted .*\(filter\|clsact\)/p' "$LIB_TMP/events")" empty
}

lifted()
{
	[[ $(rate_of r1) != 9000000 ]]
}

in_force()
{
	[[ $(ctl show) == *": in force" ]]
}

# kill_prove PATTERN: kill what matches, of a measurement that has lifted the shapers
kill_prove()
{
	modem
	setup --up 9mbit --down 9mbit
	link_state >"$LIB_TMP/before"
	ip netns exec "$ROUTER" "$CODELCTL" prove r1 --seconds 4 --server "$SERVER_IP" >"$LIB_TMP/said" 2>&1 &
	defer lib_stop $!
	busywait 60 lifted || fail "the shapers were not lifted"
	sleep 3
	# shellcheck disable=SC2046 # words
	kill -KILL $(ip netns pids "$ROUTER" | xargs ps -o pid=,args= -p | awk '/codelctl prove/ { print $1 }' | "$@")
}

no_load()
{
	! ip netns pids "$ROUTER" | xargs ps -o comm= -p | grep -q "^iperf3\|^ping"
}

killed()
{
	kill_prove head -n 1
	busywait 10 in_force || fail "the setup does not return: $(ctl show)"
	same_state "a killed measurement"
	busywait 60 no_load || fail "the load does not end"
}

# The link is still set up, and show tells that the numbers are others
all_killed()
{
	kill_prove cat
	check "codelctl show" "$(ctl show)" == \
		"r1: up 9mbit, down 9mbit, link ethernet, kind fq_codel_oot: differs from the setup"
	ctl setup r1 || fail "setup: status $?"
	same_state "a setup after a killed measurement"
	busywait 60 no_load || fail "the load does not end"
}

# A measurement that would take longer than a unit may take to stop
undone()
{
	local pid status=0

	modem
	link_state >"$LIB_TMP/before"
	setup --up 9mbit --down 9mbit
	ip netns exec "$ROUTER" "$CODELCTL" prove r1 --seconds 600 --server "$SERVER_IP" >"$LIB_TMP/said" 2>&1 &
	pid=$!
	sleep 5
	ctl undo r1 2>"$LIB_TMP/warned" || fail "undo: status $?: $(<"$LIB_TMP/warned")"
	grep -q "^codelctl: ending \`codelctl prove r1 .*\`, process " "$LIB_TMP/warned" || fail "it says: $(<"$LIB_TMP/warned")"
	wait "$pid" || status=$?
	check "status of prove" "$status" == 143
	same_state undo
}

# The setup returns if compare is stopped while the shapers let everything pass
stopped()
{
	local pid status=0

	modem
	setup --up 9mbit --down 9mbit
	ip netns exec "$ROUTER" "$CODELCTL" compare r1 none --server "$SERVER_IP" >"$LIB_TMP/said" 2>&1 &
	pid=$!
	busywait 60 lifted || fail "the shapers were not lifted"
	sleep 3
	kill -TERM "$pid"
	wait "$pid" || status=$?
	check "its status" "$status" == 143
	grep -q "interrupted by SIGTERM" "$LIB_TMP/said" || fail "it says: $(<"$LIB_TMP/said")"
	check "the setup afterwards" "$(ctl show | sed 's/.*: //')" == "in force"
}

lib_add before_after "the delay before and after a setup, split, with a picture"
lib_add elsewhere "a queue elsewhere is named"
lib_add without_setup "a link that is not set up is measured as it is"
lib_add without_server "without a server, it states what is measured"
lib_add routes "the server is behind the device, by any of its names, and the gateway may have IPv6 only"
lib_add progress "progress on a terminal"
lib_add failures "a failure leaves the setup in force"
lib_add kinds "compare measures with each kind, and the setup returns"
lib_add json "prove and compare print every sample as JSON"
lib_add foreign "filters of others stay during a measurement"
lib_add undone "undo, as of a unit that stops, ends a measurement"
lib_add killed "the setup returns if prove is killed"
lib_add all_killed "a measurement that is killed with all its processes leaves a setup that can be restored"
lib_add stopped "a signal leaves the setup in force"
lib_main "$@"
