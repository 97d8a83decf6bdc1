# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# The library of the tests of the runner: KTAP lines, and a run that records its results.

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
runner=$here/run
work=$(mktemp -d)
# shellcheck disable=SC2034 # for the tests
out=$work/out err=$work/err
count=0 failures=0

cleanup() { rm -rf "$work"; }
trap cleanup EXIT

plan() {
	if ! type -P qemu-system-x86_64 >/dev/null; then
		echo "1..0 # SKIP no qemu-system-x86_64"
		exit 4
	fi
	echo "TAP version 13"
	echo "1..$1"
}

# ok NAME COMMAND...: one test, which passes if the command succeeds. The reason of a failure
# is the last diagnostic, because tests/check repeats the last lines.
ok() {
	local name=$1 said
	shift
	count=$((count + 1))
	if said=$("$@"); then
		echo "ok $count - $name"
		return
	fi
	failures=$((failures + 1))
	[[ ! -f $out ]] || head -c 300 "$out" | sed 's/^/# out: /'
	[[ ! -f $err ]] || tail -5 "$err" | sed 's/^/# err: /'
	echo "# failed: $*"
	[[ -z $said ]] || echo "# ${said//$'\n'/$'\n'# }"
	echo "not ok $count - $name"
}

# shellcheck disable=SC2034 # the status is for the tests
# vm [option...] -- COMMAND: runs it; leaves $status, $out and $err.
vm() {
	status=0
	"$runner" --release "${RELEASE:-bookworm}" "$@" >"$out" 2>"$err" || status=$?
}

is() { [[ $1 == "$2" ]] || { echo "'$1' instead of '$2'"; return 1; }; }
has() { grep -qe "$2" "$1"; }
is_empty() { [[ ! -s $1 ]]; }

finish() {
	[[ $failures -eq 0 ]] || exit 1
	exit 0
}
