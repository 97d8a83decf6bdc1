# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
#
# Add cases, compare values, run the cases and print their results.

LIB_CASES=()		# quoted: function and arguments
LIB_TITLES=()

### The cases of a test

# lib_require TOOL...: skip the whole test without these programs
lib_require()
{
	local tool

	for tool; do
		command -v "$tool" >/dev/null || ktap_skip_all "$tool is not installed"
	done
}

# lib_add FUNCTION TITLE [ARG...]: one case
lib_add()
{
	local function=$1 title=$2

	shift 2
	LIB_CASES+=("$(printf '%q ' "$function" "$@")")
	LIB_TITLES+=("$function: $title")
}

# lib_add_each FUNCTION TITLE [ARG...]: one case per kind, FUNCTION KIND ARG...
lib_add_each()
{
	local function=$1 title=$2 kind

	shift 2
	for kind in "$CODEL_KIND" "$FQ_CODEL_KIND"; do
		lib_add "$function" "$kind: $title" "$kind" "$@"
	done
}

### Results of a case

# The line of the test that has called, directly or through functions of the library: test_ecn.sh:119
lib_where()
{
	local i

	for ((i = 1; i < ${#BASH_SOURCE[@]}; i++)); do
		[[ ${BASH_SOURCE[i]##*/} != "${0##*/}" ]] || break
	done
	echo "${0##*/}:${BASH_LINENO[i - 1]}"
}

# fail TEXT...: record a failure; the case continues. Not on standard output, which is a value
# where a helper fails inside of $(...)
fail()
{
	echo "FAIL: $(lib_where): $*" >&2
	echo "$*" >>"$LIB_TMP/failed"
}

# skip REASON...: end the case as skipped
skip()
{
	echo "$*" >"$LIB_TMP/skipped"
	exit "$KTAP_SKIP"
}

LIB_NUMBER='^-?([0-9]+[.]?[0-9]*|[.][0-9]+)(e[-+]?[0-9]+)?$'

# lib_compare VALUE OPERATOR BOUND: numbers, also with a fraction; == and != take any text
lib_compare()
{
	case $2 in
	==) [[ $1 == "$3" ]] ;;
	!=) [[ $1 != "$3" ]] ;;
	"<" | "<=" | ">" | ">=")
		# A missing number must not compare like 0.
		[[ $1 =~ $LIB_NUMBER && $3 =~ $LIB_NUMBER ]] &&
			awk -v a="$1" -v b="$3" "BEGIN { exit !(a + 0 $2 b + 0) }"
		;;
	*) return 2 ;;
	esac
}

# lib_given WHAT OPERAND...: fail unless each was read: a reader that died leaves nothing, and jq
# prints null for a field that is not there
lib_given()
{
	local what=$1 operand

	shift
	for operand; do
		[[ -n $operand && " $operand " != *" null "* ]] && continue
		fail "$what: an operand is missing: '$operand'"
		return 1
	done
}

# calc EXPRESSION: awk's
calc()
{
	awk "BEGIN { printf \"%.6g\", ($1) }"
}

# check WHAT VALUE OPERATOR BOUND: fail with the numbers unless the comparison is true. Without
# VALUE or BOUND there is no comparison, and the check fails, also with !=.
# check WHAT VALUE empty: VALUE is empty. Only where something else proves that it was read; a list of
# faults is for check_faults
check()
{
	if [[ $# -eq 3 && $3 == empty ]]; then
		[[ -z $2 ]] || fail "$1: '$2' is not empty"
		return
	fi
	lib_given "$1" "$2" "$4" || return 0
	lib_compare "$2" "$3" "$4" || fail "$1: '$2' is not $3 '$4'"
}

# check_faults WHAT OPERATOR NUMBER COMMAND...: COMMAND compares things, and prints a line for each fault
# and "compared N" as the last line. Fail with the faults, if COMMAND fails, and unless N is OPERATOR
# NUMBER: a list of faults is empty, too, if COMMAND died or found nothing to compare
check_faults()
{
	local what=$1 operator=$2 number=$3 output last fault

	shift 3
	output=$("$@") || fail "$what: status $?: $*"
	last=${output##*$'\n'}
	check "$what: number of comparisons" "${last#compared }" "$operator" "$number"
	while read -r fault; do
		[[ -z $fault || $fault == "compared "* ]] || fail "$what: $fault"
	done <<<"$output"
}

# check_time: the same as check, with a bound widened by CODEL_TEST_SLACK
check_time()
{
	local bound=$4

	lib_given "$1" "$2" "$4" || return 0
	case $3 in
	"<" | "<=") bound=$(awk -v b="$4" -v f="$CODEL_TEST_SLACK" 'BEGIN { print b * f }') ;;
	">" | ">=") bound=$(awk -v b="$4" -v f="$CODEL_TEST_SLACK" 'BEGIN { print b / f }') ;;
	esac
	check "$1" "$2" "$3" "$bound"
}

# check_instructions WHAT VALUE BOUND: at most a bound that was counted on amd64. Another architecture
# may execute half as many more
check_instructions()
{
	local bound=$3

	[[ $(uname -m) == x86_64 ]] || bound=$(calc "$3 * 1.5")
	check_time "$1" "$2" "<=" "$bound"
}

# check_near WHAT VALUE EXPECTED TOLERANCE: within EXPECTED +- TOLERANCE, which is
# widened by CODEL_TEST_SLACK
check_near()
{
	local off

	lib_given "$1" "$2" "$3" "$4" || return 0
	[[ $2 =~ $LIB_NUMBER && $3 =~ $LIB_NUMBER ]] ||
		fail "$1: '$2' or '$3' is not a number"
	off=$(awk -v a="$2" -v b="$3" 'BEGIN { d = a - b; print d < 0 ? -d : d }')
	lib_compare "$off" "<=" \
		"$(awk -v t="$4" -v f="$CODEL_TEST_SLACK" 'BEGIN { print t * f }')" ||
		fail "$1: '$2' is not $3 +- $4 (times $CODEL_TEST_SLACK)"
}

# refuses WHAT COMMAND...: the command must run and fail; its output is in REFUSAL
# shellcheck disable=SC2034 # REFUSAL is for the tests
refuses()
{
	local what=$1 status=0

	shift
	REFUSAL=$("$@" 2>&1) || status=$?
	case $status in
	0) fail "$what: was accepted: $*" ;;
	126 | 127) fail "$what: did not run: $REFUSAL" ;;
	esac
}

### Actions of a case

# defer COMMAND...: run it at the end of the case
defer()
{
	LIB_DEFERRED+=("$(printf '%q ' "$@")")
}

lib_undo()
{
	local i

	set +eE
	trap - ERR
	lib_accounting
	for ((i = ${#LIB_DEFERRED[@]} - 1; i >= 0; i--)); do
		eval "${LIB_DEFERRED[i]}"
	done
}

# busywait SECONDS COMMAND...: poll until it succeeds; fail after SECONDS
busywait()
{
	local end

	# Microseconds, as whole numbers: a poll is to cost little
	end=$(awk -v s="$1" 'BEGIN { printf "%d", s * 1000000 }')
	end=$((${EPOCHREALTIME/[.,]/} + end))
	shift
	until "$@"; do
		((${EPOCHREALTIME/[.,]/} < end)) || return 1
		sleep 0.02
	done
}

# background COMMAND...: run it without output until the case ends; its PID is in
# BACKGROUND
background()
{
	# Not the function: its shell would be stopped in place of the command.
	[[ $1 != in_ns ]] || set -- ip netns exec "${@:2}"
	"$@" </dev/null >/dev/null 2>&1 &
	BACKGROUND=$!
	defer lib_stop "$BACKGROUND"
}

lib_stop()
{
	kill "$1" 2>/dev/null
	wait "$1" 2>/dev/null
	return 0
}

### Running

lib_has_kind()
{
	(
		LIB_DEFERRED=()
		trap lib_undo EXIT
		ns_create kind
		tc -n "$NS" qdisc add dev lo root "$1" 2>"$LIB_TMP/why"
	)
}

lib_require_kinds()
{
	local kind

	for kind in "$CODEL_KIND" "$FQ_CODEL_KIND"; do
		lib_has_kind "$kind" ||
			ktap_skip_all "no qdisc $kind: $(tr '\n' ' ' <"$LIB_TMP/why")"
	done
}

# lib_in_case COMMAND: run it in the shell of the case. The trap is that of $(...) and <(...), too, and
# with pipefail it sees each part of a pipeline: where tc or jq dies, the case fails
lib_in_case()
{
	LIB_DEFERRED=()
	trap lib_undo EXIT
	trap 'fail "line $LINENO: status $?: $BASH_COMMAND"' ERR
	set -eE -o pipefail
	eval "$1"
}

lib_verdict()
{
	local status=$1

	if [[ -s $LIB_TMP/failed ]] || ((status != KTAP_SKIP && status != KTAP_PASS)); then
		return "$KTAP_FAIL"
	fi
	return "$status"
}

# lib_run_case INDEX: print its result
lib_run_case()
{
	local status

	: >"$LIB_TMP/failed"
	: >"$LIB_TMP/skipped"
	(lib_in_case "${LIB_CASES[$1]}") >"$LIB_TMP/output" 2>&1
	lib_verdict $?
	status=$?
	ktap_notes "$LIB_TMP/output"
	ktap_result "$status" "${LIB_TITLES[$1]}" "$(<"$LIB_TMP/skipped")"
}

# lib_selected [PATTERN | N/M...]: indices of the cases to run
lib_selected()
{
	local i pattern

	for i in "${!LIB_CASES[@]}"; do
		[[ $# -gt 0 ]] || echo "$i"
		for pattern; do
			# shellcheck disable=SC2053 # it is a pattern
			if [[ $pattern =~ ^([1-9][0-9]*)/([1-9][0-9]*)$ ]]; then
				((i % BASH_REMATCH[2] == BASH_REMATCH[1] - 1))
			else
				[[ ${LIB_CASES[i]%% *} == $pattern ]]
			fi && echo "$i" && break
		done
	done
}

# lib_known [PATTERN | N/M...]: fail unless each PATTERN has a case: that of a case with another name
# would run nothing
lib_known()
{
	local pattern

	for pattern; do
		[[ $pattern == */* || -n $(lib_selected "$pattern") ]] && continue
		echo "$0: no case has the name $pattern" >&2
		return 1
	done
}

lib_help()
{
	local i

	echo "usage: $0 [CASE...]"
	echo "Run all cases, as root, or those whose names match a CASE (a glob):"
	for i in "${!LIB_TITLES[@]}"; do
		echo "  ${LIB_TITLES[i]}"
	done
	exit "$KTAP_PASS"
}

# lib_main [PATTERN...]: run the cases; does not return
lib_main()
{
	local selected i

	[[ ${1:-} != -h && ${1:-} != --help ]] || lib_help
	[[ $EUID -eq 0 ]] || ktap_skip_all "root is needed"
	lib_known "$@" || exit "$KTAP_FAIL"
	lib_require awk ethtool ip jq sed tc
	LIB_TMP=$(mktemp -d)
	trap 'rm -rf "$LIB_TMP"' EXIT
	[[ -n ${LIB_NO_KINDS:-} ]] || lib_require_kinds

	mapfile -t selected < <(lib_selected "$@")
	ktap_plan "${#selected[@]}"
	for i in "${selected[@]}"; do
		lib_run_case "$i"
	done
	ktap_exit
}
