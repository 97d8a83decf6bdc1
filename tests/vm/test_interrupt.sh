#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A run that is interrupted leaves no process and no file; runs beside each other are whole.
. "$(dirname "$0")/tap.sh"

plan 9

# A separate cache, to find files that a run leaves in it; the roots of the releases are shared.
vm -- true
cache=${CODEL_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/codel-oot}
export CODEL_CACHE=$work/cache TMPDIR=$work/tmp
mkdir -p "$CODEL_CACHE" "$TMPDIR"
ln -s "$cache/root" "$CODEL_CACHE/root"
ln -s "$cache/image" "$CODEL_CACHE/image"

# The processes of a run have a variable in their environment, by which this test finds them.
mine() (
	mark="^CODEL_CACHE=$CODEL_CACHE\$"
	unset CODEL_CACHE
	grep -lzs "$mark" /proc/[0-9]*/environ | wc -l
)
left() { find "$CODEL_CACHE/tmp" "$TMPDIR" -mindepth 1 2>/dev/null | wc -l; }

# interrupt SIGNAL SECONDS COMMAND...: lets it run for a while, then signals.
interrupt() {
	local signal=$1 seconds=$2 pid
	shift 2
	# Job control, so that the run does not inherit an ignored SIGINT.
	set -m
	"$@" >"$out" 2>"$err" &
	pid=$!
	set +m
	sleep "$seconds"
	kill -"$signal" "$pid"
	status=0
	wait "$pid" 2>/dev/null || status=$?
	processes=$(mine) files=$(left)
}

number=([1]=HUP [2]=INT [15]=TERM)
for n in "${!number[@]}"; do
	interrupt "${number[n]}" 4 "$runner" -- sh -c 'while :; do :; done'
	ok "SIG${number[n]} ends a run" is "$status" $((128 + n))
	ok "and leaves no process and no file" is "$processes $files" "0 0"
done

# In the middle of making a release's root: the step that leaves most to clean up.
rm "$CODEL_CACHE/root" "$CODEL_CACHE/image"
interrupt TERM 15 "$runner" -- true
ok "a run that makes a root is ended the same way" is "$status" 143
ok "and leaves no process and no file" is "$processes $files" "0 0"
rm -rf "$CODEL_CACHE/root" "$CODEL_CACHE/image"
ln -s "$cache/root" "$CODEL_CACHE/root"
ln -s "$cache/image" "$CODEL_CACHE/image"

rm -rf "$CODEL_CACHE/tree"
for i in 1 2; do "$runner" -- echo whole >"$work/out.$i" 2>"$work/err.$i" & done
wait
ok "two runs at once do not disturb each other" is "$(cat "$work"/out.?)" $'whole\nwhole'
ktap_exit
