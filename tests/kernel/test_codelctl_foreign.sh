#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# check: root_filter offloads_by_hand
#
# codelctl takes nothing from other programs and forces nothing on them: it refuses, changes nothing, and names the cause and
# the command that helps. The topology is that of test_codelctl.sh.
#

# shellcheck source=tests/kernel/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/kernel/traffic.sh
. "$LIB_DIR/traffic.sh"
# shellcheck source=tests/kernel/ctl.sh
. "$LIB_DIR/ctl.sh"

# state_with_filters: qdiscs, classes, links and filters. Not all of the handles and devices exist
state_with_filters()
{
	tc -n "$ROUTER" -force -batch - 2>/dev/null <<-END || :
		qdisc show
		class show dev r1 root
		filter show dev r1
		filter show dev r1 parent 1:
		filter show dev r1 parent c0d1:
		filter show dev ifb-r1
		filter show dev d1
		filter show dev r1 ingress
	END
	ip -n "$ROUTER" -d link show
	find /run/codelctl -name '*.json' 2>/dev/null || :
}

# refuses_as_is WORDS COMMAND...: codelctl refuses, says WORDS, and changes nothing
refuses_as_is()
{
	local words=$1

	shift
	state_with_filters >"$LIB_TMP/as_is"
	refuses "$*" ctl "$@"
	[[ $REFUSAL == *"$words"* ]] || fail "$*: it says: $REFUSAL"
	[[ $REFUSAL == "codelctl: "* && $REFUSAL != *Traceback* ]] || fail "$*: it says: $REFUSAL"
	state_with_filters | diff "$LIB_TMP/as_is" - || fail "$*: something was changed"
}

# u32 PARENT: a filter of somebody else on a qdisc of r1
u32()
{
	tc -n "$ROUTER" filter add dev r1 parent "$1" protocol ip prio 5 u32 match ip dport 53 0xffff flowid "$1"7
}

# u32_count: of the filters on the root qdisc
u32_count()
{
	tc -n "$ROUTER" filter show dev r1 | grep -c "pref 5 u32.*flowid"
}

# root_filter COMMAND [PARENT]: COMMAND makes the root qdisc
root_filter()
{
	topology
	# shellcheck disable=SC2086 # words
	tc -n "$ROUTER" $1
	u32 "$2"
	refuses_as_is "r1: a filter of another program (u32, preference 5)" setup r1 --up 8mbit
	[[ $REFUSAL == *"\`tc filter del dev r1 parent $2\`"* ]] || fail "it says: $REFUSAL"
	check "filters" "$(u32_count)" == 1
	# Ingress takes no root away
	setup --down 20mbit
	check "filters beside a setup of ingress" "$(u32_count)" == 1
	ctl undo r1 || fail "undo: status $?"
	check "filters after undo" "$(u32_count)" == 1
	# The command of the message helps
	tc -n "$ROUTER" filter del dev r1 parent "$2"
	setup --up 8mbit
}

# A default qdisc has handle 0:
default_root()
{
	topology
	ip -n "$ROUTER" link add d0 type dummy
	ip -n "$ROUTER" link set d0 down
	echo fq_codel >/proc/sys/net/core/default_qdisc
	ip -n "$ROUTER" link add d1 numtxqueues 1 type ifb
	ip -n "$ROUTER" link set d1 up
	check "the root" "$(qdisc_get "$ROUTER" d1 root '[.kind, .handle] | join(" ")')" == "fq_codel 0:"
	tc -n "$ROUTER" filter add dev d1 protocol ip prio 5 u32 match ip dport 53 0xffff flowid :7
	state_with_filters >"$LIB_TMP/as_is"
	check "filters that are seen" "$(grep -c "pref 5 u32.*flowid" "$LIB_TMP/as_is")" ">=" 1
	refuses_as_is "d1: a filter of another program (u32, preference 5)" setup d1 --up 8mbit
}

# A filter on a shaper of codelctl would go with it
own_root_filter()
{
	local words="r1: a filter of another program (u32, preference 5)"

	topology
	setup --up 8mbit --down 20mbit
	u32 c0d1:
	setup --up 7mbit
	check "filters after a change of the rate" "$(u32_count)" == 1
	refuses_as_is "$words" setup r1 --kind codel_oot
	refuses_as_is "$words" setup r1 --up off
	refuses_as_is "$words" undo r1
	[[ $REFUSAL == *"\`tc filter del dev r1 parent c0d1:\`"* ]] || fail "it says: $REFUSAL"
	tc -n "$ROUTER" filter del dev r1 parent c0d1:
	tc -n "$ROUTER" filter add dev ifb-r1 parent c0d1: protocol ip prio 6 u32 match ip dport 53 0xffff flowid c0d1:7
	refuses_as_is "ifb-r1: a filter of another program (u32, preference 6)" setup r1 --down off
	refuses_as_is "ifb-r1: a filter of another program (u32, preference 6)" undo r1
	tc -n "$ROUTER" filter del dev ifb-r1 parent c0d1:
	ctl undo r1 || fail "undo: status $?"
	check "links" "$(links)" == "lo r0 r1"
}

