#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The same command prints the same bytes: with TCP, netem, htb and fq_codel_oot at once, and
# independent of the load of the host.
. "$(dirname "$0")/tap.sh"

plan 7

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

# In parallel: the runs delay each other, which must not change the result.
for i in 1 2 3 4; do
	"$runner" --release "${RELEASE:-bookworm}" -- \
		python3 /root/tests/vm/ticks_guest.py >"$work/ticks.$i" 2>"$work/ticks.$i.err" &
done
wait
ok "four machines at once wake at the same nanoseconds" \
	test "$(cat "$work"/ticks.? | sort | uniq -c | awk '{ print $1 }')" = 4
finish
