#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# The same scenario gives the same bytes, independent of the load of the host: two machines at once, then one alone.

set -uo pipefail

cd "$(dirname "$0")/../.." || exit 1

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
number=0
failures=0

# ok TITLE COMMAND...
ok()
{
	local title=$1 word="ok"

	shift
	"$@" >"$work/why" 2>&1 || {
		sed 's/^/# /' "$work/why"
		word="not ok"
		((++failures))
	}
	echo "$word $((++number)) $title"
}

once()
{
	lab/run --fresh --jobs "$1" --set duration=10s --set 'link.sat.down.rates=[["7s", "3mbit"]]' \
		--json "$work/$1.json" lab/scenarios/ferry.toml
}

echo "TAP version 13"
echo "1..3"
ok "a scenario that is like none of the experiments runs" once 2
ok "and runs again, one machine at a time" once 1
ok "both results are the same bytes" cmp "$work/1.json" "$work/2.json"
((failures == 0))