# feature NAME: on or off
feature()
{
	in_ns "$ROUTER" ethtool -k r1 | sed -n "s/^\t*$1: \([a-z]*\).*/\1/p"
}

# offloads_are GRO GSO TSO UDP
offloads_are()
{
	check "$1" "$(feature generic-receive-offload) $(feature generic-segmentation-offload) $(
		feature tx-tcp-segmentation) $(feature tx-udp-segmentation)" == "$2"
}

# What a user has switched off, as for broken hardware, stays off
offloads_by_hand()
{
	topology offloads
	# A veth merges packets on request only
	in_ns "$ROUTER" ethtool -K r1 gro on
	offloads_are "before" "on on on on"
	setup --up 8mbit --down 20mbit
	in_ns "$ROUTER" ethtool -K r1 gro off tx-udp-segmentation off
	setup --up 7mbit
	offloads_are "after a change" "off on on off"
	setup --offloads keep
	offloads_are "after --offloads keep" "off on on off"
	check "codelctl show" "$(ctl show | sed 's/.*: //')" == "in force"
	ctl undo r1 || fail "undo: status $?"
	offloads_are "after undo" "off on on off"
}

# What codelctl has switched off returns, and that alone
offloads_return()
{
	topology offloads
	in_ns "$ROUTER" ethtool -K r1 gro on
	setup --up 8mbit --down 20mbit --kind fq_codel
	offloads_are "with HTB" "off off off on"
	in_ns "$ROUTER" ethtool -K r1 tx-udp-segmentation off
	setup --up 7mbit
	setup --kind fq_codel_oot
	offloads_are "with a kind that splits" "on on on off"
	in_ns "$ROUTER" ethtool -K r1 gro off
	setup --up 6mbit
	offloads_are "after a change" "off on on off"
	setup --kind fq_codel
	offloads_are "with HTB again" "off off off off"
	ctl undo r1 || fail "undo: status $?"
	offloads_are "after undo" "off on on off"
}

own_ifb()
{
	topology
	setup --up 8mbit --down 20mbit
	refuses_as_is "ifb-r1: codelctl shapes the ingress of r1 with this device: run \`codelctl setup r1 --down RATE\`" \
		setup ifb-r1 --up 1mbit
	refuses_as_is "ifb-r1: codelctl shapes the ingress of r1 with this device: run \`codelctl undo r1\`" undo ifb-r1
	refuses_as_is "ifb-r1: codelctl shapes the ingress of r1 with this device" enable ifb-r1 --up 1mbit
	check "codelctl show" "$(ctl show | sed 's/.*: //')" == "in force"
	ctl undo r1 || fail "undo: status $?"
	check "links" "$(links)" == "lo r0 r1"
}

# catch_all PREFERENCE: all packets of ingress go to another device
catch_all()
{
	tc -n "$ROUTER" filter add dev r1 ingress prio "$1" protocol all matchall action mirred egress redirect dev other0
}

# A redirect that no packet would reach is refused, and one that no packet reaches any more is named
unreachable()
{
	topology
	modprobe ifb numifbs=0
	ip -n "$ROUTER" link add other0 type ifb
	ip -n "$ROUTER" link set other0 up
	tc -n "$ROUTER" qdisc add dev r1 clsact
	catch_all 10
	refuses_as_is "r1: the filter with preference 10 on ingress takes all packets before the redirect" \
		setup r1 --up 8mbit --down 20mbit
	[[ $REFUSAL == *"without --down"* ]] || fail "it says: $REFUSAL"
	setup --up 8mbit
	tc -n "$ROUTER" filter del dev r1 ingress prio 10
	# These let packets through
	tc -n "$ROUTER" filter add dev r1 ingress prio 10 protocol ip matchall action drop
	tc -n "$ROUTER" filter add dev r1 ingress prio 11 protocol all matchall action continue
	tc -n "$ROUTER" filter add dev r1 ingress prio 12 protocol all chain 5 matchall action drop
	setup --up 8mbit --down 20mbit
	check "codelctl show" "$(ctl show | sed 's/.*: //')" == "in force"
	catch_all 9
	check "codelctl show, without traffic" "$(ctl show | sed 's/^.*: in force/in force/')" == \
		"in force; no packet of ingress reaches ifb-r1"
	ctl doctor --json >"$LIB_TMP/findings" || :
	check "problems" "$(jq -r '.[] | select(.level == "problem" and .subject == "r1").code' "$LIB_TMP/findings")" == ingress-bypassed
	tc -n "$ROUTER" filter del dev r1 ingress prio 9
	tc -n "$ROUTER" filter add dev r1 ingress pref 60000 protocol ip flower ip_proto udp dst_port 9 action drop
	check "codelctl show, with a filter behind" "$(ctl show | sed 's/^.*: in force/in force/')" == \
		"in force; the filter with preference 60000 on ingress sees no packet"
	check "codelctl show --json" "$(ctl show --json | jq -c '.[0].behind')" == "[60000]"
	ctl doctor --json >"$LIB_TMP/findings" || :
	check "problems" "$(jq -r '.[] | select(.level == "problem" and .subject == "r1").code' "$LIB_TMP/findings")" == filter-behind
	ctl undo r1 || fail "undo: status $?"
}

