#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
#
# The in-tree tests of tc (tc-testing) of codel and fq_codel pass for codel_oot and
# fq_codel_oot: their commands work, and their patterns match tc's output. On every release, in the
# virtual machine.
. "$(dirname "$0")/../../vm/tap.sh"

kinds=$(cd "$(dirname "$0")" && pwd)
releases=${RELEASE:-bookworm trixie sid}
names=(codel.json fq_codel.json)

status=0
folder=$("$kinds/../../../scripts/foreign.py" tc-testing 2>"$err") || status=$?
((status != KTAP_SKIP)) || ktap_skip_all "$(tail -n 1 "$err")"

# cases SUFFIX: how many passed of those that there are, and the failed ones
cases()
{
	vm "${names[@]/#/--put=$folder/}" -- \
		tests/tools/tc/tdc.py --suffix "$1" "${names[@]}"
	grep -A 20 -B 20 '^not ok' "$out"
	[[ $status -eq 0 ]] && (($(grep -c '^ok' "$out") >= 20))
}

# shellcheck disable=SC2086 # words
plan "$(wc -w <<<$releases)"
for RELEASE in $releases; do
	ok "tc-testing's cases hold for codel_oot and fq_codel_oot on $RELEASE" cases _oot
done
ktap_exit
