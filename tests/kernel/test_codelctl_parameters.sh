#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# check: of_directions
#
# codelctl sets the parameters of the AQM that are given, and leaves alone what tc has set. The topology is that of
# test_codelctl.sh.
#

# shellcheck source=tests/kernel/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/kernel/ctl.sh
. "$LIB_DIR/ctl.sh"

# tuned KIND HANDLE RATE SHOWN OPTIONS: what tc has set on a qdisc survives a change of the rate
tuned()
{
	local dev kind=$1 handle=$2 rate=$3 shown=$4 options=$5

	topology
	setup --up 8mbit --down 20mbit --kind "$kind"
	for dev in r1 ifb-r1; do
		# shellcheck disable=SC2086 # words
		tc -n "$ROUTER" qdisc change dev "$dev" root handle "$handle" "$kind" $options
		queue_get "$dev" ".options | del(.$rate) | tojson" >"$LIB_TMP/$dev"
		check "$dev: $shown" "$(grep -c "$shown" "$LIB_TMP/$dev")" == 1
	done
	setup --up 7mbit --down 30mbit
	check "rate of egress" "$(queue_get r1 ".options.$rate")" == 875000
	check "rate of ingress" "$(queue_get ifb-r1 ".options.$rate")" == 3750000
	for dev in r1 ifb-r1; do
		queue_get "$dev" ".options | del(.$rate) | tojson" | diff "$LIB_TMP/$dev" - ||
			fail "$dev: options of tc are lost"
	done
}

# of_both EXPRESSION: jq, of the options of the roots of egress and ingress
of_both()
{
	queue_get r1 ".options | $1 | tojson"
	queue_get ifb-r1 ".options | $1 | tojson"
}

