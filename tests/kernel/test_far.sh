#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# check: downstream options
#
# A queue in another device. CLIENT is the router and the sender of an upload, ROUTER the modem: the qdisc under test is the
# root of c0, and a FIFO of a second waits for the link of 10 Mbit/s at r1. Of a download, CLIENT is the provider, with the
# FIFO at c0, and the qdisc under test is at r1. The delay of the path is 40 ms: of an upload on the way back.

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/traffic.sh"

lib_require iperf3 nft

FIFO="rate 10mbit burst 3000 limit 1250000"

# provider NS DEV: the FIFO is behind a delay of 40 ms, which takes its packets from their sockets: a sender that sees them in a
# queue of its own would send no more
provider()
{
	tc -n "$1" qdisc add dev "$2" root handle 1: netem delay 40ms limit 100000
	# shellcheck disable=SC2086 # words
	tc -n "$1" qdisc add dev "$2" parent 1: handle 2: tbf $FIFO
}

# upload KIND [OPTION...]
upload()
{
	topo_create
	topo_delay 40ms
	# shellcheck disable=SC2086 # words
	tc -n "$ROUTER" qdisc add dev r1 root tbf $FIFO
	tc -n "$CLIENT" qdisc add dev c0 root handle 10: "$@"
	tcp_serve
}

# far EXPRESSION: of the qdisc of an upload
far()
{
	qdisc_get "$CLIENT" c0 10: ".far | $1"
}

# hearers NS: packet_types that hear answers there
hearers()
{
	in_ns "$1" awk '/codel_far_receive/ { n++ } END { print n + 0 }' /proc/net/ptype
}

# loaded NAME: four flows for 10 s, and a ping from the third second on
loaded()
{
	tcp_run "$1" -t 10 -P 4 &
	sleep 3
	ping_run "$1" -i 0.05 -c 100
	wait $!
}

# A FIFO of a second: without the option the ping shows it
no_window()
{
	upload "$1"
	loaded none
	check "ping without the option, ms" "$(ping_times none | percentile 50)" ">" 200
}

downstream()
{
	upload "$1" bottleneck downstream
	loaded far
	check "goodput, Mbit/s" "$(tcp_get far '.end.sum_received.bits_per_second / 1e6')" ">" 8.7
	if [[ $1 == "$FQ_CODEL_KIND" ]]; then
		check "ping, ms" "$(ping_times far | percentile 95)" "<" 85
	fi
	check "state" "$(far .state)" == works
	# Until it has a minimum of 20 s, a flow's path is too short by what the queue changed between two flows' samples
	check "path, ms" "$(far '.path_ns / 1e6')" "<" 50
	check "path, ms" "$(far '.path_ns / 1e6')" ">" 20
	check "answers" "$(far .answers)" ">" 1000
	check "median delay in the modem, ms" "$(far '.delay.p50_ns / 1e6')" "<" 25
	check "p99 of the delay in the modem, ms" "$(far '.delay.p99_ns / 1e6')" "<" 150
}

# The first seconds of one upload over 50 Mbit/s: a sender in slow start finds no window in its way
first_seconds()
{
	topo_create
	topo_delay 40ms
	tc -n "$ROUTER" qdisc add dev r1 root tbf rate 50mbit burst 15000 limit 6250000
	tc -n "$CLIENT" qdisc add dev c0 root handle 10: "$1" bottleneck downstream
	tcp_serve
	tcp_run first -t 5
	check "goodput, Mbit/s" "$(tcp_get first '.end.sum_received.bits_per_second / 1e6')" ">" 35
	check "p99 of the delay in the modem, ms" "$(far '.delay.p99_ns / 1e6')" "<" 60
}

# The modem stands still, and nothing is answered: pings, which are a sparse flow, leave all the same
passes_closed_window()
{
	local before

	before=$(qdisc_get "$ROUTER" r1 root .qlen)
	in_ns "$CLIENT" ping -n -q -c 5 -i 0.02 -W 0.1 "$SERVER_IP" >/dev/null || :
	check "pings past a closed window" "$(($(qdisc_get "$ROUTER" r1 root .qlen) - before))" ">=" 5
}

