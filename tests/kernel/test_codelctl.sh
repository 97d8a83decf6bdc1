#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# check: dry_run
#
# codelctl on a router's link: setup, setup again, and live changes.
#
#   CLIENT             ROUTER                          SERVER
#   c0 ------------- r0      r1 --------------------- s0
#                     ^       egress: fq_codel_oot c0d1:
#                     |      ifb-r1
#                     +------ ingress: fq_codel_oot c0d1:
#
# codelctl sets up r1. Uploads go from CLIENT to SERVER. ROUTER has IPv6 and a VLAN to SERVER as well.
#

# shellcheck source=tests/kernel/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/kernel/traffic.sh
. "$(dirname "$0")/traffic.sh"

# shellcheck source=tests/kernel/ctl.sh
. "$(dirname "$0")/ctl.sh"

# offloads: of r1
offloads()
{
	in_ns "$ROUTER" ethtool -k r1
}

numbers()
{
	topology offloads
	offloads >"$LIB_TMP/offloads"
	in_ns "$ROUTER" "$CODELCTL" setup r1 --up 8mbit --down 20mbit --link docsis
	check "egress" "$(built r1)" == '["fq_codel_oot","c0d1:",1000000,18,64,"noatm",false,true]
1'
	check "ingress" "$(built ifb-r1)" == '["fq_codel_oot","c0d1:",2500000,18,64,"noatm",true,true]
1'
	offloads | diff "$LIB_TMP/offloads" - || fail "the offloads differ, and the qdiscs split merged packets"
	check "codelctl show" "$(in_ns "$ROUTER" "$CODELCTL" show)" == \
		"r1: up 8mbit, down 20mbit, link docsis, kind fq_codel_oot: in force"
	rate_by_hand 1mbit
	check "after a change by hand" "$(ctl show r1)" == \
		"r1: up 8mbit, down 20mbit, link docsis, kind fq_codel_oot: differs from the setup"
	# What codelctl does not set is the user's
	setup --up 8mbit --down 20mbit --link docsis
	tc -n "$ROUTER" qdisc change dev r1 root handle c0d1: fq_codel_oot target 7ms no_split_gso
	check "after an option of the user" "$(ctl show r1 | sed 's/.*: //')" == "in force"
	setup --up 8mbit --down 400mbit --link pppoe-adsl --kind codel_oot
	check "egress of codel_oot" "$(built r1)" == '["codel_oot","c0d0:",1000000,40,0,"atm",false,true]
1'
	check "ingress of codel_oot" "$(built ifb-r1)" == '["codel_oot","c0d0:",50000000,40,0,"atm",true,true]
1'
	setup --down 1gbit --link pppoe-vdsl --kind fq_codel_oot
	check "egress with PTM" "$(built r1)" == '["fq_codel_oot","c0d1:",1000000,30,68,"ptm",false,true]
1'
	check "ingress of a fast link" "$(built ifb-r1)" == '["fq_codel_oot","c0d1:",125000000,30,68,"ptm",true,false]
1'
}

# What is not given stays, and each change is named before it happens
kept()
{
	topology
	setup --up 8mbit --down 20mbit --link docsis
	check "a dry run" "$(ctl setup r1 --up 7mbit --dry-run)" == "# r1: up 8mbit becomes 7mbit
tc qdisc change dev r1 root handle c0d1: fq_codel_oot rate 7000000bit overhead 18 mpu 64 noatm egress"
	check "another rate" "$(setup --up 7mbit)" == "r1: up 8mbit becomes 7mbit
r1: set up: up 7mbit, down 20mbit, link docsis, kind fq_codel_oot"
	check "egress" "$(built r1)" == '["fq_codel_oot","c0d1:",875000,18,64,"noatm",false,true]
1'
	check "ingress" "$(built ifb-r1)" == '["fq_codel_oot","c0d1:",2500000,18,64,"noatm",true,true]
1'
	check "a direction less" "$(setup --down off)" == "r1: down 20mbit becomes off
r1: set up: up 7mbit, link docsis, kind fq_codel_oot"
	check "links" "$(links)" == "lo r0 r1"
	refuses "no direction" ctl setup r1 --up off
	[[ $REFUSAL == *"no direction is left: "* ]] || fail "it says: $REFUSAL"
	check "rate of egress" "$(rate_of r1)" == 7000000
	check "the other direction" "$(setup --up off --down 9mbit | head -n 1)" == \
		"r1: up 7mbit becomes off, down off becomes 9mbit"
	check "the root qdisc of r1" "$(queue_get r1 .kind)" == noqueue
}

