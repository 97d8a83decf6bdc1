#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# check: drops
# vm: --with bpftrace --put man/codel_trace.7
#
# The programs for bpftrace in the manual work as described. Each program is read from the
# page, runs during traffic, and must report the same numbers as tracefs and the packet
# accounting.
#
#   d0 (dummy)   root 1: tbf, 1 Mbit/s     leaf 10: under test

# shellcheck disable=SC2119 # functions with optional arguments
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/traffic.sh"
. "$(dirname "$0")/probe.sh"
. "$(dirname "$0")/trace.sh"

lib_require bpftrace python3

MANUAL=$LIB_DIR/../../codel_trace.7
[[ -e $MANUAL ]] || MANUAL=$LIB_DIR/../../man/codel_trace.7

# manual NAME: the program after the comment with its name, as a reader would type it
manual()
{
	sed -n "/^\\.\\\\\" bpftrace: $1\$/,/^\\.Ed\$/p" "$MANUAL" |
		sed "/^\\./d; s/\\\\(aq/'/g; s/\\\\-/-/g"
}

# bpftrace_start NAME: returns when it listens
bpftrace_start()
{
	local program

	program=$(manual "$1")
	[[ -n $program ]] || fail "the manual has no program $1"
	rm -f "$LIB_TMP/listens" "$LIB_TMP/over"
	cat >"$LIB_TMP/meanwhile" <<-END
		echo >$LIB_TMP/listens
		until [ -e $LIB_TMP/over ]; do sleep 0.1; done
	END
	bash -c "$program -c '/bin/sh $LIB_TMP/meanwhile'" >"$LIB_TMP/bpftrace" 2>&1 &
	BPFTRACE=$!
	defer lib_stop "$BPFTRACE"
	busywait 60 test -e "$LIB_TMP/listens" || fail "bpftrace: $(cat "$LIB_TMP/bpftrace")"
}

# bpftrace_stop: its output is in OUTPUT
bpftrace_stop()
{
	echo >"$LIB_TMP/over"
	wait "$BPFTRACE" || fail "bpftrace: status $?"
	OUTPUT=$(grep . "$LIB_TMP/bpftrace")
	echo "$OUTPUT"
}

# counted: the sum of each key in OUTPUT, over all maps and all times that they are printed
counted()
{
	sed -n 's/^@[a-z_]*\[\(.*\)\]: \([0-9]*\)$/\1, \2/p' <<<"$OUTPUT" | awk -F ', ' '
		{ key = $0; sub(/, [^,]*$/, "", key); sum[key] += $NF }
		END { for (key in sum) print key ", " sum[key] }' | sort
}

# dropping NAME: two flows lose packets, to CoDel and to the limit, while the program runs
dropping()
{
	local turn

	probe_waiting "$FQ_CODEL_KIND" limit 100
	tcn qdisc change dev d0 root handle 1: tbf rate 1mbit burst 1600 limit 100000000
	trace_start codel_drop
	bpftrace_start "$1"
	for turn in 1 2; do
		probe send d0 40 prio=10:4
		probe send d0 160 prio=10:3
		sleep 2
		probe_empty "turn $turn" d0 10:
	done
	bpftrace_stop
	trace_stop
	check "drops" "$(trace_count codel_drop:)" ">" 50
}

drops()
{
	dropping drops
	check "drops by cause" "$(counted)" == "$(qdisc_get "$PROBE_NS" d0 10: '.dropped |
		"d0, 0, \(.codel.packets)\nd0, 1, \(.limit.packets)"')"
	check "times that it printed" "$(sed -n '/, 0\]/p' <<<"$OUTPUT" | wc -l)" ">=" 2
}

# intervals: of its histogram, the lower end and the count of each
intervals()
{
	sed -n 's/^\[\([0-9]*\)\([KM]\{0,1\}\)[],].* \([0-9][0-9]*\) *|.*/\1 \2 \3/p' <<<"$OUTPUT" |
		awk '{ scale = $2 == "K" ? 1024 : $2 == "M" ? 1048576 : 1 }
			$NF { print $1 * scale, $NF }'
}

sojourn()
{
	dropping sojourn
	check "sojourn times by power of two" "$(intervals)" == "$(trace_lines codel_drop: |
		sed 's/.* sojourn=\([0-9]*\)ns.*/\1/' | awk '
			{ for (i = 1; i * 2 <= int($1 / 1000); i *= 2); n[i]++ }
			END { for (i in n) print i, n[i] }' | sort -n)"
}

flows()
{
	dropping flows
	check "drops by flow" "$(counted)" == "$(trace_lines codel_drop: |
		sed 's/.* flow=\([0-9]*\) .*/d0, 16, \1/' | sort | uniq -c | awk '{ n = $1; $1 = ""
			sub(/^ /, ""); print $0 ", " n }' | sort)"
	check "of the packet accounting" "$(counted | awk '{ n += $NF } END { print n }')" == \
		"$(qdisc_get "$PROBE_NS" d0 10: '[.dropped[].packets] | add')"
	check "the flow with the most" "$(tail -n 1 <<<"$OUTPUT" | cut -d : -f 1)" == "@[d0, 16, 3]"
}

# 240 packets of 1 ms at once; those that CoDel marks are not marked again
marks()
{
	topo_create
	topo_bottleneck 10mbit "$CODEL_KIND" ecn ce_threshold 20ms
	bpftrace_start marks
	sink_start
	udp_send --tos 2 --size 1236 --burst 240 --groups 1 >/dev/null
	sink_stop
	bpftrace_stop
	check "marks by cause" "$(grep '^@' <<<"$OUTPUT" | sort)" == "$(bottleneck_get '.marked |
		"@ce_threshold[r1]: \(.ce_threshold.packets)\n@codel[r1]: \(.codel.packets)"')"
	check "arrived with CE" "$(counted)" == "r1, $(udp_get 6000 ce)"
}

lib_add drops "bpftrace: drops in a second, by device and cause"
lib_add sojourn "bpftrace: how long the dropped packets had waited"
lib_add flows "bpftrace: the flows with the most drops"
lib_add marks "bpftrace: marks by cause"
lib_main "$@"