# parameters_of KIND HANDLE: the qdiscs have the parameters that are given, and keep them
parameters_of()
{
	local those='[.target, .interval, .ceiling, .ecn]'

	topology
	setup --up 8mbit --down 20mbit --kind "$1" --target 7ms --interval 70ms --ceiling 60ms --no-ecn
	check "parameters" "$(of_both "$those")" == '[7000,70000,60000,false]
[7000,70000,60000,false]'
	setup --up 7mbit --ceiling off --ecn
	[[ $(of_both "$those") == '[7000,70000,null,true]
[7000,70000,null,true]' ]] || fail "others: $(of_both "$those")"
	check "codelctl show" "$(ctl show)" == \
		"r1: up 7mbit, down 20mbit, link ethernet, kind $1, target 7ms, interval 70ms, ceiling off, ecn on: in force"
	tc -n "$ROUTER" qdisc change dev ifb-r1 root handle "$2" "$1" target 9ms
	ctl doctor >"$LIB_TMP/findings" || :
	grep -q "differ from the setup; target of ifb-r1 is 9ms instead of 7ms: " "$LIB_TMP/findings" ||
		fail "it says: $(<"$LIB_TMP/findings")"
	ctl setup r1 >/dev/null || fail "setup: status $?"
	check "codelctl show" "$(ctl show | sed 's/.*: //')" == "in force"
	check "a kind without a ceiling" "$(setup --kind fq_codel | head -n 1)" == \
		"r1: kind $1 becomes fq_codel, ceiling off becomes not set"
	check "its parameters" "$(qdisc_get "$ROUTER" r1 c0df: '.options | [.target, .interval, .ecn] | tojson')" == \
		"[6999,69999,true]"
	refuses "a ceiling" ctl setup r1 --ceiling 30ms
	[[ $REFUSAL == *"--ceiling: fq_codel has no such parameter: fq_codel_oot, codel_oot have it"* ]] ||
		fail "it says: $REFUSAL"
}

# The hosts of a network behind the router are those that send upwards and receive downwards
parameters_of_cake()
{
	topology
	setup --up 8mbit --down 20mbit --kind cake --nat --diffserv besteffort --isolation dual
	check "parameters" "$(of_both '[.nat, .diffserv, .flowmode]')" == '[true,"besteffort","dual-srchost"]
[true,"besteffort","dual-dsthost"]'
	setup --up 7mbit --diffserv diffserv4 --no-nat
	check "others" "$(of_both '[.bandwidth, .nat, .diffserv, .flowmode]')" == '[875000,false,"diffserv4","dual-srchost"]
[2500000,false,"diffserv4","dual-dsthost"]'
	check "what changes" "$(setup --isolation triple | head -n 1)" == "r1: isolation dual becomes triple"
	check "flows of both" "$(of_both .flowmode)" == '"triple-isolate"
"triple-isolate"'
	check "codelctl show" "$(ctl show)" == \
		"r1: up 7mbit, down 20mbit, link ethernet, kind cake, nat off, diffserv diffserv4, isolation triple: in force"
}

# of_directions KIND HANDLE: of one direction, and kept there
of_directions()
{
	local those='[.target, .ceiling, .ecn]'

	topology
	setup --up 8mbit --down 20mbit --kind "$1" --ceiling 60ms --up-target 7ms --no-down-ecn --ecn
	check "parameters" "$(of_both "$those")" == '[7000,60000,true]
[5000,60000,false]'
	check "another rate" "$(setup --up 7mbit | head -n 1)" == "r1: up 8mbit becomes 7mbit"
	check "codelctl show" "$(ctl show)" == \
		"r1: up 7mbit, down 20mbit, link ethernet, kind $1, ceiling 60ms, ecn on, up-target 7ms, down-ecn off: in force"
	check "show --json" "$(ctl show --json | jq -c '.[0].settings | [."up-target", ."down-ecn"]')" == '["7ms","off"]'
	tc -n "$ROUTER" qdisc change dev ifb-r1 root handle "$2" "$1" target 9ms
	check "a parameter of tc in the other direction" "$(ctl show | sed 's/.*: //')" == "in force"
	tc -n "$ROUTER" qdisc change dev r1 root handle "$2" "$1" target 9ms
	check "a change by hand" "$(ctl show | sed 's/.*: //')" == "differs from the setup"
	ctl doctor >"$LIB_TMP/findings" || :
	grep -q "target of r1 is 9ms instead of 7ms: .*--up-target 7ms .*--no-down-ecn" "$LIB_TMP/findings" ||
		fail "it says: $(<"$LIB_TMP/findings")"
	check "both directions" "$(setup --target 6ms | head -n 1)" == \
		"r1: target not set becomes 6ms, up-target 7ms becomes not set"
	check "target" "$(of_both .target)" == "6000
6000"
	check "a direction less" "$(setup --down off | head -n 1)" == "r1: down 20mbit becomes off, down-ecn off becomes not set"
	refuses "a direction without a shaper" ctl setup r1 --down-target 7ms
	[[ $REFUSAL == *"--down-target: that direction has no shaper: give --down"* ]] || fail "it says: $REFUSAL"
}

# With HTB, which adds to the target on a slow link, and of cake
of_directions_of_others()
{
	topology
	setup --up 8mbit --down 20mbit --kind fq_codel --target 7ms --down-target 9ms --no-up-ecn
	check "target of egress" "$(qdisc_get "$ROUTER" r1 c0df: '.options | [.target, .ecn] | tojson')" == "[6999,null]"
	check "target of ingress" "$(qdisc_get "$ROUTER" ifb-r1 c0df: '.options | [.target, .ecn] | tojson')" == "[8999,true]"
	setup --kind cake --nat --no-down-nat --up-diffserv diffserv4 --down-isolation dual
	check "cake" "$(of_both '[.nat, .diffserv, .flowmode]')" == '[true,"diffserv4","triple-isolate"]
[false,"diffserv3","dual-dsthost"]'
	check "codelctl show" "$(ctl show | sed 's/.*: //')" == "in force"
}

lib_add of_directions "parameters of one direction" fq_codel_oot c0d1:
lib_add of_directions "parameters of one direction" codel_oot c0d0:
lib_add of_directions_of_others "parameters of one direction, of other kinds"
lib_add tuned "what tc has set stays" fq_codel_oot c0d1: rate '"target":7000' \
	"target 7ms interval 70ms ceiling 60ms ce_threshold 2ms noecn limit 500 quantum 700 drop_batch 8 no_split_gso"
lib_add tuned "what tc has set stays" codel_oot c0d0: rate '"target":7000' \
	"target 7ms interval 70ms ceiling off ce_threshold 2ms ecn limit 500 no_split_gso"
lib_add tuned "what tc has set stays" cake c0ca: bandwidth '"nat":true' "nat diffserv4 wash dual-srchost memlimit 5Mb"
lib_add parameters_of "the parameters of the AQM" fq_codel_oot c0d1:
lib_add parameters_of "the parameters of the AQM" codel_oot c0d0:
lib_add parameters_of_cake "the parameters of cake"
lib_main "$@"