# A kind that does not shape has HTB above it, and merged packets are not split
below_htb()
{
	topology offloads
	in_ns "$ROUTER" "$CODELCTL" setup r1 --up 8mbit --down 20mbit --link docsis --kind fq_codel
	check "rate of egress" "$(class_rate "$ROUTER" r1 c0de:1)" == 8Mbit
	check "rate of ingress" "$(class_rate "$ROUTER" ifb-r1 c0de:1)" == 20Mbit
	check "leaf of egress" "$(qdisc_get "$ROUTER" r1 c0df: .kind)" == fq_codel
	check "leaf of ingress" "$(qdisc_get "$ROUTER" ifb-r1 c0df: .kind)" == fq_codel
	check "overhead of a header" "$(qdisc_get "$ROUTER" r1 root .stab.overhead)" == 4
	check "mpu" "$(qdisc_get "$ROUTER" r1 root .stab.mpu)" == 64
	check "offloads that are left on" "$(offloads |
		awk '/^(tcp-seg|generic-seg|generic-rec).*: on/ { n++ } END { print n + 0 }')" == 0
	check "codelctl show" "$(in_ns "$ROUTER" "$CODELCTL" show)" == \
		"r1: up 8mbit, down 20mbit, link docsis, kind fq_codel: in force"
	tc -n "$ROUTER" class change dev r1 parent c0de: classid c0de:1 htb rate 1mbit
	check "after a change by hand" "$(ctl show r1 | sed 's/.*: //')" == "differs from the setup"
}

# rates KIND. The log of HTB: "quantum of class C0DE0001 is big"
rates()
{
	local rate before

	topology
	before=$(dmesg | wc -l)
	for rate in 64kbit 1mbit 19mbit 1gbit 40gbit 100gbit; do
		setup --up "$rate" --down "$rate" --kind "$1"
		[[ $(setup --up "$rate" --down "$rate" --kind "$1") == *"nothing to change"* ]] ||
			fail "$rate: the second setup changes something"
	done
	dmesg | tail -n +$((before + 1)) | grep -i "htb\|codel_oot\|fq_codel" && fail "the kernel complains"
	return 0
}

monitor()
{
	# Not in_ns: the shell of a function would be stopped in place of the command
	ip netns exec "$ROUTER" tc monitor >"$LIB_TMP/tc.events" &
	defer lib_stop $!
	ip netns exec "$ROUTER" ip monitor link >"$LIB_TMP/ip.events" &
	defer lib_stop $!
	# Until the monitors listen
	busywait 10 event_seen
}

# event_seen: a class that comes and goes is an event
event_seen()
{
	tc -n "$ROUTER" qdisc add dev r0 root handle 99: pfifo
	tc -n "$ROUTER" qdisc del dev r0 root
	sleep 0.1
	[[ -s $LIB_TMP/tc.events ]]
}

again()
{
	topology offloads
	setup --up 8mbit --down 20mbit "$@"
	monitor
	ip -n "$ROUTER" link set r0 alias seen
	sleep 0.2
	check "the monitor of links works" "$(wc -c <"$LIB_TMP/ip.events")" ">" 0
	: >"$LIB_TMP/tc.events"
	: >"$LIB_TMP/ip.events"
	link_state >"$LIB_TMP/before"
	check "what it says" "$(ctl setup r1 --up 8mbit --down 20mbit "$@" | cut -d: -f2)" == \
		" nothing to change"
	same_state "the second setup"
	sleep 0.2
	check "events of tc" "$(cat "$LIB_TMP/tc.events")" empty
	check "events of links" "$(cat "$LIB_TMP/ip.events")" empty
}

