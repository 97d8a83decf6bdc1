#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# check: tc_codel
# vm: --with trace-cmd --with linux-perf
#
# The examples of the manual pages work as a reader pastes them. All examples are run but those for
# bpftrace, which test_bpftrace.sh runs, and `codelctl enable`, which requires systemd: `codelctl
# setup` stands for it. The measurements of codelctl are shortened to 2 s.
#
#   HOST                                SERVER
#   eth0 ------------------------------ s1
#   10.9.1.1                            10.9.1.2, server.example
#   ppp0 ------------------------------ s2
#   10.9.2.1                            10.9.2.2

# The test loads the modules itself
LIB_NO_KINDS=1
# shellcheck source=tests/kernel/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/kernel/modules.sh
. "$LIB_DIR/modules.sh"
# shellcheck source=tests/kernel/served.sh
. "$LIB_DIR/served.sh"
# shellcheck source=tests/kernel/trace.sh
. "$LIB_DIR/trace.sh"
# shellcheck source=tests/kernel/examples.sh
. "$LIB_DIR/examples.sh"

lib_require codelctl codelstat iperf3 ping python3 perf sysctl trace-cmd

# host DEV...: the namespaces HOST and SERVER, joined by these devices of HOST
host()
{
	local dev i=0

	ns_create h; HOST=$NS
	ns_create s; SERVER=$NS
	for dev; do
		i=$((i + 1))
		topo_link "$HOST" "$dev" "10.9.$i.1" "$SERVER" "s$i" "10.9.$i.2"
	done
	# ip netns exec shows this file as /etc/hosts
	mkdir -p "/etc/netns/$HOST"
	defer rm -r "/etc/netns/$HOST"
	echo "10.9.1.2 server.example" >"/etc/netns/$HOST/hosts"
}

# on_host SCRIPT: in HOST, in a folder for its files
on_host()
{
	(cd "$LIB_TMP" && in_ns "$HOST" bash -ec "$1")
}

# for_a_while SCRIPT: the same, ended by ^C after 3 s
for_a_while()
{
	(cd "$LIB_TMP" && in_ns "$HOST" timeout -s INT --preserve-status 3 bash -ec "$1")
}

server()
{
	served_by "$1" 2>/dev/null || echo none
}

# restored FILE: leave it as it is now at the end of the case
restored()
{
	local kept

	mkdir -p "$(dirname "$1")"
	kept=$(mktemp -u "$LIB_TMP/kept.XXXXXX")
	defer rm -f "$1"
	[[ ! -e $1 ]] || {
		cp -p "$1" "$kept"
		defer mv "$kept" "$1"
	}
}

modules()
{
	start
	restored /etc/modprobe.d/codel-declined.conf
	restored /etc/sysctl.d/90-codel-oot.conf
	host eth0
	check "fq_codel_oot.7" "$(realpath "$(examples_page fq_codel_oot.7)")" == \
		"$(realpath "$(examples_page codel_oot.7)")"
	examples_of codel_oot.7
	example bash -ec
	check "version and names" "$OUTPUT" == "$(modinfo -F version sch_codel_oot)
$(dmesg | grep 'sch_codel_oot: serving')"
	example on_host
	check "root of eth0 afterwards" "$(root_of eth0)" == noqueue
	loaded sch_codel_oot && fail "sch_codel_oot is still loaded"
	example bash -ec
	check "codel is" "$(server codel)" == sch_codel
	example bash -ec
	plain_names_stay
	defer sysctl -qw "net.core.default_qdisc=$(sysctl -n net.core.default_qdisc)"
	example bash -ec
	check "the default" "$(sysctl -n net.core.default_qdisc)" == fq_codel_oot
	examples_end
}

# Also on demand, and also if the out-of-tree module comes first
plain_names_stay()
{
	unload_all
	check "codel is, on demand," "$(server codel)" == sch_codel
	unload_all
	modprobe sch_codel_oot
	check "takeover" "$(</sys/module/sch_codel_oot/parameters/takeover)" == N
	check "codel is, afterwards," "$(server codel)" == sch_codel
}

# is_off OPTION: it is shown, and is null
is_off()
{
	check "$1 is off" "$(qdisc_get "$HOST" eth0 root \
		".options | has(\"$1\") and .$1 == null")" == true
}

# shaped KIND: the next three examples set a shaper, change it and end it
shaped()
{
	example on_host
	check "the shaper" "$(qdisc_get "$HOST" eth0 root '"\(.kind) " +
		(.options | "\(.rate) \(.overhead) \(.mpu) \(.atm) \(.split_gso)")')" == \
		"$1 2500000 18 64 noatm true"
	example on_host
	check "the shaper" "$(qdisc_get "$HOST" eth0 root \
		'.options | "\(.rate) \(.overhead) \(.mpu) \(.atm)"')" == "64000 40 64 atm"
	example on_host
	is_off rate
	is_off overhead
}

# The options of the examples are those in force afterwards
tc_codel()
{
	host eth0
	examples_of tc-codel_oot.8
	example on_host
	check "kind and target" "$(qdisc_get "$HOST" eth0 root '"\(.kind) \(.options.target)"')" == \
		"codel_oot 5000"
	tc -n "$HOST" qdisc change dev eth0 root codel_oot ce_threshold 1ms
	example on_host
	is_off ce_threshold
	example on_host
	is_off ceiling
	shaped codel_oot
	example on_host
	[[ $OUTPUT == null ]] || fail "p99 without packets in the queue: $OUTPUT"
	examples_end
}

