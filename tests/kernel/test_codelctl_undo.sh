#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# check: returns
#
# codelctl leads back to the link as it was: after a failure or a signal at any command, and by undo. The topology is that
# of test_codelctl.sh.
#

# shellcheck source=tests/kernel/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/kernel/served.sh
. "$LIB_DIR/served.sh"
# shellcheck source=tests/kernel/ctl.sh
. "$(dirname "$0")/ctl.sh"

# each_step FAULT EXPECTED OPTION...: in a setup with these options, FAULT happens at each command in turn.
# EXPECTED is what codelctl says of the link, which stays as in $LIB_TMP/before. The number of commands is in STEPS
each_step()
{
	local fault=$1 expected=$2 step

	shift 2
	for ((step = 1; ; step++)); do
		ctl @fault "$fault" "$step"
		! ctl setup r1 "$@" >"$LIB_TMP/said" 2>&1 || break
		[[ $(<"$LIB_TMP/said") == *"$expected"* ]] ||
			fail "step $step: it says: $(<"$LIB_TMP/said")"
		same_state "$* fails at $(ctl @commands | sed -n "${step}p")"
	done
	STEPS=$(ctl @commands | wc -l)
	check "commands that failed" "$((step - 1))" == "$STEPS"
	ctl @fault none 0
}

LEFT="the link is as it was"

# half_way KIND OTHER OFFLOADS NUMBER...: of commands of a setup, of other numbers, of another kind, and without ingress
half_way()
{
	local kind=$1 other=$2 offloads=$3

	shift 3
	topology offloads
	modprobe ifb numifbs=0
	link_state >"$LIB_TMP/before"
	each_step fail "$LEFT" --up 8mbit --down 20mbit --kind "$kind" --offloads "$offloads"
	check "commands of a setup" "$STEPS" == "$1"
	link_state >"$LIB_TMP/before"
	each_step fail "$LEFT" --up 1mbit --down 2mbit --link docsis --kind "$kind"
	check "commands of other numbers" "$STEPS" == "$2"
	link_state >"$LIB_TMP/before"
	each_step fail "$LEFT" --up 1mbit --down 2mbit --link docsis --kind "$other"
	check "commands of another kind" "$STEPS" == "$3"
	link_state >"$LIB_TMP/before"
	each_step fail "$LEFT" --down off --offloads keep
	check "commands without ingress" "$STEPS" == "$4"
	check "codelctl show" "$(ctl show)" == \
		"r1: up 1mbit, link docsis, kind $other, offloads keep: in force"
}

# The setup of an earlier version stays if it cannot be taken over: the module that is loaded may be of that version, too
half_way_earlier()
{
	topology offloads
	modprobe ifb numifbs=0
	link_state >"$LIB_TMP/before"
	earlier codel_oot --up 8mbit --down 20mbit
	mv "$LIB_TMP/before" "$LIB_TMP/bare"
	link_state >"$LIB_TMP/before"
	each_step fail "$LEFT" --up 8mbit --down 20mbit --kind codel_oot --offloads keep
	check "commands of a takeover" "$STEPS" == 3
	mv "$LIB_TMP/bare" "$LIB_TMP/before"
	ctl undo r1
	same_state undo
}

# half_way_tuned HANDLE KIND: parameters that tc has set, and those of a setup, come back
half_way_tuned()
{
	local handle=$1 kind=$2

	topology offloads
	setup --up 8mbit --down 20mbit --kind "$kind" --target 6ms
	tc -n "$ROUTER" qdisc change dev r1 root handle "$handle" "$kind" interval 80ms ceiling 70ms noecn
	tc -n "$ROUTER" qdisc change dev ifb-r1 root handle "$handle" "$kind" ceiling off
	link_state >"$LIB_TMP/before"
	each_step fail "$LEFT" --target 7ms --interval 90ms --ceiling 60ms --ecn
	check "commands of other parameters" "$STEPS" == 2
	check "parameters" "$(queue_get r1 '.options | [.target, .interval, .ceiling, .ecn] | tojson')" == \
		"[7000,90000,60000,true]"
}

# A link that is followed, its rates, and back
half_way_followed()
{
	topology offloads
	modprobe ifb numifbs=0
	link_state >"$LIB_TMP/before"
	each_step fail "$LEFT" --follow
	check "commands of a setup" "$STEPS" == 6
	link_state >"$LIB_TMP/before"
	each_step fail "$LEFT" --no-follow --up 8mbit --down 20mbit
	check "commands of rates" "$STEPS" == 2
	link_state >"$LIB_TMP/before"
	each_step fail "$LEFT" --follow
	check "commands of bounds" "$STEPS" == 2
}