# live KIND. More packets than the link takes, while rate, framing and both change: the qdisc remains the same, no packet
# is dropped for a reason other than CoDel, and no packet is missing
live()
{
	local sent counted

	topology
	setup --up 500kbit --down 500kbit --kind "$1"
	sink_start
	udp_send --rate 800e3 --time 6 >"$LIB_TMP/sent" &
	counted=$!
	sleep 2
	check "packets that wait before the changes" "$(queue_get r1 .qlen)" ">" 2
	setup --up 600kbit --down 500kbit --kind "$1"
	setup --up 600kbit --down 700kbit --kind "$1" --link pppoe-adsl
	setup --up 600kbit --down 700kbit --kind "$1" --link raw
	setup --up 3mbit --down 1mbit --kind "$1"
	wait "$counted"
	sent=$(cat "$LIB_TMP/sent")
	sink_stop
	check "packets that the qdisc received" "$(queue_get r1 .received.packets)" == "$sent"
	check "causes of drops" "$(queue_get r1 \
		'[.dropped | to_entries[] | select(.value.packets > 0).key] - ["codel", "ceiling"] | tojson')" == "[]"
	check "packets that arrived" "$(wc -l <"$LIB_TMP/udp.log")" == "$(queue_get r1 .sent.packets)"
}

qdiscs_and_classes()
{
	local dev

	tc -n "$ROUTER" qdisc show
	for dev in r1 ifb-r1; do
		tc -n "$ROUTER" class show dev "$dev"
	done
}

# takeover KIND HANDLE. The setup of an earlier version: one command for each direction takes it over. Hook and ifb stay, with the rules of others
takeover()
{
	topology offloads
	modprobe ifb numifbs=0
	link_state >"$LIB_TMP/before"
	earlier "$1" --up 8mbit --down 20mbit --link docsis
	tc -n "$ROUTER" filter add dev r1 egress pref 7 protocol ip flower ip_proto udp dst_port 9 action drop
	check "codelctl show" "$(ctl show)" == \
		"r1: up 8mbit, down 20mbit, link docsis, kind $1: differs from the setup"
	check "HTB in both directions" "$(qdiscs_and_classes | grep -c "htb c0de:\|$1 c0df:")" == 6
	ip -n "$ROUTER" -j link show dev ifb-r1 | jq '.[].ifindex' >"$LIB_TMP/ifb"
	monitor
	ctl setup r1 || fail "setup: status $?"
	check "egress" "$(built r1)" == "[\"$1\",\"$2\",1000000,18,64,\"noatm\",false,true]
1"
	check "ingress" "$(built ifb-r1)" == "[\"$1\",\"$2\",2500000,18,64,\"noatm\",true,true]
1"
	check "the ifb" "$(ip -n "$ROUTER" -j link show dev ifb-r1 | jq '.[].ifindex')" == "$(<"$LIB_TMP/ifb")"
	check "what is left of HTB" "$(qdiscs_and_classes | sed -n '/htb\|c0de:\|c0df:/p')" empty
	check "codelctl show" "$(ctl show | sed 's/.*: //')" == "in force"
	check "another setup" "$(ctl setup r1 | cut -d: -f2)" == " nothing to change"
	sleep 0.2
	check "events" "$(grep -c "qdisc $1 $2" "$LIB_TMP/tc.events")" ">=" 2
	check "filters and hooks that went" "$(sed -n '/^deleted .*\(filter\|clsact\)/p' "$LIB_TMP/tc.events")" empty
	tc -n "$ROUTER" filter del dev r1 egress pref 7
	ctl undo r1 || fail "undo: status $?"
	same_state undo
}