# carried SECONDS: Mbit/s through the modem in this time
carried()
{
	local before

	before=$(qdisc_get "$ROUTER" r1 root .bytes)
	sleep "$1"
	calc "($(qdisc_get "$ROUTER" r1 root .bytes) - $before) * 8 / ($1 * 1000000)"
}

# The modem stands still for 2 s. Afterwards the window is open again
standstill()
{
	upload "$1" bottleneck downstream
	background in_ns "$CLIENT" iperf3 -c "$SERVER_IP" -t 60 -P 4
	sleep 3
	tc -n "$ROUTER" qdisc change dev r1 root tbf rate 100bit burst 3000 limit 1250000
	sleep 2
	check "released" "$(far .released)" ">" 1
	if [[ $1 == "$FQ_CODEL_KIND" ]]; then
		passes_closed_window
	fi
	check "at the modem, packets" "$(qdisc_get "$ROUTER" r1 root .qlen)" "<" 200
	# shellcheck disable=SC2086 # words
	tc -n "$ROUTER" qdisc change dev r1 root tbf $FIFO
	sleep 3
	check "Mbit/s after the standstill" "$(carried 2)" ">" 8.5
}

# A FIFO of a second: without the option the downloads fill it
no_signals()
{
	topo_create
	provider "$CLIENT" c0
	tc -n "$ROUTER" qdisc add dev r1 root handle 10: "$1"
	tcp_serve
	background in_ns "$CLIENT" iperf3 -c "$SERVER_IP" -t 60 -P 4
	sleep 12
	check "at the provider, packets" "$(qdisc_get "$CLIENT" c0 2: .qlen)" ">" 400
}

upstream()
{
	topo_create
	provider "$CLIENT" c0
	tc -n "$ROUTER" qdisc add dev r1 root handle 10: "$1" bottleneck upstream
	tcp_serve
	tcp_run far -t 15 -P 4
	check "goodput, Mbit/s" "$(tcp_get far '.end.sum_received.bits_per_second / 1e6')" ">" 8.5
	check "state" "$(bottleneck_get .far.state)" == works
	check "signals" "$(bottleneck_get .dropped.codel.packets)" ">" 5
	check "median delay at the provider, ms" "$(bottleneck_get '.far.delay.p50_ns / 1e6')" "<" 40
	check "path, ms" "$(bottleneck_get '.far.path_ns / 1e6')" ">" 39
}

# The qdisc measures each of many connections: their time stamps begin anywhere, and either side opens them
each_flow()
{
	local i

	topo_create
	provider "$CLIENT" c0
	provider "$SERVER" s0
	for i in 1 2 3 4 5 6; do
		tc -n "$ROUTER" qdisc replace dev r1 root handle 10: "$1" bottleneck upstream
		tc -n "$ROUTER" qdisc replace dev r0 root handle 10: "$1" bottleneck upstream
		# a server resets a connection that begins when it has just ended another one
		tcp_serve "$((5300 + i))"
		tcp_serve "$((5400 + i))"
		tcp_run "sent$i" -t 1 -p "$((5300 + i))"
		check "connection $i, answers" "$(qdisc_get "$ROUTER" r1 10: .far.answers)" ">" 20
		tcp_run "received$i" -t 1 -R -p "$((5400 + i))"
		check "connection $i to its client, answers" "$(qdisc_get "$ROUTER" r0 10: .far.answers)" ">" 20
		tc -n "$ROUTER" qdisc del dev r1 root
		tc -n "$ROUTER" qdisc del dev r0 root
	done
}

