#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# check: egress_filter dead_redirect renamed
#
# codelctl on a router where other programs work, too. It recognises what it has made by its marks, whatever the device is
# called and whether or not /run survived, removes all of that, and nothing else. The topology is that of test_codelctl.sh.
#

# shellcheck source=tests/kernel/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/kernel/traffic.sh
. "$LIB_DIR/traffic.sh"
# shellcheck source=tests/kernel/ctl.sh
. "$LIB_DIR/ctl.sh"

# link_rename OLD NEW: kernels before 6.2 rename a device only while it is down
link_rename()
{
	ip -n "$ROUTER" link set "$1" down
	ip -n "$ROUTER" link set "$1" name "$2"
	ip -n "$ROUTER" link set "$2" up
	busywait 10 link_is_up "$2" || fail "$2 is not up"
}

answers()
{
	in_ns "$ROUTER" ping -c 3 -i 0.1 -W 2 "$SERVER_IP" >/dev/null || fail "$1: the server does not answer"
}

# foreign HOOK [PREFERENCE]: a firewall's rule, which drops UDP to port 9; the tests send none
foreign()
{
	tc -n "$ROUTER" filter add dev r1 "$1" pref "${2:-7}" protocol ip flower ip_proto udp dst_port 9 action drop
}

# rules HOOK: of all filters that are not of codelctl
rules()
{
	tc -n "$ROUTER" -j filter show dev r1 "$1" | jq -c '[.[] | select(.kind == "flower")]'
}

# foreign_alone HOOK: the link with the rule and nothing of codelctl is $LIB_TMP/before
foreign_alone()
{
	tc -n "$ROUTER" qdisc add dev r1 clsact
	foreign "$1"
	link_state >"$LIB_TMP/before"
	RULES=$(rules "$1")
	tc -n "$ROUTER" qdisc del dev r1 clsact
}

# filter_stays HOOK: a rule that came after the setup
filter_stays()
{
	topology
	modprobe ifb numifbs=0
	foreign_alone "$1"
	setup --up 8mbit --down 20mbit
	foreign "$1"
	setup --up 7mbit --down 20mbit
	check "rules after a change" "$(rules "$1")" == "$RULES"
	ctl undo r1 || fail "undo: status $?"
	same_state undo
	answers undo
	setup --up 8mbit --down 20mbit
	ctl undo r1 || fail "undo: status $?"
	same_state "undo of a setup beside the rule"
}

egress_filter()
{
	filter_stays egress
}

ingress_filter()
{
	filter_stays ingress
}

# One direction less: the hook of ingress goes with the ingress, unless there are rules
direction()
{
	topology
	modprobe ifb numifbs=0
	foreign_alone egress
	setup --up 8mbit --down 20mbit
	foreign egress
	ctl setup r1 --up 8mbit --down 20mbit
	ctl setup r1 --down off --offloads keep >/dev/null || fail "setup: status $?"
	check "rules" "$(rules egress)" == "$RULES"
	ctl undo r1 || fail "undo: status $?"
	same_state undo
}

# A hook that comes between two setups
between()
{
	topology
	modprobe ifb numifbs=0
	foreign_alone egress
	setup --up 8mbit
	tc -n "$ROUTER" qdisc add dev r1 clsact
	foreign egress
	setup --up 8mbit --down 20mbit
	ctl undo r1
	same_state undo
}

# A filter behind the redirect would never see a packet
behind()
{
	topology
	tc -n "$ROUTER" qdisc add dev r1 clsact
	foreign ingress 60000
	link_state >"$LIB_TMP/before"
	refuses "a filter behind the redirect" ctl setup r1 --up 8mbit --down 20mbit
	[[ $REFUSAL == *"r1: the filter with preference 60000 on ingress would be behind"* ]] || fail "it says: $REFUSAL"
	same_state "a refused setup"
}

