#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# check: chooses
#
#
# Filters and classes of fq_codel. Filters select a packet's flow or its fate, also if the
# qdisc is empty; each verdict has its effect, and is counted.
#
#   d0 (dummy)   root 1: tbf, 80 bit/s    leaf 10: fq_codel    where packets have to wait
#   d0 (dummy)   root 10: fq_codel                            where they must not
#
# All packets go to UDP port 9.
#
# vm: --module tests/kernel/consume --module lab/slow

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/probe.sh"
. "$(dirname "$0")/slow.sh"

TC_ACT_REDIRECT=7

# waiting KIND [OPTION...]
waiting()
{
	probe_waiting "$@"
	probe send d0 2 prio=10:1	# the one that leaves, and the one that is peeked
}

# let_out: all that waits leaves, and later packets wait again
let_out()
{
	tcn qdisc change dev d0 root handle 1: tbf rate 10gbit burst 1mb limit 100000000
	probe send d0 1
	probe_empty drained d0 10:
	tcn qdisc change dev d0 root handle 1: tbf rate 80bit burst 1600 limit 100000000
}

# empty KIND [OPTION...]
empty()
{
	ns_create n
	probe_start "$NS"
	probe_dummy d0
	tcn qdisc add dev d0 root handle 10: "$@"
}

filter()
{
	tcn filter add dev d0 parent 10: "$@"
}

# Packets that d0 sent and that 10: dropped, of SENT
passed()
{
	local what=$1 sent=$2 drops=$3

	probe tx d0
	check "$what: frames that left" "$REPLY" == "$sent"
	probe_check "$what" d0 10: drops == "$drops"
	probe_check "$what" d0 10: qlen == 0
}

class_has()
{
	probe class d0 "$2" qlen
	check "$1: packets in class $2" "$REPLY" == "$3"
}

### Filters and the empty qdisc

# With a filter, each packet is queued; without, an idle qdisc may be bypassed, and
# then no flow becomes active.
runs_when_empty()
{
	local flows

	empty "$1"
	filter protocol ip pref 1 u32 match ip dport 9 0xffff action drop
	probe send d0 10
	passed "with the filter" 0 10
	tcn qdisc change dev d0 root handle 10: "$1" limit 100
	probe send d0 10
	passed "with the filter, after a change" 0 20
	tcn filter del dev d0 parent 10: pref 1
	probe get d0 10: new_flow_count
	flows=$REPLY
	probe send d0 5
	passed "without" 5 20
	probe_check "bypassed again" d0 10: new_flow_count == "$flows"
	filter protocol ip pref 1 u32 match ip dport 9 0xffff action drop
	probe send d0 3
	passed "with the filter again" 5 23
}

filters_end_bypass()
{
	empty "$1"
	probe send d0 5
	probe_check "no filter" d0 10: new_flow_count == 0
	filter pref 1 matchall flowid 10:3
	filter pref 2 matchall flowid 10:4
	probe send d0 5
	probe_check "two filters" d0 10: new_flow_count == 5
	tcn filter del dev d0 parent 10: pref 1
	probe send d0 5
	probe_check "one filter" d0 10: new_flow_count == 10
	tcn filter del dev d0 parent 10: pref 2
	probe send d0 5
	probe_check "no filter again" d0 10: new_flow_count == 10
	passed "all of it" 20 0
}

### Which flow

chooses()
{
	local name=$1

	shift
	waiting "$FQ_CODEL_KIND"
	filter pref 1 "$@" flowid 10:7
	probe send d0 6 flow=1 flow=2 flow=3
	class_has "$name" 10:7 6
}

unmatched_are_hashed()
{
	waiting "$1"
	filter protocol ip pref 1 u32 match ip dport 10 0xffff flowid 10:7
	probe send d0 6 flow=1 flow=2 flow=3 flow=4 flow=5 flow=6
	# A hash may select class 10:7, too, but not of two flows
	probe classes d0
	check "unmatched: packets in each class" "$(tr ' ' '\n' <<<"$REPLY" | cut -d , -f 2 | paste -s -d ' ')" \
		== "1 1 1 1 1 1"
	probe_check unmatched d0 10: qlen == 7
	probe_check unmatched d0 10: drops == 0
}

priority_chooses()
{
	waiting "$1" flows 8
	probe send d0 5 prio=10:3 flow=1 flow=2
	class_has "SO_PRIORITY" 10:3 5
	filter matchall flowid 10:5
	probe send d0 4 prio=10:3
	class_has "before the filters" 10:3 9
	probe send d0 2 prio=10:9
	class_has "no such flow: the filters decide" 10:5 2
	probe send d0 2 prio=20:3
	class_has "of another qdisc: the filters decide" 10:5 4
	probe_check "in all" d0 10: drops == 0
}

# Priorities that select each class select nothing for the packets after them.
FLOWS=$(printf 'flow=%s ' {100..119})

