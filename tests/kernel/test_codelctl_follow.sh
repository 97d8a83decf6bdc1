#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# check: measured
#
# codelctl setup --follow: no rate is given, and the queues of a modem and of its provider are short (ctl/modem.sh).
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

# far DEV EXPRESSION: of the queue that codelctl's qdisc follows
far()
{
	tc -n "$ROUTER" -s -j qdisc show dev "$1" root | jq -r ".[0].far | $2"
}

measured()
{
	local load

	modem
	link_state >"$LIB_TMP/before"
	setup --follow >"$LIB_TMP/said"
	check "what it says" "$(<"$LIB_TMP/said")" == "r1: set up: follow on, link ethernet, kind fq_codel_oot"
	prove --seconds 6 --server "$SERVER_IP"
	for load in upload download; do
		check "$load: delay that is added before" "$(cell "before $load" 6)" ">" 100
		check "$load: delay that is added after" "$(cell "after $load" 6)" "<" 45
		check "$load: Mbit/s after" "$(cell "after $load" 11)" ">" 8
	done
	says "^after upload: packets wait for .* in the queue behind this router"
	says "^after download: packets wait for .* in the queue ahead of it, at the provider"
	check "egress" "$(far r1 .state)" == works
	check "ingress" "$(far ifb-r1 .state)" == works
	ctl doctor >"$LIB_TMP/doctor" || :
	check "doctor" "$(grep -c "r1: .* follows the link" "$LIB_TMP/doctor")" == 2
	check "show" "$(ctl show)" == "r1: follow on, link ethernet, kind fq_codel_oot: in force"
	ctl undo r1 >/dev/null
	same_state "undo"
}

# Without a server, beside an upload of the user's
own_load()
{
	modem
	setup --follow >/dev/null
	background in_ns "$ROUTER" iperf3 -c "$SERVER_IP" -t 60 -P 4
	sleep 3
	prove --seconds 6
	says "^before now: a ping takes .* ms at the 95th percentile, .* round trips per minute"
	says "^after now: a ping takes .* ms at the 95th percentile, .* round trips per minute"
	says "^after now: packets wait for .* in the queue behind this router"
	check "the setup afterwards" "$(ctl show | sed 's/.*: //')" == "in force"
}

# bottleneck_of DEV
bottleneck_of()
{
	tc -n "$ROUTER" -j qdisc show dev "$1" root | jq -r '.[0] | "\(.kind) \(.options.bottleneck) \(.options.answers) \(.options.rate // "off")"'
}

# Bounds, rates and back, live; a second setup changes nothing; and without what codelctl remembers
changes()
{
	local kind=$1

	modem
	rm -rf /run/codelctl
	link_state >"$LIB_TMP/before"
	setup --follow --kind "$kind" >/dev/null
	check "egress" "$(bottleneck_of r1)" == "$kind downstream self off"
	check "ingress" "$(bottleneck_of ifb-r1)" == "$kind upstream r1 off"
	check "again" "$(setup)" == "r1: nothing to change: follow on, link ethernet, kind $kind"
	setup --up 8mbit >"$LIB_TMP/said"
	check "a bound" "$(bottleneck_of r1)" == "$kind downstream self 1000000"
	check "what it says" "$(head -n 1 "$LIB_TMP/said")" == "r1: up off becomes 8mbit"
	setup --up off >/dev/null
	check "no bound" "$(bottleneck_of r1)" == "$kind downstream self off"
	setup --no-follow --up 8mbit --down 9mbit >/dev/null
	check "rates" "$(bottleneck_of r1), $(bottleneck_of ifb-r1)" == "$kind here self 1000000, $kind here self 1125000"
	setup --follow --up off --down off >/dev/null
	check "back" "$(bottleneck_of r1), $(bottleneck_of ifb-r1)" == "$kind downstream self off, $kind upstream r1 off"
	refuses "cake" ctl setup r1 --kind cake
	[[ $REFUSAL == *"--follow: cake does not follow a link: "* ]] || fail "it says: $REFUSAL"
	refuses "no direction" ctl setup r1 --no-follow
	[[ $REFUSAL == *"no direction is left: "* ]] || fail "it says: $REFUSAL"
	rm -rf /run/codelctl
	check "from the qdiscs" "$(ctl show)" == "r1: follow on, link raw, overhead 38, mpu 84, cells none, kind $kind, offloads keep: in force"
	ctl undo r1 >/dev/null 2>&1
	same_state "undo"
}

# Others have replaced a root: the other direction is left alone, and a setup takes its place again
replaced()
{
	modem
	setup --follow >/dev/null
	tc -n "$ROUTER" qdisc replace dev r1 root handle 77: pfifo
	check "show" "$(ctl show | grep -c "differs from the setup")" == 1
	refuses "compare" ctl compare r1 none --server "$SERVER_IP"
	[[ $REFUSAL == *"r1: compare needs a setup: "* ]] || fail "it says: $REFUSAL"
	check "of others" "$(qdisc_get "$ROUTER" r1 root .kind)" == pfifo
	check "ingress" "$(bottleneck_of ifb-r1)" == "fq_codel_oot upstream r1 off"
	setup >/dev/null
	check "egress" "$(bottleneck_of r1)" == "fq_codel_oot downstream self off"
	ctl undo r1 >/dev/null
	check "the root of others" "$(qdisc_get "$ROUTER" r1 root .kind)" == pfifo
}

lib_add measured "no rate is given, and the load adds little delay"
lib_add own_load "prove without a server, beside the user's own load"
lib_add changes "bounds, rates and back, live" fq_codel_oot
lib_add changes "bounds, rates and back, live" codel_oot
lib_add replaced "a root of others in place of one that follows"
lib_main "$@"
