#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The same command prints the same bytes: with TCP, netem, htb and fq_codel_oot at once, and
# independent of the load of the host.
. "$(dirname "$0")/tap.sh"

plan 8

once() { vm -- bash /root/tests/vm/determinism_guest.sh; }

once
ok "the first run succeeds" is "$status" 0
ok "TCP moved data through the bottleneck" has "$out" "receiver"
ok "the qdisc counted" has "$out" "Sent [1-9][0-9]* bytes"
cp "$out" "$work/first"

# The second under load, from another folder, with another environment.
while :; do :; done &
load=$!
cd /
SOMETHING=else TZ=Pacific/Chatham once
kill "$load"
ok "the second run succeeds" is "$status" 0
ok "and prints the same bytes" cmp "$work/first" "$out"
ok "they are not few" test "$(wc -c <"$out")" -gt 10000

# together RELEASE PROGRAM: in four machines at once, which delay each other; whether all print the same.
together() {
	local i

	rm -f "$work"/together.*
	for i in 1 2 3 4; do
		"$runner" --release "$1" -- python3 "/root/tests/vm/$2" >"$work/together.$i" ||
			rm "$work/together.$i" &
	done
	wait
	[[ -s $work/together.1 ]] || return
	for i in 2 3 4; do
		diff "$work/together.1" "$work/together.$i" || return
	done
}

ok "four machines at once wake at the same nanoseconds" together "${RELEASE:-trixie}" ticks_guest.py
ok "and find the same accessed bits, on 7.2" together sid accessed_guest.py
ktap_exit