# cells KIND. As many packets per second as whole cells fit: 128 bytes and 40 of overhead are 4 cells
cells()
{
	topology
	setup --up 1mbit --link pppoe-adsl --kind "$1"
	sink_start
	udp_send --size 128 --rate 1.5e6 --time 4 >/dev/null
	sink_stop
	check_near "packets per second" "$(awk '{ t = $1 / 1e9; if (!first) first = t }
		t >= first + 1 && t < first + 3 { n++ } END { print n / 2 }' "$LIB_TMP/udp.log")" \
		"$(awk 'BEGIN { print 1e6 / 8 / (4 * 53) }')" 6
}

# --link means what cake's keyword means, whose overheads tc-cake(8) derives. The third word is the least packet where
# cake has none, for PTM: a frame has 64 bytes, and 4 of PTM. A keyword leaves what it does not set
sources()
{
	local link keyword least ours theirs

	topology
	tc -n "$ROUTER" qdisc add dev r0 root cake
	while read -r link keyword least; do
		tc -n "$ROUTER" qdisc change dev r0 root cake mpu 0 noatm "$keyword"
		theirs=$(qdisc_get "$ROUTER" r0 root '.options | "\(.overhead) mpu \(.mpu // 0) \(.atm // "noatm")"')
		ours=$(ctl setup r1 --up 8mbit --kind cake --link "$link" --dry-run)
		check "$link" "$(grep -o "[0-9]* mpu [0-9]* [a-z]*atm\|[0-9]* mpu [0-9]* ptm" <<<"$ours")" == \
			"${theirs/mpu 0/mpu ${least:-0}}"
	done <<-END
		raw raw
		adsl bridged-llcsnap
		pppoe-adsl pppoe-llcsnap
		pppoa-adsl pppoa-vcmux
		ipoa-adsl ipoa-llcsnap
		conservative conservative
		vdsl bridged-ptm 68
		pppoe-vdsl pppoe-ptm 68
		ethernet ethernet
		docsis docsis
		fibre ethernet
		lte ethernet
		starlink ethernet
		cable docsis
	END
}

# ping_each ADDRESS...: from ROUTER; each must be counted once in each direction
ping_each()
{
	local address egress ingress

	for address; do
		in_ns "$ROUTER" ping -c 1 -W 5 "$address" >/dev/null || fail "no answer from $address"
		egress=$(queue_get r1 .received.packets)
		ingress=$(queue_get ifb-r1 .received.packets)
		in_ns "$ROUTER" ping -c 5 -i 0.1 -W 5 "$address" >/dev/null ||
			fail "$address: answers are missing"
		check "$address: requests in the qdisc" \
			"$(($(queue_get r1 .received.packets) - egress))" ">=" 5
		check "$address: answers in the qdisc of ingress" \
			"$(($(queue_get ifb-r1 .received.packets) - ingress))" ">=" 5
	done
}

address6()
{
	in_ns "$1" sh -c "echo 0 >/proc/sys/net/ipv6/conf/$2/disable_ipv6"
	ip -n "$1" addr add "$3/64" dev "$2" nodad
}

vlan_ipv6()
{
	topology offloads
	ip -n "$ROUTER" link add link r1 name r1.7 type vlan id 7
	ip -n "$SERVER" link add link s0 name s0.7 type vlan id 7
	ip -n "$ROUTER" link set r1.7 up
	ip -n "$SERVER" link set s0.7 up
	ip -n "$ROUTER" addr add 10.9.7.1/24 dev r1.7
	ip -n "$SERVER" addr add 10.9.7.2/24 dev s0.7
	address6 "$ROUTER" r1 fd00:1::1
	address6 "$SERVER" s0 fd00:1::2
	address6 "$ROUTER" r1.7 fd00:7::1
	address6 "$SERVER" s0.7 fd00:7::2
	setup --up 8mbit --down 20mbit --vlan 1
	ping_each "$SERVER_IP" 10.9.7.2 fd00:1::2 fd00:7::2
}