tc_fq_codel()
{
	host eth0
	examples_of tc-fq_codel_oot.8
	example on_host
	check "memory_limit" "$(qdisc_get "$HOST" eth0 root .options.memory_limit)" == 4194304
	example on_host
	check "ce_threshold" "$(qdisc_get "$HOST" eth0 root .options.ce_threshold)" == 1000
	example on_host
	is_off ceiling
	shaped fq_codel_oot
	in_ns "$HOST" ping -q -c 3 10.9.1.2 >/dev/null
	example on_host
	[[ $OUTPUT =~ ^(null|[0-9]+)$ ]] || fail "p99: $OUTPUT"
	example on_host
	examples_end
}

viewer()
{
	host eth0
	tc -n "$HOST" qdisc add dev eth0 root handle 10: fq_codel_oot
	background in_ns "$HOST" ping -q -i 0.05 10.9.1.2
	examples_of codelstat.8
	example on_host	# not a terminal: one list
	check "lists" "$(grep -c '^eth0 *fq_codel_oot' <<<"$OUTPUT")" == 1
	example on_host
	[[ $OUTPUT == \"*\" ]] || fail "the verdict is $OUTPUT"
	example for_a_while
	check "screens" "$(grep -c '^eth0 *fq_codel_oot 10:' <<<"$OUTPUT")" ">=" 2
	example on_host
	check "bytes of minute.rec" "$(stat -c %s "$LIB_TMP/minute.rec")" ">" 10000
	example on_host
	check "charts" "$(grep -c '^eth0 *fq_codel_oot 10:' <<<"$OUTPUT")" ">" 100
	examples_end
}

link_setup()
{
	host eth0 ppp0
	slow_tcp
	background in_ns "$SERVER" iperf3 -s
	examples_of codelctl.8
	example on_host
	check "shaper of ppp0" "$(qdisc_get "$HOST" ppp0 root '.options | [.rate * 8, .overhead, .atm] | tojson')" == \
		'[38000000,34,"ptm"]'
	in_ns "$HOST" codelctl undo ppp0
	example on_host
	check "root of eth0 afterwards" "$(root_of eth0)" == noqueue
	EXAMPLES[0]=${EXAMPLES[0]/codelctl enable/codelctl setup}
	EXAMPLES[0]=${EXAMPLES[0]//server.example/server.example --seconds 2}
	example on_host
	echo "$OUTPUT"
	check "rows of both tables" \
		"$(grep -c '^\(.* \)\?\(idle\|upload\|download\) *[0-9]' <<<"$OUTPUT")" == 12
	in_ns "$HOST" codelctl undo eth0
	examples_end
}

# slow_tcp: without a shaper, TCP uses all of the processor: here it has windows of 64 kB for 10 ms
slow_tcp()
{
	tc -n "$SERVER" qdisc add dev s1 root netem delay 10ms
	in_ns "$HOST" sysctl -qw net.ipv4.tcp_wmem="4096 16384 65536"
	in_ns "$SERVER" sysctl -qw net.ipv4.tcp_wmem="4096 16384 65536"
}

root_of()
{
	ip -n "$HOST" -j link show dev "$1" | jq -r '.[0].qdisc'
}

# in_tracefs SCRIPT: in the folder to which the first example changes, ended by ^C after 3 s
in_tracefs()
{
	(cd /sys/kernel/tracing && timeout -s INT --preserve-status 3 bash -ec "$1") || [[ $? == 130 ]]
}

# drops: packets that a limit drops, all the time
drops()
{
	host eth0
	tc -n "$HOST" qdisc add dev eth0 root handle 1: tbf rate 100kbit burst 1600 limit 100000
	tc -n "$HOST" qdisc add dev eth0 parent 1: handle 10: fq_codel_oot limit 10
	background in_ns "$HOST" ping -q -i 0.01 -s 1000 10.9.1.2
}

trace()
{
	start
	drops
	trace_require fq_codel/codel_drop
	defer trace_restore
	examples_of codel_trace.7
	example in_tracefs
	check "events" "$(grep -c 'codel_drop: dev=eth0 handle=10: ' <<<"$OUTPUT")" ">" 10
	example in_tracefs
	check "the filter" "$(cat "$TRACEFS/events/fq_codel/codel_drop/filter")" == \
		'dev == "eth0" && sojourn > 50000000'
	trace_restore
	example on_host
	check "events" "$(grep -c 'fq_codel:codel_drop: dev=eth0 ' <<<"$OUTPUT")" ">" 10
	check "events" "$(grep -c ' codel_drop: .*dev=eth0 ' <<<"$OUTPUT")" ">" 10
	while [[ ${EXAMPLES[0]:-} == bpftrace* ]]; do
		EXAMPLES=("${EXAMPLES[@]:1}")
	done
	examples_end
}

trace_restore()
{
	echo 0 >"$TRACEFS/events/fq_codel/codel_drop/filter"
	echo 0 >"$TRACEFS/events/fq_codel/enable"
}

lib_add modules "codel_oot.7: modules, names and the default qdisc"
lib_add tc_codel "tc-codel_oot.8"
lib_add tc_fq_codel "tc-fq_codel_oot.8"
lib_add viewer "codelstat.8"
lib_add link_setup "codelctl.8"
lib_add trace "codel_trace.7: tracefs, perf and trace-cmd"
lib_main "$@"