# The ifb is gone: its redirect drops all packets of ingress
dead_redirect()
{
	topology
	modprobe ifb numifbs=0
	link_state >"$LIB_TMP/before"
	setup --up 8mbit --down 20mbit
	ip -n "$ROUTER" link del ifb-r1
	check "codelctl show" "$(ctl show | sed 's/.*: //')" == "differs from the setup"
	! in_ns "$ROUTER" ping -c 1 -W 1 "$SERVER_IP" >/dev/null || fail "the redirect is not dead"
	ctl undo r1 || fail "undo: status $?"
	same_state undo
	answers undo
	setup --up 8mbit --down 20mbit
	ip -n "$ROUTER" link del ifb-r1
	setup --up 8mbit --down 20mbit
	answers "another setup"
	check "codelctl show" "$(ctl show | sed 's/.*: //')" == "in force"
	ip -n "$ROUTER" link del ifb-r1
	setup --down off
	answers "a setup without ingress"
	ctl undo r1 || fail "undo: status $?"
	same_state "the last undo"
}

# renamed NAME COMMAND...: after a setup of r1, which is wan0 now, COMMAND undoes it
renamed()
{
	topology
	modprobe ifb numifbs=0
	link_rename r1 wan0
	link_state >"$LIB_TMP/before"
	link_rename wan0 r1
	setup --up 8mbit --down 20mbit
	link_rename r1 wan0
	check "codelctl show" "$(ctl show)" == \
		"wan0: up 8mbit, down 20mbit, link ethernet, kind fq_codel_oot: in force"
	"$@" || fail "$*: status $?"
	same_state "$*"
	answers "$*"
}

# What systemd runs when the device of a unit goes away
exec_stop()
{
	local command

	command=$(sed -n 's/^ExecStop=//p' /usr/lib/systemd/system/codelctl@.service)
	in_ns "$ROUTER" bash -ec "${command/\%I/r1}"
}

# Another device has the former name of one that is set up
swapped()
{
	topology
	modprobe ifb numifbs=0
	setup --up 8mbit --down 20mbit
	link_rename r1 wan0
	ip -n "$ROUTER" link add r1 type dummy
	ip -n "$ROUTER" link set r1 up
	link_state >"$LIB_TMP/both"
	setup --up 1mbit --down 2mbit
	check "links that are set up" "$(ctl show | cut -d: -f1,2)" == "r1: up 1mbit, down 2mbit, link ethernet, kind fq_codel_oot
wan0: up 8mbit, down 20mbit, link ethernet, kind fq_codel_oot"
	ctl undo r1
	cp "$LIB_TMP/both" "$LIB_TMP/before"
	same_state "undo of the new r1"
	ctl undo wan0
	answers "undo of both"
	check "links that are set up" "$(ctl show)" empty
	check "links that are left" "$(links)" == "lo r0 wan0 r1"
}

# /run is lost; what was set up is on the link
lost_state()
{
	rm -rf /run/codelctl
	topology
	modprobe ifb numifbs=0
	link_state >"$LIB_TMP/before"
	setup --up 8mbit --down 20mbit --link pppoe-adsl "$@"
	rm -r /run/codelctl
	link_state >"$LIB_TMP/set_up"
	ctl show >"$LIB_TMP/shown" || fail "show: status $?"
	grep "^r1: up 8mbit, down 20mbit, .*overhead 40.*: in force$" "$LIB_TMP/shown" ||
		fail "it shows: $(<"$LIB_TMP/shown")"
	setup --up 8mbit --down 20mbit --link pppoe-adsl "$@"
	rm -r /run/codelctl
	link_state | diff "$LIB_TMP/set_up" - || fail "another setup differs"
	ctl undo r1 || fail "undo: status $?"
	same_state undo
	answers undo
	check "another undo" "$(ctl undo r1)" == "r1: nothing to undo"
}

# The same, for the setup of an earlier version: another setup takes it over
lost_earlier()
{
	rm -rf /run/codelctl
	topology
	modprobe ifb numifbs=0
	link_state >"$LIB_TMP/before"
	earlier fq_codel_oot --up 8mbit --down 20mbit --link pppoe-adsl
	rm -r /run/codelctl
	ctl show >"$LIB_TMP/shown" || fail "show: status $?"
	grep "^r1: up 8mbit, down 20mbit, .*overhead 40.*: differs from the setup$" "$LIB_TMP/shown" ||
		fail "it shows: $(<"$LIB_TMP/shown")"
	ctl setup r1 || fail "setup: status $?"
	check "egress" "$(built r1)" == '["fq_codel_oot","c0d1:",1000000,40,0,"atm",false,true]
1'
	ctl undo r1 || fail "undo: status $?"
	same_state undo
	earlier fq_codel_oot --up 8mbit --down 20mbit
	rm -r /run/codelctl
	ctl undo r1 || fail "undo: status $?"
	same_state "undo of the setup of an earlier version"
	answers undo
}

