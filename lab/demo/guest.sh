#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The demonstration's part inside the virtual machine.
#
#   client             router                              server
#   eth0 ------------- lan  uplink --------------------- eth0
#   10.0.1.2           |    |                            10.0.2.2
#    4 TCP uploads     |    htb 10 Mbit/s                 netem: what the server
#    and a ping   ---->|     `- the qdisc under test      sends takes 50 ms
#
# guest.sh SECONDS ECN(on|off) RESULT.json

set -euo pipefail

readonly SECONDS_OF_UPLOADS=$1 ECN=$2 RESULT=$3
readonly RATE_MBIT=10 DELAY_MS=50 UPLOADS=4 PING_MS=50 IDLE_SECONDS=1
readonly SERVER=10.0.2.2 PORT=5201
readonly QDISCS=(pfifo codel_oot fq_codel_oot)

here=$(dirname "$0")
work=$(mktemp -d)

# shellcheck source=bench/served.sh
. "$here/../../bench/served.sh"

die()
{
	echo "demo: $*" >&2
	exit 1
}

in_ns()
{
	ip netns exec "$@"
}

# One side of a link.  Without segmentation offloads, because a home router's
# uplink carries packets and not the 64 KB bundles that a veth would pass on.
port()
{
	local ns=$1 dev=$2 addr=$3

	in_ns "$ns" ethtool -K "$dev" tso off gso off gro off >/dev/null
	ip -n "$ns" addr add "$addr/24" dev "$dev"
	ip -n "$ns" link set "$dev" up
}

# Fresh namespaces for every qdisc: no TCP metrics of the one before.
lay_out()
{
	local ns ecn=2

	[ "$ECN" = off ] || ecn=1
	for ns in client router server; do
		ip netns add "$ns"
		in_ns "$ns" sysctl -qw net.ipv4.tcp_ecn=$ecn
	done
	ip -n client link add eth0 type veth peer name lan netns router
	ip -n server link add eth0 type veth peer name uplink netns router
	port client eth0 10.0.1.2
	port router lan 10.0.1.1
	port router uplink 10.0.2.1
	port server eth0 $SERVER
	ip -n client route add default via 10.0.1.1
	ip -n server route add default via 10.0.2.1
	in_ns router sysctl -qw net.ipv4.ip_forward=1
}

shape()
{
	local kind=$1

	tc -n server qdisc add dev eth0 root netem delay ${DELAY_MS}ms limit 10000
	tc -n router qdisc add dev uplink root handle 1: htb default 1
	tc -n router class add dev uplink parent 1: classid 1:1 htb rate ${RATE_MBIT}mbit
	tc -n router qdisc add dev uplink parent 1:1 handle 10: "$kind"
}

start_server()
{
	local tries=0

	in_ns server iperf3 -s -1 -J -p $PORT >"$work/server.json" &
	server_pid=$!
	until in_ns server ss -Hltn "sport = $PORT" | grep -q .; do
		((++tries < 100)) || die "iperf3 does not listen"
		sleep 0.05
	done
	# Neighbours are known, and the path works, before anything is measured.
	in_ns client ping -n -q -c 2 -i 0.2 -W 2 $SERVER >"$work/warm-up" ||
		die "the server does not answer a ping: $(cat "$work/warm-up")"
}

latest_ping()
{
	sed -n 's/.*time=\([0-9.]*\) ms/\1/p' "$1" | tail -n 1
}

# One line every few seconds, until the uploads have ended.
show_progress()
{
	local kind=$1 second=0

	while ((second + 5 < SECONDS_OF_UPLOADS)); do
		sleep 5
		((second += 5))
		printf '       %3d s  ping %s ms\n' $second "$(latest_ping "$work/$kind.ping")"
	done
}

# The ping starts on the idle path, ends about when the uploads do, and waits
# for the answers to what is still in the queue then.
measure()
{
	local kind=$1 ping_pid upload_pid
	local pings=$(((IDLE_SECONDS + SECONDS_OF_UPLOADS) * 1000 / PING_MS))

	in_ns client ping -n -D -i "$(printf 0.%03d $PING_MS)" -c $pings $SERVER \
		>"$work/$kind.ping" &
	ping_pid=$!
	sleep $IDLE_SECONDS
	date +%s.%N >"$work/$kind.start"
	in_ns client iperf3 -c $SERVER -p $PORT -P $UPLOADS -C cubic \
		-t "$SECONDS_OF_UPLOADS" -i 0 -J >"$work/client.json" &
	upload_pid=$!
	show_progress "$kind"
	wait $ping_pid || die "$kind: no ping was answered: $(tail -n 3 "$work/$kind.ping")"
	wait $upload_pid || die "$kind: iperf3: $(jq -r .error "$work/client.json")"
	wait "$server_pid" || die "$kind: iperf3's server: $(jq -r .error "$work/server.json")"
	tc -n router -j -s qdisc show dev uplink >"$work/$kind.tc"
	jq '{sent: .end.sum_sent, received: .end.sum_received}' \
		"$work/client.json" >"$work/$kind.iperf3"
}

phase()
{
	local kind=$1

	lay_out
	shape "$kind"
	start_server
	measure "$kind"
	ip -all netns del
}

# Each qdisc is served by the side that its name says.
check_servers()
{
	local kind

	for kind in "${QDISCS[@]}"; do
		case $kind in
		*_oot) require_out_of_tree "$kind" ;;
		*) require_in_tree "$kind" ;;
		esac
		served_by "$kind"
	done >"$work/servers"
}

# What the figures were measured with.
describe()
{
	jq -n \
		--arg kernel "$(uname -r)" \
		--arg tc "$(tc -V)" \
		--arg iperf3 "$(iperf3 --version | head -n 1)" \
		--arg ping "$(ping -V | head -n 1)" \
		--argjson rate $RATE_MBIT --argjson delay $DELAY_MS \
		--argjson uploads $UPLOADS --argjson ping_ms $PING_MS \
		--argjson seconds "$SECONDS_OF_UPLOADS" \
		--arg kinds "${QDISCS[*]}" --arg servers "$(<"$work/servers")" \
		--argjson ecn "$([ "$ECN" = on ] && echo true || echo false)" \
		'{kernel: $kernel, tc: $tc, iperf3: $iperf3, ping: $ping,
		  rate_mbit: $rate, delay_ms: $delay, uploads: $uploads, congestion_control: "cubic",
		  ecn: $ecn, seconds: $seconds, ping_interval_ms: $ping_ms,
		  served_by: [($kinds | split(" ")), ($servers | split("\n"))] | transpose |
			map({(.[0]): .[1]}) | add}' >"$work/setup"
}

modprobe sch_codel_oot
modprobe sch_fq_codel_oot
check_servers
describe
echo "client - router - server: $RATE_MBIT Mbit/s uplink, $DELAY_MS ms path," \
	"$UPLOADS uploads and a ping, Linux $(uname -r)"
for i in "${!QDISCS[@]}"; do
	echo "[$((i + 1))/${#QDISCS[@]}] ${QDISCS[i]}"
	phase "${QDISCS[i]}"
done
python3 -B "$here/collect.py" "$work" "${QDISCS[@]}" >"$RESULT"
