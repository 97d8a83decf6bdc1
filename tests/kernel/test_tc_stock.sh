#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# check: all
#
# Where the in-tree qdisc serves the plain name, tc with the plugins is tc without them: the same
# options are accepted, with the same messages, and the same text and JSON are printed.
#
#   d0 (dummy)   root 1: the in-tree qdisc, traffic to a neighbour that is not there
#
# The test loads and unloads modules.

# The test loads the modules itself
LIB_NO_KINDS=1
# shellcheck source=tests/kernel/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/kernel/modules.sh
. "$LIB_DIR/modules.sh"
# shellcheck source=tests/kernel/served.sh
. "$LIB_DIR/served.sh"

lib_require ping

WORDS=("" "limit 77" "limit 0x10" "limit -1" "target 1.0005ms" "target 5m" "interval 1e5us" "ecn" "noecn"
	"ce_threshold 1ms" "ce_threshold off" "ceiling 50ms" "rate 20mbit" "help" "frob 7")
FAIR_WORDS=("flows 256" "quantum 1514 drop_batch 010" "memory_limit 1.5mb" "ce_threshold_selector 0x1/3")

stock()
{
	TC_LIB_DIR=/nonexistent "$@"
}

# outcome WITH KIND WORDS: the status and the messages of adding it, and what is there then
outcome()
{
	local with=$1 kind=$2 status=0

	# shellcheck disable=SC2086 # words
	$with tc -n "$NS" qdisc add dev d0 root handle 1: "$kind" $3 2>&1 || status=$?
	echo "status $status"
	stock tc -n "$NS" qdisc show dev d0
	stock tc -n "$NS" qdisc del dev d0 root 2>/dev/null || :
}

device()
{
	start
	[[ $1 != codel ]] || load_in_tree_codel
	load "sch_$1_oot"
	require_in_tree "$1" || fail "another module serves $1"
	ns_create n
	ip -n "$NS" link add d0 type dummy
	ip -n "$NS" link set d0 up
	ip -n "$NS" addr add 10.0.0.1/24 dev d0
	ip -n "$NS" neigh add 10.0.0.2 lladdr 02:00:00:00:00:02 dev d0
}

options()
{
	local kind=$1 words
	local -a all=("${WORDS[@]}")

	device "$kind"
	[[ $kind != fq_codel ]] || all+=("${FAIR_WORDS[@]}")
	for words in "${all[@]}"; do
		check "$kind $words" "$(outcome env "$kind" "$words")" == "$(outcome stock "$kind" "$words")"
	done
}

output()
{
	local kind=$1 flags

	device "$kind"
	tc -n "$NS" qdisc add dev d0 root handle 1: "$kind" limit 77 target 3ms ecn ce_threshold 1ms
	in_ns "$NS" ping -c 3 -i 0.1 -W 1 -q 10.0.0.2 >/dev/null || :
	for flags in "" "-s" "-d -s" "-j" "-s -j" "-s -p -j"; do
		# shellcheck disable=SC2086 # flags
		check "tc $flags" "$(tc -n "$NS" $flags qdisc show dev d0)" == "$(stock tc -n "$NS" $flags qdisc show dev d0)"
	done
	check "packets" "$(qdisc_get "$NS" d0 1: .packets)" ">" 2
}

for kind in codel fq_codel; do
	lib_add options "$kind: the options of tc without plugins" "$kind"
	lib_add output "$kind: the output of tc without plugins" "$kind"
done
lib_main "$@"
