# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
#
# The examples of the manual pages, as a reader pastes them. Source it after lib.sh.

# examples_page PAGE.SECTION: its path: installed, or in this tree
examples_page()
{
	local path=/usr/share/man/man${1##*.}/$1

	[[ -e $path ]] || path=$LIB_DIR/../../man/$1
	echo "$path"
}

# examples_of PAGE.SECTION: EXAMPLES is its list of examples; one is a line, or a block of lines
examples_of()
{
	mapfile -d '' EXAMPLES < <(sed -n '/^\.Sh EXAMPLES$/,/^\.Sh SEE ALSO$/p' "$(examples_page "$1")" |
		sed "s/\\\\(aq/'/g; s/\\\\-/-/g" | awk '
		/^\.Dl / { sub(/^\.Dl /, ""); printf "%s\n%c", $0, 0 }
		/^\.Ed$/ { inside = 0; printf "%c", 0 }
		inside { print }
		/^\.Bd -literal/ { inside = 1 }')
	check "examples of $1" "${#EXAMPLES[@]}" ">" 0
}

# example COMMAND...: run the next example, which COMMAND is given as its last argument. Its
# output is in OUTPUT; it must succeed without a warning. The output is a file at first: perf
# writes its data into a pipe
example()
{
	local script=${EXAMPLES[0]}

	EXAMPLES=("${EXAMPLES[@]:1}")
	echo "example: ${script%$'\n'}"
	"$@" "$script" >"$LIB_TMP/printed" 2>"$LIB_TMP/said" ||
		fail "status $?: $(cat "$LIB_TMP/said")"
	# shellcheck disable=SC2034 # for the tests
	OUTPUT=$(tr -d '\0' <"$LIB_TMP/printed")
	check "errors" "$(sed -nE '/error|warning|fail|usage|cannot/Ip' "$LIB_TMP/said")" empty
}

# examples_end: all of them were run
examples_end()
{
	check "examples that were not run" "${EXAMPLES[*]}" empty
}