# With a qdisc for each of two transmit queues
half_way_queues()
{
	wide 2
	modprobe ifb numifbs=0
	link_state >"$LIB_TMP/before"
	each_step fail "$LEFT" --up 200mbit --down 1gbit --kind fq_codel_oot
	check "commands of a setup" "$STEPS" == 10
	link_state >"$LIB_TMP/before"
	each_step fail "$LEFT" --up 300mbit --down 1500mbit
	check "commands of other numbers" "$STEPS" == 4
	link_state >"$LIB_TMP/before"
	each_step fail "$LEFT" --queues one
	check "commands of one qdisc" "$STEPS" == 2
	link_state >"$LIB_TMP/before"
	each_step fail "$LEFT" --queues auto
	check "commands of several" "$STEPS" == 6
	link_state >"$LIB_TMP/before"
	each_step fail "$LEFT" --kind codel_oot
	check "commands of another kind" "$STEPS" == 4
	ctl undo r1
	check "the root qdisc of r1" "$(queue_get r1 .kind)" != mq
}

# The same with the device's own root qdisc, and a kind that tc does not have
half_way_root()
{
	topology offloads
	modprobe ifb numifbs=0
	tc -n "$ROUTER" qdisc add dev r1 root handle 5: fq_codel limit 500 target 7ms noecn
	link_state >"$LIB_TMP/before"
	each_step fail "$LEFT" --up 8mbit --down 20mbit --kind cake --offloads off
	check "commands of a setup" "$STEPS" == 7
	ctl undo r1
	same_state undo
	refuses "a tc without plugins" in_ns "$ROUTER" env TC_LIB_DIR=/nonexistent \
		"$CODELCTL" setup r1 --up 8mbit --down 20mbit --kind codel_oot
	[[ $REFUSAL == *"codelctl doctor"* ]] || fail "it says: $REFUSAL"
	same_state "a kind that tc does not have"
}

# interrupted NUMBER OPTION...: of commands. The signal that ends a session whose link is slow, at each command
interrupted()
{
	topology offloads
	modprobe ifb numifbs=0
	link_state >"$LIB_TMP/before"
	each_step hangup "interrupted by SIGHUP; $LEFT" --up 8mbit --down 20mbit "${@:2}"
	check "commands of a setup" "$STEPS" == "$1"
}

# files: of all links
files()
{
	echo "files: $(find /run/codelctl -name '*.json')"
}

# vanishes NUMBERS OPTION...: the device goes away at these commands, of ethtool, tc and ip
vanishes()
{
	local step files

	topology offloads
	modprobe ifb numifbs=0
	files=$(files)
	for step in $1; do
		ctl @fault vanish "$step"
		refuses "a device that vanishes at command $step" ctl setup r1 --up 8mbit --down 20mbit "${@:2}"
		[[ $REFUSAL == *"the device is gone"* ]] || fail "it says: $REFUSAL"
		check "links that are left" "$(links)" == "lo r0"
		check "files that are left" "$(files)" == "$files"
		ctl @fault none 0
		topo_link "$ROUTER" r1 10.9.2.1 "$SERVER" s0 10.9.2.2 offloads
	done
}

