#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# check: hundred_a_second
#
# Reading the statistics costs little. Reading them 100 times a second takes less than 0.5% of
# the time of a processor; a dump of 1,000 flows takes about as long as that of in-tree
# fq_codel, which contains less and searches all flows again for each part of the dump.
#
# In virtual time a microsecond is 1,000 instructions. The core alone takes 0.87 us for
# a class without statistics.

# shellcheck source=tests/kernel/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/kernel/probe.sh
. "$LIB_DIR/probe.sh"

lib_require python3

# reading WHAT: COUNT and NS of a dump of d0
reading()
{
	local bytes

	read -r COUNT NS bytes < <(in_ns "$PROBE_NS" "$LIB_DIR/run.py" reading d0 "$1")
	echo "$COUNT $1: $NS ns, $bytes bytes"
}

# classes FLOWS NS: of the qdisc under test, and of in-tree fq_codel in the same kernel
classes()
{
	local out_of_tree

	probe_waiting "$FQ_CODEL_KIND" flows "$1"
	probe send d0 1000 flows=1000
	reading classes
	out_of_tree=$((NS / COUNT))
	check "classes with packets" "$COUNT" ">=" 990
	check_instructions "a class, ns" "$out_of_tree" "$2"

	require_in_tree fq_codel
	tcn qdisc replace dev d0 parent 1:1 handle 20: fq_codel flows "$1"
	probe send d0 1000 flows=1000
	reading classes
	check_instructions "of the time of in-tree fq_codel, %" $((out_of_tree * 100 * COUNT / NS)) 125
}

# limit_rate BITS
limit_rate()
{
	tcn qdisc change dev d0 root handle 1: tbf rate "$1bit" burst 1600 limit 100000000
}

hundred_a_second()
{
	local i rate=64000000

	probe_waiting "$1"
	# Delays of any length, for a histogram with many buckets
	for ((i = 0; i < 14; i++)); do
		limit_rate $((rate >>= 1))
		probe send d0 20
		sleep 30
	done
	reading qdiscs
	check "qdiscs, the tbf above being one" "$COUNT" ">=" 2
	check_instructions "100 dumps a second take, in 1/1000 of the time" $((NS / 10000)) 5
}

lib_add classes "a dump of 1,000 flows of 1,024" 1024 2300
lib_add classes "a dump of 1,000 flows of 65,536" 65536 2900
lib_add_each hundred_a_second "100 dumps a second"
lib_main "$@"
