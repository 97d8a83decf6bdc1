# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
#
# The kernel's tracepoints, in an instance of tracefs that is the case's own. To be
# sourced after lib.sh.

TRACEFS=/sys/kernel/tracing

# An EVENT without a SYSTEM is that of all systems: codel_drop is codel/codel_drop and
# fq_codel/codel_drop, of the modules that are loaded.

# trace_files FOLDER [SYSTEM/]EVENT: the event's folders there
trace_files()
{
	[[ $2 == */* ]] || set -- "$1" "*/$2"
	compgen -G "$1/$2"
}

# trace_require [SYSTEM/]EVENT...: or the case is skipped
trace_require()
{
	local event

	[[ -e $TRACEFS/instances ]] || mount -t tracefs tracefs "$TRACEFS" 2>/dev/null ||
		skip "there is no tracefs"
	for event; do
		trace_files "$TRACEFS/events" "$event" >/dev/null || skip "this kernel has no $event"
	done
}

# trace_start [SYSTEM/]EVENT|"SYSTEM/EVENT FILTER"...: from now on; the instance is in TRACE.
# Its buffer does not wrap: events that do not fit are counted, and are a failure
trace_start()
{
	local event folder

	TRACE=$TRACEFS/instances/codel-$BASHPID
	trace_require "${@%% *}"
	mkdir "$TRACE"
	defer rmdir "$TRACE"
	echo 0 >"$TRACE/tracing_on"
	echo 0 >"$TRACE/options/overwrite"
	echo mono >"$TRACE/trace_clock"
	echo 32768 >"$TRACE/buffer_size_kb"
	for event; do
		for folder in $(trace_files "$TRACE/events" "${event%% *}"); do
			[[ $event != *" "* ]] || echo "${event#* }" >"$folder/filter"
			echo 1 >"$folder/enable"
		done
	done
	echo 1 >"$TRACE/tracing_on"
}

# trace_stop: the events can be read now, and are complete: as many lines as the kernel has counted
trace_stop()
{
	local lost kept

	echo 0 >"$TRACE/tracing_on"
	lost=$(awk '$1 == "overrun:" || $1 == "dropped" { n += $NF } END { print n }' \
		"$TRACE"/per_cpu/*/stats)
	check "events that the trace has lost" "$lost" == 0
	kept=$(awk '$1 == "entries:" { n += $NF } END { print n }' "$TRACE"/per_cpu/*/stats)
	check "events that can be read" "$(awk '!/^#/ { n++ } END { print n + 0 }' "$TRACE/trace")" == "$kept"
}

# trace_lines [PATTERN]: the events in words, those that match an extended regular
# expression
trace_lines()
{
	grep -v '^#' "$TRACE/trace" | grep -E "${1:-.}" || :
}

# trace_count [PATTERN]
trace_count()
{
	trace_lines "$1" | wc -l
}