# The ifb of a device that went away with /run serves the next device, or goes
lost_device()
{
	topology
	setup --up 8mbit --down 20mbit
	rm -r /run/codelctl
	ip -n "$ROUTER" link del r1
	topo_link "$ROUTER" r1 10.9.2.1 "$SERVER" s0 10.9.2.2
	setup --up 8mbit --down 20mbit
	answers setup
	check "links" "$(links)" == "lo r0 ifb-r1 r1"
	rm -r /run/codelctl
	ip -n "$ROUTER" link del r1
	ctl undo r1
	check "links that are left" "$(links)" == "lo r0"
}

# unfinished [lost]: codelctl was killed when the ifb was created and had no alias. Then the device went
unfinished()
{
	topology
	modprobe ifb numifbs=0
	ctl @fault kill 3
	! ctl setup r1 --up 8mbit --down 20mbit || fail "setup was not killed"
	ctl @fault none 0
	[[ $(links) == "lo r0 r1 codelctl-"* ]] || fail "it was not killed after the ifb: $(links)"
	[[ ${1:-} != lost ]] || rm -r /run/codelctl
	ip -n "$ROUTER" link del r1
	topo_link "$ROUTER" r1 10.9.2.1 "$SERVER" s0 10.9.2.2
	setup --up 8mbit
	check "links" "$(links)" == "lo r0 r1"
	ctl undo r1 || fail "undo: status $?"
	check "links after undo" "$(links)" == "lo r0 r1"
	check "codelctl show" "$(ctl show)" empty
	ip -n "$ROUTER" link add codelctl-999999 type ifb
	ip -n "$ROUTER" link add codelctl-x type ifb
	ctl undo r1
	check "links after another undo" "$(links)" == "lo r0 r1 codelctl-x"
}

# A device of somebody else has the name that the ifb would have
taken_name()
{
	topology
	modprobe ifb numifbs=0
	ip -n "$ROUTER" link add ifb-r1 type ifb
	ip -n "$ROUTER" link set ifb-r1 up
	link_state >"$LIB_TMP/before"
	setup --up 8mbit --down 20mbit
	answers setup
	check "qdiscs of the other ifb" "$(qdisc_get "$ROUTER" ifb-r1 root .handle)" == 0:
	ctl undo r1
	same_state undo
}

# shows_both REGEX: show and doctor speak of r1, and show says this about r0
shows_both()
{
	ctl show >"$LIB_TMP/shown" 2>"$LIB_TMP/said" || :
	grep -q "^r1: up 8mbit, down 20mbit, .*: in force$" "$LIB_TMP/shown" || fail "it shows: $(<"$LIB_TMP/shown")"
	grep -q "^r0: $1" "$LIB_TMP/shown" || fail "it shows: $(<"$LIB_TMP/shown")"
	rate_by_hand 1mbit
	ctl doctor >"$LIB_TMP/findings" 2>&1 || :
	grep -q "^r1: its qdiscs or offloads differ from the setup; rate of r1 is 1mbit instead of 8mbit: " "$LIB_TMP/findings" ||
		fail "it says: $(<"$LIB_TMP/findings")"
	setup --up 8mbit --down 20mbit
}

