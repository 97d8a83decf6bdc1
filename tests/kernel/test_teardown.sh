#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# check: delete_is_told_once
#
# Ends: the qdisc is deleted or replaced, its device is put down or removed, its namespace is
# removed, each while packets arrive. Nothing remains, and the parent is notified once, by the
# core. A warning, lock-up or leak in the kernel log fails the machine, as does a module that
# is in use after the test. test_kinds.sh unloads modules under traffic.
#
#   d0 (dummy)   root 1: tbf, 4 Mbit/s     leaf 10: under test, flooded with 16 Mbit/s

# shellcheck disable=SC2086 # SLOW, FAST and BUSY are words

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/probe.sh"

SLOW="rate 80bit burst 1600 limit 100000000"
BUSY="rate 4mbit burst 1600 limit 100000000"

# below TBF KIND [OPTION...]: the topology above
below()
{
	local tbf=$1

	shift
	ns_create n
	probe_start "$NS"
	probe_dummy d0
	tcn qdisc add dev d0 root handle 1: tbf $tbf
	tcn qdisc add dev d0 parent 1:1 handle 10: "$@"
}

flood()
{
	probe flood d0 2000 flow=0 flow=1 flow=2 flow=3 flow=4
	busywait 5 has_backlog || fail "no backlog under traffic"
}

has_backlog()
{
	probe get d0 10: qlen
	((REPLY > 3))
}

nothing_left()
{
	local handle

	for handle in 1: 10:; do
		probe_check "$1" d0 "$handle" qlen == 0
		probe_check "$1" d0 "$handle" backlog == 0
	done
	probe get d0 10: memory_used=0
	check "$1: memory_used" "$REPLY" == 0
}

### Notifications of the parent

# A reset frees without a word: the counters of the tree are reset by the core.
down_tells_nobody()
{
	local drops

	below "$SLOW" "$1"
	probe send d0 30 flow=0 flow=1 flow=2
	probe get d0 1: drops
	drops=$REPLY
	ip -n "$NS" link set d0 down
	nothing_left down
	probe_check "told of a reset" d0 1: drops == "$drops"
	ip -n "$NS" link set d0 up
	nothing_left up
	probe send d0 9 flow=0 flow=1 flow=2
	probe_agree "up again" d0
	probe_check "up again" d0 1: qlen == 8
}

# The core notifies the parent of the backlog of a deleted child; the child must not.
delete_is_told_once()
{
	below "$SLOW" "$1"
	probe send d0 30 flow=0 flow=1 flow=2
	probe_check "before" d0 1: qlen == 29
	tcn qdisc del dev d0 parent 1:1
	probe_check "deleted" d0 1: qlen == 0
	probe_check "deleted" d0 1: backlog == 0
	probe_check "deleted" d0 1: drops == 29
	tcn qdisc add dev d0 parent 1:1 handle 20: "$1"
	probe send d0 5
	probe_agree "another child" d0
	probe_check "another child" d0 1: qlen == 5
}

### Under traffic

deleted()
{
	below "$BUSY" "$1"
	flood
	for _ in {1..8}; do
		tcn qdisc del dev d0 parent 1:1
		tcn qdisc add dev d0 parent 1:1 handle 10: "$1"
		probe_agree "leaf deleted and added" d0
	done
	for _ in {1..4}; do
		tcn qdisc del dev d0 root
		tcn qdisc add dev d0 root handle 10: "$1" target 1us interval 1us
	done
	tcn qdisc del dev d0 root
	probe calm
}

replaced()
{
	local kind

	below "$BUSY" "$1"
	flood
	for kind in pfifo "$CODEL_KIND" "$FQ_CODEL_KIND" sfq "$1" "$1"; do
		tcn qdisc replace dev d0 parent 1:1 "$kind"
		probe_agree "replaced by $kind" d0
	done
	for kind in "$CODEL_KIND" pfifo_fast "$FQ_CODEL_KIND" "$1"; do
		tcn qdisc replace dev d0 root "$kind"
	done
	probe calm
}

device_down()
{
	below "$BUSY" "$1"
	flood
	for _ in {1..8}; do
		ip -n "$NS" link set d0 down
		nothing_left "down under traffic"
		ip -n "$NS" link set d0 up
		probe_agree "up under traffic" d0
	done
	probe calm
	ip -n "$NS" link set d0 down
	nothing_left "down in the end"
}

device_deleted()
{
	below "$BUSY" "$1"
	flood
	ip -n "$NS" link del d0
	probe calm
}

no_device()
{
	! ip -n "$1" link show dev "$2" >/dev/null 2>&1
}

# NS              inner, which ends
#   a0 ---------- b0, ingress: everything goes to d0
#                 d0: 1: tbf, 10: under test
namespace_removed()
{
	local inner

	ns_create n
	probe_start "$NS"
	inner=$NS-inner
	ip netns add "$inner"
	defer no_namespace "$inner"
	ip -n "$NS" link add a0 type veth peer name b0 netns "$inner"
	probe_quiet a0
	ip -n "$NS" link set a0 up
	ip -n "$inner" link add d0 type dummy
	ip -n "$inner" link set d0 up
	ip -n "$inner" link set b0 up
	tc -n "$inner" qdisc add dev b0 clsact
	tc -n "$inner" filter add dev b0 ingress matchall action mirred egress redirect dev d0
	tc -n "$inner" qdisc add dev d0 root handle 1: tbf $BUSY
	tc -n "$inner" qdisc add dev d0 parent 1:1 handle 10: "$1"
	probe flood a0 2000 flow=0 flow=1 flow=2
	busywait 5 inner_backlog "$inner" || fail "no backlog under traffic"
	ip netns del "$inner"
	busywait 10 no_device "$NS" a0 || fail "the namespace has not gone"
	probe calm
}

no_namespace()
{
	ip netns del "$1" 2>/dev/null || true
}

inner_backlog()
{
	(($(qdisc_get "$1" d0 10: .qlen) > 3))
}

lib_require python3
lib_add_each down_tells_nobody "device down with a full queue"
lib_add_each delete_is_told_once "deleted with a full queue"
lib_add_each deleted "deleted under traffic"
lib_add_each replaced "replaced under traffic"
lib_add_each device_down "device down and up under traffic"
lib_add_each device_deleted "device deleted under traffic"
lib_add_each namespace_removed "namespace removed under traffic"
lib_main "$@"
