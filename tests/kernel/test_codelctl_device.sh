#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# check: name_taken
#
# codelctl takes no device for another one: names and interface indices are used again, and a device has more than one name.
# The topology is that of test_codelctl.sh.
#

# shellcheck source=tests/kernel/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/kernel/ctl.sh
. "$LIB_DIR/ctl.sh"

# Another device has the name that a device had when it was set up
name_taken()
{
	topology
	modprobe ifb numifbs=0
	ctl setup r0 --up 8mbit >/dev/null || fail "setup: status $?"
	ip -n "$ROUTER" link set r0 down
	ip -n "$ROUTER" link set r0 name wan0
	ip -n "$ROUTER" link set wan0 up
	busywait 10 link_is_up wan0 || fail "wan0 is not up"
	ip -n "$ROUTER" link add r0 type dummy
	ip -n "$ROUTER" link set r0 up
	link_state >"$LIB_TMP/before"
	check "undo of the new device" "$(ctl undo r0)" == \
		"r0: nothing to undo: wan0 was r0 when it was set up: \`codelctl undo wan0\`"
	same_state "undo of the new device"
	refuses "show of the new device" ctl show r0
	check "show" "$REFUSAL" == "codelctl: r0: codelctl has not set up this link"
	check "codelctl show" "$(ctl show | cut -d: -f1,3)" == "wan0: in force"
	ip -n "$ROUTER" link del r0
	check "undo by the former name" "$(ctl undo r0)" == "wan0: restored"
}

# new_h0 NAME OPTION...: a device with index 77
new_h0()
{
	ip -n "$ROUTER" link add index 77 name "$1" type dummy
	ip -n "$ROUTER" link set "$1" up
}

# index_taken NAME: another device has the index of one that is gone
index_taken()
{
	topology
	modprobe ifb numifbs=0
	new_h0 h0
	tc -n "$ROUTER" qdisc add dev h0 root handle 5: pfifo limit 7
	ctl setup h0 --up 8mbit --link adsl --down 20mbit >/dev/null || fail "setup: status $?"
	ip -n "$ROUTER" link del h0
	new_h0 "$1"
	check "codelctl show" "$(ctl show)" == "h0: up 8mbit, down 20mbit, link adsl, kind fq_codel_oot: the device is gone"
	check "another setup" "$(ctl setup "$1" --up 900mbit)" == \
		"$1: set up: up 900mbit, link ethernet, kind fq_codel_oot"
	check "egress" "$(built "$1")" == '["fq_codel_oot","c0d1:",112500000,38,84,"noatm",false,false]
1'
	ctl undo "$1" || fail "undo: status $?"
	check "the root" "$(qdisc_get "$ROUTER" "$1" root .handle)" == "0:"
	[[ $1 == h0 ]] || ctl undo h0 || fail "undo of the device that is gone: status $?"
	check "links" "$(links)" == "lo r0 r1 $1"
	check "codelctl show" "$(ctl show)" empty
}

# The same without /run
index_taken_lost()
{
	topology
	modprobe ifb numifbs=0
	new_h0 h0
	ctl setup h0 --up 8mbit --link adsl --down 20mbit >/dev/null || fail "setup: status $?"
	rm -r /run/codelctl
	ip -n "$ROUTER" link del h0
	new_h0 eth9
	check "another setup" "$(ctl setup eth9 --up 900mbit)" == "eth9: set up: up 900mbit, link ethernet, kind fq_codel_oot"
	ctl undo eth9 || fail "undo: status $?"
	ctl undo h0 || fail "undo of the device that is gone: status $?"
	check "links" "$(links)" == "lo r0 r1 eth9"
}

# What undo restores is lost with /run: another setup does not hide that
former_lost()
{
	topology
	tc -n "$ROUTER" qdisc add dev r1 root fq_codel limit 77
	setup --up 8mbit
	rm -r /run/codelctl
	ctl setup r1 --up 7mbit >/dev/null 2>"$LIB_TMP/said" || fail "setup: status $?"
	check "setup" "$(<"$LIB_TMP/said")" == \
		"r1: the memory of its first setup is lost: undo will not restore the root qdisc and the offloads of then"
	ctl setup r1 --up 8mbit >/dev/null 2>"$LIB_TMP/said" || fail "setup: status $?"
	check "undo" "$(ctl undo r1)" == "r1: restored: its root qdisc and offloads before the setup are not known"
	# Nothing is lost of a direction that comes
	setup --down 20mbit
	rm -r /run/codelctl
	tc -n "$ROUTER" qdisc add dev r1 root handle 9: fq_codel limit 77
	setup --up 8mbit 2>/dev/null
	ctl undo r1 || fail "undo: status $?"
	check "the root" "$(qdisc_get "$ROUTER" r1 root '[.handle, .options.limit] | tojson')" == '["9:",77]'
}

