#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
#
# run_tests.sh BUILD ROUNDS: the tests of codelstat that need none of the modules, as KTAP; without ROUNDS
# those that need Prometheus. Called by make.
set -u

build=$1 rounds=${2:-}
cd "$(dirname "$0")" || exit
# shellcheck source=tests/kernel/lib/ktap.sh
. ../../kernel/lib/ktap.sh
tmp=$(mktemp -d) || exit
trap 'kill $(jobs -rp) 2>/dev/null; rm -rf "$tmp"' EXIT

# run NAME COMMAND...: leaves the output and the status in files
run() {
	"${@:2}" >"$tmp/$1" 2>&1
	echo $? >"$tmp/$1.status"
}

# report NAME: its output, nested, and a result for it as a whole
report() {
	sed 's/^/  /' "$tmp/$1"
	ktap_result "$(<"$tmp/$1.status")" "$1"
}

part() {
	run "$@"
	report "$1"
}

# script NAME run|part: a test in Python, with the program that it tests
script() {
	local program=codelstat

	# These look at its memory
	[[ $1 != test_http && $1 != test_memory ]] || program=plain
	CODELSTAT=$PWD/$build/$program "$2" "$1" "./$1.py"
}

# These wait most of their time, for terminals and for clients that send nothing: they run beside the others
waiting=(test_http test_watch)
fetched=(test_prometheus test_alerts)
mapfile -t others < <(printf '%s\n' test_*.py | sed 's/\.py$//' |
	grep -vxF "$(printf '%s\n' "${waiting[@]}" "${fetched[@]}")")

own() {
	local name

	ktap_plan $((8 + ${#waiting[@]} + ${#others[@]}))
	for name in "${waiting[@]}"; do
		script "$name" run &
	done
	part unit "$build/unit"
	part flows "$build/flows"
	part metrics "$build/metrics"
	part steps "$build/steps"
	part sender "$build/sender"
	part fuzz "$build/fuzz" "$rounds" shaped.rec
	part fuzz-shared "$build/fuzz" "$((rounds / 2))" shared.rec
	part fuzz-far "$build/fuzz" "$((rounds / 2))" far.rec
	for name in "${others[@]}"; do
		script "$name" part
	done
	wait
	for name in "${waiting[@]}"; do
		report "$name"
	done
}

with_prometheus() {
	local name

	ktap_plan "${#fetched[@]}"
	for name in "${fetched[@]}"; do
		script "$name" part
	done
}

if [[ $rounds ]]; then
	own
else
	with_prometheus
fi
ktap_exit