every_class()
{
	printf "prio=$1:%x " {1..1024}
}

# queues_for STEP DEV HANDLE: 20 flows of 3 packets each have 20 queues
queues_for()
{
	local before

	probe get "$2" "$3" new_flow_count
	before=$REPLY
	# shellcheck disable=SC2086 # words
	probe send "$2" 60 $FLOWS ${4:-}
	probe get "$2" "$3" new_flow_count
	check "$1: queues that 20 flows have" $((REPLY - before)) ">=" 19
}

priority_reserves_nothing()
{
	local collisions

	ulimit -n 4096	# the probe has a socket for each priority
	waiting "$1"
	probe send d0 4096 "$(every_class 10)" size=60
	probe_check "while they wait" d0 10: qlen == 4097
	let_out
	probe get d0 10: shared
	collisions=$REPLY	# of the packet that arrived while they waited
	queues_for "after priorities" d0 10:
	probe_check "after priorities" d0 10: shared == "$collisions"
}

# When the last filter goes, other packets get the flows that filters had selected.
filters_give_back()
{
	local i

	waiting "$1" flows 32
	for ((i = 1; i <= 32; i++)); do
		filter pref $((100 - i)) matchall flowid "$(printf 10:%x "$i")"
		probe send d0 1
	done
	tcn filter del dev d0 parent 10:
	let_out
	queues_for "without a filter" d0 10:
}

# default_qdisc KIND: ifb0 with a root qdisc that has handle 0, and a rate
default_qdisc()
{
	ns_create n
	probe_start "$NS"
	defer sysctl -qw "net.core.default_qdisc=$(sysctl -n net.core.default_qdisc)"
	sysctl -qw "net.core.default_qdisc=$1"
	ip -n "$NS" link add ifb0 type ifb
	ip -n "$NS" link set ifb0 up
	check "the default" "$(qdisc_get "$NS" ifb0 root '"\(.kind) \(.handle)"')" == "$1 0:"
	slow_link "$NS" ifb0 "$2"
}

# Without a handle there is no class to name: 0:6 is the priority of interactive sockets.
no_handle_no_class()
{
	ulimit -n 4096
	default_qdisc "$1" 1000000
	probe send ifb0 2	# the link is busy
	probe send ifb0 2048 "$(every_class 0)" size=60
	probe_empty drained ifb0 0:
	probe send ifb0 2
	queues_for "after priorities" ifb0 0:
	probe_empty drained ifb0 0:
	probe send ifb0 2
	queues_for "priority 6" ifb0 0: prio=0:6
}

class_above_flows()
{
	empty "$1" flows 4
	filter matchall flowid 10:5
	probe send d0 7
	passed "classid above flows" 0 7
	tcn filter del dev d0 parent 10:
	filter matchall flowid 10:4
	probe send d0 7
	passed "the last flow" 7 7
}

### Which fate

verdict()
{
	local kind=$1 action=$2 sent=$3 drops=$4

	empty "$kind"
	filter matchall action "$action"
	probe send d0 6
	passed "action $action" "$sent" "$drops"
}

# mirred has stolen the packet: it is not lost
mirrored_away()
{
	empty "$1"
	probe_dummy d1
	filter matchall action mirred egress redirect dev d1
	probe send d0 6
	passed "redirected" 0 0
	probe tx d1
	check "frames that d1 was given" "$REPLY" == 6
}

# TC_ACT_CONSUMED: the filter has freed the packet. The qdisc must not touch it again.
consumed_is_gone()
{
	local module=/root/cls_consume.ko	# from tests/vm/run --module tests/kernel/consume

	[[ -e $module ]] || skip "there is no $module"
	insmod "$module"
	defer rmmod cls_consume
	empty "$1"
	filter protocol ip pref 1 consume
	probe send d0 6 flow=1 flow=2
	passed "consumed" 0 0
	probe get d0 10: received.packets dropped.taken.packets dropped.taken.bytes
	check "received, stolen, bytes stolen" "$REPLY" == "6 6 6000"
	tcn filter del dev d0 parent 10:
}

# A program that returns TC_ACT_REDIRECT, which has no effect here. bpf(2) is called
# directly: neither a compiler nor bpftool is needed.
redirect_is_dropped()
{
	local dir=$LIB_TMP/bpf status=0

	empty "$1"
	mkdir "$dir"
	"$LIB_DIR/bpf.py" "$TC_ACT_REDIRECT" "$dir" \
		tc -n "$NS" filter add dev d0 parent 10: bpf object-pinned "$dir/program" \
		direct-action || status=$?
	[[ $status -ne 4 ]] || skip "no BPF programs"
	check "status of tc" "$status" == 0
	probe send d0 6
	passed "TC_ACT_REDIRECT" 0 6
}

### Statistics of classes