dry_run()
{
	local commands own='[.]json\|"ifindex"\|"address"'

	topology offloads
	link_state >"$LIB_TMP/before"
	commands=$(ctl setup r1 --up 8mbit --down 20mbit --dry-run)
	same_state "--dry-run"
	in_ns "$ROUTER" sh -ec "$commands"
	link_state >"$LIB_TMP/after"
	check "undo without a setup" "$(ctl undo r1)" == \
		"r1: restored: its root qdisc and offloads before the setup are not known"
	check "another undo" "$(ctl undo r1)" == "r1: nothing to undo"
	check "links that are left" "$(links)" == "lo r0 r1"
	setup --up 8mbit --down 20mbit
	link_state | grep -v "$own" >"$LIB_TMP/setup"
	grep -v "$own" "$LIB_TMP/after" | diff - "$LIB_TMP/setup" ||
		fail "the printed commands do something else"
}

# Bytes that mean something to a shell, to tc's batch mode, to JSON, to Python and to UTF-8
odd_names()
{
	local name

	ns_create r; ROUTER=$NS
	modprobe ifb numifbs=0
	ctl_start
	# shellcheck disable=SC2016 # a name, not a command
	for name in "a'b\"c#d\\e" '$(x);*?[d]' -x dev $'\xff\xfe' äöüäöü; do
		ip -n "$ROUTER" link add name "$name" type dummy
		ip -n "$ROUTER" link set dev "$name" up
		in_ns "$ROUTER" "$CODELCTL" setup --up 8mbit --down 20mbit -- "$name" || fail "$name: setup"
		in_ns "$ROUTER" "$CODELCTL" show -- "$name" >"$LIB_TMP/shown" || fail "$name: show"
		grep -aq ": in force$" "$LIB_TMP/shown" || fail "$name: not in force"
		check "$name: shapers" "$(tc -n "$ROUTER" qdisc show dev "$name" |
			grep -c "^qdisc fq_codel_oot c0d1: root .* rate 8Mbit")" == 1
		in_ns "$ROUTER" "$CODELCTL" undo -- "$name" || fail "$name: undo"
		ip -n "$ROUTER" link del dev "$name"
		check "links that are left" "$(links)" == lo
	done
}

lib_add numbers "one qdisc for each direction, exactly as tc -j prints it, and show"
lib_add kept "what is not given stays, and what changes is named"
lib_add below_htb "numbers, kinds and offloads of a setup with HTB, and show"
lib_add takeover "HTB of an earlier version is replaced, and nothing of it is left" fq_codel_oot c0d1:
lib_add takeover "HTB of an earlier version is replaced, and nothing of it is left" codel_oot c0d0:
lib_add rates "no rate makes the kernel complain, and none changes a second time" fq_codel_oot
lib_add rates "no rate makes the kernel complain, and none changes a second time, with HTB" fq_codel
lib_add again "a second setup makes no event" --link pppoe-vdsl
lib_add again "a second setup of cake makes no event" --kind cake
lib_add again "a second setup of in-tree fq_codel makes no event" --kind fq_codel --link pppoe-adsl
lib_add live "other numbers change the link under load, and no packet is missing" fq_codel_oot
lib_add live "other numbers change the link under load, and no packet is missing" codel_oot
lib_add again "a second setup with parameters makes no event" --target 7ms --interval 77ms --ceiling 60ms --no-ecn
lib_add again "a second setup of cake with parameters makes no event" --kind cake --nat --diffserv diffserv8 --isolation hosts
lib_add again "a second setup of in-tree codel with parameters makes no event" --kind codel --target 7ms --ecn
lib_add cells "the shaper counts ATM cells" fq_codel_oot
lib_add cells "the shaper counts ATM cells, with HTB" fq_codel
lib_add sources "the framing of each --link is that of cake's keyword"
lib_add vlan_ipv6 "IPv4, IPv6, and both in a VLAN pass through both shapers"
lib_add dry_run "--dry-run changes nothing, and prints what setup does"
lib_add odd_names "names of devices with any bytes"
lib_main "$@"