# A file with a setting that this version does not have, one that cannot be read, and a device that tc does not show
one_refused()
{
	local file tc

	topology
	setup --up 8mbit --down 20mbit
	ctl setup r0 --up 8mbit >/dev/null
	file=$(grep -l '"r0"' /run/codelctl/*/*.json)
	sed -i 's/8mbit/8furlong/' "$file"
	shows_both "up 8mbit, .*: in force"
	grep "cannot be read: .*8furlong" "$LIB_TMP/said" || fail "it says: $(<"$LIB_TMP/said")"
	echo garbage >"$file"
	shows_both "up 8mbit, .*: in force"
	tc=$(command -v tc)
	printf '#!/bin/sh\ncase "$*" in *"qdisc show dev r0"*) exit 1 ;; esac\nexec %s "$@"\n' "$tc" >"$LIB_TMP/bin/tc"
	chmod +x "$LIB_TMP/bin/tc"
	shows_both '`tc .* failed'
	grep -q '^r0: `tc .* failed' "$LIB_TMP/findings" || fail "it says: $(<"$LIB_TMP/findings")"
}

# bypassed: packets arrive, and the ifb sees none
bypassed()
{
	background in_ns "$ROUTER" ping -i 0.02 -w 30 "$SERVER_IP"
	sleep 3
	check "codelctl show" "$(ctl show | sed 's/^.*: in force/in force/')" == \
		"in force; no packet of ingress reaches ifb-r1"
	ctl doctor --json >"$LIB_TMP/findings" || :
	check "problems" "$(jq -r '.[] | select(.level == "problem").code' "$LIB_TMP/findings")" == ingress-bypassed
}

# Kernels before 6.6 have no tcx: no program can be there
by_tcx()
{
	topology
	modprobe ifb numifbs=0
	link_state >"$LIB_TMP/before"
	setup --up 8mbit --down 20mbit
	answers setup
	check "codelctl show" "$(ctl show | sed 's/.*: //')" == "in force"
	ip netns exec "$ROUTER" python3 -I "$LIB_DIR/ctl/tcx.py" r1 >"$LIB_TMP/tcx" 2>&1 &
	defer lib_stop $!
	busywait 10 test -s "$LIB_TMP/tcx" || fail "tcx.py says nothing"
	if [[ $(<"$LIB_TMP/tcx") == *"Invalid argument"* ]]; then
		echo "the kernel has no tcx (6.6)"
		return
	fi
	check "tcx.py" "$(<"$LIB_TMP/tcx")" == attached
	bypassed
	ctl undo r1 || fail "undo: status $?"
	same_state undo
	check "tcx programs" "$(in_ns "$ROUTER" python3 -I "$LIB_DIR/ctl/tcx.py" --count r1)" == 1
	answers undo
}

by_filter()
{
	topology
	setup --up 8mbit --down 20mbit
	answers setup
	check "codelctl show" "$(ctl show | sed 's/.*: //')" == "in force"
	tc -n "$ROUTER" filter add dev r1 ingress pref 1 protocol all matchall action pass
	bypassed
	tc -n "$ROUTER" filter del dev r1 ingress pref 1
	answers "without the filter"
	check "codelctl show" "$(ctl show | sed 's/.*: //')" == "in force"
	link_state >"$LIB_TMP/before"
	tc -n "$ROUTER" filter add dev r1 ingress pref 1 protocol all matchall action pass
	setup --up 7mbit
	setup --up 8mbit
	tc -n "$ROUTER" filter del dev r1 ingress pref 1
	same_state "two setups beside the filter"
}

lib_add egress_filter "a rule on egress stays"
lib_add ingress_filter "a rule on ingress stays"
lib_add direction "a rule on egress stays when ingress is not shaped any more"
lib_add between "a hook that comes between two setups stays"
lib_add behind "a filter that would be cut off from its packets is refused"
lib_add dead_redirect "the redirect to an ifb that is gone is removed, or leads to a new one"
lib_add renamed "undo of a renamed device, by its former name" ctl undo r1
lib_add renamed "undo of a renamed device, by its name" ctl undo wan0
lib_add renamed "undo of a renamed device, by its unit" exec_stop
lib_add swapped "another device with the former name"
lib_add lost_state "without /run, marks suffice"
lib_add lost_state "without /run, marks suffice, with cake" --kind cake
lib_add lost_state "without /run, marks suffice, with HTB" --kind fq_codel
lib_add lost_earlier "without /run, marks suffice, for the setup of an earlier version"
lib_add lost_device "an ifb whose device and state are gone"
lib_add unfinished "an ifb whose creation was interrupted goes"
lib_add unfinished "an ifb whose creation was interrupted goes, without /run" lost
lib_add taken_name "a foreign device with the name of the ifb stays"
lib_add one_refused "one link that cannot be read does not hide the others"
lib_add by_tcx "a tcx program that takes packets before the redirect is noticed"
lib_add by_filter "a filter that takes packets before the redirect is noticed"
lib_main "$@"
