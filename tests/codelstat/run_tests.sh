#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
#
# run_tests.sh BUILD ROUNDS: all tests of codelstat that need none of the modules, as
# KTAP. Called by "make check".
set -u

build=$1 rounds=$2
cd "$(dirname "$0")" || exit
# shellcheck source=tests/lib/ktap.sh
. ../lib/ktap.sh
mapfile -t scripts < <(printf '%s\n' test_*.py)

# part NAME COMMAND...: its output, nested, and a result for it as a whole
part() {
	local name=$1

	shift
	"$@" 2>&1 | sed 's/^/  /'
	((PIPESTATUS[0] == 0))
	ktap_result $? "$name"
}

ktap_plan $((6 + ${#scripts[@]}))
part unit "$build/unit"
part flows "$build/flows"
part metrics "$build/metrics"
part steps "$build/steps"
part sender "$build/sender"
part fuzz "$build/fuzz" "$rounds" shaped.rec
for script in "${scripts[@]}"; do
	export CODELSTAT=$PWD/$build/codelstat
	# its memory is looked at
	[[ $script != test_http.py && $script != test_memory.py ]] ||
		CODELSTAT=$PWD/$build/plain
	part "${script%.py}" "./$script"
done
ktap_exit
