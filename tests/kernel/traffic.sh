# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
#
# Traffic for the tests that measure: UDP of which every packet is followed
# (traffic.py), TCP (iperf3) and ping, from CLIENT to SERVER of lib.sh's topology.
# Only one of each at a time, but for udp_send.
#
#	sink_start
#	udp_send --rate 20e6 --time 5
#	sink_stop
#	check "datagrams lost" "$(udp_get 6000 lost)" == 0

TRAFFIC=$LIB_DIR/traffic.py

# Where the sink listens. udp_send's flows come from the ports 6000 and up.
UDP_PORT=5000

### UDP

# sink_start [INTERVAL]: receive datagrams in SINK_NS (SERVER); INTERVAL is CoDel's,
# in seconds, for schedule_earliest_ms and schedule_latest_ms
sink_start()
{
	local where=${SINK_NS:-$SERVER}

	: >"$LIB_TMP/udp.report"
	ip netns exec "$where" "$TRAFFIC" sink --port "$UDP_PORT" \
		--interval "${1:-0.1}" --log "$LIB_TMP/udp.log" >"$LIB_TMP/udp.report" &
	SINK=$!
	defer lib_stop "$SINK"
	busywait 30 test -s "$LIB_TMP/udp.report" || fail "the sink does not listen"
}

# udp_send [OPTION...]: send datagrams to the sink; print their number
udp_send()
{
	in_ns "$CLIENT" "$TRAFFIC" send --port "$UDP_PORT" "$@" "${UDP_TO:-$SERVER_IP}"
}

# Without jq, which takes longer than all the rest of a poll
bottleneck_empty()
{
	[[ $(tc -n "$ROUTER" -s qdisc show dev r1 root) =~ backlog\ 0b\ 0p ]]
}

# drain SECONDS: wait until the bottleneck is empty. Polled rarely, because tc takes a third
# of busywait's pause.
drain()
{
	local tries=$(($1 * 5))

	until bottleneck_empty; do
		if ((tries-- == 0)); then
			fail "the queue has not drained in $1 s"
			return
		fi
		sleep 0.2
	done
}

# sink_stop [SECONDS]: wait until all packets have arrived; then udp_get can read the results
sink_stop()
{
	drain "${1:-60}"
	sink_end
}

# sink_end: at once
sink_end()
{
	sleep 0.2
	kill "$SINK"
	wait "$SINK" || fail "the sink failed"
}

# udp_get PORT KEY: a value of traffic.py's report on one flow; empty if no packet arrived
udp_get()
{
	awk -v port="$1" -v key="$2" '$1 == port && $2 == key { print $3 }' \
		"$LIB_TMP/udp.report"
}

# udp_each KEY: of all flows, one per line
udp_each()
{
	awk -v key="$1" '$2 == key { print $3 }' "$LIB_TMP/udp.report"
}

# udp_sum KEY: over all flows; fails if the report has flows, and no such KEY
udp_sum()
{
	awk -v key="$1" '
		NF == 3 { rows++ }
		$2 == key { values++; sum += $3 }
		END { if (rows && !values) exit 1; print sum + 0 }' "$LIB_TMP/udp.report"
}

### TCP

# tcp_serve [PORT]: iperf3 in SERVER; it serves one test after another
tcp_serve()
{
	local port=${1:-5201}

	background in_ns "$SERVER" iperf3 -s -p "$port"
	busywait 30 tcp_served "$port" || fail "iperf3 does not listen"
}

tcp_served()
{
	in_ns "$SERVER" grep -q "$(printf ':%04X .* 0A ' "$1")" /proc/net/tcp /proc/net/tcp6
}

# tcp_run NAME [OPTION...]: iperf3 from CLIENT; its JSON is kept under NAME
tcp_run()
{
	local name=$1

	shift
	in_ns "$CLIENT" iperf3 -c "$SERVER_IP" -J -i 0.1 "$@" >"$LIB_TMP/$name.json" ||
		fail "iperf3: $(jq -r .error "$LIB_TMP/$name.json")"
}

# tcp_get NAME EXPRESSION: jq, on the JSON of a tcp_run
tcp_get()
{
	jq -r "$2" "$LIB_TMP/$1.json"
}

### ping

# ping_run NAME [OPTION...]: from CLIENT to SERVER; the times are kept under NAME
ping_run()
{
	local name=$1

	shift
	in_ns "$CLIENT" ping -n "$@" "$SERVER_IP" >"$LIB_TMP/$name.ping" || :
}

# ping_times NAME: ms, one per line, sorted
ping_times()
{
	sed -n 's/.* time=\([0-9.]*\) ms$/\1/p' "$LIB_TMP/$1.ping" | sort -n
}

# ping_lost NAME: how many had no reply
ping_lost()
{
	sed -n 's/^\([0-9]*\) packets transmitted, \([0-9]*\) received.*/\1 \2/p' \
		"$LIB_TMP/$1.ping" | awk '{ print $1 - $2 }'
}

### Numbers

# percentile P: of the sorted numbers on stdin
percentile()
{
	awk -v p="$1" '{ a[NR] = $1 } END { if (NR) print a[int((NR - 1) * p / 100) + 1] }'
}

# jain: Jain's fairness index of the numbers on stdin
jain()
{
	awk '{ s += $1; q += $1 * $1 } END { printf "%.4f", q ? s * s / (NR * q) : 0 }'
}
