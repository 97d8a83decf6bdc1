#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# check: four_servers
# vm: --put bench/guest.sh --put bench/served.sh
#
# A comparison with an in-tree qdisc fails if an out-of-tree module serves that qdisc
# (served.sh); the benchmark fails before it measures.

LIB_NO_KINDS=1
# shellcheck source=tests/kernel/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/kernel/modules.sh
. "$LIB_DIR/modules.sh"
# shellcheck source=tests/kernel/served.sh
. "$LIB_DIR/served.sh"

# In a machine it is beside tests/
BENCHMARK=$LIB_DIR/../../guest.sh
[[ -e $BENCHMARK ]] || BENCHMARK=$LIB_DIR/../../bench/guest.sh

WRONG_ORDER="codel: the out-of-tree sch_codel_oot serves it;"
WRONG_ORDER+=" load the in-tree sch_codel before sch_codel_oot"

in_tree_first()
{
	start
	require_in_tree codel
	load sch_codel_oot
	require_in_tree codel
	check "codel" "$(served_by codel)" == sch_codel
	check "codel_oot" "$(served_by codel_oot)" == sch_codel_oot
}

out_of_tree_first()
{
	start
	load sch_codel_oot
	refuses "codel of the out-of-tree module" require_in_tree codel
	check "the sentence" "$REFUSAL" == "$WRONG_ORDER"
	check "codel" "$(served_by codel)" == sch_codel_oot
}

# modprobe.d leads to the out-of-tree module
by_plain_modprobe()
{
	start
	modprobe sch_codel
	refuses "what modprobe sch_codel has loaded" require_in_tree codel
	check "the sentence" "$REFUSAL" == "$WRONG_ORDER"
}

# An out-of-tree module that left the name, and the in-tree module after it
name_left()
{
	start
	load sch_codel_oot takeover=0
	require_in_tree codel
	check "codel" "$(served_by codel)" == sch_codel
}

four_servers()
{
	start
	require_in_tree codel
	require_in_tree fq_codel
	require_out_of_tree codel_oot
	require_out_of_tree fq_codel_oot
	check "different servers" "$(for kind in codel fq_codel codel_oot fq_codel_oot; do
		served_by "$kind"
	done | sort -u | wc -l)" == 4
}

other_side()
{
	start
	refuses "codel_oot as an in-tree qdisc" require_in_tree codel_oot
	refuses "pfifo as an out-of-tree qdisc" require_out_of_tree pfifo
	check "the sentence" "$REFUSAL" == \
		"pfifo: the in-tree qdisc (built-in) serves it; load the out-of-tree module"
	refuses "a qdisc that does not exist" require_in_tree no_such
	check "the sentence" "$REFUSAL" == "no_such: this kernel has no such qdisc"
}

# Other qdiscs hold references as well, and other namespaces come and go meanwhile
among_others()
{
	local i

	start
	require_in_tree codel
	topo_create
	topo_bottleneck 1mbit codel_oot
	for i in 1 2 3; do
		ip netns add "codel-served-other-$i"
		tc -n "codel-served-other-$i" qdisc add dev lo root handle 1: htb
		ip netns del "codel-served-other-$i"
		check "codel" "$(served_by codel)" == sch_codel
		check "codel_oot" "$(served_by codel_oot)" == sch_codel_oot
		check "pfifo" "$(served_by pfifo)" == built-in
	done
}

benchmark_refuses()
{
	start
	load sch_codel_oot
	printf 'run\tx\tcodel\t\tmode=none\n' >"$LIB_TMP/plan"
	refuses "a measurement of codel" bash "$BENCHMARK" "$LIB_TMP/plan" none.ko
	check "the sentence" "$REFUSAL" == "$WRONG_ORDER"
}

lib_add in_tree_first "codel: the in-tree module is loaded first"
lib_add out_of_tree_first "codel: the out-of-tree module is loaded first"
lib_add by_plain_modprobe "codel: modprobe sch_codel"
lib_add name_left "codel: the out-of-tree module has takeover=0"
lib_add four_servers "four kinds, four servers"
lib_add other_side "each check refuses the other side"
lib_add among_others "among other qdiscs and namespaces that go"
lib_add benchmark_refuses "the benchmark refuses the wrong order"
lib_main "$@"
