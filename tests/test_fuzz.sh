#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Whatever is done to a qdisc, in whatever order, every packet that it was given is in
# its ledger: packets, live changes, filters, cleared counters, a device that goes down.
# Below tbf, which peeks; below htb; and as a root, where most packets go past the queue.

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/probe.sh
. "$LIB_DIR/probe.sh"

lib_require python3

# ledger KIND PARENT SEED
ledger()
{
	local kind=$1 parent=$2 seed=$3

	ns_create n
	PROBE_NS=$NS
	probe_dummy d0
	case $parent in
	tbf) tcn qdisc add dev d0 root handle 1: tbf rate 400kbit burst 1600 limit 100000000 ;;
	htb)
		tcn qdisc add dev d0 root handle 1: htb default 1
		tcn class add dev d0 parent 1: classid 1:1 htb rate 400kbit burst 1600 cburst 1600
		;;
	esac
	[[ $parent == root ]] || parent=1:1
	in_ns "$NS" "$LIB_DIR/fuzz.py" d0 "$parent" "$kind" "$seed" 60 || fail "see above"
}

for parent in tbf htb root; do
	for seed in 1 2; do
		lib_add_each ledger "every packet is in the ledger, below $parent, seed $seed" "$parent" "$seed"
	done
done
lib_main "$@"
