#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# check: 1/9
#
# After any operations in any order, every packet is accounted for: packets of any size,
# priorities that name classes, live changes, filters, cleared counters, a device that goes
# down. Below tbf, which peeks; below htb; below a parent that counts the mistakes of its
# child; as a root, where most packets bypass the empty qdisc; and as a default qdisc, with
# handle 0.
#
# vm: --module lab/slow --module tests/kernel/strict

# shellcheck source=tests/kernel/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/kernel/probe.sh
. "$LIB_DIR/probe.sh"
# shellcheck source=tests/kernel/slow.sh
. "$LIB_DIR/slow.sh"
# shellcheck source=tests/kernel/strict.sh
. "$LIB_DIR/strict.sh"

lib_require python3

place_tbf()
{
	AT=1:1
	tcn qdisc add dev d0 root handle 1: tbf rate 400kbit burst 1600 limit 100000000
}

place_htb()
{
	AT=1:1
	tcn qdisc add dev d0 root handle 1: htb default 1
	tcn class add dev d0 parent 1: classid 1:1 htb rate 400kbit burst 1600 cburst 1600
}

place_strict()
{
	place_htb
	AT=2:1
	tcn qdisc add dev d0 parent 1:1 handle 2: strict_parent
}

place_root()
{
	AT=root
}

# place_default KIND: a dummy has no default qdisc, and ifb does
place_default()
{
	AT=default
	DEV=ifb0
	defer sysctl -qw "net.core.default_qdisc=$(sysctl -n net.core.default_qdisc)"
	sysctl -qw "net.core.default_qdisc=$1"
	ip -n "$PROBE_NS" link add ifb0 type ifb
	ip -n "$PROBE_NS" link set ifb0 up
	slow_link "$PROBE_NS" ifb0 400000
}

# accounted_for KIND PLACE SEED
accounted_for()
{
	local kind=$1 place=$2 seed=$3

	[[ $place != strict ]] || strict_load
	ns_create n
	PROBE_NS=$NS
	DEV=d0
	probe_dummy d0
	"place_$place" "$kind"
	in_ns "$NS" "$LIB_DIR/run.py" fuzz "$DEV" "$AT" "$kind" "$seed" 60 || fail "see above"
}

# Releases differ in htb, and in how a device gets its default qdisc
kernel_dependent()
{
	accounted_for "$@"
}

# add CASE PLACE...: with two seeds
add()
{
	local case=$1 place seed

	for place in "${@:2}"; do
		for seed in 1 2; do
			lib_add_each "$case" "every packet is accounted for, $place, seed $seed" "$place" "$seed"
		done
	done
}

add accounted_for tbf strict root
add kernel_dependent htb default
lib_main "$@"