# The same on the side of the modem, behind NAT: an ifb has what comes in, and the time stamps leave
ifb()
{
	local ifb

	topo_create
	provider "$SERVER" s0
	in_ns "$ROUTER" nft -f - <<-END
		table ip nat {
			chain out {
				type nat hook postrouting priority 100;
				oif r1 masquerade
			}
		}
	END
	modprobe ifb numifbs=0
	ip -n "$ROUTER" link add i0 type ifb
	ip -n "$ROUTER" link set i0 up
	tc -n "$ROUTER" qdisc add dev i0 root handle 10: "$1" bottleneck upstream answers r1
	tc -n "$ROUTER" qdisc add dev r1 clsact
	tc -n "$ROUTER" filter add dev r1 ingress matchall action mirred egress redirect dev i0
	tcp_serve
	tcp_run far -R -t 15 -P 4
	ifb=$(qdisc_get "$ROUTER" i0 10: .)
	check "goodput, Mbit/s" "$(tcp_get far '.end.sum_received.bits_per_second / 1e6')" ">" 8.5
	check "state" "$(jq -r .far.state <<<"$ifb")" == works
	check "signals" "$(jq -r .dropped.codel.packets <<<"$ifb")" ">" 5
	check "median delay at the provider, ms" "$(jq -r '.far.delay.p50_ns / 1e6' <<<"$ifb")" "<" 40
}

# Downloads without time stamps, as of Windows: what the client sends besides, such as window updates of HTTP/2, is acknowledged
without_stamps()
{
	topo_create
	provider "$CLIENT" c0
	tc -n "$ROUTER" qdisc add dev r1 root handle 10: "$1" bottleneck upstream
	in_ns "$CLIENT" sh -c 'echo 0 >/proc/sys/net/ipv4/tcp_timestamps'
	background in_ns "$SERVER" "$LIB_DIR/updates" serve 5400
	busywait 30 listens "$SERVER" 5400
	{
		sleep 12
		qdisc_get "$CLIENT" c0 2: .qlen >"$LIB_TMP/waits"
	} &
	check "Mbit/s" "$(in_ns "$CLIENT" "$LIB_DIR/updates" send "$SERVER_IP" 5400 4 15)" ">" 8.5
	check "state" "$(bottleneck_get .far.state)" == works
	check "median delay at the provider, ms" "$(bottleneck_get '.far.delay.p50_ns / 1e6')" "<" 60
	check "at the provider, packets" "$(cat "$LIB_TMP/waits")" "<" 250
}

# Uploads and downloads at once, CLIENT through ROUTER to SERVER: the modem's FIFO is at an ifb behind s0, the provider's at s0
both()
{
	local down ping

	topo_create
	modprobe ifb numifbs=0
	ip -n "$SERVER" link add modem type ifb
	ip -n "$SERVER" link set modem up
	# shellcheck disable=SC2086 # words
	tc -n "$SERVER" qdisc add dev modem root tbf $FIFO
	tc -n "$SERVER" qdisc add dev s0 clsact
	tc -n "$SERVER" filter add dev s0 ingress matchall action mirred egress redirect dev modem
	tc -n "$SERVER" qdisc add dev s0 root netem delay 40ms rate 10mbit limit 1000
	tc -n "$ROUTER" qdisc add dev r1 root handle 10: "$1" bottleneck downstream
	tc -n "$ROUTER" qdisc add dev r0 root handle 20: "$1" bottleneck upstream
	tcp_serve
	tcp_serve 5202
	tcp_run down -p 5202 -R -t 11 -O 4 -P 4 &
	down=$!
	{
		sleep 5
		ping_run both -i 0.05 -c 180
	} &
	ping=$!
	tcp_run up -t 11 -O 4 -P 4
	wait "$down" "$ping"
	check "upload, Mbit/s" "$(tcp_get up '.end.sum_received.bits_per_second / 1e6')" ">" 5.5
	check "download, Mbit/s" "$(tcp_get down '.end.sum_received.bits_per_second / 1e6')" ">" 5.5
	check "95th percentile of the ping, ms" "$(ping_times both | percentile 95)" "<" 400
	check "path of the uploads, ms" "$(bottleneck_get '.far.path_ns / 1e6')" ">" 39
}

# No packet of TCP: all that is sent leaves at once, however much the modem drops
no_answers()
{
	upload "$1" bottleneck downstream
	sink_start
	udp_send --size 1000 --rate 30e6 --time 2 >"$LIB_TMP/sent"
	sink_stop
	check "waits" "$(qdisc_get "$CLIENT" c0 10: .qlen)" == 0
	check "sent" "$(qdisc_get "$CLIENT" c0 10: .packets)" ">=" "$(cat "$LIB_TMP/sent")"
	check "held" "$(qdisc_get "$CLIENT" c0 10: .overlimits)" == 0
	check "released" "$(far .released)" == 0
	check "state" "$(far .state)" == unheard
}

