# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# The library of the tests of the runner: cases, and a run that records its results.

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/kernel/lib/ktap.sh
. "$here/../kernel/lib/ktap.sh"
runner=$here/run
work=$(mktemp -d)
# shellcheck disable=SC2034 # for the tests
out=$work/out err=$work/err

cleanup() { rm -rf "$work"; }
trap cleanup EXIT

plan() {
	type -P qemu-system-x86_64 >/dev/null || ktap_skip_all "no qemu-system-x86_64"
	ktap_plan "$1"
}

# ok NAME COMMAND...: one test, which passes if the command succeeds. The reason of a failure
# is the last diagnostic, because tests/check repeats the last lines.
ok() {
	local name=$1 said
	shift
	if said=$("$@"); then
		ktap_result "$KTAP_PASS" "$name"
		return
	fi
	[[ ! -f $out ]] || head -c 300 "$out" | sed 's/^/# out: /'
	[[ ! -f $err ]] || tail -5 "$err" | sed 's/^/# err: /'
	echo "# failed: $*"
	[[ -z $said ]] || ktap_notes <<<"$said"
	ktap_result "$KTAP_FAIL" "$name"
}

# shellcheck disable=SC2034 # the status is for the tests
# recorded [option...] -- COMMAND: runs it; leaves $status, $out and $err.
recorded() {
	status=0
	"$runner" "$@" >"$out" 2>"$err" || status=$?
}

# vm [option...] -- COMMAND: the same on the release under test
vm() { recorded --release "${RELEASE:-trixie}" "$@"; }

# refused WHAT ERROR: two tests of the last run
refused() {
	ok "refused: $1" is "$status" 2
	ok "and the error names it" has "$err" "$2"
}

is() { [[ $1 == "$2" ]] || { echo "'$1' instead of '$2'"; return 1; }; }
has() { grep -qe "$2" "$1"; }
is_empty() { [[ ! -s $1 ]]; }
