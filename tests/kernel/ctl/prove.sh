# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
#
# Run codelctl prove, and read its table; after lib.sh and ctl.sh.

# prove OPTION...: the table and the sentences are in $LIB_TMP/table, what else it says in $LIB_TMP/said
prove()
{
	ctl prove r1 --seconds 4 "$@" >"$LIB_TMP/table" 2>"$LIB_TMP/said" ||
		fail "prove $*: $(<"$LIB_TMP/said")"
	cat "$LIB_TMP/table"
}

# cell PHASE COLUMN: of the table. From the end: 1 is elsewhere, 6 is added, 10 is the median ping, 11 is the rate
cell()
{
	awk -v phase="$1 " -v n="$2" 'index($0, phase) == 1 { print $(NF - n + 1); exit }' "$LIB_TMP/table"
}

says()
{
	grep -q "$1" "$LIB_TMP/table" || fail "it does not say: $1"
}
