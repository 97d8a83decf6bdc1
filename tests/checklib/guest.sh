#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# guest.sh TEST[:CASE,...]...: in the virtual machine, runs tests one after another. Lines
# with @@ contain the running test, the kernel's time, and in the end the test's status.
exec 2>&1
cd "$(dirname "$0")/../kernel" || exit

# Virtual seconds: a test that waits for ever ends, at no cost
limit=50000

uptime()
{
	cut -d ' ' -f 1 /proc/uptime
}

unloaded()
{
	local module users

	for module in sch_codel_oot sch_fq_codel_oot sch_codel; do
		[[ -d /sys/module/$module ]] || continue
		read -r users <"/sys/module/$module/refcnt"
		((users == 0)) && rmmod "$module" || return
	done
}

# Namespaces that were deleted keep their qdiscs for up to a minute
unload()
{
	local i

	for ((i = 0; i < 900; i++)); do
		unloaded && return
		sleep 0.1
	done
	echo "@@ in use: $(lsmod | grep codel | tr '\n' ';')"
	return 1
}

for test; do
	echo "@@ begin $test $(uptime)"
	cases=()
	[[ $test != *:* ]] || IFS=, read -ra cases <<<"${test#*:}"
	timeout -k 5 "$limit" "./${test%%:*}" "${cases[@]}"
	status=$?
	unload
	clean=$?
	echo "@@ end $test $status $(uptime)"
	# The other tests begin on a machine without traces of earlier ones
	((clean == 0)) || break
done
