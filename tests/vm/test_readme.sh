#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# README's screens that a virtual machine prints: the table of `make demo`, and tc -s with two uploads and a sender
# that ignores losses. Virtual time makes both the same on any host, so they are compared word for word. The commands are those
# of README to the letter: a file name that is one letter longer moves every packet. For the same reason this test is not in tests/demo,
# which the machine has. out/demo.json and out/demo.png are those of `make demo`.

set -uo pipefail

cd "$(dirname "$0")/../.." || exit 1

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
number=0
failures=0

# in_readme BEGIN: README's block whose first line begins so
in_readme()
{
	BEGIN=$1 awk '
		/^```/ { inside = !inside; first = inside; shown = 0; next }
		first { shown = index($0, ENVIRON["BEGIN"]) == 1; first = 0 }
		inside && shown
	' README.md
}

# screen TITLE BEGIN COMMAND...: the block is how the command's output begins
screen()
{
	local title=$1 begin=$2 word="ok"

	shift 2
	in_readme "$begin" >"$work/readme"
	"$@" >"$work/out" 2>"$work/progress" || sed 's/^/# /' "$work/progress"
	head -n "$(wc -l <"$work/readme")" "$work/out" | sed 's/ *$//' >"$work/printed" # README has no blanks at ends
	if [[ ! -s $work/readme ]] || ! diff -u "$work/readme" "$work/printed" >"$work/diff"; then
		sed 's/^/# /' "$work/diff"
		word="not ok"
		((++failures))
	fi
	echo "$word $((++number)) $title"
}

echo "TAP version 13"
echo "1..2"
screen "the table of make demo" "              throughput" tests/demo/run
screen "the statistics of tc" "qdisc fq_codel_oot 10:" \
	tests/vm/run --suite trixie --tests tests/lib.sh --put doc/tc_stats.sh -- ./tc_stats.sh
((failures == 0))