# restores [COMMAND...]: undo leads back to what tc's COMMANDs, one per argument, have made, for r1 and all other devices
restores()
{
	local command

	for command; do
		# shellcheck disable=SC2086 # words
		tc -n "$ROUTER" $command
	done
	link_state >"$LIB_TMP/before"
	setup --up 8mbit --down 20mbit
	setup --up 9mbit --down off --link docsis
	setup --up off --down 9mbit --kind cake
	setup --up 5mbit --down 9mbit --kind fq_codel
	setup --up 5mbit --down 9mbit --kind codel_oot
	ctl undo r1 || fail "undo after $*"
	same_state "undo after $*"
	[[ $# -eq 0 ]] || tc -n "$ROUTER" qdisc del dev r1 root
}

undo()
{
	topology offloads
	modprobe ifb numifbs=0
	restores
	restores "qdisc add dev r1 root pfifo limit 77"
	restores "qdisc add dev r1 root handle 5: fq_codel limit 500 target 7ms noecn"
	restores "qdisc add dev r1 root fq_codel_oot target 3ms ceiling off ce_threshold 1ms flows 16"
	restores "qdisc add dev r1 root handle 1: codel limit 500 interval 77ms ecn"
	restores "qdisc add dev r1 root codel_oot ceiling 70ms"
	restores "qdisc add dev r1 root fq_codel_oot rate 19mbit overhead -4 mpu 64 ptm ingress no_split_gso"
	restores "qdisc add dev r1 root handle 6: codel_oot rate 64kbit"
	restores "qdisc add dev r1 root fq_codel_oot rate 19mbit shared"
	restores "qdisc add dev r1 root fq_codel_oot bottleneck downstream answers r0"
	restores "qdisc add dev r1 root pfifo_fast"
	restores "qdisc add dev r1 root handle 3: fq limit 500 flow_limit 50 quantum 3000 maxrate 10mbit nopacing"
}

# The out-of-tree module under a plain name keeps times in us, and shows an option of its own only after it was given one
plain_name()
{
	modprobe sch_codel_oot
	require_out_of_tree codel
	topology
	tc -n "$ROUTER" qdisc add dev r1 root handle 5: codel
	link_state >"$LIB_TMP/before"
	setup --up 8mbit
	ctl undo r1 || fail "undo: status $?"
	same_state "undo of the defaults"
	tc -n "$ROUTER" qdisc change dev r1 root handle 5: codel target 4999us ceiling 77ms
	link_state >"$LIB_TMP/before"
	setup --up 8mbit --kind fq_codel
	ctl undo r1 || fail "undo: status $?"
	same_state "undo of options of its own"
}

# An ifb has a default qdisc like a network card: one per queue below mq
default_qdiscs()
{
	local queues

	modprobe ifb numifbs=0
	for queues in 1 3; do
		ns_create r; ROUTER=$NS
		ip -n "$ROUTER" link add r0 type ifb
		ip -n "$ROUTER" link add r1 numtxqueues "$queues" type ifb
		ip -n "$ROUTER" link set r1 up
		ctl_start
		restores
		tc -n "$ROUTER" -j qdisc show dev r1 | jq -c '[.[] | .kind]'
		[[ $queues == 1 ]] || restores "qdisc add dev r1 root handle 7: mq" \
			"qdisc replace dev r1 parent 7:1 handle a: codel_oot rate 9mbit shared" \
			"qdisc replace dev r1 parent 7:2 handle 8: fq_codel_oot flows 16" \
			"qdisc replace dev r1 parent 7:3 handle 9: pfifo limit 5"
		ns_delete "$ROUTER"
	done
}

not_restorable()
{
	topology offloads
	tc -n "$ROUTER" qdisc add dev r1 root handle 7: htb
	link_state >"$LIB_TMP/before"
	refuses "a root that cannot be restored" ctl setup r1 --up 8mbit
	[[ $REFUSAL == *"htb 7:"*"tc qdisc del dev r1 root"* ]] || fail "it says: $REFUSAL"
	same_state "a refused setup"
	setup --down 8mbit
	ctl undo r1
	same_state "undo of a setup of ingress alone"
}

# An ingress or clsact qdisc of the user serves codelctl, too, and stays
hooks()
{
	local hook

	topology
	modprobe ifb numifbs=0
	for hook in clsact ingress; do
		tc -n "$ROUTER" qdisc add dev r1 "$hook"
		link_state >"$LIB_TMP/before"
		setup --up 8mbit
		setup --up 8mbit --down 20mbit
		check "$hook: rate of ingress" "$(rate_of ifb-r1)" == 20000000
		check "$hook: codelctl show" "$(ctl show | sed 's/.*: //')" == "in force"
		ctl undo r1
		same_state "$hook: undo"
		tc -n "$ROUTER" qdisc del dev r1 "$hook"
	done
}

# A device that returns has the same name, and no qdisc of codelctl; the ifb has stayed
returns()
{
	topology
	tc -n "$ROUTER" qdisc add dev r1 root pfifo limit 77
	setup --up 8mbit --down 20mbit
	ip -n "$ROUTER" link del r1
	check "codelctl show" "$(ctl show | sed 's/.*: //')" == "the device is gone"
	topo_link "$ROUTER" r1 10.9.2.1 "$SERVER" s0 10.9.2.2
	setup --up 8mbit --down 20mbit
	check "rate of egress" "$(rate_of r1)" == 8000000
	check "rate of ingress" "$(rate_of ifb-r1)" == 20000000
	ctl undo r1
	check "the root of the new device" "$(qdisc_get "$ROUTER" r1 root .kind)" == noqueue
	setup --up 8mbit --down 20mbit
	ip -n "$ROUTER" link del r1
	ctl undo r1
	check "links that are left" "$(links)" == "lo r0"
}

lib_add half_way "a failure at any command leaves the link as it was" fq_codel_oot codel_oot auto 6 2 2 3
lib_add half_way "a failure at any command leaves the link as it was, with HTB" fq_codel codel off 11 6 4 4
lib_add half_way_tuned "a failure leaves the parameters as they were" c0d1: fq_codel_oot
lib_add half_way_tuned "a failure leaves the parameters as they were" c0d0: codel_oot
lib_add half_way_followed "a failure at any command leaves a link that is followed, or not, as it was"
lib_add half_way_earlier "a failure at any command leaves the setup of an earlier version"
lib_add half_way_queues "a failure at any command leaves a qdisc for each transmit queue as it was"
lib_add half_way_root "a failure at any command leaves a root qdisc as it was"
lib_add interrupted "a signal at any command leaves the link as it was" 6
lib_add interrupted "a signal at any command leaves the link as it was, with HTB" 11 --kind fq_codel
lib_add vanishes "a device that vanishes during a setup leaves nothing behind" "1 2 4 5 6"
lib_add vanishes "a device that vanishes during a setup leaves nothing behind, with HTB" "1 3 7 9 11" --kind fq_codel
lib_add undo "undo restores qdiscs, links and offloads"
lib_add plain_name "undo restores a plain name that the out-of-tree module serves"
lib_add default_qdiscs "undo restores default qdiscs, and mq with its leaves"
lib_add not_restorable "what undo cannot restore is refused"
lib_add hooks "the user's hook of ingress is shared, and stays"
lib_add returns "a device that returns is set up again"
lib_main "$@"
