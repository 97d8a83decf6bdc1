#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
#	guest.sh NAME [PATTERN...]
#
# The part of tests/lab/test_meter.sh that runs in the machine: traffic past the meter. What it
# and tc say is kept in /root/NAME.tar, a folder for each case, for the host to compare; what
# needs no comparison is checked here.
#
#	CLIENT --- ROUTER --- slow, or below htb --- SERVER
#	 TCP, UDP  r1: queue 0                       s0: queue 1, netem
#	 ping

# shellcheck disable=SC2119 # functions with optional arguments
. "$(dirname "$0")/../../kernel/lib.sh"
. "$(dirname "$0")/../../kernel/traffic.sh"
. "$(dirname "$0")/../../kernel/slow.sh"

KEEP=meter	# in /root, where this is run
METER=/sys/kernel/debug/lab_meter
ECHO=4660	# the identifier of our pings

clock()
{
	python3 -c 'import time; print(time.monotonic_ns())'
}

# meter_load [PARAMETER...]
meter_load()
{
	insmod /root/lab_meter.ko "$@"
	defer rmmod lab_meter
}

# meter_tell COMMAND [NS]: the write is that of a process in the namespace
meter_tell()
{
	if [[ $# == 2 ]]; then
		in_ns "$2" echo "$1" >"$METER/control"
	else
		echo "$1" >"$METER/control"
	fi
}

meter_get()
{
	awk -v name="$1" '$1 == name { print $2 }' "$METER/status"
}

# keep CASE [NS DEV]: the meter's files, and what tc says of the device
keep()
{
	mkdir -p "$KEEP/$1"
	meter_tell stop
	cp "$METER/records" "$METER/flows" "$METER/status" "$KEEP/$1"
	[[ $# == 1 ]] || tc -n "$2" -s -j qdisc show dev "$3" >"$KEEP/$1/tc.json"
}

# as_root RATE KIND [OPTION...]
as_root()
{
	tc -n "$ROUTER" qdisc add dev r1 root handle 10: "${@:2}"
	slow_link "$ROUTER" r1 "$1"
}

### Counts, percentiles, flows

# load: TCP, UDP and ping at once, until all of it has left the queue
load()
{
	local senders=()

	sink_start
	tcp_serve
	tcp_run bulk -P 2 -t 3 &
	senders+=($!)
	udp_send --size 1200 --burst 150 --every 0.9 --time 3 >"$KEEP/$1/udp" &
	senders+=($!)
	ping_run echo -e "$ECHO" -c 15 -i 0.2 &
	senders+=($!)
	wait "${senders[@]}"
	sink_stop
	sleep 0.2
}

# follow CASE HOW KIND [OPTION...]: below htb, or the root of a slow device
follow()
{
	mkdir -p "$KEEP/$1"
	topo_create
	topo_delay 20ms
	ip -n "$SERVER" link set s0 gso_max_segs 1
	in_ns "$CLIENT" sysctl -qw net.ipv4.tcp_ecn=1
	case $2 in
	root) as_root 10000000 "${@:3}" ;;
	*) topo_bottleneck -s "$2" 10mbit "${@:3}" ;;
	esac
	meter_load
	meter_tell "add r1" "$ROUTER"
	meter_tell "add s0" "$SERVER"
	meter_tell "origin $(clock)"
	load "$1"
	keep "$1" "$ROUTER" r1
	check "waiting" "$(meter_get waiting)" == 0
	check "left, and had not come" "$(meter_get unknown)" == 0
	check "arrived twice" "$(meter_get strange)" == 0
}

# Sniffers have clones of all packets
sniffed()
{
	background tcpdump -i any -w /dev/null
	follow "$@"
}

### The link

# Two of them at once: what leaves the one at 100 Mbit/s comes to the other
rate()
{
	local sender

	topo_create
	tc -n "$CLIENT" qdisc add dev c0 root pfifo limit 100
	tc -n "$ROUTER" qdisc add dev r1 root pfifo limit 100
	slow_link "$CLIENT" c0 100000000
	slow_link "$ROUTER" r1 50000000
	meter_load
	meter_tell "add c0" "$CLIENT"
	meter_tell "add r1" "$ROUTER"
	sink_start
	udp_send --size 1500 --rate 130e6 --time 1.4 >/dev/null &
	sender=$!
	sleep 0.3
	meter_tell "origin $(clock)"
	sleep 0.5
	slow_link "$ROUTER" r1 37000000
	sleep 0.5
	keep "${FUNCNAME[0]}"
	wait "$sender"
	check "links of one namespace" "$(in_ns "$ROUTER" cat "$SLOW_LINK")" == "r1 37000000"
	check "waiting" "$(bottleneck_waits)" ">" 0
	slow_link "$ROUTER" r1 0
	sleep 0.01
	check "waiting once it is fast" "$(bottleneck_waits)" == 0
}

bottleneck_waits()
{
	qdisc_get "$ROUTER" r1 root .qlen
}

# A device goes while it is slow, measured, and packets wait; and so does one that is neither
gone()
{
	topo_create
	as_root 100000 pfifo limit 100
	meter_load
	meter_tell "add r1" "$ROUTER"
	meter_tell "origin 0"
	sink_start
	udp_send --burst 50 --groups 1 >/dev/null
	check "waiting" "$(meter_get waiting)" ">" 45
	ip -n "$ROUTER" link del r1
	ip -n "$CLIENT" link del c0
	check "waiting, without the device" "$(meter_get waiting)" == 0
	check "links, without the device" "$(in_ns "$ROUTER" cat "$SLOW_LINK")" empty
	ip -n "$ROUTER" link add r1 type dummy
	refuses "to change what is not there" slow_link "$ROUTER" r2 1
	slow_link "$ROUTER" r1 1000
	meter_tell "add r1" "$ROUTER"
	keep "${FUNCNAME[0]}"
}

### The meter's limits

refusals()
{
	topo_create
	sink_start
	meter_load
	meter_tell "add r1" "$ROUTER"
	refuses "a device twice" meter_tell "add r1" "$ROUTER"
	refuses "a device of another namespace" meter_tell "add r1" "$CLIENT"
	refuses "more words" meter_tell "add r0 r1" "$ROUTER"
	refuses "no such word" meter_tell "remove r1" "$ROUTER"
	refuses "an origin that is no number" meter_tell "origin now"
	meter_tell "origin 1000000000000000000"
	udp_send --burst 5 --groups 1 >/dev/null
	check "records before the origin" "$(meter_get records)" == 0
	meter_tell "origin $(clock)"
	udp_send --burst 5 --groups 1 >/dev/null
	check "records" "$(meter_get records)" == 5
	refuses "another origin, after records" meter_tell "origin 1"
	meter_tell stop
	meter_tell stop
	udp_send --source 7000 --burst 5 --groups 1 >/dev/null
	check "records, and flows, once stopped" "$(meter_get records) $(meter_get flows)" == "5 2"
	refuses "no room at all" insmod /root/lab_meter.ko records=0
	refuses "rates without a number" slow_link "$ROUTER" r1 fast
}

# Pings that are 10 s apart: more than a record can tell
apart()
{
	topo_create
	meter_load
	meter_tell "add r1" "$ROUTER"
	meter_tell "origin $(clock)"
	ping_run echo -c 4 -i 10
	keep "${FUNCNAME[0]}"
}

# limits CASE PARAMETER...: 300 packets at once, too many
limits()
{
	topo_create
	as_root 10000000 pfifo limit 1000
	meter_load "${@:2}"
	meter_tell "add r1" "$ROUTER"
	meter_tell "origin $(clock)"
	sink_start
	udp_send --burst 300 --groups 1 >/dev/null
	busywait 10 bottleneck_empty
	keep "$1"
}

# many: of 70,000 flows some have no number of their own
many()
{
	ns_create n
	dummy_device
	meter_load
	meter_tell "add d0" "$NS"
	meter_tell "origin 0"
	in_ns "$NS" python3 - <<-END
		import socket
		for low in (1024, 30000):
		    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
		    sock.bind(("10.0.0.1", low))
		    for port in range(20000, 55000):
		        sock.sendto(b"", ("10.0.0.9", port))
	END
	keep "${FUNCNAME[0]}"
}

# segmented CASE [WORD...]: TCP begins here; WORDs are ip link's
segmented()
{
	topo_create
	topo_delay 2ms
	[[ $# == 1 ]] || ip -n "$CLIENT" link set c0 "${@:2}"
	meter_load
	meter_tell "add c0" "$CLIENT"
	meter_tell "origin $(clock)"
	tcp_serve
	tcp_run bulk -n 8M
	sleep 0.1
	keep "$1" "$CLIENT" c0
}

# split: TCP begins here, and the qdisc cuts what it gets
split()
{
	topo_create
	topo_delay 2ms
	tc -n "$CLIENT" qdisc add dev c0 root handle 10: codel_oot rate 20mbit
	meter_load
	meter_tell "add c0" "$CLIENT"
	meter_tell "origin $(clock)"
	tcp_serve
	tcp_run bulk -P 2 -t 3
	sleep 0.5
	keep "${FUNCNAME[0]}" "$CLIENT" c0
}

### What it costs

# dummy_device: d0 in NS, with a queue
dummy_device()
{
	ip -n "$NS" -batch - <<-END
		link add d0 type dummy
		addr add 10.0.0.1/24 dev d0
		link set d0 up
		neigh add 10.0.0.9 lladdr 02:00:00:00:00:09 dev d0
	END
	tc -n "$NS" qdisc add dev d0 root pfifo
}

# instructions WHAT: of a packet, from send() to its end in the device
instructions()
{
	local found

	echo >&"${SENDER[1]}"
	read -r found <&"${SENDER[0]}"
	echo "$1 $found" >>"$KEEP/cost"
}

# One process counts all: another one's memory and hashes may be some hundred instructions off
cost()
{
	ns_create n
	dummy_device
	coproc SENDER { in_ns "$NS" python3 -u "$LIB_DIR/../lab/meter/count.py"; }
	instructions first
	instructions without
	meter_load
	instructions elsewhere
	meter_tell "add d0" "$NS"
	meter_tell "origin 0"
	instructions measured
}

# disturb KIND METER: the same packets with and without the meter. Of one sender, so that the flows keep step;
# without a ceiling, which drops by chance
disturb()
{
	local name=disturb-$1-$2

	mkdir -p "$KEEP/$name"
	topo_create
	as_root 10000000 "$1" ceiling off
	if [[ $2 == with ]]; then
		meter_load
		meter_tell "add r1" "$ROUTER"
		meter_tell "origin 0"
	fi
	sink_start
	udp_send --flows 2 --burst 50 --size 1000 --rate 12e6 --time 2.5 >/dev/null
	busywait 10 bottleneck_empty
	sink_stop
	tc -n "$ROUTER" -s -j qdisc show dev r1 >"$KEEP/$name/tc.json"
}

rm -rf "$KEEP"
mkdir -p "$KEEP"
lib_add sniffed "codel_oot, root, and a sniffer" codel_oot root codel_oot ecn
lib_add follow "fq_codel_oot, root" fq_codel_oot root fq_codel_oot
lib_add follow "pfifo, root" pfifo root pfifo limit 50
lib_add follow "the kernel's fq_codel below htb" htb-fq_codel htb fq_codel
lib_add follow "fq_codel_oot below htb" htb-fq_codel_oot htb fq_codel_oot
lib_add rate "two links, one of which gets another rate"
lib_add gone "devices that go"
lib_add refusals "what is refused"
lib_add apart "records that are far apart"
lib_add limits "records that do not fit" overrun records=100
lib_add limits "packets that do not fit" crowded packets=100
lib_add many "flows that do not fit"
lib_add segmented "packets that are cut into several" segmented
lib_add segmented "packets that are not" whole gso_max_segs 1
lib_add split "packets that a qdisc cuts" split
lib_add cost "instructions"
for kind in codel_oot fq_codel_oot; do
	lib_add disturb "$kind, without the meter" "$kind" without
	lib_add disturb "$kind, with it" "$kind" with
done
status=0
(lib_main "${@:2}") || status=$?
python3 -m tarfile -c "/root/$1.tar" "$KEEP"
exit "$status"
