#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
#
# run_tests.sh BUILD ROUNDS: all tests of codelstat that need none of the modules, as
# KTAP. Called by "make check".
set -u

build=$1 rounds=$2
cd "$(dirname "$0")" || exit
mapfile -t scripts < <(printf '%s\n' test_*.py)
number=0
failed=0

# part NAME COMMAND...: its output, nested, and a result for it as a whole
part() {
	local name=$1 status

	shift
	"$@" 2>&1 | sed 's/^/  /'
	status=${PIPESTATUS[0]}
	number=$((number + 1))
	((status == 0)) || { failed=1 && echo -n 'not '; }
	echo "ok $number $name"
}

echo "KTAP version 1"
echo "1..$((6 + ${#scripts[@]}))"
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
exit "$failed"
