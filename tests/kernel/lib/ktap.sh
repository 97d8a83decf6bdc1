# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
#
# Results in the format of the kernel's tests (KTAP), of selftests and of tests on the host:
#
#	ktap_plan 2
#	ktap_result 0 "this passed"
#	ktap_result 4 "this was skipped" "the reason"
#	ktap_exit

# The status of a case, and of a whole test
KTAP_PASS=0
KTAP_FAIL=1
KTAP_SKIP=4

ktap_number=0	# of the last result
ktap_passed=0
ktap_failed=0

# ktap_plan COUNT: announce this number of results
ktap_plan()
{
	echo "TAP version 13"
	echo "1..$1"
}

# ktap_skip_all REASON...: skip the whole test
ktap_skip_all()
{
	ktap_plan "0 # SKIP $*"
	exit "$KTAP_SKIP"
}

# ktap_notes [FILE...]: diagnostics, to be printed before the result that they explain
ktap_notes()
{
	sed 's/^/# /' "$@"
}

# ktap_result STATUS TITLE [REASON]: any STATUS other than KTAP_PASS and KTAP_SKIP is a failure
ktap_result()
{
	local word=ok reason=

	case $1 in
	"$KTAP_PASS") ((++ktap_passed)) ;;
	"$KTAP_SKIP") reason=" # SKIP ${3:-}" ;;
	*) word="not ok"; ((++ktap_failed)) ;;
	esac
	echo "$word $((++ktap_number)) $2$reason"
}

# ktap_exit: exit with the status that the results explain
ktap_exit()
{
	((ktap_failed == 0)) || exit "$KTAP_FAIL"
	((ktap_passed > 0)) || exit "$KTAP_SKIP"
	exit "$KTAP_PASS"
}