# A device is deleted, and the setup of another one with its name is killed: undo leaves nothing of both
name_again()
{
	topology
	modprobe ifb numifbs=0
	ip -n "$ROUTER" link add h0 type dummy
	ip -n "$ROUTER" link set h0 up
	ctl setup h0 --up 8mbit --down 20mbit >/dev/null || fail "setup: status $?"
	ip -n "$ROUTER" link del h0
	ip -n "$ROUTER" link add h0 type dummy
	ip -n "$ROUTER" link set h0 up
	ctl @fault kill 2
	ctl setup h0 --up 9mbit --down 20mbit >/dev/null && fail "the setup was not killed"
	ctl @fault none 0
	ctl undo h0 >"$LIB_TMP/said" || fail "undo: status $?"
	grep -q "^h0: restored" "$LIB_TMP/said" || fail "it says: $(<"$LIB_TMP/said")"
	ctl show >"$LIB_TMP/said" || fail "show: status $?"
	[[ ! -s $LIB_TMP/said ]] || fail "show says: $(<"$LIB_TMP/said")"
}

# A file whose numbers are no numbers does not hide the other links
wrong_types()
{
	local file expression

	topology
	setup --up 8mbit --down 20mbit
	ctl setup r0 --up 8mbit >/dev/null
	file=$(grep -l '"device": "r0"' /run/codelctl/*/*.json | xargs ls -t | head -n 1)
	cp "$file" "$LIB_TMP/good"
	for expression in '.mtu = "x"' '.mtu = [1]' '.device = 7' '.settings = ["up"]' '.settings.up = 8' '.former.root = "x"' \
		'.former.root = [[1]]' '.former.features = {"gro": {"on": "x", "fixed": 1}}' '.former.stubborn = {}'; do
		jq "$expression" "$LIB_TMP/good" >"$file"
		ctl show >"$LIB_TMP/shown" 2>"$LIB_TMP/said" || fail "$expression: show: status $?"
		check "$expression: links that are shown" "$(cut -d: -f1,3 "$LIB_TMP/shown" | sed 's/ differs.*\| in force//')" == "r0:
r1:"
		grep -q "$file cannot be read: " "$LIB_TMP/said" || fail "$expression: it says: $(<"$LIB_TMP/said")"
	done
}

# An alternative name may have more bytes than a name
altname()
{
	local long=a-name-of-more-than-15-bytes

	topology
	modprobe ifb numifbs=0
	ip -n "$ROUTER" link property add dev r1 altname "$long"
	ip -n "$ROUTER" link property add dev r1 altname short
	link_state >"$LIB_TMP/before"
	check "setup" "$(ctl setup "$long" --up 8mbit --down 20mbit)" == \
		"r1: set up: up 8mbit, down 20mbit, link ethernet, kind fq_codel_oot"
	check "show" "$(ctl show "$long" | sed 's/.*: //')" == "in force"
	ctl undo "$long" || fail "undo: status $?"
	same_state undo
	refuses "a name that no device has" ctl setup "${long}x" --up 8mbit
	check "it says" "$REFUSAL" == "codelctl: ${long}x: there is no such device: \`ip link\` lists the devices"
}

lib_add name_taken "the name belongs to the device that has it"
lib_add index_taken "a new device does not inherit the setup of one with its index" eth9
lib_add index_taken "a new device does not inherit the setup of one with its index and its name" h0
lib_add index_taken_lost "a new device does not inherit the ifb of one with its index, without /run"
lib_add former_lost "another setup does not hide that the memory was lost"
lib_add name_again "undo leaves nothing of a former device with this name"
lib_add wrong_types "a file with wrong types does not hide the links"
lib_add altname "an alternative name is a name"
lib_main "$@"
