#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The screens of README and doc/statistics.md that a virtual machine prints: the table of `make demo`, and tc -s with two uploads and a sender
# that ignores losses. The same words, and numbers near those of the documents: see alike.py. Lines that differ are diagnostics. The commands are
# those of these documents to the letter: a file name that is one letter longer moves every packet. out/demo.json and out/demo.png are those of
# `make demo`.

set -uo pipefail

cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib/ktap.sh
. tests/lib/ktap.sh

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# in_document FILE BEGIN: the block whose first line begins so
in_document()
{
	BEGIN=$2 awk '
		/^```/ { inside = !inside; first = inside; shown = 0; next }
		first { shown = index($0, ENVIRON["BEGIN"]) == 1; first = 0 }
		inside && shown
	' "$1"
}

# screen TITLE FILE BEGIN COMMAND...: the command's output begins like the block
screen()
{
	local title=$1 file=$2 begin=$3 status=$KTAP_PASS

	: >"$work/diff"
	shift 3
	in_document "$file" "$begin" >"$work/readme"
	"$@" >"$work/out" 2>"$work/progress" || ktap_notes "$work/progress"
	head -n "$(wc -l <"$work/readme")" "$work/out" | sed 's/ *$//' >"$work/printed" # documents have no blanks at ends
	if [[ ! -s $work/readme ]] || ! tests/vm/alike.py "$work/readme" "$work/printed" >"$work/diff"; then
		status=$KTAP_FAIL
	fi
	ktap_notes "$work/diff"
	ktap_result "$status" "$title"
}

ktap_plan 2
screen "the table of make demo" README.md "              throughput" tests/demo/run
screen "the statistics of tc" doc/statistics.md "qdisc fq_codel_oot 10:" \
	tests/vm/run --release trixie --tests tests/lib.sh --put doc/tc_stats.sh -- ./tc_stats.sh
ktap_exit
