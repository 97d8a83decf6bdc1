#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# --arch: machines of other architectures; the rest of the runner's contract holds.
. "$(dirname "$0")/tap.sh"

plan 30

# on ARCH [option...] -- COMMAND
on() { recorded --arch "$@"; }

for row in "i386 i686 little" "arm64 aarch64 little" "s390x s390x big"; do
	read -r arch machine order <<<"$row"
	on "$arch" -- true # the first one tells of its set-up
	on "$arch" -- sh -c 'uname -m; python3 -c "import sys; print(sys.byteorder)"; echo err >&2; exit 3'
	ok "$arch: the command's status comes through" is "$status" 3
	ok "$arch: and its output: architecture and order of bytes" is "$(paste -sd' ' "$out")" "$machine $order"
	ok "$arch: and its errors, and no more" is "$(cat "$err")" err
	on "$arch" --get /tmp/back -- sh -c 'tc qdisc add dev lo root fq_codel_oot && codelstat --json lo >/tmp/back
		tc qdisc del dev lo root'
	ok "$arch: modules, plugin and program of the tree, and --get" \
		is "$(jq -r '.qdiscs[0].kind' "$here/../../out/back")" fq_codel_oot
	rm -f "$here/../../out/back"
	on "$arch" --module "$here/crash" -- sh -c 'insmod crash.ko how=warn; exit 0'
	ok "$arch: a warning of the kernel is 125" is "$status" 125
	on "$arch" --module "$here/crash" -- insmod crash.ko how=oops
	ok "$arch: an oops is 125" is "$status" 125
	ok "$arch: its log is on standard error" has "$err" "Kernel panic\|Oops"
	for i in 1 2; do
		on "$arch" -- sh -c 'cat /proc/uptime; dd if=/dev/urandom count=1 status=none | md5sum; sleep 100; cat /proc/uptime'
		cp "$out" "$work/run$i"
	done
	ok "$arch: two runs print the same bytes" cmp "$work/run1" "$work/run2"
done

on sparc -- true
refused "--arch sparc" "--arch: invalid choice: 'sparc'"
on arm64 --release sid -- true
refused "--arch with --release" "--arch has one kernel"
on arm64 --smp 2 -- true
refused "--arch with --smp" "--arch has one kernel"
ktap_exit