# A clsact with nothing but the template of a chain
chain_template()
{
	topology
	modprobe ifb numifbs=0
	setup --up 8mbit --down 20mbit
	tc -n "$ROUTER" chain add dev r1 egress chain 5 protocol ip flower ip_proto udp
	setup --down off
	check "chains" "$(tc -n "$ROUTER" chain show dev r1 egress | grep -c "chain 5")" == 1
	setup --down 20mbit
	ctl undo r1 || fail "undo: status $?"
	check "chains after undo" "$(tc -n "$ROUTER" chain show dev r1 egress | grep -c "chain 5")" == 1
}

# Whose an empty clsact is can be seen without /run, too
empty_hook()
{
	topology
	modprobe ifb numifbs=0
	# Files of other cases would be missed
	rm -rf /run/codelctl
	tc -n "$ROUTER" qdisc add dev r1 clsact
	link_state >"$LIB_TMP/before"
	setup --up 8mbit --down 20mbit
	rm -r /run/codelctl
	ctl undo r1 || fail "undo: status $?"
	same_state "undo beside an empty clsact of others"
	tc -n "$ROUTER" qdisc del dev r1 clsact
	link_state >"$LIB_TMP/before"
	setup --up 8mbit --down 20mbit
	rm -r /run/codelctl
	setup --up 7mbit
	ctl undo r1 || fail "undo: status $?"
	same_state "undo of codelctl's own clsact"
}

# Classes of others below HTB
foreign_class()
{
	topology
	setup --up 8mbit --kind fq_codel
	tc -n "$ROUTER" class add dev r1 parent c0de: classid c0de:7 htb rate 1mbit
	tc -n "$ROUTER" qdisc add dev r1 parent c0de:7 handle 77: pfifo limit 5
	setup --up 7mbit
	setup --kind codel
	refuses_as_is "r1: a class of another program (c0de:7)" setup r1 --kind fq_codel_oot
	refuses_as_is "r1: a class of another program (c0de:7)" undo r1
	[[ $REFUSAL == *"\`tc class del dev r1 classid c0de:7\`"* ]] || fail "it says: $REFUSAL"
	tc -n "$ROUTER" qdisc del dev r1 parent c0de:7
	tc -n "$ROUTER" class del dev r1 classid c0de:7
	ctl undo r1 || fail "undo: status $?"
}

shared_block()
{
	topology
	tc -n "$ROUTER" qdisc add dev r1 ingress_block 22 clsact
	refuses_as_is "r1: its ingress shares block 22 with other devices" setup r1 --up 8mbit --down 20mbit
	[[ $REFUSAL == *"without --down"* ]] || fail "it says: $REFUSAL"
	setup --up 8mbit
	ctl undo r1 || fail "undo: status $?"
	check "blocks" "$(qdisc_get "$ROUTER" r1 ffff: .ingress_block)" == 22
}

lib_add root_filter "a filter on the root qdisc is not lost" "qdisc add dev r1 root handle 1: fq_codel" 1:
lib_add default_root "a filter on a default qdisc is not lost"
lib_add own_root_filter "a filter on a shaper of codelctl is not lost"
lib_add offloads_by_hand "offloads that a user has switched off stay off"
lib_add offloads_return "offloads that codelctl has switched off return, and no others"
lib_add own_ifb "a device of codelctl is not set up"
lib_add unreachable "a redirect that no packet reaches, and a filter behind it, are named"
lib_add chain_template "a clsact with the template of a chain stays"
lib_add empty_hook "an empty clsact of others stays without /run, and codelctl's own goes"
lib_add foreign_class "a class below HTB is not lost"
lib_add shared_block "an ingress whose block is shared is refused"
lib_main "$@"
