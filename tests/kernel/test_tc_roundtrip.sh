#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# check: round_trips
#
# The dump contains every option as it was set: each option of both kinds goes through tc, the
# module, "tc -j", options_from_json.jq and back, into a new qdisc and into one in which every
# option had another value, and must not change.
#
# One namespace, whose lo carries the qdisc under test:
#
#	options --tc--> qdisc --tc -j--> options' --tc--> new qdisc   --tc -j--> options'
#	                                          --tc--> another one --tc -j--> options'

# shellcheck disable=SC2317 # cases are called by lib_main
# shellcheck source=tests/kernel/lib.sh
. "$(dirname "$0")/lib.sh"
. "$LIB_DIR/served.sh"

# A case's list of options is a line each: options alone, then several at once.
# 5 ms and 1 ms are no multiples of 1024 ns.
COMMON='
limit 0
limit 1
limit 4294967295
target 0
target 1us
target 5ms
target 3ms
target 4294967295us
interval 1us
interval 4294967295us
ecn
noecn
ce_threshold off
ce_threshold 0
ce_threshold 1us
ce_threshold 4294967295us
ecn ce_threshold 1ms
noecn ce_threshold 1ms
target 0 ceiling 1us
ceiling 49999us
ceiling 4294967295us
ceiling off
target 4294967295us ceiling off
rate 8bit
rate 20mbit
rate 999999999992bit
rate 1000gbit
rate off
rate 20mbit no_split_gso
rate 1gbit split_gso
split_gso
no_split_gso
overhead 0
overhead -64
overhead 256
overhead off
mpu 256
noatm
atm
ptm
ingress
egress
rate 64kbit overhead 40 mpu 96 atm ingress
shared
alone
rate 20mbit shared
limit 77 target 4999us interval 100001us noecn ce_threshold 333us'
FAIR='
flows 1
flows 65536
quantum 256
quantum 1514
quantum 1048576
memory_limit 0
memory_limit 1.5mb
memory_limit 4294967295
drop_batch 1
drop_batch 100
drop_batch 4294967295
ce_threshold 1ms ce_threshold_selector 1/3
ce_threshold 1ms ce_threshold_selector 0/255
ce_threshold off ce_threshold_selector 0xfc/0xff
flows 7 quantum 1514 memory_limit 4m drop_batch 3 ecn ce_threshold_selector 3/3'
# Values that none of them sets
DIFFERENT='limit 5 target 7us interval 9us ecn ce_threshold 11us ceiling 13us'
DIFFERENT+=' rate 500gbit shared overhead 21 mpu 65 ptm ingress split_gso'
DIFFERENT_FAIR='flows 9 quantum 511 memory_limit 12345 drop_batch 13 ce_threshold_selector 2/2'

# lists KIND: its options in LIST, other values of all of them in OTHER
lists()
{
	LIST=${COMMON#?}
	OTHER=$DIFFERENT
	if [[ $1 == fq_codel* ]]; then
		LIST+=$FAIR
		OTHER+=" $DIFFERENT_FAIR"
	fi
}

# batch FILE: the commands in it by one tc; the options that it shows, a line each
batch()
{
	tc -n "$NS" -j -batch "$1" | jq -c ".[0].options | $SORTED"
}

# A handle not used before makes tc replace the qdisc, not change it. (In a batch,
# tc takes "root" only once.)
new_qdiscs()
{
	local kind=$1 handle=$2 options

	while read -r options; do
		echo "qdisc replace dev lo root handle $((handle++)): $kind $options"
		echo "qdisc show dev lo"
	done
}

changed_qdiscs()
{
	local kind=$1 handle=$2 options other

	while read -r options; do
		other=$OTHER
		[[ ! $options =~ flows\ [0-9]+ ]] || other=${OTHER/flows 9/${BASH_REMATCH[0]}}	# cannot change
		echo "qdisc replace dev lo root handle $handle: $kind $other"
		echo "qdisc change dev lo root handle $((handle++)): $kind $options"
		echo "qdisc show dev lo"
	done
}

# compare FILE: its options with those shown first; prints the differences
compare()
{
	local line

	check "qdiscs shown, $1" "$(wc -l <"$LIB_TMP/$1")" == "$(wc -l <<<"$LIST")"
	cmp -s "$LIB_TMP/first" "$LIB_TMP/$1" && return
	line=$(cmp "$LIB_TMP/first" "$LIB_TMP/$1" 2>&1 | sed 's/.*line //; s/[^0-9].*//' || :)
	fail "$1: of $(wc -l <"$LIB_TMP/first") lines, line ${line:-?} is" \
		"$(sed -n "${line:-1}p" "$LIB_TMP/$1")" \
		"and was $(sed -n "${line:-1}p" "$LIB_TMP/first")"
}

# first_options KIND: of one qdisc per line of LIST, in files "first" and "arguments"
first_options()
{
	new_qdiscs "$1" 16 <<<"$LIST" >"$LIB_TMP/batch"
	batch "$LIB_TMP/batch" >"$LIB_TMP/first"
	check "qdiscs shown" "$(wc -l <"$LIB_TMP/first")" == "$(wc -l <<<"$LIST")"
	jq -rf "$LIB_DIR/../tools/tc/options_from_json.jq" "$LIB_TMP/first" >"$LIB_TMP/arguments"
}

into_a_new_qdisc()
{
	new_qdiscs "$1" 4096 <"$LIB_TMP/arguments" >"$LIB_TMP/batch"
	batch "$LIB_TMP/batch" >"$LIB_TMP/new"
}

into_another_qdisc()
{
	changed_qdiscs "$1" 8192 <"$LIB_TMP/arguments" >"$LIB_TMP/batch"
	batch "$LIB_TMP/batch" >"$LIB_TMP/changed"
}

round_trips()
{
	ns_create t
	lists "$1"
	first_options "$1"
	into_a_new_qdisc "$1"
	compare new
	into_another_qdisc "$1"
	compare changed
}

# In-tree fq_codel has this defect, so the test can find one.
in_tree_drifts()
{
	require_in_tree fq_codel || skip "no in-tree fq_codel"
	ns_create k
	tc -n "$NS" qdisc add dev lo root handle 1: fq_codel
	LIST='target 5ms'
	first_options fq_codel
	into_a_new_qdisc fq_codel
	# In units of 1024 ns, rounded down each time
	check "us shown of 5000" "$(jq .target "$LIB_TMP/first")" == 4999
	check "us shown of these 4999" "$(jq .target "$LIB_TMP/new")" == 4998
}

# Where an in-tree qdisc serves a plain name, tc's own front end parses its options
plugin_is_loaded()
{
	local said

	refuses "help" tc qdisc add "$1" help
	said=$REFUSAL
	if require_out_of_tree "$1"; then
		[[ $said == "Usage: ... $1 [ OPTION ]"* ]] || fail "$said"
	else
		refuses "help without plugins" env TC_LIB_DIR=/nonexistent tc qdisc add "$1" help
		check "help" "$said" == "$REFUSAL"
	fi
}

for kind in codel fq_codel codel_oot fq_codel_oot; do
	lib_add plugin_is_loaded "$kind" $kind
done
lib_add_each round_trips "every option comes back"
lib_add in_tree_drifts "the test finds a drift"
lib_main "$@"