# Half of the acknowledgments are lost, once the connections are established
thinned()
{
	upload "$1" bottleneck downstream
	background in_ns "$CLIENT" iperf3 -c "$SERVER_IP" -t 60 -P 4
	sleep 2
	tc -n "$ROUTER" qdisc add dev r0 root netem loss 50% limit 100000
	sleep 1
	check "Mbit/s" "$(carried 6)" ">" 9
	check "median delay in the modem, ms" "$(far '.delay.p50_ns / 1e6')" "<" 40
}

# A rate below that of the modem's link is the bound
rate()
{
	upload "$1" bottleneck downstream rate 4mbit
	tcp_run rate -t 10 -P 4
	check "goodput, Mbit/s" "$(tcp_get rate '.end.sum_received.bits_per_second / 1e6')" "<" 4
	check "goodput, Mbit/s" "$(tcp_get rate '.end.sum_received.bits_per_second / 1e6')" ">" 3.4
	check "median delay in the modem, ms" "$(far '.delay.p50_ns / 1e6')" "<" 10
}

# Super-packets that stay whole
whole()
{
	topo_create offloads
	topo_delay 40ms
	# shellcheck disable=SC2086 # words
	tc -n "$ROUTER" qdisc add dev r1 root tbf $FIFO
	tc -n "$CLIENT" qdisc add dev c0 root handle 10: "$1" bottleneck downstream no_split_gso
	tcp_serve
	tcp_run whole -t 10 -P 4
	check "goodput, Mbit/s" "$(tcp_get whole '.end.sum_received.bits_per_second / 1e6')" ">" 8.5
	check "state" "$(far .state)" == works
	check "median delay in the modem, ms" "$(far '.delay.p50_ns / 1e6')" "<" 60
}

# Answers are heard in a VLAN, which the qdisc is below
vlan()
{
	topo_create
	ip -n "$CLIENT" link add link c0 name c0.7 type vlan id 7
	ip -n "$ROUTER" link add link r0 name r0.7 type vlan id 7
	ip -n "$CLIENT" address add 10.9.7.2/24 dev c0.7
	ip -n "$ROUTER" address add 10.9.7.1/24 dev r0.7
	ip -n "$CLIENT" link set c0.7 up
	ip -n "$ROUTER" link set r0.7 up
	tc -n "$ROUTER" qdisc add dev r0 root netem delay 20ms limit 100000
	tc -n "$CLIENT" qdisc add dev c0 root handle 10: "$1" bottleneck downstream
	background in_ns "$ROUTER" iperf3 -s -p 5300
	busywait 30 listens "$ROUTER" 5300
	in_ns "$CLIENT" iperf3 -c 10.9.7.1 -p 5300 -b 20M -t 2 >/dev/null
	check "state" "$(far .state)" == works
	check "answers" "$(far .answers)" ">" 20
}

# listens NS PORT
listens()
{
	in_ns "$1" grep -q "$(printf ':%04X .* 0A ' "$2")" /proc/net/tcp /proc/net/tcp6
}

# The device on which answers should come in goes away under traffic: nothing is held any more
deaf()
{
	upload "$1"
	ip -n "$CLIENT" link add d0 type dummy
	tc -n "$CLIENT" qdisc change dev c0 root handle 10: "$1" bottleneck downstream answers d0
	background in_ns "$CLIENT" iperf3 -c "$SERVER_IP" -t 60
	sleep 2
	ip -n "$CLIENT" link del d0
	sleep 2
	check "state" "$(far .state)" == deaf
	check "waits" "$(qdisc_get "$CLIENT" c0 10: .qlen)" == 0
	check "at the modem, packets" "$(qdisc_get "$ROUTER" r1 root .qlen)" ">" 100
}

