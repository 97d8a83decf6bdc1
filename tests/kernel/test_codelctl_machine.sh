#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# check: json
#
# codelctl beside what else happens on a machine: another codelctl, another namespace, another MTU, a umask, a reader that has
# seen enough. The topology is that of test_codelctl.sh.
#

# shellcheck source=tests/kernel/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/kernel/ctl.sh
. "$LIB_DIR/ctl.sh"

# Another codelctl changes links, for longer than one waits
locked()
{
	local lock

	topology
	setup --up 8mbit
	lock=$(grep -l "codelctl setup r1 --up 8mbit" /run/codelctl/*/lock | xargs ls -t | head -n 1)
	ip netns exec "$ROUTER" flock "$lock" sleep 70 &
	defer lib_stop $!
	sleep 0.5
	refuses "a lock that is held" ctl setup r1 --up 7mbit
	grep -q "^codelctl: waiting for \`codelctl setup r1 --up 8mbit\`, process [0-9]*$" <<<"$REFUSAL" || fail "it says: $REFUSAL"
	grep -q "gave up after 60 s of waiting for .*: nothing was changed" <<<"$REFUSAL" || fail "it says: $REFUSAL"
	check "rate of egress" "$(rate_of r1)" == 8000000
	sleep 15
	setup --up 7mbit
}

# The state is for all to read: show needs no root
umasks()
{
	rm -rf /run/codelctl
	topology
	# shellcheck disable=SC2016 # of the other shell
	in_ns "$ROUTER" sh -c 'umask 077; exec "$1" setup r1 --up 8mbit --link docsis' sh "$CODELCTL"
	check "show without root" \
		"$(in_ns "$ROUTER" setpriv --reuid=65534 --regid=65534 --clear-groups "$CODELCTL" show)" == \
		"r1: up 8mbit, link docsis, kind fq_codel_oot: in force"
}

# A macvlan has the offloads of the device below it
macvlan()
{
	topology offloads
	ip -n "$ROUTER" link add link r1 name mv0 type macvlan
	ip -n "$ROUTER" link set mv0 up
	busywait 10 link_is_up mv0 || fail "mv0 is not up"
	link_state >"$LIB_TMP/before"
	ctl setup mv0 --up 8mbit --kind fq_codel 2>"$LIB_TMP/said" || fail "setup: status $?"
	grep -q "^mv0: offloads stay as they are: " "$LIB_TMP/said" || fail "it says: $(<"$LIB_TMP/said")"
	check "codelctl show" "$(ctl show | sed 's/.*: //')" == "in force"
	check "another setup" "$(ctl setup mv0 | cut -d: -f2)" == " nothing to change"
	refuses "offloads that cannot be switched off" ctl setup mv0 --offloads off
	[[ $REFUSAL == *"ethtool -K"* ]] || fail "it says: $REFUSAL"
	ctl undo mv0 || fail "undo: status $?"
	same_state undo
}

# mtu OPTION...: another MTU is not a change of the setup by others
mtu()
{
	topology offloads
	modprobe ifb numifbs=0
	ip -n "$ROUTER" link set r1 mtu 1400
	link_state >"$LIB_TMP/before"
	ip -n "$ROUTER" link set r1 mtu 1500
	setup --up 1mbit --down 20mbit "$@"
	ip -n "$ROUTER" link set r1 mtu 1400
	check "codelctl show" "$(ctl show | sed 's/.*: //')" == "in force for an MTU of 1500, which is 1400 now"
	ctl doctor --json >"$LIB_TMP/findings" || :
	check "problems" "$(jq -r '.[] | select(.level == "problem" and .subject == "r1").code' "$LIB_TMP/findings")" == mtu-changed
	rate_by_hand 3mbit 2>/dev/null || tc -n "$ROUTER" class change dev r1 parent c0de: classid c0de:1 htb rate 3mbit
	check "a change by hand" "$(ctl show | sed 's/.*: //')" == "differs from the setup"
	ctl setup r1 || fail "setup: status $?"
	check "codelctl show" "$(ctl show | sed 's/.*: //')" == "in force"
	ctl undo r1 || fail "undo: status $?"
	same_state undo
}

# shown: of the objects of show --json
shown()
{
	ctl show --json >"$LIB_TMP/links" || :
	jq -c '.[] | [.device, .settings.up, .condition, .differs, .ifb, .mtu, .mtu_at_setup, .bypassed, .error]' "$LIB_TMP/links"
}

# show --json: a link in each condition
json()
{
	topology
	check "no link" "$(ctl show --json)" == "[]"
	setup --up 8mbit --down 20mbit
	check "in force" "$(shown)" == '["r1","8mbit","in-force",[],"ifb-r1",1500,1500,false,null]'
	ip -n "$ROUTER" link set r1 mtu 1400
	check "another MTU" "$(shown)" == '["r1","8mbit","in-force",[],"ifb-r1",1400,1500,false,null]'
	rate_by_hand 1mbit
	check "a change by hand" "$(shown)" == \
		'["r1","8mbit","differs",["rate of r1 is 1mbit instead of 8mbit"],"ifb-r1",1400,1400,false,null]'
	ip -n "$ROUTER" link del r1
	check "no device" "$(shown)" == '["r1","8mbit","device-gone",[],"ifb-r1",null,1500,false,null]'
	ctl undo r1
}

# file_of FOLDER RATE: settings of r1 in the folder, for this case
file_of()
{
	mkdir -p "$1"
	defer rm -rf "$1"
	printf '[link]\nup = %s\n' "$2" >"$1/r1.conf"
}

# Another network namespace may have a device with the same name
files()
{
	topology
	file_of /etc/codelctl 1mbit
	refuses "settings of another namespace" ctl setup r1
	[[ $REFUSAL == *"a rate is missing"* ]] || fail "it says: $REFUSAL"
	setup --up 8mbit
	check "rate of egress" "$(rate_of r1)" == 8000000
	mkdir -p /run/systemd/system
	defer rmdir /run/systemd/system
	refuses "a unit that works in another namespace" ctl enable r1
	[[ $REFUSAL == *"units of systemd work in another network namespace: "* ]] || fail "it says: $REFUSAL"
	file_of "/etc/netns/$ROUTER/codelctl" 2mbit
	in_ns "$ROUTER" "$CODELCTL" setup r1 || fail "setup: status $?"
	check "rate of the namespace's own file" "$(rate_of r1)" == 2000000
}

# A reader that has seen enough
closed_pipe()
{
	local status=0

	topology
	setup --up 8mbit
	# shellcheck disable=SC2016 # of the other shell
	in_ns "$ROUTER" bash -c '{ "$1" show; echo $? >"$2"; } 2>"$3" | true' bash \
		"$CODELCTL" "$LIB_TMP/status" "$LIB_TMP/said"
	check "status" "$(<"$LIB_TMP/status")" == 141
	check "what it says" "$(<"$LIB_TMP/said")" empty
}

lib_add umasks "show without root, whatever the umask is"
lib_add macvlan "offloads that cannot be switched off stay on"
lib_add mtu "an MTU that changes is not a change by others"
lib_add mtu "an MTU that changes is not a change by others, with HTB" --kind fq_codel
lib_add json "show prints JSON"
lib_add files "the settings of another network namespace are left alone"
lib_add closed_pipe "a pipe that is closed ends show without a word"
lib_add locked "the lock says who has it, and is not waited for without end"
lib_main "$@"