stats_are_the_flows()
{
	waiting "$1" flows 16
	probe send d0 5 prio=10:3 size=100
	probe send d0 7 prio=10:10 size=200	# tc's numbers are hexadecimal: 16
	probe classes d0
	[[ " $REPLY " == *" 10:3,5,500 "* && " $REPLY " == *" 10:10,7,1400 "* ]] ||
		fail "classes with packets: $REPLY, not 10:3,5,500 and 10:10,7,1400"
	probe class d0 10:3 deficit dropping count drop_next
	check "deficit, dropping, count, drop_next" "$REPLY" == "1514 0 0 0"
	tcn -s class show dev d0 >"$LIB_TMP/classes"
	grep -q "backlog 500b 5p" "$LIB_TMP/classes" ||
		fail "tc -s class show: $(cat "$LIB_TMP/classes")"
}

# A dump has all flows, overflow flows as well: 30 hashes share the last one.
every_flow_is_a_class()
{
	waiting "$1" flows "$2"
	probe send d0 60 flows=30
	probe_check "flows $2" d0 10: qlen == 61	# with the one that is peeked
	probe classes d0
	check "flows $2: packets in all classes" \
		"$(tr ' ' '\n' <<<"$REPLY" | awk -F , '{ sum += $2 } END { print sum }')" == 60
}

change_on_and_on()
{
	local limit

	while :; do
		for limit in 10 50 1000; do
			tcn qdisc change dev d0 parent 1:1 handle 10: "$1" limit "$limit"
		done
		tcn qdisc replace dev d0 parent 1:1 handle 11: "$1" flows 4
		tcn qdisc replace dev d0 parent 1:1 handle 10: "$1" flows 16
	done
}

# All packets have one length: a class in which backlog is not qlen times that was
# read while somebody wrote.
dumps_while_it_changes()
{
	local class handle qlen backlog seen=0

	waiting "$1" flows 16
	tcn qdisc change dev d0 root handle 1: tbf rate 4mbit burst 1600 limit 100000000
	probe flood d0 2000 flow=0 flow=1 flow=2 flow=3 flow=4 flow=5
	background change_on_and_on "$1"
	for _ in {1..40}; do
		probe classes d0
		for class in $REPLY; do
			IFS=, read -r handle qlen backlog <<<"$class"
			seen=$((seen + 1))
			((backlog == qlen * PROBE_SIZE)) ||
				fail "class $handle has $qlen packets, $backlog bytes"
		done
	done
	check "classes looked at" "$seen" ">" 40
	probe calm
}

lib_require python3
lib_add runs_when_empty "a drop filter on an empty qdisc" "$FQ_CODEL_KIND"
# It runs the filters, but does not allow the bypass again after they are removed.
lib_add_kernel runs_when_empty "a drop filter on an empty qdisc"
lib_add filters_end_bypass "bypassed only while there are no filters" "$FQ_CODEL_KIND"
lib_add chooses "u32" u32 protocol ip u32 match ip dport 9 0xffff
lib_add chooses "flower" flower protocol ip flower ip_proto udp dst_port 9
lib_add chooses "matchall" matchall matchall
lib_add chooses "bpf" bpf bpf bytecode "1,6 0 0 4294967295,"
lib_add unmatched_are_hashed "unmatched packets are hashed" "$FQ_CODEL_KIND"
lib_add priority_chooses "SO_PRIORITY chooses a flow" "$FQ_CODEL_KIND"
lib_add filters_give_back "the last filter gives all queues back" "$FQ_CODEL_KIND"
lib_add priority_reserves_nothing "SO_PRIORITY reserves no queue" "$FQ_CODEL_KIND"
lib_add no_handle_no_class "handle 0: SO_PRIORITY selects nothing" "$FQ_CODEL_KIND"
lib_add_kernel no_handle_no_class "handle 0"
lib_add class_above_flows "a classid above flows is a counted drop" "$FQ_CODEL_KIND"
lib_add verdict "action ok" "$FQ_CODEL_KIND" ok 6 0
lib_add_kernel verdict "a filter without a class" ok 6 0
lib_add verdict "action drop" "$FQ_CODEL_KIND" drop 0 6
lib_add verdict "action trap takes the packet" "$FQ_CODEL_KIND" trap 0 0
lib_add mirrored_away "action mirred redirect takes the packet" "$FQ_CODEL_KIND"
lib_add consumed_is_gone "TC_ACT_CONSUMED takes the packet" "$FQ_CODEL_KIND"
lib_add redirect_is_dropped "TC_ACT_REDIRECT is a counted drop" "$FQ_CODEL_KIND"
lib_add stats_are_the_flows "statistics of the right flow" "$FQ_CODEL_KIND"
lib_add every_flow_is_a_class "a single flow is a class" "$FQ_CODEL_KIND" 1
lib_add every_flow_is_a_class "each of 17 flows is a class" "$FQ_CODEL_KIND" 16
lib_add dumps_while_it_changes "class dumps during change and replace" "$FQ_CODEL_KIND"
lib_main "$@"