options()
{
	local before

	ns_create n
	ip -n "$NS" link add d0 type dummy
	ip -n "$NS" link add d1 type dummy
	tc -n "$NS" qdisc add dev d0 root handle 10: "$1"
	check "default" "$(qdisc_get "$NS" d0 10: .options.bottleneck)" == here
	check "no statistics" "$(qdisc_get "$NS" d0 10: '.far == null')" == true
	refuses "answers without a bottleneck elsewhere" tc -n "$NS" qdisc change dev d0 root "$1" answers d1
	[[ $REFUSAL == *"answers: "* ]] || fail "it says: $REFUSAL"
	tc -n "$NS" qdisc change dev d0 root "$1" bottleneck downstream answers d1
	before=$(options_get "$NS" d0 10:)
	check "answers" "$(qdisc_get "$NS" d0 10: .options.answers)" == d1
	check "split" "$(qdisc_get "$NS" d0 10: .options.split_gso)" == true
	check "state" "$(qdisc_get "$NS" d0 10: .far.state)" == unheard
	check "hears" "$(in_ns "$NS" grep -c 'ALL  d1 .*codel_far_receive' /proc/net/ptype)" == 1
	tc -n "$NS" qdisc change dev d0 root "$1" limit 500
	check "another change keeps it" "$(qdisc_get "$NS" d0 10: .options.answers)" == d1
	# shellcheck disable=SC2046 # words
	tc -n "$NS" qdisc change dev d0 root "$1" limit 1000 \
		$(jq -r "del(.limit)" <<<"$before" | jq -rf "$(dirname "$0")/../tools/tc/options_from_json.jq")
	check "replay" "$(options_get "$NS" d0 10: | jq -c "del(.limit) | $SORTED")" == \
		"$(jq -c "del(.limit) | $SORTED" <<<"$before")"
	ip -n "$NS" link del d1
	check "the device of the answers is gone" "$(qdisc_get "$NS" d0 10: .far.state)" == deaf
	tc -n "$NS" qdisc change dev d0 root "$1" bottleneck here
	check "here" "$(qdisc_get "$NS" d0 10: '.far == null')" == true
	check "nothing hears" "$(hearers "$NS")" == 0
}

# Under traffic: other options, another bottleneck, and the qdisc goes. A fault is a warning in the log, or a leak
removal()
{
	local i

	upload "$1" bottleneck downstream
	background in_ns "$CLIENT" iperf3 -c "$SERVER_IP" -t 60 -P 4
	for i in 1 2 3; do
		sleep 0.5
		tc -n "$CLIENT" qdisc change dev c0 root "$1" bottleneck upstream
		sleep 0.2
		tc -n "$CLIENT" qdisc change dev c0 root "$1" bottleneck here
		sleep 0.2
		tc -n "$CLIENT" qdisc change dev c0 root "$1" bottleneck downstream rate "$((i * 3))mbit"
	done
	tc -n "$CLIENT" qdisc del dev c0 root
	check "nothing hears" "$(hearers "$CLIENT")" == 0
	tc -n "$CLIENT" qdisc add dev c0 root handle 10: "$1" bottleneck downstream
	sleep 0.5
	check "works" "$(far .state)" == works
	ns_delete "$CLIENT"
}

lib_add_each options "options, refusals, replay, a device that goes"
lib_add_each no_window "without the option, the modem's FIFO is full"
lib_add_each downstream "the modem's queue is short, and its link full"
lib_add_each first_seconds "an upload begins as fast as without the option"
lib_add_each standstill "a standstill of the modem ends"
lib_add_each no_answers "without an answer nothing is held"
lib_add_each thinned "half of the acknowledgments are lost"
lib_add_each rate "a rate is an upper bound"
lib_add_each whole "super-packets that stay whole"
lib_add_each vlan "answers in a VLAN"
lib_add_each deaf "the device of the answers goes away under traffic"
lib_add_each no_signals "without the option, the provider's FIFO is full"
lib_add_each upstream "the provider's queue is short, and its link full"
lib_add_each each_flow "each connection is measured"
lib_add_each ifb "the provider's queue, behind NAT and through an ifb"
lib_add_each without_stamps "downloads without time stamps"
lib_add both "fq_codel_oot: uploads and downloads at once" fq_codel_oot
lib_add_each removal "changes and removal under traffic"
lib_main "$@"
