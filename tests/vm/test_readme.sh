#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The screens of README and doc/statistics.md that a virtual machine prints: the table of `make demo`, and tc -s with two uploads and a sender
# that ignores losses. Virtual time makes both the same on any host, so they are compared word for word. The commands are those
# of these documents to the letter: a file name that is one letter longer moves every packet. For the same reason this test is not in tests/demo,
# which the machine has. out/demo.json and out/demo.png are those of `make demo`.

set -uo pipefail

cd "$(dirname "$0")/../.." || exit 1

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
number=0
failures=0

# in_document FILE BEGIN: the block whose first line begins so
in_document()
{
	BEGIN=$2 awk '
		/^```/ { inside = !inside; first = inside; shown = 0; next }
		first { shown = index($0, ENVIRON["BEGIN"]) == 1; first = 0 }
		inside && shown
	' "$1"
}

# screen TITLE FILE BEGIN COMMAND...: the block is how the command's output begins
screen()
{
	local title=$1 file=$2 begin=$3 word="ok"

	shift 3
	in_document "$file" "$begin" >"$work/readme"
	"$@" >"$work/out" 2>"$work/progress" || sed 's/^/# /' "$work/progress"
	head -n "$(wc -l <"$work/readme")" "$work/out" | sed 's/ *$//' >"$work/printed" # documents have no blanks at ends
	if [[ ! -s $work/readme ]] || ! diff -u "$work/readme" "$work/printed" >"$work/diff"; then
		sed 's/^/# /' "$work/diff"
		word="not ok"
		((++failures))
	fi
	echo "$word $((++number)) $title"
}

echo "TAP version 13"
echo "1..2"
screen "the table of make demo" README.md "              throughput" tests/demo/run
screen "the statistics of tc" doc/statistics.md "qdisc fq_codel_oot 10:" \
	tests/vm/run --release trixie --tests tests/lib.sh --put doc/tc_stats.sh -- ./tc_stats.sh
((failures == 0))
