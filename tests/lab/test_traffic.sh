#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Runs on the host: every kind of the laboratory's traffic by itself, in the virtual machine
# (traffictest/). Then some of it twice: the same bytes. Arguments: names of cases.
set -uo pipefail

cd "$(dirname "$0")/../.." || exit

readonly CASES=/root/tests/lab/traffictest/guest.py
readonly TWICE=(cbr_counts_losses congestion_controls probe_counts_losses)

if ! type -P qemu-system-x86_64 >/dev/null; then
	echo "1..0 # SKIP no qemu-system-x86_64"
	exit 4
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

# guest CASE...: their results
guest()
{
	tests/vm/run --release "${RELEASE:-trixie}" --module tests/slow --timeout 1500 \
		--tests tests/lab -- \
		python3 -B "$CASES" "$@"
}

# One more than the guest has
planned()
{
	awk -F '[.]+' '{ if (/^1[.][.][0-9]+$/) $0 = "1.." $2 + 1; print; fflush() }'
}

guest "$@" | tee "$work/all" | planned || status=1
number=$(($(grep -cE '^(not )?ok ' "$work/all") + 1))
guest "${TWICE[@]}" >"$work/first"
guest "${TWICE[@]}" >"$work/second"
if cmp "$work/first" "$work/second" && grep -q '^# results' "$work/first"; then
	echo "ok $number two runs have the same results"
else
	diff "$work/first" "$work/second" | sed 's/^/# /'
	echo "not ok $number two runs have the same results"
	status=1
fi
exit $status
